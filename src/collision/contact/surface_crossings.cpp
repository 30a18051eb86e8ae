#include "collision/contact/surface_crossings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "collision/contact/crossings.h"

namespace selvage {

namespace {

constexpr int kEdgesPerChunk = 256;

Aabb box_of(std::span<const Vec3> x, std::span<const int> vertices) {
    Aabb box;
    for (const int v : vertices)
        box.include(x[v]);
    return box;
}

/// Where on edge and triangle they meet, to rounding; `crossing` has the vertices.
void set_place(const Triangle& t, std::span<const Vec3> x, SurfaceCrossing& crossing) {
    const Vec3 &p = x[crossing.edge[0]], &q = x[crossing.edge[1]];
    const Vec3 &a = x[t[0]], &b = x[t[1]], &c = x[t[2]];
    const Vec3 normal = cross(b - a, c - a);
    const double from = dot(normal, p - a), to = dot(normal, q - a), fall = from - to;
    crossing.along = fall != 0.0 ? std::clamp(from / fall, 0.0, 1.0) : 0.5;
    crossing.point = p + crossing.along * (q - p);
    const double squared = length_squared(normal);
    const auto area = [&](const Vec3& u, const Vec3& v) {
        return std::max(0.0, dot(normal, cross(u - crossing.point, v - crossing.point)));
    };
    std::array<double, 3> weight{area(b, c), area(c, a), area(a, b)};
    const double sum = weight[0] + weight[1] + weight[2];
    for (double& w : weight)
        w = squared > 0.0 && sum > 0.0 ? w / sum : 1.0 / 3.0;
    crossing.weight = weight;
}

} // namespace

SurfaceEdges::SurfaceEdges(const ContactSurface& surface) {
    struct Side {
        Edge edge;
        int triangle, body;
    };
    std::vector<Side> sides;
    for (int b = 0; b < static_cast<int>(surface.bodies.size()); ++b) {
        const ContactBody& solid = surface.bodies[b];
        for (int t = solid.triangle_begin; t < solid.triangle_begin + solid.triangle_count; ++t)
            for (int k = 0; k < 3; ++k) {
                const int i = surface.triangles[t][k], j = surface.triangles[t][(k + 1) % 3];
                sides.push_back({{std::min(i, j), std::max(i, j)}, t, b});
            }
    }
    std::sort(sides.begin(), sides.end(),
              [](const Side& a, const Side& b) { return std::tie(a.edge, a.triangle) < std::tie(b.edge, b.triangle); });
    for (const Side& side : sides) {
        if (!edge.empty() && edge.back() == side.edge) {
            if (faces.back()[1] < 0) faces.back()[1] = side.triangle;
            continue;
        }
        edge.push_back(side.edge);
        faces.push_back({side.triangle, -1});
        body.push_back(side.body);
    }
}

SurfaceCrossingFinder::SurfaceCrossingFinder(const ContactSurface& surface) : surface_(surface), edges_(surface) {
    triangle_body_.resize(surface.triangles.size());
    for (int b = 0; b < static_cast<int>(surface.bodies.size()); ++b) {
        const auto first = triangle_body_.begin() + surface.bodies[b].triangle_begin;
        std::fill(first, first + surface.bodies[b].triangle_count, b);
    }
}

bool SurfaceCrossingFinder::may_cross(int body, int other) const {
    const ContactBody &a = surface_.bodies[body], &b = surface_.bodies[other];
    if (a.is_solid && b.is_solid) return false;
    return a.is_solid || b.is_solid || a.meets_itself || b.meets_itself;
}

/// Those of cloths, and of colliders where cloth is.
void SurfaceCrossingFinder::list_triangles(std::span<const Vec3> x, std::span<const std::uint8_t> is_left_out) {
    Aabb cloth;
    for (const ContactBody& body : surface_.bodies)
        if (!body.is_solid)
            for (int v = body.vertex_begin; v < body.vertex_begin + body.vertex_count; ++v)
                cloth.include(x[v]);
    listed_.clear();
    box_.clear();
    listed_edges_.clear();
    for (int t = 0; t < static_cast<int>(surface_.triangles.size()); ++t) {
        const int body = triangle_body_[t];
        const Aabb box = box_of(x, surface_.triangles[t]);
        if (is_left_out[body] || (surface_.bodies[body].is_solid && !box.touches(cloth))) continue;
        listed_.push_back(t);
        box_.push_back(box);
    }
    for (int e = 0; e < static_cast<int>(edges_.edge.size()); ++e) {
        const int body = edges_.body[e];
        if (is_left_out[body]) continue;
        if (!surface_.bodies[body].is_solid || box_of(x, edges_.edge[e]).touches(cloth)) listed_edges_.push_back(e);
    }
}

void SurfaceCrossingFinder::find_at_edge(int edge, std::span<const Vec3> x, std::vector<SurfaceCrossing>& found) const {
    const Edge& e = edges_.edge[edge];
    const Vec3 &p = x[e[0]], &q = x[e[1]];
    const int body = edges_.body[edge];
    const Aabb box = box_of(x, e);
    const auto first = static_cast<std::ptrdiff_t>(found.size());
    tree_.for_touching(box, [&](int k) {
        const int index = listed_[k];
        if (!box_[k].touches(box) || !may_cross(body, triangle_body_[index])) return;
        const Triangle& t = surface_.triangles[index];
        for (const int corner : t)
            if (corner == e[0] || corner == e[1]) return;
        if (!segment_crosses_triangle(p, q, x[t[0]], x[t[1]], x[t[2]])) return;
        SurfaceCrossing crossing;
        crossing.edge = e;
        crossing.triangle = index;
        crossing.faces = edges_.faces[edge];
        crossing.edge_body = body;
        crossing.triangle_body = triangle_body_[index];
        set_place(t, x, crossing);
        found.push_back(crossing);
    });
    std::sort(found.begin() + first, found.end(),
              [](const SurfaceCrossing& a, const SurfaceCrossing& b) { return a.triangle < b.triangle; });
}

std::span<const SurfaceCrossing> SurfaceCrossingFinder::find(ThreadPool& pool, std::span<const Vec3> x,
                                                             std::span<const std::uint8_t> is_left_out) {
    list_triangles(x, is_left_out);
    tree_.build(pool, box_);
    const int count = static_cast<int>(listed_edges_.size());
    by_chunk_.resize(static_cast<std::size_t>((count + kEdgesPerChunk - 1) / kEdgesPerChunk));
    pool.for_chunks(count, kEdgesPerChunk, [&](int begin, int end) {
        std::vector<SurfaceCrossing>& found = by_chunk_[begin / kEdgesPerChunk];
        found.clear();
        for (int k = begin; k < end; ++k)
            find_at_edge(listed_edges_[k], x, found);
    });
    all_.clear();
    for (const std::vector<SurfaceCrossing>& found : by_chunk_)
        all_.insert(all_.end(), found.begin(), found.end());
    return all_;
}

} // namespace selvage
