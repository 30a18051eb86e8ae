// Distances along cloth are those of geometry/geodesic.h, measured to the held points themselves, since a tether is
// tied to one of them. Parts with points that no triangle has (solid nets), and meshes on which that method gives up,
// are measured by fast marching: Dijkstra's method along edges and springs in which a triangle with two known corners
// gives the third the shortest path across the edge between them, with the distance interpolated linearly along that
// edge. It overshoots by a per cent on average. No reach is shorter than the straight line at rest, so that a tether
// never pulls on cloth at rest.

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
double unfolded_length(const std::array<Vec3, 4>& hinge) {
    const auto& [a, b, c, d] = hinge;
    const Vec3 ab = b - a;
    const double l = length(ab);
    if (!(l > 1e-12)) return kFar;
    const Vec3 t = ab / l;
    const Vec3 ac = c - a, ad = d - a;
    const double uc = dot(ac, t), hc = length(cross(t, ac)), ud = dot(ad, t), hd = length(cross(t, ad));
    if (!(hc + hd > 1e-12)) return kFar;
    const double crossing = uc + (ud - uc) * hc / (hc + hd);
    if (crossing < 0.0 || crossing > l) return kFar;
    return maths::hypot(ud - uc, hc + hd);
}

RestShape rest_of(const ClothModel& model, int triangle) {
    const auto after = std::upper_bound(model.parts.begin(), model.parts.end(), triangle,
                                        [](int t, const ClothPart& part) { return t < part.triangle_begin; });
    return after == model.parts.begin() ? RestShape::mesh : std::prev(after)->rest;
}

} // namespace

void Tethers::build_paths(const ClothModel& model) {
    struct LongEdge {
        int a, b;
        float length;
    };
    std::vector<LongEdge> pairs;
    const auto add = [&](int a, int b, double distance) {
        if (std::isfinite(distance)) pairs.push_back({a, b, static_cast<float>(distance)});
    };
    for (std::size_t e = 0; e < model.edges.size(); ++e)
        add(model.edges[e][0], model.edges[e][1], model.edge_length[e]);
    for (const HingeTriangles& h : hinge_triangles(model.mesh))
        add(h.hinge.c, h.hinge.d, unfolded_length(rest_hinge(model.mesh, rest_of(model, h.first), h)));
    for (const Spring& spring : model.springs) // of solid nets, whose inner points have no edges
        if (model.vertex_triangles[spring.a].empty() || model.vertex_triangles[spring.b].empty())
            add(spring.a, spring.b, spring.rest_length);
    has_inner_points_.assign(model.parts.size(), 0);
    for (std::size_t p = 0; p < model.parts.size(); ++p)
        for (int k = 0; k < model.parts[p].spring_count; ++k) {
            const Spring& spring = model.springs[model.parts[p].spring_begin + k];
            if (model.vertex_triangles[spring.a].empty() || model.vertex_triangles[spring.b].empty())
                has_inner_points_[p] = 1;
        }
    geodesics_.resize(model.parts.size());
    member_.reserve(model.mass.size());
    pieces_.reserve(kKept);
    before_.reserve(kKept);
    path_start_.assign(model.mass.size() + 1, 0);
    for (const LongEdge& pair : pairs) {
        ++path_start_[pair.a + 1];
        ++path_start_[pair.b + 1];
    }
    for (std::size_t i = 1; i < path_start_.size(); ++i)
        path_start_[i] += path_start_[i - 1];
    paths_.resize(2 * pairs.size());
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
    tethers_.assign(model.mass.size(), {});
    find_pieces(model);
    before_.swap(pieces_);
    pieces_.clear();
    for (const PieceRange& range : ranges_)
        add_tethers(model, piece_of(model, range));
    before_.clear();
    any_ = !ranges_.empty();
    longest_.assign(model.parts.size(), 0.0F);
    for (std::size_t p = 0; p < model.parts.size(); ++p)
        for (int i = 0; i < model.parts[p].vertex_count; ++i)
            for (const Tether& tether : tethers_[model.parts[p].vertex_begin + i])
                if (tether.anchor >= 0) longest_[p] = std::max(longest_[p], tether.reach);
}

/// Pieces of held cloth in the order of their first points.
void Tethers::find_pieces(const ClothModel& model) {
    ranges_.clear();
    member_.clear();
    seen_.assign(model.mass.size(), 0);
    for (std::size_t p = 0; p < model.parts.size(); ++p)
        for (int k = 0; k < model.parts[p].vertex_count; ++k) {
            const int first = model.parts[p].vertex_begin + k;
            if (!held_[first] || seen_[first]) continue;
            const std::size_t begin = member_.size();
            member_.push_back(first);
            seen_[first] = 1;
            for (std::size_t at = begin; at < member_.size(); ++at)
                for (int w = path_start_[member_[at]]; w < path_start_[member_[at] + 1]; ++w)
                    if (const int to = paths_[w].to; held_[to] && !seen_[to]) {
                        seen_[to] = 1;
                        member_.push_back(to);
                    }
            std::sort(member_.begin() + static_cast<std::ptrdiff_t>(begin), member_.end());
            ranges_.push_back({p, begin, member_.size()});
        }
}

