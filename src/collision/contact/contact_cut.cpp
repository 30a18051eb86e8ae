#include "collision/contact/contact_cut.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/atomic_reference.h"
#include "collision/contact/contact_find.h"
#include "collision/contact/contact_push.h"
#include "collision/contact/crossings.h"
#include "collision/contact/separating_plane.h"

namespace selvage {

namespace {

constexpr double kLeastGap = 1e-6;  // [m]; no displacement may leave less
constexpr double kRounding = 1e-12; // [m]; by which displacements differ that are meant to be the same
constexpr double kSafety = 0.9;     // fraction of the distance to its plane that a vertex may go
// Rounds that cut pair by pair, those that cut across, those that cut in proportion after them, and all.
constexpr int kApartRounds = 6, kAcrossRounds = 8, kProportionalRounds = 20, kMostRounds = 48;
// Tests of records in one step, per vertex and at least. Cloth thrown in a heap takes 50 a vertex. Where hands that jump
// have drawn it out until everything is near everything it would be half a million: then what still meets is stopped.
constexpr std::int64_t kTestsPerVertex = 2000, kLeastTests = 100000;
constexpr int kHurriedRounds = 2; // after that many tests

/// The mean displacement of some solids; `count` is 0 where there are none.
struct SolidMean {
    Vec3 sum;
    int count = 0;
    void add(const Vec3& displacement) {
        sum += displacement;
        ++count;
    }
};

/// Of those that the cloth lies on: `lies` tells by a contact's normal impulse or displacement.
template <class Lies>
SolidMean displacement_of_solids(const ContactData& data, const Lies& lies) {
    SolidMean mean;
    for (const std::vector<SolidPoint>& points : data.pairs.solids.points())
        for (const SolidPoint& point : points) {
            if (!lies(point.normal_displacement)) continue;
            // Not that of the surface: a ball that spins stays where it is.
            const MovingSolid& solid = data.step.solids[point.solid];
            mean.add(solid.now.centre - solid.before.centre);
        }
    for (std::size_t chunk = 0; chunk < data.pairs.records.size(); ++chunk) {
        if (!data.pairs.summary[chunk].any_solid) continue;
        for (const ContactRecord& record : data.pairs.records[chunk])
            if (record.is_solid && lies(record.normal_impulse))
                for (const int v : record.vertex)
                    if (v >= data.step.cloth_vertex_count) mean.add(data.step.displacement[v]);
    }
    return mean;
}

/// The displacement against which others are cut: that of solids the cloth lies on, so that what is stopped stays
/// outside of them. A solver with contact of its own may leave nothing to push, so that of solids nearby counts too. Or
/// else that of the slowest vertex that is held, so that what is pinned stays; or of the cloth as a whole, so that folds
/// that fall together are not braked by being near each other.
Vec3 common_displacement(const ContactData& data) {
    SolidMean mean = displacement_of_solids(data, [](double impulse) { return impulse > 0.0; });
    if (mean.count == 0) mean = displacement_of_solids(data, [](double) { return true; });
    if (mean.count > 0) return mean.sum / static_cast<double>(mean.count);
    const std::vector<Vec3>& displacement = data.step.displacement;
    int slowest = -1;
    for (int i = 0; i < data.step.cloth_vertex_count; ++i) {
        if (data.step.inverse_mass[i] > 0.0) continue;
        if (slowest < 0 || length_squared(displacement[i]) < length_squared(displacement[slowest])) slowest = i;
    }
    return slowest >= 0 ? displacement[slowest] : data.pairs.near.mean_motion();
}

/// Whether some collider's mesh turns or bends so fast that no displacement is that of all colliders.
bool do_solids_differ(const StepMotion& step, double mean_edge) {
    constexpr double kSlow = 0.125; // mean edges: what goes farther is taken in pieces, which are no shorter
    return std::any_of(step.placed.begin(), step.placed.end(), [&](const PlacedSolid& placed) {
        const Aabb& box = step.extents[placed.body].displacement;
        return std::isfinite(box.low.x) && length(box.high - box.low) > kSlow * mean_edge;
    });
}

/// Tests single records and cuts the displacements of their vertices.
class RecordCutter {
public:
    RecordCutter(const Vec3& common, ContactData& data)
        : common_(common), data_(data), step_(data.step.view()),
          solids_differ_(do_solids_differ(data.step, data.pairs.near.mean_edge())) {}

