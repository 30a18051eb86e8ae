// In plan a row of knife pleats is a zigzag: forwards on the long strips up to an outer crease, backwards on the fold that
// lies under, to an inner crease. With the depth D between outer and inner creases a strip of width w goes sqrt(w^2 - D^2)
// along the loop. D = 0 is laid flat; the deeper, the longer the row.

#include "garment/folded_ring.h"

#include <algorithm>
#include <cmath>

#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kRowStep = 0.005;   // [m]
constexpr double kOpening = 0.3;     // slope at which folds open at least, until they are half as deep as they can be
constexpr double kSteepest = 1.0;    // and at most
constexpr double kDeepest = 0.97;    // of the width of a fold
constexpr double kFirstDepth = 1e-4; // [m]; at the stitched edge itself

/// What of an outline lies at a height.
struct Span {
    double low = 1e300, high = -1e300;
};

Span span_at(const PatternOutline& outline, double y) {
    Span span;
    for (int e = 0; e < static_cast<int>(outline.edges.size()); ++e) {
        const std::vector<Vec2> points = edge_points(outline, e);
        for (std::size_t i = 1; i < points.size(); ++i) {
            const Vec2 &a = points[i - 1], &b = points[i];
            if ((a.y <= y) == (b.y <= y)) continue;
            const double x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
            span.low = std::min(span.low, x);
            span.high = std::max(span.high, x);
        }
    }
    return span;
}

Span heights_of(const PatternOutline& outline) {
    Span span{outline.start.y, outline.start.y};
    for (int e = 0; e < static_cast<int>(outline.edges.size()); ++e)
        for (const Vec2& p : edge_points(outline, e)) {
            span.low = std::min(span.low, p.y);
            span.high = std::max(span.high, p.y);
        }
    return span;
}

/// The two ends of every crease: on the pleats' edge and on the one they run to.
struct CreaseLine {
    Vec2 from, to;
    bool outer = false;
};

std::vector<CreaseLine> crease_lines(const PatternPanel& panel) {
    std::vector<CreaseLine> lines;
    Vec2 edge[2][2]; // of the pleats, and the one they run to: start and end
    for (const PatternDart& pleat : panel.darts)
        for (int e = 0; e < static_cast<int>(panel.outline.edges.size()) && pleat.is_laid(); ++e)
            for (int k = 0; k < 2; ++k)
                if (panel.outline.edges[e].name == (k == 0 ? pleat.edge : pleat.to)) {
                    const std::vector<Vec2> points = edge_points(panel.outline, e);
                    edge[k][0] = points.front();
                    edge[k][1] = points.back();
                }
    for (const PatternCrease& crease : creases_of(panel))
        lines.push_back({mix(edge[0][0], edge[0][1], crease.at), mix(edge[1][1], edge[1][0], crease.at), crease.outer});
    return lines;
}

double x_at(const CreaseLine& line, double y) {
    const double rise = line.from.y - line.to.y;
    return rise == 0.0 ? line.from.x : line.to.x + (line.from.x - line.to.x) * (y - line.to.y) / rise;
}

} // namespace