/// From the update before, where the same points were a piece then; else measured now.
const Tethers::Piece& Tethers::piece_of(const ClothModel& model, const PieceRange& range) {
    const std::span<const int> vertices(member_.data() + range.begin, range.end - range.begin);
    Piece* piece = &one_too_many_;
    for (Piece& known : before_)
        if (std::equal(known.vertices.begin(), known.vertices.end(), vertices.begin(), vertices.end())) piece = &known;
    if (piece == &one_too_many_) {
        piece->part = range.part;
        piece->vertices.assign(vertices.begin(), vertices.end());
        measure(model, *piece);
    }
    if (pieces_.size() == kKept) return *piece;
    pieces_.push_back(std::move(*piece));
    return pieces_.back();
}

void Tethers::measure(const ClothModel& model, Piece& piece) {
    const std::size_t count = static_cast<std::size_t>(model.parts[piece.part].vertex_count);
    piece.distance.assign(count, kFar);
    piece.anchor.assign(count, -1);
    ++search_count_;
    // A pattern has no place in space for the exact search to go through.
    const bool in_space = !has_inner_points_[piece.part] && model.parts[piece.part].rest == RestShape::mesh;
    if (!in_space || !measure_exactly(model, piece)) measure_by_marching(model, piece);
}

bool Tethers::measure_exactly(const ClothModel& model, Piece& piece) {
    const ClothPart& part = model.parts[piece.part];
    std::unique_ptr<Geodesics>& geodesics = geodesics_[piece.part];
    const auto begin = [](auto& items, int first) { return items.begin() + first; };
    if (!geodesics) {
        TriangleMesh mesh;
        mesh.positions.assign(begin(model.mesh.positions, part.vertex_begin),
                              begin(model.mesh.positions, part.vertex_begin + part.vertex_count));
        for (int t = part.triangle_begin; t < part.triangle_begin + part.triangle_count; ++t) {
            Triangle triangle = model.mesh.triangles[t];
            for (int& v : triangle)
                v -= part.vertex_begin;
            mesh.triangles.push_back(triangle);
        }
        geodesics = std::make_unique<Geodesics>(mesh);
    }
    std::vector<int> sources = piece.vertices;
    for (int& v : sources)
        v -= part.vertex_begin;
    exact_.resize(piece.distance.size());
    if (!geodesics->find(sources, exact_, piece.anchor)) return false;
    for (std::size_t i = 0; i < exact_.size(); ++i) {
        piece.distance[i] = static_cast<float>(exact_[i]);
        if (piece.anchor[i] >= 0) piece.anchor[i] += part.vertex_begin;
    }
    return true;
}

void Tethers::measure_by_marching(const ClothModel& model, Piece& piece) {
    const int begin = model.parts[piece.part].vertex_begin;
    std::fill(piece.distance.begin(), piece.distance.end(), kFar);
    std::fill(piece.anchor.begin(), piece.anchor.end(), -1);
    const auto distance = [&](int v) -> float& { return piece.distance[static_cast<std::size_t>(v - begin)]; };
    const auto anchor = [&](int v) -> int& { return piece.anchor[static_cast<std::size_t>(v - begin)]; };
    known_.assign(held_.size(), 0);
    open_.clear(); // a heap, the nearest point on top
    const auto push = [&](int v) {
        open_.emplace_back(distance(v), v);
        std::push_heap(open_.begin(), open_.end(), std::greater<>());
    };
    for (const int v : piece.vertices) {
        distance(v) = 0.0F;
        anchor(v) = v;
        push(v);
    }
    const auto offer = [&](int to, int from, double length) {
        if (!(static_cast<float>(length) < distance(to))) return;
        distance(to) = static_cast<float>(length);
        anchor(to) = anchor(from);
        push(to);
    };
    // Paths that end between two held points are shorter than those to either, and in a pattern there is no straight line
    // to say how much is missing: there only paths from vertex to vertex count, longer by a few per cent.
    const bool in_space = model.parts[piece.part].rest == RestShape::mesh;
    const std::vector<Vec3>& x = model.mesh.positions;
    while (!open_.empty()) {
        const int v = open_.front().second;
        std::pop_heap(open_.begin(), open_.end(), std::greater<>());
        open_.pop_back();
        if (known_[v]) continue;
        known_[v] = 1;
        for (int w = path_start_[v]; w < path_start_[v + 1]; ++w)
            offer(paths_[w].to, v, distance(v) + paths_[w].length);
        if (!in_space) continue;
        for (const int t : model.vertex_triangles[v])
            for (const int u : model.mesh.triangles[t])
                for (const int w : model.mesh.triangles[t])
                    if (u != v && w != v && u != w && known_[u] && !known_[w])
                        offer(w, v, distance_over_edge(x[u], x[v], x[w], distance(u), distance(v)));
    }
}

void Tethers::add_tethers(const ClothModel& model, const Piece& piece) {
    const std::vector<Vec3>& x = model.mesh.positions;
    const bool in_space = model.parts[piece.part].rest == RestShape::mesh;
    for (std::size_t k = 0; k < piece.anchor.size(); ++k) {
        const int i = model.parts[piece.part].vertex_begin + static_cast<int>(k), anchor = piece.anchor[k];
        if (held_[i] || anchor < 0) continue;
        // Marching may find the way to the middle of a held edge, but the tether is tied to one of its ends.
        // A pattern may be smaller than the pose it starts in, and has no straight line through the air.
        const double straight = in_space ? length(x[i] - x[anchor]) : 0.0;
        Tether tether{anchor, std::max(piece.distance[k], static_cast<float>(straight))};
        for (Tether& entry : tethers_[i]) // sorted by reach, the longest falls out
            if (entry.anchor < 0 || tether.reach < entry.reach) std::swap(entry, tether);
    }
}

} // namespace selvage
