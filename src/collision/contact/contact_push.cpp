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

/// Target gaps, and which records are nearer than they should be; every one that may push must be looked at once.
bool start_pushing(ThreadPool& pool, double dt, ContactData& data) {
    ContactPairs& pairs = data.pairs;
    const std::span<std::vector<ContactRecord>> solid = pairs.solids.records();
    pairs.looks.own.resize(pairs.records.size());
    pairs.looks.solid.resize(solid.size());
    const int own = static_cast<int>(pairs.records.size());
    std::atomic<bool> any{false};
    pool.for_chunks(own + static_cast<int>(solid.size()), 1, [&](int chunk, int) {
        std::vector<ContactRecord>& records = chunk < own ? pairs.records[chunk] : solid[chunk - own];
        std::vector<PushLook>& looks = chunk < own ? pairs.looks.own[chunk] : pairs.looks.solid[chunk - own];
        looks.clear();
        for (std::size_t k = 0; k < records.size(); ++k) {
            ContactRecord& record = records[k];
            if (!record.may_push) continue;
            record.target_gap = opening_gap(record.minimum_distance, record.gap, kOpeningFraction, kOpeningSpeed * dt);
            record.is_active = !record.is_solid && record.gap < record.minimum_distance;
            PushLook look{record.vertex, record.is_active ? PushLook::kPushes : 0.0F, static_cast<std::uint32_t>(k)};
            std::fill(look.vertex.begin() + record.count, look.vertex.end(), record.vertex[0]);
            looks.push_back(look);
            if (!record.is_active) continue;
            data.sums.count_record(record);
            any.store(true, std::memory_order_relaxed);
        }
    });
    return any;
}

/// A first guess of the impulses: what is pressed together lies nearer than the minimum distance, and the nearer the
/// harder it is pressed. So a stack carries its weight from step to step though nothing is remembered but positions.
void warm_start(ThreadPool& pool, double dt, ContactData& data) {
    const StepView step = data.step.view();
    if (!start_pushing(pool, dt, data)) return;
    data.pairs.for_pushing(pool, [&](ContactRecord& record) {
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
    // More than the sides have been moved against each other.
    const auto moved_by = [&pushed_by = data.pushed_by](const PushLook& look) {
        const auto [a, b, c, d] = look.vertex;
        return pushed_by[a] + pushed_by[b] + pushed_by[c] + pushed_by[d];
    };
    const auto is_due = [&](const PushLook& look) { return !(look.slack > static_cast<float>(moved_by(look))); };
    std::atomic<bool> any{false}, unsettled{false};
    data.pairs.for_looks(pool, is_due, [&](ContactRecord& record, PushLook& look) {
        const double gap = gap_at_end(record, step);
        record.is_active = record.normal_impulse > 0.0 || gap < record.target_gap;
        if (!record.is_active) {
            look.slack = static_cast<float>((moved_by(look) + (gap - record.target_gap)) * (1.0 - 1e-6));
            return;
        }
        look.slack = PushLook::kPushes;
        data.sums.count_record(record);
        any.store(true, std::memory_order_relaxed);
        if (std::abs(gap - record.target_gap) > kTolerance * record.minimum_distance)
            unsettled.store(true, std::memory_order_relaxed);
    });
    return {any, !unsettled};
}

/// Adds what has changed since the last look to what vertices were pushed by, and more than sums of it round [m].
void add_pushes(ThreadPool& pool, std::span<const int> pushed, double rounding, ContactData& data) {
    pool.for_each(static_cast<int>(pushed.size()), [&](int k) {
        const int v = pushed[k];
        if (v >= data.step.cloth_vertex_count) return;
        const Vec3 change = data.step.displacement[v] - data.pushed_from[v];
        data.pushed_from[v] = data.step.displacement[v];
        data.pushed_by[v] += length(change) * (1.0 + 1e-6) + rounding;
    });
}

/// Copies the displacements for add_pushes(); returns more than sums of them round [m].
double start_looking(ThreadPool& pool, ContactData& data) {
    Largest farthest = pool.sum<Largest>(data.step.cloth_vertex_count, [&](int v) {
        data.pushed_from[v] = data.step.displacement[v];
        data.pushed_by[v] = 0.0;
        return Largest{length_squared(data.pushed_from[v])};
    });
    for (const PlacedSolid& solid : data.step.placed)
        farthest += Largest{solid.farthest};
    return 1e-12 * (1.0 + std::sqrt(farthest.value));
}

/// At which the solver alone would have the gaps open of records that have pushed.
void set_separation_speeds(ThreadPool& pool, std::span<const Vec3> velocities, ContactData& data) {
    data.pairs.for_pushing(pool, [&](ContactRecord& record) {
        Vec3 velocity;
        for (int k = 0; k < record.count; ++k)
            if (record.vertex[k] < data.step.cloth_vertex_count)
                velocity += record.weight[k] * velocities[record.vertex[k]];
        record.separation_speed = std::max(0.0, dot(record.normal, velocity));
    });
}

/// Rounds of impulses.
void push_in_rounds(ThreadPool& pool, ContactData& data) {
    const StepView step = data.step.view();
    const double rounding = start_looking(pool, data);
    for (int round = 0; round < kMostPushRounds; ++round) {
        const ActiveRecords active = find_active(pool, data);
        if (!active.any) return;
        if (round >= kLeastPushRounds && active.is_settled) {
            data.sums.drop();
            return;
        }
        data.pairs.for_pushing(pool, [&](ContactRecord& record) {
            if (!record.is_active) return;
            const double mass = effective_mass(record, step.inverse_mass, data.sums.counts());
            data.sums.add_impulse(record, update_impulse(record, mass, step), step.inverse_mass);
        });
        const std::span<const int> pushed = data.sums.apply_sums(pool, step.displacement);
        // Only where something has changed: a solid that has pushed once has nothing more to say.
        data.pairs.solids.push_vertices(pool, pushed, step.displacement, step.correction);
        add_pushes(pool, pushed, rounding, data);
    }
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

void push_apart(ThreadPool& pool, double dt, std::span<const Vec3> velocities, ContactData& data) {
    warm_start(pool, dt, data);
    push_in_rounds(pool, data);
    set_separation_speeds(pool, velocities, data);
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
    const std::span<std::vector<ContactRecord>> solid = data.pairs.solids.records();
    const int own = static_cast<int>(data.pairs.records.size());
    pool.for_chunks(own + static_cast<int>(solid.size()), 1, [&](int chunk, int) {
        if (chunk < own && !data.pairs.summary[chunk].any_solid) return;
        for (const ContactRecord& record : chunk < own ? data.pairs.records[chunk] : solid[chunk - own])
            out.push(record);
    });
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
        data.pairs.for_pushing(pool, [&](ContactRecord& record) {
            record.is_active = excess(record) > 0.0;
            if (!record.is_active) return;
            data.sums.count_record(record);
            any.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        data.pairs.for_pushing(pool, [&](const ContactRecord& record) {
            if (!record.is_active) return;
            const double mass = effective_mass(record, inverse_mass, data.sums.counts());
            data.sums.add_impulse(record, (-excess(record) * mass) * record.normal, inverse_mass);
        });
        data.sums.apply_sums(pool, velocities);
    }
}

} // namespace selvage
