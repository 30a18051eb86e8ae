// The fourth phase of ClothContact, the filter: motions are cut short until every pair of features is parted by a plane: of cloth
// and cloth always, of cloth and the triangles of a solid wherever the solid leaves room.

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/atomic_reference.h"
#include "collision/contact/cloth_contact.h"
#include "collision/contact/crossings.h"

namespace selvage {

namespace {

constexpr double kLeastGap = 1e-6;  // [m]; no motion may leave less
constexpr double kRounding = 1e-12; // [m]; by which motions differ that are meant to be one
constexpr double kCaution = 0.9;    // share of the way to its plane that a vertex may go
constexpr int kAcrossRounds = 8, kFairRounds = 20, kMostRounds = 48; // see cut_motion

} // namespace

/// The motion in whose frame motions are cut: that of solids the cloth lies on, so that what is stopped stays outside of them; or
/// else of the slowest vertex that is held, so that what is pinned stays; or of the cloth as a whole, so that folds that fall
/// together are not braked by being near each other.
Vec3 ClothContact::common_motion() const {
    Vec3 sum;
    int count = 0;
    for (const std::vector<SolidPoint>& points : solids_.points())
        for (const SolidPoint& point : points)
            if (point.pushed > 0.0) { // not the surface's way: a ball that spins stays where it is
                const MovingSolid& solid = moving_[point.solid];
                sum += solid.now.centre - solid.before.centre;
                ++count;
            }
    for (const std::vector<ContactRecord>& records : records_)
        for (const ContactRecord& record : records)
            if (record.is_solid && record.pushed > 0.0)
                for (const int v : record.vertex)
                    if (v >= cloth_vertices_) {
                        sum += motion_[v];
                        ++count;
                    }
    if (count > 0) return sum / static_cast<double>(count);
    int slowest = -1;
    for (int i = 0; i < cloth_vertices_; ++i)
        if (!(weight_[i] > 0.0) && (slowest < 0 || length_squared(motion_[i]) < length_squared(motion_[slowest])))
            slowest = i;
    return slowest >= 0 ? motion_[slowest] : near_.mean_motion();
}

/// Cuts the motions short of vertices that would take a feature through the plane between it and another, until none does:
/// first only the part across the plane, then, where planes contradict each other, the whole motion. Along a straight way
/// features stay apart that are parted by a plane at both ends. Returns the rounds it took.
int ClothContact::cut_motion(ThreadPool& pool, Cut first) {
    if (!any_records() && !solids_.any_points()) return 0; // the motion is what the lists were made for
    const Vec3 common = common_motion();
    since_cut_.forget();    // the common motion may be another one than last time
    double farthest = -1.0; // from the common motion, before any cut [m]
    int made = 0;
    for (int round = first == Cut::across ? 0 : kAcrossRounds;; ++round, ++made) {
        const Cut how = round < kAcrossRounds ? Cut::across : round < kFairRounds ? Cut::fair : Cut::all;
        std::atomic<bool> any{false};
        since_cut_.look(pool, motion_);
        for_records(pool, [&](ContactRecord& record) {
            if (record.count == record.side_count) return; // a solid given by distance
            const auto is_asked = [&](int v) { return since_cut_.has_changed(v); };
            if (!record.is_active && !std::any_of(record.vertex.begin(), record.vertex.end(), is_asked)) return;
            record.is_active = cut_record(record, common, how);
            if (record.is_active) any.store(true, std::memory_order_relaxed);
        });
        if (!any) {
            if (!near_.extend_step(pool, x_, motion_)) return made;
            gather(pool, false);
            continue;
        }
        since_cut_.keep(pool, motion_);
        if (round >= kMostRounds) { // nothing moves against anything else: that is always safe
            pool.for_each(cloth_vertices_, [&](int i) {
                motion_[i] = common;
                cut_[i] = 1.0;
                is_cut_[i] = 1;
            });
            near_.measure(pool, x_, motion_);
            return made;
        }
        if (how == Cut::across) {
            if (shared_count_ == 0) { // only what is held is in the way
                round = kFairRounds - 1;
                continue;
            }
            if (farthest < 0.0) farthest = farthest_from(pool, common);
            take_sums(pool, Sums::means, motion_);
            tame(pool, common, farthest);
            set_aside_from_solids(pool);
            continue;
        }
        const int shortened = pool.sum<int>(cloth_vertices_, [&](int i) {
            if (cut_[i] == 1.0) return 0;
            motion_[i] = common + cut_[i] * (motion_[i] - common);
            cut_[i] = 1.0;
            is_cut_[i] = 1;
            return 1;
        });
        // What is left is between things that are held: more of the same would change nothing.
        if (shortened == 0) round = std::max(round, kFairRounds - 1);
    }
}

double ClothContact::farthest_from(ThreadPool& pool, const Vec3& common) {
    return std::sqrt(
        pool.sum<Largest>(cloth_vertices_, [&](int i) { return Largest{length_squared(motion_[i] - common)}; }).value);
}

/// Where cloth is pressed from all sides pushes may add up to more than anything moved before: no vertex goes farther than the
/// fastest did.
void ClothContact::tame(ThreadPool& pool, const Vec3& common, double farthest) {
    const double most = farthest + kLeastGap;
    pool.for_each(cloth_vertices_, [&](int i) {
        const Vec3 way = motion_[i] - common;
        const double l2 = length_squared(way);
        if (!(l2 > most * most)) return;
        motion_[i] = common + (most / std::sqrt(l2)) * way;
        is_cut_[i] = 1;
    });
}

FeatureMotion ClothContact::motion_of(const ContactRecord& record) const {
    FeatureMotion out;
    out.side_count = record.side_count;
    const int first = record.vertex[0];
    for (int k = 0; k < 4; ++k) {
        const int v = record.vertex[k];
        out.begin[k] = x_[v] - x_[first];
        out.end[k] = out.begin[k] + (motion_[v] - motion_[first]);
    }
    return out;
}

/// Whether the sides stay apart though no single plane parts them all the way: what turns or slides around an edge. Where features
/// lie in one place nobody parts those, and the planes of their neighbours must.
bool ClothContact::is_safe(const ContactRecord& record, const FeatureMotion& motion) const {
    if (std::any_of(record.vertex.begin(), record.vertex.end(), [&](int v) { return is_touching_[v] != 0; }))
        return false;
    return stays_apart(motion, kLeastGap);
}

/// Whether one side passes through the other where the step starts. Of a vertex and a face, or of two edges, that is for the edges
/// at the vertex and the faces at the edges to say.
bool ClothContact::is_through(const ContactRecord& record) const {
    const auto x = [&](int k) { return x_[record.vertex[k]]; };
    const std::span<const int> next = patches_.neighbours(record.vertex[0]);
    if (record.side_count == 1)
        return std::any_of(next.begin(), next.end(),
                           [&](int v) { return segment_crosses_triangle(x(0), x_[v], x(1), x(2), x(3)); });
    const auto passes_by = [&](int p, int a) { // edge p, p + 1 through a face at edge a, a + 1
        const std::span<const int> at_start = patches_.neighbours(record.vertex[a]);
        const std::span<const int> at_end = patches_.neighbours(record.vertex[a + 1]);
        return std::any_of(at_start.begin(), at_start.end(), [&](int v) {
            return std::find(at_end.begin(), at_end.end(), v) != at_end.end() &&
                   segment_crosses_triangle(x(p), x(p + 1), x(a), x(a + 1), x_[v]);
        });
    };
    return passes_by(0, 2) || passes_by(2, 0);
}

/// Cuts what takes a record's sides through their plane; false when nothing does, or they stay apart all the same. A solid is not
/// cut, nor what is held against one: where they come nearer by themselves than there is room, pushes must do. Everywhere else
/// the common motion leaves the sides apart, so that cutting always has an answer.
bool ClothContact::cut_record(const ContactRecord& record, const Vec3& common, Cut how) {
    const FeatureMotion motion = motion_of(record);
    const auto [n, gap, gap_end] = best_plane(motion, record.normal, kLeastGap);
    // What is nearer already, or where rounding leaves no plane between them, must at least not come nearer.
    const double least = std::min(gap, kLeastGap);
    // The common motion is that of a solid's vertices but for rounding, and must be good enough.
    if (gap_end >= (record.is_solid ? least - kRounding : least) || is_safe(record, motion)) return false;
    std::array<double, 4> way{};
    for (int k = 0; k < record.count; ++k)
        way[k] = dot(n, motion_[record.vertex[k]] - common);
    // How far the sides go towards each other: what is held, which goes first, and what is free.
    double down = 0.0, up = 0.0, held = 0.0;
    const auto is_held = [&](int k) { return !(weight_[record.vertex[k]] > 0.0); };
    for (int k = 0; k < record.count; ++k) {
        const bool is_above = k < record.side_count;
        const double towards = is_above ? -way[k] : way[k];
        double& farthest = is_held(k) ? held : is_above ? down : up;
        farthest = std::max(farthest, towards);
    }
    const double room = kCaution * std::max(0.0, gap - least) - (held > kRounding ? held : 0.0);
    if (record.is_solid && (room < 0.0 || is_through(record))) return false; // what is through already may come out
    const double share = down + up > 0.0 ? room / (down + up) : 0.0;
    for (int k = 0; k < record.count; ++k) {
        const bool is_above = k < record.side_count;
        const double towards = is_above ? -way[k] : way[k];
        const double most = share * (is_above ? down : up);
        if (how == Cut::all && !(record.is_solid && is_held(k)))
            cut_vertex(record.vertex[k], 0.0);
        else if (is_held(k) || !(towards > most))
            continue;
        else if (how == Cut::fair)
            cut_vertex(record.vertex[k], std::max(0.0, most) / towards);
        else
            cut_across(record.vertex[k], (is_above ? towards - most : most - towards) * n);
    }
    return true;
}

void ClothContact::cut_across(int v, const Vec3& way) {
    add_way(v, way);
    AtomicReference(is_cut_[v]).store(1);
}

void ClothContact::cut_vertex(int v, double to) {
    const AtomicReference cut(cut_[v]);
    double now = cut.load();
    while (to < now && !cut.compare_exchange_weak(now, to)) {
    }
}

} // namespace selvage
