#include "sim/skinned_cloth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/concat.h"
#include "collision/shapes/solid_mesh.h"

namespace selvage {

namespace {

/// The rotation that takes one set of points nearest to another, both about their means (Horn, 1987).
Quaternion best_turn(std::span<const Vec3> from, const Vec3& from_mean, std::span<const Vec3> to, const Vec3& to_mean) {
    Vec3 sx, sy, sz; // rows of the sum of products
    double size = 0.0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Vec3 a = from[i] - from_mean, b = to[i] - to_mean;
        sx += a.x * b;
        sy += a.y * b;
        sz += a.z * b;
        size += length_squared(a) + length_squared(b);
    }
    // The largest eigenvector, by powers of the matrix moved so far that it has the largest size too.
    const double m[4][4] = {{sx.x + sy.y + sz.z, sy.z - sz.y, sz.x - sx.z, sx.y - sy.x},
                            {sy.z - sz.y, sx.x - sy.y - sz.z, sx.y + sy.x, sz.x + sx.z},
                            {sz.x - sx.z, sx.y + sy.x, -sx.x + sy.y - sz.z, sy.z + sz.y},
                            {sx.y - sy.x, sz.x + sx.z, sy.z + sz.y, -sx.x - sy.y + sz.z}};
    std::array<double, 4> q{1.0, 0.02, 0.03, 0.05};
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
        std::array<double, 4> next{};
        double sum = 0.0;
        for (int r = 0; r < 4; ++r) {
            next[r] = size * q[r];
            for (int c = 0; c < 4; ++c)
                next[r] += m[r][c] * q[c];
            sum += next[r] * next[r];
        }
        if (!(sum > 0.0)) return {};
        for (int r = 0; r < 4; ++r)
            q[r] = next[r] / std::sqrt(sum);
    }
    return {q[1], q[2], q[3], q[0]};
}

/// What is painted, else what is listed, else the same for all; empty where there is no bound.
std::vector<double> per_vertex(const std::vector<double>& painted, const std::vector<double>& listed, double all,
                               int count) {
    if (!painted.empty()) return painted;
    if (!listed.empty()) return listed;
    return all >= 0.0 ? std::vector<double>(static_cast<std::size_t>(count), all) : std::vector<double>{};
}

Vec3 mean_point(std::span<const Vec3> points) {
    Vec3 sum;
    for (const Vec3& p : points)
        sum += p;
    return sum / static_cast<double>(points.size());
}

/// How the body's points moved over its last step, as a stiff body would.
BodyFrame frame_of(const Collider& collider, double dt) {
    const Vec3 from = mean_point(collider.points_before), to = mean_point(collider.points_now);
    return {from, to, best_turn(collider.points_before, from, collider.points_now, to), dt};
}

} // namespace

Result<SkinnedCloth> SkinnedCloth::make(const SkinnedDesc& desc, const Collider& collider,
                                        std::span<const Vec3> positions, int begin, int count,
                                        const SkinSelection& chosen) {
    const SolidMesh* solid = collider.mesh();
    if (!solid || !std::holds_alternative<MeshSolid>(collider.shape))
        return Error{concat("collider ", desc.collider, " has no skin; expected one of the kind character or mesh")};
    for (const auto& [name, list] :
         {std::pair{"max_distances", &desc.max_distances}, std::pair{"backstops", &desc.backstops}})
        if (!list->empty() && list->size() != static_cast<std::size_t>(count))
            return Error{concat(name, " has ", list->size(), " numbers; expected one for each of the cloth's ", count,
                                " vertices")};
    SkinnedCloth cloth;
    cloth.desc_ = desc;
    cloth.begin_ = begin;
    SurfaceTree tree;
    tree.build(solid->mesh.triangles, collider.points_now);
    for (int v = begin; v < begin + count; ++v)
        cloth.ties_.push_back(tie_to_skin(*solid, tree, collider.points_now, positions[v]));
    for (const int v : chosen.attached)
        cloth.attached_.push_back(begin + v);
    cloth.reach_ = per_vertex(chosen.max_distances, desc.max_distances, desc.max_distance, count);
    cloth.backstop_ = per_vertex(chosen.backstops, desc.backstops, desc.backstop, count);
    cloth.place_.resize(cloth.ties_.size());
    cloth.normal_.resize(cloth.ties_.size());
    cloth.follow(collider);
    return cloth;
}

