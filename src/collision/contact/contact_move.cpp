#include "collision/contact/contact_move.h"

#include <algorithm>
#include <cmath>

#include "collision/contact/contact_push.h"

namespace selvage {

namespace {

/// The speed of the fastest thing in the step [m/s]. Plastic contact makes nothing faster than the fastest of what
/// meets. Rules for one contact at a time do not see to that: a hand that drives one end of an edge into a solid would
/// send the other end flying.
double largest_speed(ThreadPool& pool, const ContactInput& input, std::span<const Vec3> positions,
                     std::span<const Vec3> velocities, const ContactData& data) {
    const StepMotion& step = data.step;
    Largest farthest = pool.sum<Largest>(step.cloth_vertex_count, [&](int i) {
        const double moved = length_squared(positions[i] - step.start[i]);
        return Largest{input.is_held[i] ? moved : std::max(moved, input.dt * input.dt * length_squared(velocities[i]))};
    });
    for (const PlacedSolid& solid : step.placed)
        farthest += Largest{solid.farthest};
    for (const std::vector<SolidPoint>& points : data.pairs.solids.points())
        for (const SolidPoint& point : points)
            farthest += Largest{length_squared(point.solid_displacement)};
    for (const std::vector<ContactRecord>& records : data.pairs.solids.records())
        for (const ContactRecord& record : records)
            farthest += Largest{length_squared(record.solid_displacement)};
    for (const ContactRecord& pull : data.tangles.pulls)
        farthest += Largest{input.dt * input.dt * pull.separation_speed * pull.separation_speed};
    return std::sqrt(farthest.value) / input.dt;
}

/// How far vertices, edges and faces are left inside of solids: what cloth that is pressed against them could not give
/// way.
double depth_in_solids(const ContactData& data) {
    const std::vector<Vec3>& displacement = data.step.displacement;
    double depth = 0.0;
    for (const std::vector<SolidPoint>& points : data.pairs.solids.points())
        for (const SolidPoint& point : points)
            depth = std::max(depth, point.least_displacement + point.left_inside -
                                        dot(point.normal, displacement[point.vertex]) -
                                        data.step.solids[point.solid].thickness);
    for (const std::vector<ContactRecord>& records : data.pairs.solids.records())
        for (const ContactRecord& record : records) {
            const Vec3 moved = relative(record, displacement) - record.solid_displacement;
            depth = std::max(depth, -record.gap - dot(record.normal, moved));
        }
    return depth;
}

/// Positions and velocities of the cloths; returns how many vertices were cut short.
std::int64_t write_vertices(ThreadPool& pool, const ContactInput& input, double largest, std::span<Vec3> positions,
                            std::span<Vec3> velocities, ContactData& data) {
    const double per_second = 1.0 / input.dt;
    const StepView step = data.step.view();
    return pool.sum<std::int64_t>(step.cloth_vertex_count, [&](int i) -> std::int64_t {
        const Vec3 proposed = positions[i] - step.start[i], made = step.displacement[i];
        Vec3& correction = step.correction[i];
        const bool is_cut = data.cuts.is_cut[i] != 0;
        // Cuts may have taken back what was corrected: a correction only ever takes speed away.
        if (is_cut && length_squared(made - correction) > length_squared(made)) correction = {};
        if (made != proposed) {
            positions[i] = step.start[i] + made;
            if (is_cut)
                velocities[i] = per_second * (made - correction);
            else if (!input.is_held[i])
                velocities[i] += per_second * (made - correction - proposed);
        }
        if (largest > 0.0 && length_squared(velocities[i]) > largest * largest)
            velocities[i] = (largest / length(velocities[i])) * velocities[i];
        data.pieces.displacement[i] = made - correction;
        correction = {};
        data.cuts.is_cut[i] = 0;
        return is_cut ? 1 : 0;
    });
}

void count_contacts(const ContactPairs& pairs, ContactStats& stats) {
    double smallest = 1e300;
    for (std::size_t chunk = 0; chunk < pairs.records.size(); ++chunk) {
        stats.records += static_cast<std::int64_t>(pairs.records[chunk].size());
        smallest = std::min(smallest, pairs.summary[chunk].smallest_gap);
    }
    if (stats.records > 0) stats.smallest_gap = smallest;
    for (std::size_t chunk = 0; chunk < pairs.looks.own.size(); ++chunk)
        for (const PushLook& look : pairs.looks.own[chunk])
            if (look.slack < 0.0F && pairs.records[chunk][look.record].normal_impulse > 0.0) ++stats.contacts;
}

} // namespace

void write_state(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions, std::span<Vec3> velocities,
                 ContactData& data, ContactStats& stats) {
    const bool any_records = data.pairs.any_records();
    const double largest =
        any_records || data.pairs.solids.any_points() ? largest_speed(pool, input, positions, velocities, data) : 0.0;
    stats.truncated = write_vertices(pool, input, largest, positions, velocities, data);
    if (any_records) damp_separation(pool, velocities, data);
    stats.solid_depth = depth_in_solids(data);
    count_contacts(data.pairs, stats);
}

} // namespace selvage
