#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "collision/shapes/height_grid.h"
#include "collision/shapes/solid_mesh.h"
#include "collision/shapes/solid_shapes.h"
#include "math/functions.h"

namespace selvage {

namespace {

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

/// A point of a half-circle's turn about the y axis; an outline is such points from the top down.
struct Outline {
    double from_axis, up;
};
constexpr int kColumns = 65;

template <class At>
TriangleMesh turned_mesh(int rows, const At& outline) {
    return lattice_mesh(rows, kColumns, [&](int r, int c) {
        const double around = -2.0 * std::numbers::pi * (c % (kColumns - 1)) / (kColumns - 1); // the seam meets exactly
        const Outline p = outline(r);
        return Vec3{p.from_axis * maths::cos(around), p.up, p.from_axis * maths::sin(around)};
    });
}

TriangleMesh mesh_of(const Sphere& sphere) {
    constexpr int kRows = 33;
    return turned_mesh(kRows, [&](int r) {
        const double polar = std::numbers::pi * r / (kRows - 1);
        return Outline{r == kRows - 1 ? 0.0 : sphere.radius * maths::sin(polar), sphere.radius * maths::cos(polar)};
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

TriangleMesh mesh_of(const Capsule& capsule) {
    constexpr int kRows = 17; // of each ball's part
    const RoundCone cone = round_cone(capsule);
    if (cone.single) {
        TriangleMesh ball = mesh_of(Sphere{cone.lower.radius});
        for (Vec3& p : ball.positions)
            p += cone.lower.centre;
        return ball;
    }
    // The normal turns from straight up to straight down; where it is the side's, the outline goes from ball to ball.
    const double side = maths::acos(cone.sine);
    return turned_mesh(2 * kRows, [&](int r) {
        const bool is_upper = r < kRows;
        const double fraction = static_cast<double>(is_upper ? r : r - kRows) / (kRows - 1);
        const double polar = is_upper ? fraction * side : side + fraction * (std::numbers::pi - side);
        const Ball& ball = is_upper ? cone.upper : cone.lower;
        const double from_axis = r == 2 * kRows - 1 ? 0.0 : ball.radius * maths::sin(polar);
        return Outline{from_axis, ball.centre.y + ball.radius * maths::cos(polar)};
    });
}

void append(TriangleMesh& mesh, const TriangleMesh& more) {
    const int first = mesh.vertex_count();
    mesh.positions.insert(mesh.positions.end(), more.positions.begin(), more.positions.end());
    for (const Triangle& t : more.triangles)
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

TriangleMesh mesh_of(const Cylinder& cylinder) {
    const double r = cylinder.radius, h = 0.5 * cylinder.height;
    constexpr int kRings = 5;
    const auto ring = [&](int k) { return r * k / (kRings - 1); };
    // In three pieces, so that the rims stay sharp when shaded.
    TriangleMesh mesh = turned_mesh(kRings, [&](int k) { return Outline{ring(k), h}; });
    append(mesh, turned_mesh(kRings, [&](int k) { return Outline{r, h - 2.0 * h * k / (kRings - 1)}; }));
    append(mesh, turned_mesh(kRings, [&](int k) { return Outline{ring(kRings - 1 - k), -h}; }));
    return mesh;
}

TriangleMesh mesh_of(const HeightField& field) {
    return field.grid->surface.mesh;
}

TriangleMesh mesh_of(const MeshSolid& solid) {
    return solid.surface->mesh;
}

} // namespace

TriangleMesh with_sharp_creases(const TriangleMesh& mesh) {
    constexpr double kSmooth = 0.77; // cosine of 40 degrees: between a round column of ten sides and a hexagonal nut
    const auto normal = [&](int t) {
        const Triangle& c = mesh.triangles[t];
        return normalized(doubled_area_normal(mesh.positions[c[0]], mesh.positions[c[1]], mesh.positions[c[2]]));
    };
    TriangleMesh out;
    out.positions = mesh.positions;
    out.triangles = mesh.triangles;
    const IndexLists around = vertex_triangles(mesh);
    std::vector<std::pair<Vec3, int>> copies; // of one vertex: a normal, and the vertex for faces that are near it
    for (int v = 0; v < mesh.vertex_count(); ++v) {
        copies.clear();
        for (const int t : around[v]) {
            const Vec3 n = normal(t);
            auto copy = std::find_if(copies.begin(), copies.end(),
                                     [&](const auto& known) { return dot(known.first, n) > kSmooth; });
            if (copy == copies.end()) {
                copies.emplace_back(n, copies.empty() ? v : out.vertex_count());
                if (copies.size() > 1) out.positions.push_back(mesh.positions[v]);
                copy = copies.end() - 1;
            }
            std::replace(out.triangles[t].begin(), out.triangles[t].end(), v, copy->second);
        }
    }
    return out;
}

TriangleMesh collider_mesh(const ColliderShape& shape) {
    return std::visit([](const auto& solid) { return mesh_of(solid); }, shape);
}

} // namespace selvage
