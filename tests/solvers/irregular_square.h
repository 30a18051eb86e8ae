#pragma once

#include <cmath>
#include <map>
#include <random>

#include "model/cloth_model.h"

namespace selvage {

/// Of the yardsticks in docs/records/multilevel.md.
inline Material yardstick_fabric(double stretch = 5000.0) {
    Material m;
    m.density = 0.2;
    m.stretch_warp = m.stretch_weft = stretch;
    m.shear = 300;
    m.bend_warp = m.bend_weft = 1e-5;
    m.damping = 0.0;
    return m;
}

/// A square metre of cloth in the plane y = 0 whose points are a lattice shaken by up to `jitter` of its spacing and
/// joined by Delaunay triangles: no rows of edges along the threads, as in a garment. Vertices with v = 0 come first.
inline GeneratedMesh irregular_square(int side, double jitter) {
    std::mt19937 random(7); // the same numbers from every standard library
    const auto uniform = [&] { return 2.0 * static_cast<double>(random() % 1000003) / 1000003.0 - 1.0; };
    std::vector<Vec2> p;
    const double d = 1.0 / (side - 1);
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            const bool inside = i > 0 && i < side - 1 && j > 0 && j < side - 1;
            const double a = inside ? jitter * d * uniform() : 0.0, b = inside ? jitter * d * uniform() : 0.0;
            p.push_back({i * d + a, j * d + b});
        }
    std::vector<Triangle> triangles;
    for (int j = 0; j + 1 < side; ++j)
        for (int i = 0; i + 1 < side; ++i) {
            const int a = j * side + i, b = a + 1, c = a + side, e = c + 1;
            if (random() & 1) {
                triangles.push_back({a, b, e});
                triangles.push_back({a, e, c});
            } else {
                triangles.push_back({a, b, c});
                triangles.push_back({b, e, c});
            }
        }
    // Lawson's flips: while the angles opposite an edge add up to more than half a turn, take the other diagonal.
    const auto area = [&](int a, int b, int c) {
        return (p[b].x - p[a].x) * (p[c].y - p[a].y) - (p[b].y - p[a].y) * (p[c].x - p[a].x);
    };
    const auto cotangent = [&](int at, int a, int b) {
        const Vec2 e{p[a].x - p[at].x, p[a].y - p[at].y}, f{p[b].x - p[at].x, p[b].y - p[at].y};
        return (e.x * f.x + e.y * f.y) / std::abs(e.x * f.y - e.y * f.x);
    };
    for (bool flipped = true; flipped;) {
        flipped = false;
        std::map<std::pair<int, int>, int> owner; // of each directed edge
        for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
            for (int k = 0; k < 3; ++k)
                owner[{triangles[t][k], triangles[t][(k + 1) % 3]}] = t;
        std::vector<bool> touched(triangles.size(), false);
        for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
            for (int k = 0; k < 3 && !touched[t]; ++k) {
                const int a = triangles[t][k], b = triangles[t][(k + 1) % 3], c = triangles[t][(k + 2) % 3];
                const auto other = owner.find({b, a});
                if (other == owner.end() || touched[other->second]) continue;
                int e = 0;
                for (const int v : triangles[other->second])
                    if (v != a && v != b) e = v;
                if (!(cotangent(c, a, b) + cotangent(e, a, b) < -1e-9)) continue;
                if (!(area(c, a, e) > 1e-14 && area(c, e, b) > 1e-14)) continue;
                triangles[t] = {c, a, e};
                triangles[other->second] = {c, e, b};
                touched[t] = touched[other->second] = flipped = true;
            }
    }
    GeneratedMesh mesh;
    for (const Vec2& q : p)
        mesh.mesh.positions.push_back({q.x, 0.0, q.y});
    mesh.mesh.uv = p;
    mesh.mesh.triangles = triangles;
    return mesh;
}

} // namespace selvage
