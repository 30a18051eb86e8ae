// The third phase of ClothContact: what meets is pushed apart, plastic and with friction.

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/atomic_reference.h"
#include "collision/contact/cloth_contact.h"

namespace selvage {

namespace {

constexpr double kUnit = 1.0 / (1LL << 44); // of the sums [m]: 5.7e-14, up to half a million metres
constexpr int kLeastPushRounds = 3, kMostPushRounds = 12, kHardRounds = 16, kCalmRounds = 2;
constexpr double kSettled = 0.03;                    // share of the distance kept that a push may be wrong by
constexpr double kMendShare = 0.2, kMendSpeed = 0.2; // of what is missing in a gap, per step, and at most [m/s]
constexpr double kLean = 0.5;                        // of what is missing in a gap, pushed before anything is asked
constexpr double kHardShare = 0.25;                  // of the distance to a solid that no push may leave undone
// Where nothing that is free weighs more than this in an edge or a face, it would be flung to make up for what is held.
constexpr double kLeastLever = 0.2;

} // namespace

/// Inverse masses of this step.
void ClothContact::weigh(ThreadPool& pool, const ContactInput& input) {
    pool.for_each(cloth_vertices_, [&](int i) { weight_[i] = input.is_held[i] ? 0.0 : inverse_mass_[i]; });
}

Vec3 ClothContact::relative(const ContactRecord& record, std::span<const Vec3> way) const {
    Vec3 sum;
    for (int k = 0; k < record.count; ++k)
        sum += record.weight[k] * way[record.vertex[k]];
    return sum;
}

void ClothContact::add_share(const ContactRecord& record) {
    for (int k = 0; k < record.count; ++k)
        count_share(record.vertex[k]);
}

void ClothContact::count_share(int v) {
    const int before = alone_ ? share_[v]++ : AtomicReference(share_[v]).fetch_add(1);
    if (before == 0) shared_[shared_count_.fetch_add(1, std::memory_order_relaxed)] = v;
}

/// The mass that a push between the sides moves. Every vertex is shared out among the records that act on it, so that their
/// pushes can be made at the same time without overshooting (mass splitting; Tonge, Benevolenski and Voroshilov 2012).
double ClothContact::shared_mass(const ContactRecord& record) const {
    double inverse = 0.0, lever = 0.0;
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        inverse += record.weight[k] * record.weight[k] * weight_[v] * share_[v];
        if (weight_[v] > 0.0) lever = std::max(lever, std::abs(record.weight[k]));
    }
    return lever > kLeastLever ? 1.0 / inverse : 0.0;
}

/// Adds a push [kg m] to the sums of the record's vertices.
void ClothContact::add_push(const ContactRecord& record, const Vec3& push) {
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        if (weight_[v] > 0.0) add_to_sum(v, (record.weight[k] * weight_[v]) * push);
    }
}

void ClothContact::add_to_sum(int v, const Vec3& way) {
    const double parts[3] = {way.x, way.y, way.z};
    for (int axis = 0; axis < 3; ++axis) {
        std::int64_t& sum = sum_[v][axis];
        const auto part = static_cast<std::int64_t>(std::llrint(parts[axis] / kUnit));
        if (alone_)
            sum += part;
        else
            AtomicReference(sum).fetch_add(part);
    }
}

/// Adds a way for a vertex alone.
void ClothContact::add_way(int v, const Vec3& way) {
    count_share(v);
    add_to_sum(v, way);
}

/// Makes the motions that were added up.
void ClothContact::take_sums(ThreadPool& pool, Sums kind, std::span<Vec3> to, std::span<Vec3> also) {
    pool.for_each(shared_count_, [&](int k) {
        const int i = shared_[k];
        if (i >= cloth_vertices_) { // solids are moved by nobody
            share_[i] = 0;
            return;
        }
        Vec3 way = kUnit * Vec3{static_cast<double>(sum_[i][0]), static_cast<double>(sum_[i][1]),
                                static_cast<double>(sum_[i][2])};
        if (kind == Sums::means) way = way / static_cast<double>(share_[i]);
        share_[i] = 0;
        sum_[i] = {};
        to[i] += way;
        if (!also.empty()) also[i] += way;
    });
    shared_count_ = 0;
}

