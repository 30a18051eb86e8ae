#include "collision/shapes/height_grid.h"

#include <algorithm>

#include "base/concat.h"

namespace selvage {

namespace {

constexpr double kTouching = 1e-10; // below this the direction to the ground is mostly rounding [m]

/// The cell that holds a place, and where in it, from 0 to 1.
struct CellPlace {
    int cell;
    double fraction;
};
CellPlace find_cell(double v, double size, int vertices) {
    const double wanted = (v / size + 0.5) * (vertices - 1);
    const double u = wanted > 0.0 ? std::min(wanted, vertices - 1.0) : 0.0; // also for what is no number
    const int cell = std::min(static_cast<int>(u), vertices - 2);
    return {cell, u - cell};
}

} // namespace

Result<HeightGrid> HeightGrid::make(const Pair& size, const IntPair& vertices, const std::vector<double>& heights) {
    const long long count = static_cast<long long>(vertices[0]) * vertices[1];
    if (vertices[0] < 2 || vertices[1] < 2 || count > kMaxVertices)
        return Error{concat("found ", vertices[0], " x ", vertices[1],
                            " vertices; expected at least 2 x 2 and at most ", kMaxVertices, " in all")};
    if (!(size[0] > 0.0 && size[1] > 0.0))
        return Error{concat("found size ", size[0], " x ", size[1], "; expected both above 0")};
    if (static_cast<long long>(heights.size()) != count)
        return Error{
            concat("found ", heights.size(), " heights; expected ", vertices[0], " x ", vertices[1], " = ", count)};
    HeightGrid grid;
    grid.size = size;
    grid.vertices = vertices;
    TriangleMesh mesh;
    const int nx = vertices[0], nz = vertices[1];
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i)
            mesh.positions.emplace_back((static_cast<double>(i) / (nx - 1) - 0.5) * size[0], heights[j * nx + i],
                                        (static_cast<double>(j) / (nz - 1) - 0.5) * size[1]);
    for (int j = 0; j + 1 < nz; ++j)
        for (int i = 0; i + 1 < nx; ++i) {
            const int a = j * nx + i, b = a + 1, c = a + nx, d = c + 1;
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({b, c, d});
        }
    std::vector<std::string> warnings; // borders are not told, and a grid has nothing else
    Result<SolidMesh> surface = SolidMesh::make(std::move(mesh), "", warnings);
    if (!surface) return surface.error();
    grid.surface = std::move(*surface);
    return grid;
}

double HeightGrid::height(double x, double z) const {
    const auto [i, u] = find_cell(x, size[0], vertices[0]);
    const auto [j, v] = find_cell(z, size[1], vertices[1]);
    const int a = j * vertices[0] + i, b = a + 1, c = a + vertices[0], d = c + 1;
    if (u + v <= 1.0) return at(a).y + u * (at(b).y - at(a).y) + v * (at(c).y - at(a).y);
    return at(d).y + (1.0 - u) * (at(c).y - at(d).y) + (1.0 - v) * (at(b).y - at(d).y);
}

Vec3 HeightGrid::normal(const Vec3& p) const {
    const auto [i, u] = find_cell(p.x, size[0], vertices[0]);
    const auto [j, v] = find_cell(p.z, size[1], vertices[1]);
    const int a = j * vertices[0] + i, b = a + 1, c = a + vertices[0], d = c + 1;
    const bool lower = u + v <= 1.0;
    // Beyond the border the ground is level across it.
    const Vec3 along_x = std::abs(p.x) > 0.5 * size[0] ? Vec3{1, 0, 0} : lower ? at(b) - at(a) : at(d) - at(c);
    const Vec3 along_z = std::abs(p.z) > 0.5 * size[1] ? Vec3{0, 0, 1} : lower ? at(c) - at(a) : at(d) - at(b);
    return normalized(cross(along_z, along_x), {0, 1, 0});
}

SurfacePoint HeightGrid::nearest(const Vec3& p) const {
    // Straight above or below is one point of the ground: nothing farther away needs to be looked at.
    Vec3 foot{p.x, height(p.x, p.z), p.z};
    const double side = p.y < foot.y ? -1.0 : 1.0;
    double least = std::abs(p.y - foot.y);
    if (const MeshPoint found = surface.nearest(surface.tree, surface.mesh.positions, p, least); found.triangle >= 0) {
        const Triangle& t = surface.mesh.triangles[found.triangle];
        foot = found.weight.x * at(t[0]) + found.weight.y * at(t[1]) + found.weight.z * at(t[2]);
        least = std::abs(found.surface.distance);
    }
    const Vec3 reach{least, least, least};
    for_apron({p - reach, p + reach}, [&](const ApronPiece& piece) {
        const Vec3 q = piece.nearest(p);
        if (!(length(p - q) < least)) return;
        foot = q;
        least = length(p - q);
    });
    return {side * least, least > kTouching ? side * (p - foot) / least : normal(p)};
}

} // namespace selvage
