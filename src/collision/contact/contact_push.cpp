#include "collision/contact/contact_push.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "collision/contact/friction.h"

namespace selvage {

namespace {

constexpr int kLeastPushRounds = 3, kMostPushRounds = 12, kPushOutRounds = 16, kDampingRounds = 2;
constexpr double kTolerance = 0.03; // of the minimum distance, by which a gap may be wrong
constexpr double kOpeningFraction = 0.2,
                 kOpeningSpeed = 0.2;  // of what is missing in a gap, per step, and at most [m/s]
constexpr double kWarmStart = 0.5;     // of what is missing in a gap, pushed before the first round
constexpr double kHardFraction = 0.25; // of the distance to a solid that no push may leave undone
constexpr double kLeastPush = 1e-9;    // [m]; less is not worth a push
// Where nothing that is free weighs more than this in an edge or a face, it would be flung to make up for what is held.
constexpr double kLeastLever = 0.2;

Vec3 relative_displacement(const ContactRecord& record, const StepView& step) {
    return relative(record, step.displacement) - record.solid_displacement;
}

double gap_at_end(const ContactRecord& record, const StepView& step) {
    return record.gap + dot(record.normal, relative_displacement(record, step));
}

/// Makes one record's impulse right and returns its change [kg m].
Vec3 update_impulse(ContactRecord& record, double mass, const StepView& step) {
    const Vec3 moved = relative_displacement(record, step);
    const double missing = record.target_gap - record.gap - dot(record.normal, moved);
    const double normal = std::max(0.0, record.normal_impulse + mass * missing);
    const Vec3 slip = tangential(moved - relative(record, step.correction), record.normal);
    const Vec3 friction = limit_friction(record.friction_impulse - mass * slip, record.friction, normal);
    const Vec3 change = (normal - record.normal_impulse) * record.normal + (friction - record.friction_impulse);
    record.normal_impulse = normal;
    record.friction_impulse = friction;
    return change;
}

/// A first guess of the impulses: what is pressed together lies nearer than the minimum distance, and the nearer the
/// harder it is pressed. So a stack carries its weight from step to step though nothing is remembered but positions.
void warm_start(ThreadPool& pool, ContactData& data) {
    const StepView step = data.step.view();
    std::atomic<bool> any{false};
    data.pairs.for_records(pool, [&](ContactRecord& record) {
        record.is_active = record.may_push && !record.is_solid && record.gap < record.minimum_distance;
        if (!record.is_active) return;
        data.sums.count_record(record);
        any.store(true, std::memory_order_relaxed);
    });
    if (!any) return;
    data.pairs.for_records(pool, [&](ContactRecord& record) {
        if (!record.is_active) return;
        record.normal_impulse = kWarmStart * (record.minimum_distance - record.gap) *
                                effective_mass(record, step.inverse_mass, data.sums.counts());
        data.sums.add_impulse(record, record.normal_impulse * record.normal, step.inverse_mass);
    });
    data.sums.apply_sums(pool, step.displacement);
}

/// Of a round: records that push, or must.
struct ActiveRecords {
    bool any = false, is_settled = true;
};

ActiveRecords find_active(ThreadPool& pool, ContactData& data) {
    const StepView step = data.step.view();
    std::atomic<bool> any{false}, unsettled{false};
    data.pairs.for_records(pool, [&](ContactRecord& record) {
        if (!record.may_push) return;
        const double gap = gap_at_end(record, step);
        record.is_active = record.normal_impulse > 0.0 || gap < record.target_gap;
        if (!record.is_active) return;
        data.sums.count_record(record);
        any.store(true, std::memory_order_relaxed);
        if (std::abs(gap - record.target_gap) > kTolerance * record.minimum_distance)
            unsettled.store(true, std::memory_order_relaxed);
    });
    return {any, !unsettled};
}

/// What keeps the vertices of one record out of its solid.
class PushOut {
public:
    PushOut(const StepView& step, const ContactPairs& pairs, VertexSums& sums)
        : step_(step), pairs_(pairs), sums_(sums) {}

    void push(const SolidPoint& point, double thickness) const {
        if (!pairs_.since_push_out.has_changed(point.vertex)) return;
        const double spared = (1.0 - kHardFraction) * thickness;
        const double missing = point.least_displacement - spared - dot(point.normal, step_.displacement[point.vertex]);
        displace(point.vertex, missing, point.normal);
    }
    void push(const ContactRecord& record) const;

private:
    void displace(int v, double missing, const Vec3& up) const {
        if (missing > kLeastPush && step_.inverse_mass[v] > 0.0) sums_.add_to_vertex(v, missing * up);
    }
    bool has_changed(const ContactRecord& record) const {
        return std::any_of(record.vertex.begin(), record.vertex.begin() + record.count,
                           [&](int v) { return pairs_.since_push_out.has_changed(v); });
    }

