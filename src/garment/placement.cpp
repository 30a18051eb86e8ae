// A ring is what lies around one part: front and back of a dress, a sleeve, the panels of a leg. At every height the rows of
// its panels follow each other on a loop around the part. Above the last row that is sewn all around (the armhole) front
// and back go on upwards, each as deep as the body is there, and meet on the shoulders.

#include "garment/placement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/concat.h"
#include "base/suggest.h"
#include "garment/folded_ring.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kRowStep = 0.005; // [m]
constexpr double kOpening = 0.012; // [m]; between the edges of an open front

/// Where a row of a panel ends, and on which edge of its outline.
struct RowEnd {
    double x = 0.0;
    int edge = 0;
};

struct PanelRow {
    RowEnd low, high;
};

/// A panel in a ring.
struct RingPanel {
    int panel = 0; ///< In the pattern.
    bool mirrored = false;
    double base = 0.0;        ///< Height of the pattern's y = 0.
    double turn = 0.0;        ///< Fraction of the way around.
    std::vector<Vec2> points; ///< Outline, closed.
    std::vector<int> edge_of; ///< Of the segment from each point to the next.
};

std::optional<PanelRow> row_at(const RingPanel& panel, double y) {
    PanelRow row{{1e300, 0}, {-1e300, 0}};
    for (std::size_t i = 0; i < panel.points.size(); ++i) {
        const Vec2 &a = panel.points[i], &b = panel.points[(i + 1) % panel.points.size()];
        if ((a.y <= y) == (b.y <= y)) continue;
        const double x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
        if (x < row.low.x) row.low = {x, panel.edge_of[i]};
        if (x > row.high.x) row.high = {x, panel.edge_of[i]};
    }
    if (row.low.x >= row.high.x) return std::nullopt;
    return row;
}

/// The rows of all panels of a ring at one height.
struct RingRow {
    bool closed = false;
    double width = 0.0; ///< Of all rows together.
    std::vector<std::optional<PanelRow>> rows;
    WrapTube::Loop loop;             ///< What they lie on.
    double gap = 0.0;                ///< Left open.
    double total = 0.0, scale = 1.0; ///< Its length; how much rows are stretched to fill it.
    std::vector<double> middle;      ///< Along the loop, of each panel.
    double height = 0.0;             ///< Along the part's axis: lower rows of a flared skirt hang less deep.
};

class Ring {
public:
    /// `upright`: rows above those sewn all around go on upwards, as a bodice does, with x = 0 in the body's middle.
    Ring(const Pattern& pattern, const WrapTube& tube, double clearance, bool upright, std::vector<RingPanel> panels)
        : pattern_(pattern), tube_(tube), clearance_(clearance), upright_(upright), panels_(std::move(panels)) {
        std::stable_sort(panels_.begin(), panels_.end(),
                         [](const RingPanel& a, const RingPanel& b) { return a.turn < b.turn; });
        double low = 1e300, high = -1e300;
        for (const RingPanel& panel : panels_)
            for (const Vec2& p : panel.points) {
                low = std::min(low, panel.base + p.y);
                high = std::max(high, panel.base + p.y);
            }
        low_ = low;
        for (double s = low_; s < high + 2.0 * kRowStep; s += kRowStep)
            rows_.push_back(make_row(s));
        open_rows();
        set_heights();
    }

    /// Where a point of a panel starts. `nominal` is its height were the ring a straight tube.
    Vec3 place(int panel, const Vec2& p) const {
        const std::size_t k = index_of(panel);
        const double nominal = panels_[k].base + p.y;
        const double at = std::clamp((nominal - low_) / kRowStep, 0.0, static_cast<double>(rows_.size()) - 1.001);
        const auto i = static_cast<std::size_t>(at);
        const Vec3 a = place_in(rows_[i], k, p), b = place_in(rows_[i + 1], k, p);
        return a + (at - static_cast<double>(i)) * (b - a);
    }