FoldedRing::FoldedRing(const Pattern& pattern, const WrapTube& tube, double clearance, std::vector<FoldedPanel> panels)
    : pattern_(pattern), tube_(tube), clearance_(clearance), panels_(std::move(panels)) {
    std::stable_sort(panels_.begin(), panels_.end(),
                     [](const FoldedPanel& a, const FoldedPanel& b) { return a.turn < b.turn; });
    low_ = -1e300;
    high_ = 1e300;
    for (const FoldedPanel& panel : panels_) { // heights that all panels have
        const Span heights = heights_of(pattern_.panels[panel.panel].outline);
        low_ = std::max(low_, panel.base + heights.low);
        high_ = std::min(high_, panel.base + heights.high);
    }
    const int count = std::max(2, static_cast<int>((high_ - low_) / kRowStep) + 2);
    rows_.resize(static_cast<std::size_t>(count));
    double depth = kFirstDepth, above = high_, across = 0.0, height = high_;
    for (int i = count - 1; i >= 0; --i) {
        const double nominal = low_ + (high_ - low_) * i / (count - 1);
        Row& row = rows_[static_cast<std::size_t>(i)];
        row = cloth_at(nominal);
        row.height = nominal; // where the body is measured
        fold(row, depth, above - nominal);
        set_phase(row);
        // What goes outwards does not go down: the middle of the folds moves by this much.
        const double out = row.total / (2.0 * kPi) + 0.5 * row.depth, down = above - nominal;
        const double aside = i == count - 1 ? 0.0 : std::min(std::abs(out - across), 0.9 * down);
        height -= std::sqrt(std::max(0.0, down * down - aside * aside));
        row.height = height;
        across = out;
        depth = row.depth;
        above = nominal;
    }
}

bool FoldedRing::holds(int panel) const {
    return std::any_of(panels_.begin(), panels_.end(), [&](const FoldedPanel& p) { return p.panel == panel; });
}

FoldedRing::Row FoldedRing::cloth_at(double height) const {
    Row row;
    for (const FoldedPanel& folded : panels_) {
        const PatternPanel& panel = pattern_.panels[folded.panel];
        const Span heights = heights_of(panel.outline);
        constexpr double kInside = 1e-6; // [m]; ends of the outline have no width
        const double y = std::clamp(height - folded.base, heights.low + kInside, heights.high - kInside);
        const Span span = span_at(panel.outline, y);
        std::vector<Knot> knots;
        for (const CreaseLine& line : crease_lines(panel)) {
            const double x = x_at(line, y);
            knots.push_back({row.width + (folded.mirrored ? span.high - x : x - span.low), line.outer});
        }
        std::sort(knots.begin(), knots.end(), [](const Knot& a, const Knot& b) { return a.at < b.at; });
        row.start.push_back(row.width);
        row.knots.insert(row.knots.end(), knots.begin(), knots.end());
        row.width += span.high - span.low;
    }
    return row;
}

double FoldedRing::strip_width(const Row& row, std::size_t strip) const {
    const bool wraps = strip + 1 == row.knots.size();
    return (wraps ? row.width + row.knots.front().at : row.knots[strip + 1].at) - row.knots[strip].at;
}

/// Knots come in pairs, one for each pleat: the strip inside a pair runs backwards.
double FoldedRing::folded_length(const Row& row, double depth, std::vector<double>* along) const {
    double at = 0.0;
    for (std::size_t k = 0; k < row.knots.size(); ++k) {
        if (along) along->push_back(at);
        const double w = strip_width(row, k);
        const double deep = row.knots[k].outer == row.knots[(k + 1) % row.knots.size()].outer ? 0.0 : depth;
        at += (k % 2 == 0 ? -1.0 : 1.0) * std::sqrt(std::max(0.0, w * w - deep * deep));
    }
    return at;
}

void FoldedRing::fold(Row& row, double depth_above, double step) const {
    double narrowest = 1e300;
    for (std::size_t k = 0; k < row.knots.size(); k += 2)
        narrowest = std::min(narrowest, strip_width(row, k));
    const double deepest = kDeepest * narrowest;
    const double hull = loop_length(tube_.loop(row.height, 0.0));
    const double needed = hull + 2.0 * kPi * clearance_; // an offset of d makes a convex loop 2 pi d longer
    // At least as deep as the row above; half of what is possible comes of itself, the rest where the body needs it.
    double high = std::min(deepest, depth_above + kSteepest * step);
    double low = std::min(high, std::max(depth_above, std::min(depth_above + kOpening * step, 0.5 * deepest)));
    if (folded_length(row, low, nullptr) < needed) {
        for (int round = 0; round < 40; ++round)
            (folded_length(row, 0.5 * (low + high), nullptr) < needed ? low : high) = 0.5 * (low + high);
        low = high;
    }
    row.depth = low;
    const double length = folded_length(row, row.depth, &row.along);
    row.loop = tube_.loop(row.height, std::max(clearance_, (length - hull) / (2.0 * kPi)));
    row.total = loop_length(row.loop);
    row.scale = row.total / length;
}