    /// Cuts what takes a record's sides through their plane; false when nothing does, or they stay apart all the same.
    /// A solid is not cut, nor what is held against one: where a solid comes nearer by itself than there is room, it
    /// takes free cloth along as long as cuts go across; where that is no use, pushes must do. Everywhere else the
    /// common displacement leaves the sides apart, so that cutting always has an answer.
    bool cut(const ContactRecord& record, Cut how) const;

private:
    /// How far each vertex goes towards the other side, and the farthest of each side that is free.
    struct Approach {
        std::array<double, 4> towards{};
        double above = 0.0, below = 0.0, held = 0.0;
    };
    bool is_held(int v) const { return !(step_.inverse_mass[v] > 0.0); }
    FeatureMotion motion_of(const ContactRecord& record) const;
    Vec3 shared_displacement(const ContactRecord& record) const;
    Approach approach_of(const ContactRecord& record, const Vec3& normal, const Vec3& from) const;
    bool any_touches(const ContactRecord& record) const;
    bool is_safe(const ContactRecord& record, const FeatureMotion& motion) const;
    bool is_through(const ContactRecord& record) const;
    bool passes_by(const ContactRecord& record, int p, int a) const;
    void cut_vertices(const ContactRecord& record, const Approach& approach, double room, const Vec3& normal,
                      Cut how) const;
    void carry_vertices(const ContactRecord& record, const Approach& approach, double room, const Vec3& normal) const;
    void displace(int v, const Vec3& change) const;
    void limit_fraction(int v, double to) const;

    Vec3 common_;
    ContactData& data_;
    StepView step_;
    bool solids_differ_;
};

FeatureMotion RecordCutter::motion_of(const ContactRecord& record) const {
    FeatureMotion out;
    out.side_count = record.side_count;
    const int first = record.vertex[0];
    for (int k = 0; k < 4; ++k) {
        const int v = record.vertex[k];
        out.begin[k] = step_.start[v] - step_.start[first];
        out.end[k] = out.begin[k] + (step_.displacement[v] - step_.displacement[first]);
    }
    return out;
}

/// Whether a vertex of it lies in the very place of something else.
bool RecordCutter::any_touches(const ContactRecord& record) const {
    const std::vector<std::uint8_t>& is_touching = data_.pairs.is_touching;
    return std::any_of(record.vertex.begin(), record.vertex.end(), [&](int v) { return is_touching[v] != 0; });
}

/// Whether the sides stay apart though no single plane separates them all along the path: what turns or slides around
/// an edge. Where features lie in one place nothing separates those, and the planes of their neighbours must.
bool RecordCutter::is_safe(const ContactRecord& record, const FeatureMotion& motion) const {
    return !any_touches(record) && stays_apart(motion, kLeastGap);
}

/// Whether edge p, p + 1 of a record passes through a face at its edge a, a + 1.
bool RecordCutter::passes_by(const ContactRecord& record, int p, int a) const {
    const std::span<const Vec3> x = step_.start;
    const SurfacePatches& patches = data_.model.patches;
    const auto at = [&](int k) -> const Vec3& { return x[record.vertex[k]]; };
    const std::span<const int> at_begin = patches.neighbours(record.vertex[a]);
    const std::span<const int> at_end = patches.neighbours(record.vertex[a + 1]);
    return std::any_of(at_begin.begin(), at_begin.end(), [&](int v) {
        return std::find(at_end.begin(), at_end.end(), v) != at_end.end() &&
               segment_crosses_triangle(at(p), at(p + 1), at(a), at(a + 1), x[v]);
    });
}

/// Whether one side passes through the other where the step starts. Of a vertex and a face, or of two edges, that is
/// for the edges at the vertex and the faces at the edges to say.
bool RecordCutter::is_through(const ContactRecord& record) const {
    if (record.side_count == 2) return passes_by(record, 0, 2) || passes_by(record, 2, 0);
    const std::span<const Vec3> x = step_.start;
    const auto at = [&](int k) -> const Vec3& { return x[record.vertex[k]]; };
    const std::span<const int> neighbours = data_.model.patches.neighbours(record.vertex[0]);
    return std::any_of(neighbours.begin(), neighbours.end(),
                       [&](int v) { return segment_crosses_triangle(at(0), x[v], at(1), at(2), at(3)); });
}

/// What both sides of a record do: that of what is held in it, or half of each side's.
Vec3 RecordCutter::shared_displacement(const ContactRecord& record) const {
    std::array<Vec3, 3> sum; // of what is held, above, below
    std::array<int, 3> count{};
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        const std::size_t of = is_held(v) ? 0 : k < record.side_count ? 1 : 2;
        sum[of] += step_.displacement[v];
        ++count[of];
    }
    if (count[0] > 0) return sum[0] / static_cast<double>(count[0]);
    return 0.5 * (sum[1] / static_cast<double>(count[1]) + sum[2] / static_cast<double>(count[2]));
}

RecordCutter::Approach RecordCutter::approach_of(const ContactRecord& record, const Vec3& normal,
                                                 const Vec3& from) const {
    Approach approach;
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        const double along = dot(normal, step_.displacement[v] - from);
        const bool is_above = k < record.side_count;
        approach.towards[k] = is_above ? -along : along;
        double& farthest = is_held(v) ? approach.held : is_above ? approach.above : approach.below;
        farthest = std::max(farthest, approach.towards[k]);
    }
    return approach;
}