/// When nothing was added after all.
void ClothContact::drop_sums() {
    for (int k = 0; k < shared_count_; ++k)
        share_[shared_[k]] = 0;
    shared_count_ = 0;
}

/// What gap the step must leave: the distance kept, or as much as a narrower one may open in a step.
void ClothContact::set_aims(ThreadPool& pool, double h, std::span<const Vec3> velocities) {
    for_records(pool, [&](ContactRecord& record) {
        if (!record.may_push) return;
        const double missing = std::max(0.0, record.kept - record.gap);
        record.least = std::min(record.kept, record.gap + std::min(kMendShare * missing, kMendSpeed * h));
        Vec3 speed;
        for (int k = 0; k < record.count; ++k)
            if (record.vertex[k] < cloth_vertices_) speed += record.weight[k] * velocities[record.vertex[k]];
        record.parting = std::max(0.0, dot(record.normal, speed));
    });
}

/// A first guess of the pushes: what is pressed together lies nearer than the distance to be kept, and the nearer the harder
/// it is pressed. So a stack carries its weight from step to step though nothing is remembered but places.
void ClothContact::lean(ThreadPool& pool) {
    std::atomic<bool> any{false};
    for_records(pool, [&](ContactRecord& record) {
        record.is_active = record.may_push && !record.is_solid && record.gap < record.kept;
        if (!record.is_active) return;
        add_share(record);
        any.store(true, std::memory_order_relaxed);
    });
    if (!any) return;
    for_records(pool, [&](ContactRecord& record) {
        if (!record.is_active) return;
        record.pushed = kLean * (record.kept - record.gap) * shared_mass(record);
        add_push(record, record.pushed * record.normal);
    });
    take_sums(pool, Sums::pushes, motion_);
}