    bool holds(int panel) const {
        return std::any_of(panels_.begin(), panels_.end(), [&](const RingPanel& p) { return p.panel == panel; });
    }

private:
    std::size_t index_of(int panel) const {
        std::size_t k = 0;
        while (panels_[k].panel != panel)
            ++k;
        return k;
    }

    bool are_sewn(int panel_a, int edge_a, int panel_b, int edge_b) const {
        const auto is = [&](const SeamEnd& end, int panel, int edge) {
            return end.panel == pattern_.panels[panel].name &&
                   end.edge == pattern_.panels[panel].outline.edges[edge].name;
        };
        for (const PatternSeam& seam : pattern_.seams)
            if ((is(seam.a, panel_a, edge_a) && is(seam.b, panel_b, edge_b)) ||
                (is(seam.b, panel_a, edge_a) && is(seam.a, panel_b, edge_b)))
                return true;
        return false;
    }

    /// All panels have a row here, and each is sewn to the next.
    RingRow make_row(double s) const {
        RingRow row;
        row.height = s;
        row.closed = true;
        const std::size_t n = panels_.size();
        for (const RingPanel& panel : panels_) {
            // The lowest row is the hem itself, a hair inside, so that the seams meet down to their ends.
            row.rows.push_back(row_at(panel, std::max(s, low_ + 1e-4) - panel.base));
            row.closed = row.closed && row.rows.back();
            if (row.rows.back()) row.width += row.rows.back()->high.x - row.rows.back()->low.x;
        }
        // One opening is allowed, as in the front of a coat; it stays open a little.
        int openings = 0;
        for (std::size_t k = 0; k < n && row.closed; ++k)
            if (!are_sewn(panels_[k].panel, row.rows[k]->high.edge, panels_[(k + 1) % n].panel,
                          row.rows[(k + 1) % n]->low.edge))
                row.closed = n > 1 && k + 1 == n && ++openings == 1;
        row.gap = openings > 0 ? kOpening : 0.0;
        if (row.closed) fill(row, s);
        return row;
    }

    /// Lays a closed row on its loop.
    void fill(RingRow& row, double s) const {
        double offset = clearance_;
        const double hull = loop_length(tube_.loop(s, 0.0));
        offset = std::max(offset, (row.width + row.gap - hull) /
                                      (2.0 * kPi)); // an offset of d makes a convex loop 2 pi d longer
        row.loop = tube_.loop(s, offset);
        row.total = loop_length(row.loop);
        row.scale = (row.total - row.gap) / row.width;
        double at = 0.0, off = 0.0;
        row.middle.clear();
        for (std::size_t k = 0; k < panels_.size(); ++k) {
            const double w = (row.rows[k]->high.x - row.rows[k]->low.x) * row.scale;
            row.middle.push_back(at + 0.5 * w);
            off += panels_[k].turn * row.total - row.middle.back();
            at += w;
        }
        for (double& middle : row.middle)
            middle += off / static_cast<double>(panels_.size());
    }

