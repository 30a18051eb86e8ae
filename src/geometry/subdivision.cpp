#include "geometry/subdivision.h"

#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "base/concat.h"

namespace selvage {

namespace {

struct SideKey {
    int low, high, side; // side = 3 * face + k
};

/// Gives each edge its number and each side its edge.
void number_edges(const std::vector<Triangle>& triangles, Subdivision& out) {
    std::vector<SideKey> keys;
    keys.reserve(3 * triangles.size());
    for (int f = 0; f < static_cast<int>(triangles.size()); ++f)
        for (int k = 0; k < 3; ++k) {
            const int a = triangles[f][k], b = triangles[f][(k + 1) % 3];
            keys.push_back({std::min(a, b), std::max(a, b), 3 * f + k});
        }
    std::sort(keys.begin(), keys.end(), [](const SideKey& x, const SideKey& y) {
        return std::tie(x.low, x.high, x.side) < std::tie(y.low, y.high, y.side);
    });
    out.faces.resize(triangles.size());
    out.edge_sides.items.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto& [low, high, side] = keys[i];
        if (i == 0 || keys[i - 1].low != low || keys[i - 1].high != high) {
            out.edges.push_back({low, high});
            out.edge_sides.start.push_back(0);
        }
        const int face = side / 3, k = side % 3;
        out.faces[face][k] = {static_cast<int>(out.edges.size()) - 1, triangles[face][k] == low};
        out.edge_sides.items.push_back(side);
        out.edge_sides.start.back() = static_cast<int>(out.edge_sides.items.size());
    }
}

/// Fine vertex at point (p, q) of a face.
int face_vertex(const Subdivision& s, const Triangle& corners, int face, int p, int q) {
    const int n = s.per_edge;
    const auto on_side = [&](int k, int step) {
        if (step == 0) return corners[k];
        if (step == n) return corners[(k + 1) % 3];
        const Subdivision::Side side = s.faces[face][k];
        return s.edge_vertex(side.edge, side.forward ? step : n - step);
    };
    if (q == 0) return on_side(0, p);
    if (p + q == n) return on_side(1, q);
    if (p == 0) return on_side(2, n - q);
    // Rows q = 1, 2, ... inside hold n - 2, n - 3, ... points.
    const int before = (q - 1) * (n - 1) - q * (q - 1) / 2;
    return s.face_vertex_begin(face) + before + p - 1;
}

} // namespace

Result<Subdivision> subdivide(int vertex_count, const std::vector<Triangle>& triangles, int per_edge) {
    SELVAGE_ASSERT(per_edge >= 1);
    Subdivision out;
    out.per_edge = per_edge;
    out.coarse_vertex_count = vertex_count;
    number_edges(triangles, out);
    const long long total = vertex_count + static_cast<long long>(out.edges.size()) * out.edge_points() +
                            static_cast<long long>(triangles.size()) * out.face_points();
    if (total > kMaxVertices)
        return Error{concat("asks for ", total, " vertices (", triangles.size(), " triangles, ", per_edge,
                            " segments per edge); expected at most ", kMaxVertices)};
    out.fine_vertex_count = static_cast<int>(total);

    const int n = per_edge;
    out.triangles.reserve(triangles.size() * static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int f = 0; f < static_cast<int>(triangles.size()); ++f) {
        const auto at = [&](int p, int q) { return face_vertex(out, triangles[f], f, p, q); };
        for (int q = 0; q < n; ++q)
            for (int p = 0; p + q < n; ++p) {
                out.triangles.push_back({at(p, q), at(p + 1, q), at(p, q + 1)});
                if (p + q < n - 1) out.triangles.push_back({at(p + 1, q), at(p + 1, q + 1), at(p, q + 1)});
            }
    }
    return out;
}

std::vector<Vec2> interpolate(const Subdivision& subdivision, const std::vector<Triangle>& triangles,
                              const std::vector<Vec2>& values) {
    std::vector<Vec2> out(values.begin(), values.end());
    out.reserve(static_cast<std::size_t>(subdivision.fine_vertex_count));
    const int n = subdivision.per_edge;
    for (const auto& [a, b] : subdivision.edges)
        for (int step = 1; step < n; ++step) {
            const double t = static_cast<double>(step) / n;
            out.push_back({(1.0 - t) * values[a].x + t * values[b].x, (1.0 - t) * values[a].y + t * values[b].y});
        }
    for (const Triangle& corners : triangles)
        for (int q = 1; q < n; ++q)
            for (int p = 1; p + q < n; ++p) {
                const double u1 = static_cast<double>(p) / n, u2 = static_cast<double>(q) / n, u0 = 1.0 - u1 - u2;
                const Vec2 &v0 = values[corners[0]], &v1 = values[corners[1]], &v2 = values[corners[2]];
                out.push_back({u0 * v0.x + u1 * v1.x + u2 * v2.x, u0 * v0.y + u1 * v1.y + u2 * v2.y});
            }
    return out;
}

} // namespace selvage