bool RecordCutter::cut(const ContactRecord& record, Cut how) const {
    const FeatureMotion motion = motion_of(record);
    const auto [normal, gap, gap_end] = best_plane(motion, record.normal, kLeastGap);
    // What is nearer already, or where rounding leaves no plane between them, must at least not come nearer.
    const double least = std::min(gap, kLeastGap);
    // The common displacement is that of a solid's vertices but for rounding, and must be good enough.
    if (gap_end >= (record.is_solid ? least - kRounding : least) || is_safe(record, motion)) return false;
    // No plane keeps apart what lies in one place: there all are cut against the same.
    const bool is_alone = how == Cut::apart && !any_touches(record);
    const Approach approach = approach_of(record, normal, is_alone ? shared_displacement(record) : common_);
    // What is held goes first; what is free divides the rest.
    const double room = kSafety * std::max(0.0, gap - least) - (approach.held > kRounding ? approach.held : 0.0);
    if (solids_differ_ && record.is_solid && room < 0.0 && (how == Cut::apart || how == Cut::across) &&
        !is_through(record)) {
        // The solid comes nearer than there is room: a hand of a body that turns. It takes the cloth along, where
        // nothing else is in the way; if something is, later rounds leave it out.
        carry_vertices(record, approach, room, normal);
        return true;
    }
    if (record.is_solid && (room < 0.0 || is_through(record))) { // what is through already may come out
        AtomicReference(data_.pairs.saw_squeeze).store(true);
        return false;
    }
    cut_vertices(record, approach, room, normal, how);
    return true;
}

void RecordCutter::cut_vertices(const ContactRecord& record, const Approach& approach, double room, const Vec3& normal,
                                Cut how) const {
    const double both = approach.above + approach.below;
    const double fraction = both > 0.0 ? room / both : 0.0;
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        const bool is_above = k < record.side_count;
        const double towards = approach.towards[k];
        const double most = fraction * (is_above ? approach.above : approach.below);
        if (how == Cut::all && !(record.is_solid && is_held(v)))
            limit_fraction(v, 0.0);
        else if (is_held(v) || !(towards > most))
            continue;
        else if (how == Cut::proportional)
            limit_fraction(v, std::max(0.0, most) / towards);
        else
            displace(v, (is_above ? towards - most : most - towards) * normal);
    }
}

/// One side is the solid's: the other must be as far away from it at the end as `room` tells.
void RecordCutter::carry_vertices(const ContactRecord& record, const Approach& approach, double room,
                                  const Vec3& normal) const {
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        const double much = approach.towards[k] - room;
        if (!is_held(v) && much > 0.0) displace(v, (k < record.side_count ? much : -much) * normal);
    }
}

void RecordCutter::displace(int v, const Vec3& change) const {
    data_.sums.add_to_vertex(v, change);
    AtomicReference(data_.cuts.is_cut[v]).store(1);
}

void RecordCutter::limit_fraction(int v, double to) const {
    const AtomicReference fraction(data_.cuts.fraction[v]);
    double now = fraction.load();
    while (to < now && !fraction.compare_exchange_weak(now, to)) {
    }
}

/// Tests all records that may have changed; false when none had to be cut.
bool cut_records(ThreadPool& pool, const Vec3& common, Cut how, ContactData& data) {
    const RecordCutter cutter(common, data);
    const ChangedDisplacements& since = data.pairs.since_cut;
    std::atomic<bool> any{false};
    data.pairs.for_records(pool, [&](ContactRecord& record) {
        if (!record.has_two_sides()) return; // a solid given by a distance function
        const auto has_changed = [&](int v) { return since.has_changed(v); };
        if (!record.is_active && !std::any_of(record.vertex.begin(), record.vertex.end(), has_changed)) return;
        record.is_active = cutter.cut(record, how);
        if (record.is_active) any.store(true, std::memory_order_relaxed);
    });
    return any;
}