    /// Rows that are not sewn all around take the loop of the nearest row that is.
    void open_rows() {
        const auto copy = [&](std::size_t to, std::size_t from) {
            rows_[to].loop = rows_[from].loop;
            rows_[to].total = rows_[from].total;
            rows_[to].scale = rows_[from].scale;
            rows_[to].middle = rows_[from].middle;
        };
        first_closed_ = rows_.size();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            // Above the armholes rows end on shoulder seams: sewn, but no longer around the body.
            if (upright_ && first_closed_ < i && !rows_[i - 1].closed) rows_[i].closed = false;
            if (!rows_[i].closed) continue;
            first_closed_ = std::min(first_closed_, i);
            last_closed_ = i;
        }
        if (first_closed_ == rows_.size()) { // none: each panel in the middle of where it belongs
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                rows_[i].loop = tube_.loop(low_ + kRowStep * static_cast<double>(i), clearance_);
                rows_[i].total = loop_length(rows_[i].loop);
                for (const RingPanel& panel : panels_)
                    rows_[i].middle.push_back(panel.turn * rows_[i].total);
            }
            first_closed_ = 0;
            last_closed_ = rows_.size() - 1;
            return;
        }
        for (std::size_t i = first_closed_; i-- > 0;)
            copy(i, first_closed_);
        std::size_t last = first_closed_;
        for (std::size_t i = first_closed_; i < rows_.size(); ++i) {
            if (rows_[i].closed)
                last = i;
            else
                copy(i, last);
        }
    }

    /// From the highest closed row down: what goes outwards does not go down.
    void set_heights() {
        for (std::size_t i = last_closed_; i-- > 0;) {
            const double wider = std::abs(rows_[i].total - rows_[i + 1].total) / (2.0 * kPi);
            const double down = std::sqrt(std::max(kRowStep * kRowStep - wider * wider, 0.04 * kRowStep * kRowStep));
            // Only beyond the body: where the loop follows the body's own shape, so will the cloth.
            const bool hangs = rows_[i].scale <= 1.0 + 1e-9 && rows_[i].total > rows_[i + 1].total;
            rows_[i].height = rows_[i + 1].height - (hangs ? down : kRowStep);
        }
    }

    Vec3 place_in(const RingRow& row, std::size_t k, const Vec2& p) const {
        const RingPanel& panel = panels_[k];
        const double x = panel.mirrored ? -p.x : p.x;
        const double nominal = panel.base + p.y;
        double centre = 0.0; // of the panel's own row, in its x
        if (row.closed && row.rows[k]) centre = 0.5 * (row.rows[k]->low.x + row.rows[k]->high.x);
        const RingRow& top = rows_[last_closed_];
        if (!row.closed && top.rows[k]) centre = 0.5 * (top.rows[k]->low.x + top.rows[k]->high.x);
        const Vec3 wrapped = tube_.place(loop_point(row.loop, row.middle[k] + (x - centre) * row.scale), row.height);
        const double above = nominal - (low_ + kRowStep * static_cast<double>(last_closed_));
        if (row.closed || !upright_ || above <= 0.0 || panels_.size() < 2) return wrapped;
        // Upright in front of the body or behind it, and as near as it allows.
        const bool at_front = std::abs(panel.turn - 0.5) > 0.25;
        // An open front stays as open as it is below.
        const double aside = panel.turn > 0.5 ? -0.5 * top.gap : 0.5 * top.gap;
        const double across = at_front ? x + aside : -x;
        bool is_beside = false;
        const double gap = at_front ? clearance_ : -clearance_;
        const Vec3 upright =
            tube_.place({across, tube_.depth(row.height, across, at_front, is_beside) + gap}, row.height);
        constexpr double kBlend = 0.06; // [m]
        const double t = std::clamp(above / kBlend, 0.0, 1.0);
        Vec3 p3 = wrapped + t * (upright - wrapped);
        // What the loop below did not go around, the bust and where the arm begins, is gone around here.
        const double outside = tube_.depth(row.height, p3.x, at_front, is_beside) + gap;
        if (!is_beside) p3.z = at_front ? std::max(p3.z, outside) : std::min(p3.z, outside);
        return p3;
    }

    const Pattern& pattern_;
    const WrapTube& tube_;
    double clearance_;
    bool upright_;
    std::vector<RingPanel> panels_;
    std::vector<RingRow> rows_;
    double low_ = 0.0;
    std::size_t first_closed_ = 0, last_closed_ = 0;
};

class Placer {
public:
    Placer(const Pattern& pattern, const SewnCloth& cloth, const WrapBody& body, const PlacementSettings& settings)
        : pattern_(pattern), cloth_(cloth), body_(body),
          clearance_(settings.clearance * (1.0 + kLayerClearance * cloth.layer)) {}

