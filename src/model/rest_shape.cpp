#include "model/rest_shape.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "model/thread_axes.h"

namespace selvage {

namespace {

double length_of(const Vec2& e) {
    return std::sqrt(e.x * e.x + e.y * e.y);
}

Vec2 difference(const Vec2& a, const Vec2& b) {
    return {a.x - b.x, a.y - b.y};
}

/// The edge between corners `from` and `to`.
Vec2 side(const RestTriangle& triangle, int from, int to) {
    const std::array<Vec2, 3> corner{Vec2{}, triangle.e1, triangle.e2};
    return difference(corner[to], corner[from]);
}

/// Place of the third corner beside an edge of length `l` along x from a to b, above it. It divides the edge as it does
/// in its own triangle, whose edge may be longer or shorter where panels are sewn.
Vec3 beside_edge(const RestTriangle& rest, const Triangle& vertex, int a, int b, double l) {
    const auto corner = [&](int v) {
        return static_cast<int>(std::find(vertex.begin(), vertex.end(), v) - vertex.begin());
    };
    const int ia = corner(a), ib = corner(b), ic = 3 - ia - ib;
    const Vec2 ab = side(rest, ia, ib), ac = side(rest, ia, ic);
    const double own = length_of(ab);
    if (!(own > 0.0)) return {0.0, length_of(ac), 0.0};
    const double along = (ac.x * ab.x + ac.y * ab.y) / own, across = std::abs(ac.x * ab.y - ac.y * ab.x) / own;
    return {along * l / own, across, 0.0};
}

} // namespace

RestTriangle rest_triangle(const TriangleMesh& mesh, RestShape rest, int triangle) {
    const Triangle& v = mesh.triangles[triangle];
    const ThreadAxes axes = thread_axes(mesh, triangle);
    if (rest == RestShape::uv && axes.from_uv) {
        const Triangle& c = mesh.uv_corners(triangle);
        RestTriangle flat{difference(mesh.uv[c[1]], mesh.uv[c[0]]), difference(mesh.uv[c[2]], mesh.uv[c[0]]), true,
                          true};
        // Panels that lie face down in the pattern: seen from their other side, warp and weft are the same.
        if (flat.e1.x * flat.e2.y - flat.e1.y * flat.e2.x < 0.0) {
            flat.e1.y = -flat.e1.y;
            flat.e2.y = -flat.e2.y;
        }
        return flat;
    }
    const auto in_cloth = [&](int k) {
        const Vec3 e = mesh.positions[v[k]] - mesh.positions[v[0]];
        return Vec2{dot(e, axes.warp), dot(e, axes.weft)};
    };
    return {in_cloth(1), in_cloth(2), axes.from_uv, false};
}

double rest_area(const TriangleMesh& mesh, RestShape rest, int triangle) {
    if (rest == RestShape::mesh) return triangle_area(mesh, triangle);
    const RestTriangle flat = rest_triangle(mesh, rest, triangle);
    return 0.5 * std::abs(flat.e1.x * flat.e2.y - flat.e1.y * flat.e2.x);
}

std::array<Vec3, 4> rest_hinge(const TriangleMesh& mesh, RestShape rest, const HingeTriangles& h) {
    const int a = h.hinge.a, b = h.hinge.b, c = h.hinge.c, d = h.hinge.d; // clang 14 captures no bindings
    const std::vector<Vec3>& x = mesh.positions;
    if (rest == RestShape::mesh) return {x[a], x[b], x[c], x[d]};
    const Triangle &first = mesh.triangles[h.first], &second = mesh.triangles[h.second];
    const RestTriangle above = rest_triangle(mesh, rest, h.first), below = rest_triangle(mesh, rest, h.second);
    const auto own_length = [&](const RestTriangle& t, const Triangle& v) {
        const auto corner = [&](int w) { return static_cast<int>(std::find(v.begin(), v.end(), w) - v.begin()); };
        return length_of(side(t, corner(a), corner(b)));
    };
    const double l = 0.5 * (own_length(above, first) + own_length(below, second));
    Vec3 under = beside_edge(below, second, a, b, l);
    under.y = -under.y;
    return {Vec3{}, Vec3{l, 0.0, 0.0}, beside_edge(above, first, a, b, l), under};
}

EdgeLengths rest_lengths(const TriangleMesh& mesh, RestShape rest, const std::vector<Edge>& edges) {
    EdgeLengths out;
    out.length.resize(edges.size());
    if (rest == RestShape::mesh) {
        for (std::size_t e = 0; e < edges.size(); ++e)
            out.length[e] = length(mesh.positions[edges[e][1]] - mesh.positions[edges[e][0]]);
        return out;
    }
    struct Sides {
        double sum = 0.0, shortest = 1e300, longest = 0.0;
        int count = 0;
    };
    std::vector<Sides> sides(edges.size());
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const RestTriangle flat = rest_triangle(mesh, rest, t);
        for (int k = 0; k < 3; ++k) {
            const int p = mesh.triangles[t][k], q = mesh.triangles[t][(k + 1) % 3];
            const Edge edge{std::min(p, q), std::max(p, q)};
            Sides& s = sides[std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin()];
            const double l = length_of(side(flat, k, (k + 1) % 3));
            s.sum += l;
            s.shortest = std::min(s.shortest, l);
            s.longest = std::max(s.longest, l);
            ++s.count;
        }
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
        out.length[e] = sides[e].sum / std::max(sides[e].count, 1);
        const double uneven = sides[e].longest / std::max(sides[e].shortest, 1e-12) - 1.0;
        if (uneven > kSeamTolerance) ++out.uneven;
        if (uneven > out.most_uneven) {
            out.most_uneven = uneven;
            out.most_uneven_edge = edges[e];
        }
    }
    return out;
}

void warn_of_pattern(const std::string& cloth, const TriangleMesh& mesh, const EdgeLengths& lengths,
                     std::vector<std::string>& warnings) {
    int without = 0, first = 0;
    for (int t = 0; t < mesh.triangle_count(); ++t)
        if (!rest_triangle(mesh, RestShape::uv, t).is_pattern && without++ == 0) first = t;
    if (without > 0)
        warnings.push_back(concat("cloth \"", cloth, "\": ", without, " of ", mesh.triangle_count(),
                                  " triangles have no area in uv, the first triangle ", first,
                                  "; these rest as they are in the mesh"));
    if (lengths.uneven > 0)
        warnings.push_back(concat(
            "cloth \"", cloth, "\": on ", lengths.uneven,
            " edges the two sides of a seam differ in length by more than ", 100.0 * kSeamTolerance, " %, most by ",
            std::round(1000.0 * lengths.most_uneven) / 10.0, " %, between vertices ", lengths.most_uneven_edge[0],
            " and ", lengths.most_uneven_edge[1], "; springs take the mean of both, elastic triangles each their own"));
}

} // namespace selvage