void SkinnedCloth::follow(const Collider& collider) {
    for (std::size_t i = 0; i < ties_.size(); ++i) {
        const SkinPlace place = place_on_skin(ties_[i], collider.points_now);
        place_[i] = place.at;
        normal_[i] = place.normal;
    }
}

void SkinnedCloth::hold(std::vector<HeldPoint>& held, std::vector<std::uint8_t>& is_held) const {
    for (const int v : attached_) {
        if (is_held[v]) continue; // the first that names a vertex has it
        is_held[v] = 1;
        held.push_back({v, place_[v - begin_]});
    }
}

void SkinnedCloth::limit(double dt, std::span<const std::uint8_t> is_held, ClothState& state) const {
    if (!has_limits()) return;
    for (std::size_t i = 0; i < ties_.size(); ++i) {
        const std::size_t v = static_cast<std::size_t>(begin_) + i;
        if (is_held[v]) continue;
        Vec3 d = state.position[v] - place_[i];
        if (!backstop_.empty())
            if (const double behind = -backstop_[i] - dot(d, normal_[i]); behind > 0.0) d += behind * normal_[i];
        if (!reach_.empty())
            if (const double far = length(d); far > reach_[i]) d *= reach_[i] / far;
        const Vec3 moved = place_[i] + d - state.position[v];
        if (moved == Vec3{}) continue;
        state.position[v] += moved;
        state.velocity[v] += moved / dt;
    }
}

std::optional<BodyJump> SkinnedCloth::jump_of(const Collider& collider) const {
    if (!(desc_.teleport > 0.0) || collider.points_before.empty()) return std::nullopt;
    double sum = 0.0;
    for (std::size_t i = 0; i < collider.points_now.size(); ++i)
        sum += length_squared(collider.points_now[i] - collider.points_before[i]);
    const double limit = desc_.teleport * desc_.teleport * static_cast<double>(collider.points_now.size());
    if (!(sum > limit)) return std::nullopt;
    const Vec3 from = mean_point(collider.points_before), to = mean_point(collider.points_now);
    return BodyJump{from, to,
                    affine_from({}, best_turn(collider.points_before, from, collider.points_now, to), {1, 1, 1})};
}

// What moves with the body's frame alone is at x_k = M_k x_{k-1}, with M_k its rigid motion in step k. So a vertex that was
// left to itself in the frame has the velocity u = v - (x_k - M_k^-1 x_k) / h against it, which the frame turns on; it goes
// on with (M_{k+1} x_k - x_k) / h + R_{k+1} u. The cloth takes a fraction of that instead of its own velocity, by which all
// forces of inertia shrink: those of shifts, turns, and of their beginning and end. Contact sees velocities only.
void SkinnedCloth::go_along(const Collider& collider, double dt, std::span<const std::uint8_t> is_held,
                            ClothState& state) {
    if (!goes_along() || collider.points_before.empty()) return;
    if (std::exchange(has_jumped_, false)) return forget_frame();
    const BodyFrame next = frame_of(collider, dt);
    const BodyFrame last = frame_.seconds > 0.0 ? frame_ : next;
    frame_ = next;
    const Affine turn = affine_from({}, next.turn, {1, 1, 1}), back = inverse(affine_from({}, last.turn, {1, 1, 1}));
    for (std::size_t i = 0; i < ties_.size(); ++i) {
        const std::size_t v = static_cast<std::size_t>(begin_) + i;
        if (is_held[v]) continue;
        const Vec3 &x = state.position[v], before = last.from + back.direction(x - last.to);
        const Vec3 own = state.velocity[v] - (x - before) / last.seconds;
        const Vec3 carried = (next.to + turn.direction(x - next.from) - x) / dt + turn.direction(own);
        state.velocity[v] += desc_.local_space * (carried - state.velocity[v]);
    }
}

void SkinnedCloth::set_frame(const Collider& collider, double dt) {
    if (goes_along() && !collider.points_before.empty()) frame_ = frame_of(collider, dt);
}

void SkinnedCloth::carry(const BodyJump& jump, ClothState& state) {
    has_jumped_ = true;
    for (std::size_t i = 0; i < ties_.size(); ++i) {
        const std::size_t v = static_cast<std::size_t>(begin_) + i;
        state.position[v] = jump.carried(state.position[v]);
        state.velocity[v] = jump.turn.direction(state.velocity[v]);
    }
}

} // namespace selvage