    Result<std::vector<Vec3>> run() {
        for (const SewnPanel& sewn : cloth_.panels)
            if (const Status ok = add_panel(sewn); !ok) return ok.error();
        std::vector<Ring> rings, hips;
        for (const auto& [part, panels] : tubes_)
            rings.emplace_back(pattern_, body_.tube(part), clearance_, part == WrapBody::kTorso, panels);
        std::vector<FoldedRing> folded;
        for (const auto& [part, panels] : folded_)
            folded.emplace_back(pattern_, body_.tube(part), clearance_, panels);
        if (!hips_.empty()) hips.emplace_back(pattern_, body_.tube(WrapBody::kTorso), clearance_, false, hips_);
        find_disc();
        std::vector<Vec3> sum(cloth_.mesh.positions.size());
        std::vector<int> count(sum.size(), 0);
        for (const SewnPanel& sewn : cloth_.panels)
            for (int i = sewn.flat_begin; i < sewn.flat_begin + sewn.flat_count; ++i) {
                const int v = cloth_.vertex_of[i];
                sum[v] += place_point(sewn, cloth_.flat[i], rings, hips, folded);
                ++count[v];
            }
        for (std::size_t v = 0; v < sum.size(); ++v)
            sum[v] = sum[v] / static_cast<double>(count[v]);
        return sum;
    }

private:
    static bool is_leg(int part) { return part == WrapBody::kLeftLeg || part == WrapBody::kRightLeg; }

    Status add_panel(const SewnPanel& sewn) {
        const PatternPanel& panel = pattern_.panels[sewn.panel];
        const std::vector<std::string>& parts = WrapBody::part_names();
        const int part = static_cast<int>(std::find(parts.begin(), parts.end(), panel.place.around) - parts.begin());
        const std::string where = concat("panel \"", panel.name, "\": place: ");
        if (part == static_cast<int>(parts.size()))
            return Error{concat(where, "around \"", panel.place.around, "\"; expected one of: ", join(parts))};
        double level = 0.0;
        if (!body_.level(part, panel.place.level, level))
            return Error{concat(where, "level \"", panel.place.level, "\" is not on the ", parts[part],
                                "; expected one of: ", body_.level_names(part))};
        RingPanel ring{sewn.panel,
                       sewn.mirrored,
                       level + panel.place.shift,
                       panel.place.turn_deg / 360.0 - std::floor(panel.place.turn_deg / 360.0),
                       {},
                       {}};
        for (int e = 0; e < static_cast<int>(panel.outline.edges.size()); ++e) {
            const std::vector<Vec2> points = edge_points(panel.outline, e);
            for (std::size_t i = 0; i + 1 < points.size(); ++i) {
                ring.points.push_back(sewn.mirrored ? Vec2{-points[i].x, points[i].y} : points[i]);
                ring.edge_of.push_back(e);
            }
        }
        base_[sewn.panel] = ring.base;
        part_[sewn.panel] = part;
        if (panel.place.shape != PanelPlace::Shape::tube) return Done{};
        if (!creases_of(panel).empty()) {
            folded_[part].push_back({sewn.panel, sewn.mirrored, ring.base, ring.turn});
            return Done{};
        }
        tubes_[part].push_back(ring);
        if (!is_leg(part)) return Done{};
        // Above the crotch both legs' panels are one ring, a quarter each where there are four.
        const bool back = std::abs(ring.turn - 0.5) < 0.25;
        ring.turn = part == WrapBody::kLeftLeg ? (back ? 0.375 : 0.125) : (back ? 0.625 : 0.875);
        hips_.push_back(ring);
        return Done{};
    }

    /// Angles that the panels of a disc take together, its radii, and where it lies.
    void find_disc() {
        sweep_ = 0.0;
        inner_ = 1e300;
        for (const SewnPanel& sewn : cloth_.panels) {
            if (pattern_.panels[sewn.panel].place.shape != PanelPlace::Shape::disc) continue;
            double low = 1e300, high = -1e300;
            for (int i = sewn.flat_begin; i < sewn.flat_begin + sewn.flat_count; ++i) {
                const double angle = maths::atan2(cloth_.flat[i].x, -cloth_.flat[i].y); // 0 downwards in the pattern
                low = std::min(low, angle);
                high = std::max(high, angle);
                inner_ = std::min(inner_, length(cloth_.flat[i]));
                outer_ = std::max(outer_, length(cloth_.flat[i]));
            }
            sweep_ += high - low;
        }
        for (const SewnPanel& sewn : cloth_.panels)
            if (pattern_.panels[sewn.panel].place.shape == PanelPlace::Shape::disc)
                discs_[sewn.panel] = disc_of(sewn.panel);
    }

