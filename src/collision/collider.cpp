#include "collision/collider.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace selvage {

namespace {

SurfacePoint nearest_on(const Sphere& sphere, const Vec3& p) {
    return {length(p) - sphere.radius, normalized(p, {0, 1, 0})};
}

SurfacePoint nearest_on(const Box& box, const Vec3& p) {
    // q is how far p lies outside each pair of faces; all negative inside.
    const Vec3 q{std::abs(p.x) - 0.5 * box.size[0], std::abs(p.y) - 0.5 * box.size[1],
                 std::abs(p.z) - 0.5 * box.size[2]};
    const auto sign = [](double v) { return v < 0.0 ? -1.0 : 1.0; };
    const double inside = std::max({q.x, q.y, q.z});
    if (inside <= 0.0) { // out through the nearest face
        if (inside == q.y) return {inside, {0, sign(p.y), 0}};
        if (inside == q.x) return {inside, {sign(p.x), 0, 0}};
        return {inside, {0, 0, sign(p.z)}};
    }
    const Vec3 out{sign(p.x) * std::max(q.x, 0.0), sign(p.y) * std::max(q.y, 0.0), sign(p.z) * std::max(q.z, 0.0)};
    return {length(out), normalized(out, {0, 1, 0})};
}

SurfacePoint nearest_on(const Plane&, const Vec3& p) {
    return {p.y, {0, 1, 0}};
}

/// Rows x columns vertices; `at` gives a vertex by its row and column, rows wound so that normals point out.
template <class At>
TriangleMesh lattice_mesh(int rows, int columns, const At& at) {
    TriangleMesh mesh;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
            mesh.positions.push_back(at(r, c));
    for (int r = 0; r + 1 < rows; ++r)
        for (int c = 0; c + 1 < columns; ++c) {
            const int a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            mesh.triangles.push_back({a, d, b});
            mesh.triangles.push_back({b, d, e});
        }
    return mesh;
}

TriangleMesh mesh_of(const Sphere& sphere) {
    constexpr int kRows = 33, kColumns = 65;
    return lattice_mesh(kRows, kColumns, [&](int r, int c) {
        const double polar = std::numbers::pi * r / (kRows - 1), around = -2.0 * std::numbers::pi * c / (kColumns - 1);
        return sphere.radius *
               Vec3{std::sin(polar) * std::cos(around), std::cos(polar), std::sin(polar) * std::sin(around)};
    });
}

TriangleMesh mesh_of(const Box& box) {
    TriangleMesh mesh;
    for (int axis = 0; axis < 3; ++axis) // faces do not share vertices, so that edges stay sharp when shaded
        for (const double side : {-1.0, 1.0}) {
            const int first = mesh.vertex_count();
            for (const double u : {-1.0, 1.0})
                for (const double v : {-1.0, 1.0}) {
                    Triple p{};
                    p[axis] = 0.5 * side * box.size[axis];
                    p[(axis + 1) % 3] = 0.5 * u * box.size[(axis + 1) % 3];
                    p[(axis + 2) % 3] = 0.5 * side * v * box.size[(axis + 2) % 3];
                    mesh.positions.emplace_back(p[0], p[1], p[2]);
                }
            mesh.triangles.push_back({first, first + 2, first + 1});
            mesh.triangles.push_back({first + 1, first + 2, first + 3});
        }
    return mesh;
}

TriangleMesh mesh_of(const Plane&) {
    constexpr int kSide = 49; // small faces, so that a camera above it hides few of them behind its back
    return lattice_mesh(kSide, kSide, [](int r, int c) { return Vec3{0.25 * c - 6.0, 0.0, 0.25 * r - 6.0}; });
}

} // namespace

SurfacePoint nearest_surface(const ColliderShape& shape, const Vec3& local) {
    return std::visit([&](const auto& solid) { return nearest_on(solid, local); }, shape);
}

TriangleMesh collider_mesh(const ColliderShape& shape) {
    return std::visit([](const auto& solid) { return mesh_of(solid); }, shape);
}

double deepest_penetration(ThreadPool& pool, std::span<const Collider> colliders, const std::vector<Vec3>& positions) {
    struct Deepest {
        double depth = 0.0;
        Deepest& operator+=(const Deepest& other) {
            depth = std::max(depth, other.depth);
            return *this;
        }
    };
    return pool
        .sum<Deepest>(static_cast<int>(positions.size()),
                      [&](int i) {
                          Deepest deepest;
                          for (const Collider& collider : colliders)
                              deepest += Deepest{-collider.nearest(positions[i]).distance};
                          return deepest;
                      })
        .depth;
}

} // namespace selvage