    const StepView& step_;
    const ContactPairs& pairs_;
    VertexSums& sums_;
};

void PushOut::push(const ContactRecord& record) const {
    if (!record.is_solid || !has_changed(record)) return;
    const bool is_above = record.vertex[0] < step_.cloth_vertex_count; // the cloth, seen along the normal
    const Vec3 up = is_above ? record.normal : -record.normal;
    const std::span<const Vec3> x = step_.start;
    const Vec3& origin = x[record.vertex[0]];
    const auto height = [&](int k) {
        return dot(up, x[record.vertex[k]] - origin + step_.displacement[record.vertex[k]]);
    };
    // How high the solid's side reaches at the end of the step.
    double top = -1e300;
    if (!record.has_two_sides()) {
        top = dot(up, record.solid_displacement) - record.gap;
        for (int k = 0; k < record.count; ++k)
            top += record.weight[k] * dot(up, x[record.vertex[k]] - origin);
    }
    const int cloth_begin = is_above ? 0 : record.side_count;
    const int cloth_end = is_above ? record.side_count : record.count;
    for (int k = 0; k < record.count; ++k)
        if (k < cloth_begin || k >= cloth_end) top = std::max(top, height(k));
    const double least = top + std::min(kHardFraction * record.minimum_distance, record.gap);
    for (int k = cloth_begin; k < cloth_end; ++k)
        displace(record.vertex[k], least - height(k), up);
}

} // namespace

double effective_mass(const ContactRecord& record, std::span<const double> inverse_mass,
                      std::span<const std::int32_t> counts) {
    double inverse = 0.0, lever = 0.0;
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        inverse += record.weight[k] * record.weight[k] * inverse_mass[v] * counts[v];
        if (inverse_mass[v] > 0.0) lever = std::max(lever, std::abs(record.weight[k]));
    }
    return lever > kLeastLever ? 1.0 / inverse : 0.0;
}

void set_inverse_masses(ThreadPool& pool, std::span<const std::uint8_t> is_held, ContactData& data) {
    pool.for_each(data.step.cloth_vertex_count,
                  [&](int i) { data.step.inverse_mass[i] = is_held[i] ? 0.0 : data.model.inverse_mass[i]; });
}

void set_target_gaps(ThreadPool& pool, double dt, std::span<const Vec3> velocities, ContactData& data) {
    data.pairs.for_records(pool, [&](ContactRecord& record) {
        if (!record.may_push) return;
        record.target_gap = opening_gap(record.minimum_distance, record.gap, kOpeningFraction, kOpeningSpeed * dt);
        Vec3 velocity;
        for (int k = 0; k < record.count; ++k)
            if (record.vertex[k] < data.step.cloth_vertex_count)
                velocity += record.weight[k] * velocities[record.vertex[k]];
        record.separation_speed = std::max(0.0, dot(record.normal, velocity));
    });
}

void push_apart(ThreadPool& pool, ContactData& data) {
    const StepView step = data.step.view();
    warm_start(pool, data);
    for (int round = 0; round < kMostPushRounds; ++round) {
        const ActiveRecords active = find_active(pool, data);
        if (!active.any) return;
        if (round >= kLeastPushRounds && active.is_settled) {
            data.sums.drop();
            return;
        }
        data.pairs.for_records(pool, [&](ContactRecord& record) {
            if (!record.is_active) return;
            const double mass = effective_mass(record, step.inverse_mass, data.sums.counts());
            data.sums.add_impulse(record, update_impulse(record, mass, step), step.inverse_mass);
        });
        const std::span<const int> pushed = data.sums.apply_sums(pool, step.displacement);
        // Only where something has changed: a solid that has pushed once has nothing more to say.
        data.pairs.solids.push_vertices(pool, pushed, step.displacement, step.correction);
    }
}

bool push_out_of_solids(ThreadPool& pool, ContactData& data) {
    data.pairs.since_push_out.forget(); // there may be new points
    int round = 0;
    while (round < kPushOutRounds && push_out_once(pool, data))
        ++round;
    return round > 0;
}

bool push_out_once(ThreadPool& pool, ContactData& data) {
    const StepView step = data.step.view();
    ChangedDisplacements& since = data.pairs.since_push_out;
    since.compare(pool, step.displacement);
    const PushOut out(step, data.pairs, data.sums);
    const std::span<const std::vector<SolidPoint>> lists = data.pairs.solids.points();
    pool.for_chunks(static_cast<int>(lists.size()), 1, [&](int chunk, int) {
        for (const SolidPoint& point : lists[chunk])
            out.push(point, data.step.solids[point.solid].thickness);
    });
    data.pairs.for_records(pool, [&](const ContactRecord& record) { out.push(record); });
    if (!data.sums.is_empty() || since.has_stored()) since.store(pool, step.displacement);
    if (data.sums.is_empty()) return false;
    data.sums.apply_means(pool, step.displacement, step.correction);
    return true;
}

void damp_separation(ThreadPool& pool, std::span<Vec3> velocities, ContactData& data) {
    const std::span<const double> inverse_mass = data.step.inverse_mass;
    const auto excess = [&](const ContactRecord& record) {
        if (record.is_solid || !(record.normal_impulse > 0.0)) return 0.0;
        return dot(record.normal, relative(record, velocities)) - record.separation_speed;
    };
    for (int round = 0; round < kDampingRounds; ++round) {
        std::atomic<bool> any{false};
        data.pairs.for_records(pool, [&](ContactRecord& record) {
            record.is_active = excess(record) > 0.0;
            if (!record.is_active) return;
            data.sums.count_record(record);
            any.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        data.pairs.for_records(pool, [&](const ContactRecord& record) {
            if (!record.is_active) return;
            const double mass = effective_mass(record, inverse_mass, data.sums.counts());
            data.sums.add_impulse(record, (-excess(record) * mass) * record.normal, inverse_mass);
        });
        data.sums.apply_sums(pool, velocities);
    }
}

} // namespace selvage