    Vec3 place_point(const SewnPanel& sewn, const Vec2& p, const std::vector<Ring>& rings,
                     const std::vector<Ring>& hips, const std::vector<FoldedRing>& folded) const {
        const PatternPanel& panel = pattern_.panels[sewn.panel];
        const int part = part_.at(sewn.panel);
        if (panel.place.shape == PanelPlace::Shape::flat) return {p.x, base_.at(sewn.panel), -p.y};
        if (panel.place.shape == PanelPlace::Shape::disc) return place_on_disc(sewn, p);
        for (const FoldedRing& ring : folded)
            if (ring.holds(sewn.panel)) return ring.place(sewn.panel, p);
        if (is_leg(part) && base_.at(sewn.panel) + p.y > body_.crotch() - kBelowCrotch)
            return hips.front().place(sewn.panel, p);
        for (const Ring& ring : rings) {
            if (!ring.holds(sewn.panel)) continue;
            Vec3 placed = ring.place(sewn.panel, p);
            // Each leg's panels stay on their side of the body's middle, however close the thighs are.
            if (part == WrapBody::kLeftLeg) placed.x = std::max(placed.x, kLegsApart);
            if (part == WrapBody::kRightLeg) placed.x = std::min(placed.x, -kLegsApart);
            return placed;
        }
        return {};
    }

    /// A cone about the part whose circles are as long as in the pattern. Above the arms it is as flat as that makes it;
    /// below them it is steep, and its circles are waves.
    struct Disc {
        double base = 0.0;     ///< Height of its inner circle.
        double offset = 0.0;   ///< Of that from the part's hull.
        double flatness = 0.0; ///< Sine of the angle to the vertical.
        double lift = 0.0;     ///< Above its base.

        double drop(double out) const { return out * std::sqrt(std::max(0.0, 1.0 - flatness * flatness)); }
        double offset_at(double out) const { return offset + out * flatness; }
    };

    Disc disc_of(int panel) const {
        const WrapTube& tube = body_.tube(part_.at(panel));
        double armpit = 0.0;
        const bool knows_arms = body_.level(WrapBody::kTorso, "armpit", armpit);
        constexpr double kSteep = 0.5;
        Disc disc;
        disc.base = base_.at(panel);
        const bool below_arms = knows_arms && disc.base < armpit;
        disc.flatness = std::min({1.0, sweep_ / (2.0 * kPi), below_arms ? kSteep : 1.0});
        const double hull = loop_length(tube.loop(disc.base, 0.0));
        disc.offset = std::max(clearance_, (sweep_ * inner_ - hull) / (2.0 * kPi));
        if (below_arms || part_.at(panel) != WrapBody::kTorso) return disc;
        // Shoulders may be wider than the cone is where they are: it starts higher then, though not so high that it meets
        // the chin. Sections hold what is a centimetre above and below, which is room enough.
        const auto clears = [&](double lift) {
            for (double out = 0.0; disc.base + lift - disc.drop(out) > armpit && out < outer_ - inner_; out += kRowStep)
                if (!tube.goes_around(tube.loop(disc.base, disc.offset_at(out)), disc.base + lift - disc.drop(out),
                                      0.0))
                    return false;
            return true;
        };
        while (disc.lift < kMostLift && !clears(disc.lift))
            disc.lift += kRowStep;
        return disc;
    }

