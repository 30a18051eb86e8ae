// Distances along the cloth by fast marching: Dijkstra's method in which a triangle with two known corners gives the
// third the shortest path across the edge between them, with the distance interpolated linearly along that edge. On
// flat cloth the distance to one held point is convex, so the interpolated one is never shorter than the true one. To a
// whole piece of held cloth it is not: no reach is shorter than the straight line at rest, so that a tether never pulls
// on cloth at rest. Close to the held points, where distance is far from linear, straight paths across one edge help.

#include "solvers/parts/tethers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "math/functions.h"

namespace selvage {

namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();

/// Length of the shortest path to w across the edge u-v, whose ends have the distances du and dv.
double distance_over_edge(const Vec3& u, const Vec3& v, const Vec3& w, double du, double dv) {
    const Vec3 edge = v - u;
    const double l = length(edge);
    if (!(l > 1e-12)) return kFar;
    const double p = dot(w - u, edge) / l, q = length(cross(edge, w - u)) / l; // w along the edge and across it
    const double s = (dv - du) / l;
    // du + s t + sqrt((p - t)^2 + q^2) is least where (p - t) = s sqrt(...)
    const double best = std::abs(s) < 1.0 ? p - s * q / std::sqrt(1.0 - s * s) : (s > 0.0 ? 0.0 : l);
    const double t = std::clamp(best, 0.0, l);
    return du + s * t + std::sqrt((p - t) * (p - t) + q * q);
}

/// Length of the straight path from c to d across edge ab with both triangles laid in one plane, or infinity when it
/// would leave them.
double unfolded_length(const std::vector<Vec3>& x, const Hinge& hinge) {
    const Vec3 ab = x[hinge.b] - x[hinge.a];
    const double l = length(ab);
    if (!(l > 1e-12)) return kFar;
    const Vec3 t = ab / l;
    const auto along = [&](int v) { return dot(x[v] - x[hinge.a], t); };
    const auto height = [&](int v) { return length(cross(t, x[v] - x[hinge.a])); };
    const double uc = along(hinge.c), hc = height(hinge.c), ud = along(hinge.d), hd = height(hinge.d);
    if (!(hc + hd > 1e-12)) return kFar;
    const double crossing = uc + (ud - uc) * hc / (hc + hd);
    if (crossing < 0.0 || crossing > l) return kFar;
    return maths::hypot(ud - uc, hc + hd);
}

} // namespace

void Tethers::build_paths(const ClothModel& model) {
    struct LongEdge {
        int a, b;
        float length;
    };
    std::vector<LongEdge> pairs;
    const std::vector<Vec3>& x = model.mesh.positions;
    const auto add = [&](int a, int b, double distance) {
        if (std::isfinite(distance)) pairs.push_back({a, b, static_cast<float>(distance)});
    };
    for (const Edge& edge : model.edges)
        add(edge[0], edge[1], length(x[edge[1]] - x[edge[0]]));
    for (const Hinge& hinge : build_topology(model.mesh).hinges)
        add(hinge.c, hinge.d, unfolded_length(x, hinge));
    for (const Spring& spring : model.springs) // of solid nets, whose inner points have no edges
        if (model.vertex_triangles[spring.a].empty() || model.vertex_triangles[spring.b].empty())
            add(spring.a, spring.b, spring.rest_length);
    path_start_.assign(model.mass.size() + 1, 0);
    for (const LongEdge& pair : pairs) {
        ++path_start_[pair.a + 1];
        ++path_start_[pair.b + 1];
    }
    for (std::size_t i = 1; i < path_start_.size(); ++i)
        path_start_[i] += path_start_[i - 1];
    paths_.resize(2 * pairs.size());
    // Each path is offered once from either end, each triangle's third corner at most twice: searches never allocate.
    open_.reserve(model.mass.size() + paths_.size() + 2 * model.mesh.triangles.size());
    piece_.reserve(model.mass.size());
    std::vector<int> next(path_start_.begin(), path_start_.end() - 1);
    for (const LongEdge& pair : pairs) {
        paths_[next[pair.a]++] = {pair.b, pair.length};
        paths_[next[pair.b]++] = {pair.a, pair.length};
    }
}