double farthest_from(ThreadPool& pool, const Vec3& common, const StepMotion& step) {
    const auto distance = [&](int i) { return Largest{length_squared(step.displacement[i] - common)}; };
    return std::sqrt(pool.sum<Largest>(step.cloth_vertex_count, distance).value);
}

/// The farthest that a vertex of a solid goes, from the common displacement.
double farthest_solid(const Vec3& common, const StepMotion& step) {
    double farthest = 0.0; // squared
    for (const PlacedSolid& solid : step.placed)
        farthest = std::max(farthest, solid.farthest);
    return std::sqrt(farthest) + length(common);
}

/// Where cloth is pressed from all sides cuts may add up to more than anything moved before: no vertex goes farther
/// than the fastest did, or a solid that takes it along.
void limit_to(ThreadPool& pool, const Vec3& common, double farthest, ContactData& data) {
    const double most = farthest + kLeastGap;
    pool.for_each(data.step.cloth_vertex_count, [&](int i) {
        const Vec3 relative = data.step.displacement[i] - common;
        const double l2 = length_squared(relative);
        if (!(l2 > most * most)) return;
        data.step.displacement[i] = common + (most / std::sqrt(l2)) * relative;
        data.cuts.is_cut[i] = 1;
    });
}

/// Nothing moves against anything else: that is always safe.
void stop_all(ThreadPool& pool, const Vec3& common, ContactData& data) {
    pool.for_each(data.step.cloth_vertex_count, [&](int i) {
        data.step.displacement[i] = common;
        data.cuts.fraction[i] = 1.0;
        data.cuts.is_cut[i] = 1;
    });
    data.pairs.near.measure(pool, data.step.start, data.step.displacement, data.step.extents);
}

/// Applies the fractions of a round; returns how many vertices were shortened.
int shorten(ThreadPool& pool, const Vec3& common, ContactData& data) {
    return pool.sum<int>(data.step.cloth_vertex_count, [&](int i) {
        double& fraction = data.cuts.fraction[i];
        if (fraction == 1.0) return 0;
        Vec3& displacement = data.step.displacement[i];
        displacement = common + fraction * (displacement - common);
        fraction = 1.0;
        data.cuts.is_cut[i] = 1;
        return 1;
    });
}

} // namespace

bool is_over_budget(const ContactData& data) {
    return data.cuts.tests > std::max(kLeastTests, kTestsPerVertex * data.step.cloth_vertex_count);
}

int cut_displacements(ThreadPool& pool, Cut first, ContactData& data) {
    if (!data.pairs.any_records() && !data.pairs.solids.any_points())
        return 0; // the displacement is what the lists were made for
    StepMotion& step = data.step;
    const Vec3 common = common_displacement(data);
    data.pairs.since_cut.forget(); // the common displacement may be another one than last time
    double farthest = -1.0;        // from the common displacement, before any cut [m]
    int made = 0;
    for (int round = first == Cut::apart ? 0 : kAcrossRounds;; ++round, ++made) {
        if (is_over_budget(data)) round = std::max(round, kMostRounds - kHurriedRounds);
        const Cut how = round < kApartRounds          ? Cut::apart
                        : round < kAcrossRounds       ? Cut::across
                        : round < kProportionalRounds ? Cut::proportional
                                                      : Cut::all;
        data.cuts.tests += data.pairs.record_count();
        data.pairs.since_cut.compare(pool, step.displacement);
        if (!cut_records(pool, common, how, data)) {
            const bool is_longer = data.pairs.near.extend_step(pool, step.start, step.displacement);
            if (!is_longer || !gather_records(pool, Gather::more, data)) return made;
            continue;
        }
        data.pairs.since_cut.store(pool, step.displacement);
        if (round >= kMostRounds) {
            stop_all(pool, common, data);
            return made;
        }
        if (how != Cut::apart && how != Cut::across) {
            // When nothing is shortened, what is left is between things that are held: more of the same would change
            // nothing.
            if (shorten(pool, common, data) == 0) round = std::max(round, kProportionalRounds - 1);
        } else if (data.sums.is_empty()) {
            round = kProportionalRounds - 1; // only what is held still moves too far
        } else {
            if (farthest < 0.0) farthest = farthest_from(pool, common, step);
            data.sums.apply_means(pool, step.displacement);
            if (!step.placed.empty()) farthest = std::max(farthest, farthest_solid(common, step));
            limit_to(pool, common, farthest, data);
            push_out_once(pool, data);
        }
    }
}

} // namespace selvage