    Vec3 place_on_disc(const SewnPanel& sewn, const Vec2& p) const {
        const PatternPanel& panel = pattern_.panels[sewn.panel];
        const WrapTube& tube = body_.tube(part_.at(sewn.panel));
        const Disc& disc = discs_.at(sewn.panel);
        const double angle = maths::atan2(p.x, -p.y) * (sewn.mirrored ? -1.0 : 1.0), r = length(p);
        const WrapTube::Loop loop = tube.loop(disc.base, disc.offset_at(r - inner_));
        const double total = loop_length(loop);
        // An open front stays open by a finger's breadth.
        const double whole = sweep_ < 2.0 * kPi - 1e-6 ? std::max(sweep_, 1e-9) / 0.985 : 2.0 * kPi;
        const double around = panel.place.turn_deg / 360.0 + angle / whole;
        const WavePoint wave = wave_at(around, r * sweep_ / total);
        const Vec2 at = loop_point(loop, wave.around * total);
        const Vec2 ahead = loop_point(loop, wave.around * total + 1e-4) - loop_point(loop, wave.around * total - 1e-4);
        const Vec2 outwards = (1.0 / std::max(length(ahead), 1e-12)) * Vec2{-ahead.y, ahead.x};
        return tube.place(at + wave.height * total * outwards, disc.base + disc.lift - disc.drop(r - inner_));
    }

    struct WavePoint {
        double around = 0.0; ///< Fraction of the loop below it.
        double height = 0.0; ///< As a fraction of the loop's length.
    };

    /// A point of a wavy loop that is `longer` times as long as the loop itself, at a fraction of its own length.
    static WavePoint wave_at(double around, double longer) {
        if (longer <= 1.0 + 1e-6) return {around, 0.0};
        constexpr int kSteps = 64;
        const auto mean = [](double q) {
            double sum = 0.0;
            for (int k = 0; k < kSteps; ++k) {
                const double c = maths::cos(2.0 * kPi * (k + 0.5) / kSteps);
                sum += std::sqrt(1.0 + q * q * c * c);
            }
            return sum / kSteps;
        };
        double low = 0.0, high = 2.0 * longer + 2.0; // slope where the wave crosses its loop
        for (int round = 0; round < 40; ++round)
            (mean(0.5 * (low + high)) < longer ? low : high) = 0.5 * (low + high);
        const double period = around * kWaves - std::floor(around * kWaves);
        double sum = 0.0;
        const double want = period * longer * kSteps;
        int k = 0;
        double step = 0.0;
        for (; k < kSteps; ++k) {
            const double c = maths::cos(2.0 * kPi * (k + 0.5) / kSteps);
            step = std::sqrt(1.0 + low * low * c * c);
            if (sum + step > want) break;
            sum += step;
        }
        const double phase = (k + (k < kSteps ? (want - sum) / step : 0.0)) / kSteps;
        return {(std::floor(around * kWaves) + phase) / kWaves,
                low * maths::sin(2.0 * kPi * phase) / (2.0 * kPi * kWaves)};
    }

    static constexpr double kLayerClearance = 2.0; // of a layer from the one below, in clearances from the body
    static constexpr double kLegsApart = 0.003;    // [m]; of each leg from the body's middle
    static constexpr double kMostLift = 0.2;       // [m]
    static constexpr int kWaves = 11;              // odd: front and back differ, as they do on people
    static constexpr double kBelowCrotch = 0.02;   // [m]

    const Pattern& pattern_;
    const SewnCloth& cloth_;
    const WrapBody& body_;
    double clearance_;
    std::map<int, std::vector<RingPanel>> tubes_;
    std::vector<RingPanel> hips_;
    std::map<int, std::vector<FoldedPanel>> folded_;
    std::map<int, double> base_;
    std::map<int, int> part_;
    std::map<int, Disc> discs_;
    double sweep_ = 0.0, inner_ = 0.0, outer_ = 0.0;
};

} // namespace

Result<std::vector<Vec3>> place_cloth(const Pattern& pattern, const SewnCloth& cloth, const WrapBody& body,
                                      const PlacementSettings& settings) {
    return Placer(pattern, cloth, body, settings).run();
}

} // namespace selvage