/// On average every panel's middle is where it belongs.
void FoldedRing::set_phase(Row& row) const {
    const auto along = [&](double cloth) {
        const std::size_t n = row.knots.size();
        std::size_t k = n - 1;
        for (std::size_t j = 0; j < n; ++j)
            if (row.knots[j].at <= cloth) k = j;
        if (cloth < row.knots.front().at) { // on the last strip, which goes on at the start of the ring
            const double back = row.knots.front().at - cloth, w = strip_width(row, n - 1);
            return row.along.front() - back / w * (row.total / row.scale - row.along.back());
        }
        const double end = k + 1 < n ? row.along[k + 1] : row.total / row.scale;
        return row.along[k] + (cloth - row.knots[k].at) / strip_width(row, k) * (end - row.along[k]);
    };
    double off = 0.0;
    for (std::size_t k = 0; k < panels_.size(); ++k) {
        const double end = k + 1 < panels_.size() ? row.start[k + 1] : row.width;
        off += panels_[k].turn * row.total - 0.5 * row.scale * (along(row.start[k]) + along(end));
    }
    row.phase = off / static_cast<double>(panels_.size());
}

Vec3 FoldedRing::place_in(const Row& row, const Spot& spot) const {
    const std::size_t n = row.knots.size(), next = (spot.strip + 1) % n;
    const double from = row.along[spot.strip], to = next == 0 ? row.total / row.scale : row.along[next];
    const double at = row.phase + row.scale * (from + spot.fraction * (to - from));
    const double a = row.knots[spot.strip].outer ? row.depth : 0.0, b = row.knots[next].outer ? row.depth : 0.0;
    constexpr double kStep = 1e-4; // [m]
    const Vec2 ahead = loop_point(row.loop, at + kStep) - loop_point(row.loop, at - kStep);
    const Vec2 outwards = (1.0 / std::max(length(ahead), 1e-12)) * Vec2{-ahead.y, ahead.x};
    return tube_.place(loop_point(row.loop, at) + (a + spot.fraction * (b - a)) * outwards, row.height);
}

Vec3 FoldedRing::place(int panel, const Vec2& p) const {
    std::size_t k = 0;
    while (panels_[k].panel != panel)
        ++k;
    // Which strip it is on is decided at its own height, so that creases stay sharp.
    const double nominal = panels_[k].base + p.y;
    const Row own = cloth_at(nominal);
    const PatternPanel& from = pattern_.panels[panel];
    const Span heights = heights_of(from.outline);
    const Span span = span_at(from.outline, std::clamp(p.y, heights.low + 1e-6, heights.high - 1e-6));
    const double cloth = own.start[k] + (panels_[k].mirrored ? span.high - p.x : p.x - span.low);
    Spot spot{own.knots.size() - 1, 0.0};
    for (std::size_t j = 0; j < own.knots.size(); ++j)
        if (own.knots[j].at <= cloth + 1e-9) spot.strip = j;
    double past = cloth - own.knots[spot.strip].at;
    if (past < -1e-9) past += own.width;
    spot.fraction = std::clamp(past / strip_width(own, spot.strip), 0.0, 1.0);
    const double last = static_cast<double>(rows_.size()) - 1.0;
    const double at = std::clamp((nominal - low_) / (high_ - low_) * last, 0.0, last - 1e-6);
    const auto i = static_cast<std::size_t>(at);
    const Vec3 a = place_in(rows_[i], spot), b = place_in(rows_[i + 1], spot);
    return a + (at - static_cast<double>(i)) * (b - a);
}

} // namespace selvage