void Tethers::update(const ClothModel& model, std::span<const std::uint8_t> is_held) {
    if (std::equal(held_.begin(), held_.end(), is_held.begin(), is_held.end())) return;
    if (path_start_.empty()) build_paths(model);
    held_.assign(is_held.begin(), is_held.end());
    const int n = model.vertex_count();
    tethers_.assign(model.mass.size(), {});
    any_ = false;
    // Pieces of held cloth: held points joined by edges, in the order of their first point.
    seen_.assign(model.mass.size(), 0);
    for (int first = 0; first < n; ++first) {
        if (!held_[first] || seen_[first]) continue;
        piece_.assign(1, first);
        seen_[first] = 1;
        for (std::size_t k = 0; k < piece_.size(); ++k)
            for (int w = path_start_[piece_[k]]; w < path_start_[piece_[k] + 1]; ++w)
                if (held_[paths_[w].to] && !seen_[paths_[w].to]) {
                    seen_[paths_[w].to] = 1;
                    piece_.push_back(paths_[w].to);
                }
        find_paths(model);
        any_ = true;
    }
    longest_.assign(model.parts.size(), 0.0F);
    for (std::size_t p = 0; p < model.parts.size(); ++p)
        for (int i = 0; i < model.parts[p].vertex_count; ++i)
            for (const Tether& tether : tethers_[model.parts[p].vertex_begin + i])
                if (tether.anchor >= 0) longest_[p] = std::max(longest_[p], tether.reach);
}

void Tethers::find_paths(const ClothModel& model) {
    distance_.assign(held_.size(), kFar);
    anchor_.assign(held_.size(), -1);
    known_.assign(held_.size(), 0);
    open_.clear(); // a heap, the nearest point on top
    const auto push = [&](int v) {
        open_.emplace_back(distance_[v], v);
        std::push_heap(open_.begin(), open_.end(), std::greater<>());
    };
    for (const int v : piece_) {
        distance_[v] = 0.0F;
        anchor_[v] = v;
        push(v);
    }
    const auto offer = [&](int to, int from, double distance) {
        if (!(static_cast<float>(distance) < distance_[to])) return;
        distance_[to] = static_cast<float>(distance);
        anchor_[to] = anchor_[from];
        push(to);
    };
    const std::vector<Vec3>& x = model.mesh.positions;
    while (!open_.empty()) {
        const int v = open_.front().second;
        std::pop_heap(open_.begin(), open_.end(), std::greater<>());
        open_.pop_back();
        if (known_[v]) continue;
        known_[v] = 1;
        for (int w = path_start_[v]; w < path_start_[v + 1]; ++w)
            offer(paths_[w].to, v, distance_[v] + paths_[w].length);
        for (const int t : model.vertex_triangles[v])
            for (const int u : model.mesh.triangles[t])
                for (const int w : model.mesh.triangles[t])
                    if (u != v && w != v && u != w && known_[u] && !known_[w])
                        offer(w, v, distance_over_edge(x[u], x[v], x[w], distance_[u], distance_[v]));
    }
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (held_[i] || anchor_[i] < 0) continue;
        std::array<Tether, kMost>& row = tethers_[i]; // sorted by reach, the longest falls out
        // The path may lead to the middle of a held edge, but the tether is tied to one of its ends.
        const double straight = length(x[i] - x[anchor_[i]]);
        Tether tether{anchor_[i], std::max(distance_[i], static_cast<float>(straight))};
        for (Tether& entry : row)
            if (entry.anchor < 0 || tether.reach < entry.reach) std::swap(entry, tether);
    }
}

} // namespace selvage