/// Non-penetration and Coulomb friction for all records at once, a few rounds: in each, the records that are violated or
/// have pushed share their vertices' masses, and every one makes its own push right.
void ClothContact::push_apart(ThreadPool& pool) {
    lean(pool);
    for (int round = 0; round < kMostPushRounds; ++round) {
        std::atomic<bool> any{false}, unsettled{false};
        for_records(pool, [&](ContactRecord& record) {
            if (!record.may_push) return;
            const double gap = record.gap + dot(record.normal, relative(record, motion_) - record.carried);
            record.is_active = record.pushed > 0.0 || gap < record.least;
            if (!record.is_active) return;
            add_share(record);
            any.store(true, std::memory_order_relaxed);
            if (std::abs(gap - record.least) > kSettled * record.kept) unsettled.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        if (round >= kLeastPushRounds && !unsettled) {
            drop_sums();
            return;
        }
        for_records(pool, [&](ContactRecord& record) {
            if (!record.is_active) return;
            const double mass = shared_mass(record);
            const Vec3 moved = relative(record, motion_) - record.carried;
            const double missing = record.least - record.gap - dot(record.normal, moved);
            const double pushed = std::max(0.0, record.pushed + mass * missing);
            const Vec3 made = moved - relative(record, mended_);
            const Vec3 slip = made - dot(made, record.normal) * record.normal;
            Vec3 drag = record.dragged - mass * slip;
            const double size = length(drag), most = record.friction * pushed;
            if (size > most) drag = (most / size) * drag;
            add_push(record, (pushed - record.pushed) * record.normal + (drag - record.dragged));
            record.pushed = pushed;
            record.dragged = drag;
        });
        const int pushed_count = shared_count_;
        take_sums(pool, Sums::pushes, motion_);
        // Only where something has changed: a solid that has pushed once has nothing more to say.
        const std::span<const int> pushed = std::span(shared_).first(static_cast<std::size_t>(pushed_count));
        for (const int v : pushed)
            was_pushed_[v] = 1;
        solids_.push(pool, motion_, mended_, was_pushed_);
        for (const int v : pushed)
            was_pushed_[v] = 0;
    }
}

/// Solids go where they are told to go. What they would still run through is set aside, vertex by vertex, whatever it weighs.
/// False when there was nothing to do.
bool ClothContact::push_out_of_solids(ThreadPool& pool) {
    since_set_aside_.forget(); // there may be new points
    int round = 0;
    while (round < kHardRounds && set_aside_from_solids(pool))
        ++round;
    return round > 0;
}

bool ClothContact::set_aside_from_solids(ThreadPool& pool) {
    since_set_aside_.look(pool, motion_);
    const auto is_asked = [&](int v) { return since_set_aside_.has_changed(v); };
    const auto set_aside = [&](int v, double missing, const Vec3& up) {
        if (missing > 1e-9 && weight_[v] > 0.0) add_way(v, missing * up);
    };
    const std::span<const std::vector<SolidPoint>> lists = solids_.points();
    pool.for_chunks(static_cast<int>(lists.size()), 1, [&](int chunk, int) {
        for (const SolidPoint& point : lists[chunk]) {
            if (!is_asked(point.vertex)) continue;
            const double spared = (1.0 - kHardShare) * moving_[point.solid].thickness;
            set_aside(point.vertex, point.least - spared - dot(point.normal, motion_[point.vertex]), point.normal);
        }
    });
    for_records(pool, [&](const ContactRecord& record) {
        if (!record.is_solid) return;
        const std::span<const int> vertices = std::span(record.vertex).first(static_cast<std::size_t>(record.count));
        if (!std::any_of(vertices.begin(), vertices.end(), is_asked)) return;
        const bool is_above = record.vertex[0] < cloth_vertices_; // the cloth, seen along the normal
        const Vec3 up = is_above ? record.normal : -record.normal;
        const Vec3& origin = x_[record.vertex[0]];
        const auto height = [&](int k) { return dot(up, x_[record.vertex[k]] - origin + motion_[record.vertex[k]]); };
        // How high the solid's side reaches at the end of the step.
        double top = -1e300;
        if (record.count == record.side_count) {
            top = dot(up, record.carried) - record.gap;
            for (int k = 0; k < record.count; ++k)
                top += record.weight[k] * dot(up, x_[record.vertex[k]] - origin);
        }
        const int cloth_begin = is_above ? 0 : record.side_count;
        const int cloth_end = is_above ? record.side_count : record.count;
        for (int k = 0; k < record.count; ++k)
            if (k < cloth_begin || k >= cloth_end) top = std::max(top, height(k));
        const double least = top + std::min(kHardShare * record.kept, record.gap);
        for (int k = cloth_begin; k < cloth_end; ++k)
            set_aside(record.vertex[k], least - height(k), up);
    });
    if (shared_count_ > 0 || since_set_aside_.has_kept()) since_set_aside_.keep(pool, motion_);
    if (shared_count_ == 0) return false;
    take_sums(pool, Sums::means, motion_, mended_);
    return true;
}

/// Contact is plastic: what was pushed apart to open a gap does not go on parting, unless it would have done so by itself.
void ClothContact::calm(ThreadPool& pool, std::vector<Vec3>& velocities) {
    const auto excess = [&](const ContactRecord& record) {
        if (record.is_solid || !(record.pushed > 0.0)) return 0.0;
        return dot(record.normal, relative(record, velocities)) - record.parting;
    };
    for (int round = 0; round < kCalmRounds; ++round) {
        std::atomic<bool> any{false};
        for_records(pool, [&](ContactRecord& record) {
            record.is_active = excess(record) > 0.0;
            if (!record.is_active) return;
            add_share(record);
            any.store(true, std::memory_order_relaxed);
        });
        if (!any) return;
        for_records(pool, [&](const ContactRecord& record) {
            if (record.is_active) add_push(record, (-excess(record) * shared_mass(record)) * record.normal);
        });
        take_sums(pool, Sums::pushes, velocities);
    }
}

} // namespace selvage
