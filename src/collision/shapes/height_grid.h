#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "collision/shapes/solid_mesh.h"

namespace selvage {

/// A flat piece of the ground around a grid: a + s along + t out for s in [0, most] and t >= 0; `along` and `out` are
/// at right angles.
struct ApronPiece {
    Vec3 a, along, out;
    double most = 1.0; ///< Infinite beyond a corner of the grid.

    Vec3 nearest(const Vec3& p) const {
        const double s = std::clamp(dot(p - a, along) / length_squared(along), 0.0, most);
        return a + s * along + std::max(0.0, dot(p - a, out)) * out;
    }
};

/// Ground: all below a grid of heights is solid. The surface is the grid's triangles; around it the heights of its
/// border go on outwards for ever, so that it has no edge to fall off.
///
///   z-  a---b   cell: triangles a c b and b c d
///       | / |
///   z+  c---d   x- to x+ from left to right; seen from above
struct HeightGrid {
    Pair size{};        ///< Along x and z, centred [m].
    IntPair vertices{}; ///< Along x and z.
    SolidMesh surface;  ///< Vertex i + j vertices[0] is the i-th along x of row j along z.

    /// `heights` row by row, x fastest. Fails when their number or the sides make no grid, or one is not finite.
    static Result<HeightGrid> make(const Pair& size, const IntPair& vertices, const std::vector<double>& heights);

    double height(double x, double z) const; ///< Of the ground there [m].
    /// Below the ground it is inside.
    SurfacePoint nearest(const Vec3& p) const;

    /// visit(piece) for every piece of the ground around that can be near a box. Each has its first border, from a
    /// along out, to itself: the borders of all are those at s = 0.
    template <class Visit>
    void for_apron(const Aabb& box, const Visit& visit) const {
        const double x = 0.5 * size[0], z = 0.5 * size[1];
        const int nx = vertices[0], nz = vertices[1];
        // A row of pieces along one side, over the part of it from `low` to `high`, measured from the side's middle.
        const auto row = [&](int first, int step, int count, double half, const Vec3& out, double low, double high) {
            const auto cell = [&](double v) { return std::floor((v + half) / (2.0 * half) * count); };
            const int from = static_cast<int>(std::clamp(cell(low) - 1.0, 0.0, count - 1.0)); // one more for rounding
            const int to = static_cast<int>(std::clamp(cell(high) + 1.0, 0.0, count - 1.0));
            for (int k = from; k <= to; ++k) {
                const Vec3& a = at(first + k * step);
                visit(ApronPiece{a, at(first + (k + 1) * step) - a, out, 1.0});
            }
        };
        constexpr double kEndless = std::numeric_limits<double>::infinity();
        const bool left = box.low.x <= -x, right = box.high.x >= x, back = box.low.z <= -z, front = box.high.z >= z;
        const int last = nx * nz - 1;
        // Around, so that each row's last border is the first of the corner that follows.
        if (back) row(0, 1, nx - 1, x, {0, 0, -1}, box.low.x, box.high.x);
        if (back && right) visit(ApronPiece{at(nx - 1), {1, 0, 0}, {0, 0, -1}, kEndless});
        if (right) row(nx - 1, nx, nz - 1, z, {1, 0, 0}, box.low.z, box.high.z);
        if (right && front) visit(ApronPiece{at(last), {0, 0, 1}, {1, 0, 0}, kEndless});
        if (front) row(last, -1, nx - 1, x, {0, 0, 1}, -box.high.x, -box.low.x);
        if (front && left) visit(ApronPiece{at(last - nx + 1), {-1, 0, 0}, {0, 0, 1}, kEndless});
        if (left) row(last - nx + 1, -nx, nz - 1, z, {-1, 0, 0}, -box.high.z, -box.low.z);
        if (left && back) visit(ApronPiece{at(0), {0, 0, -1}, {-1, 0, 0}, kEndless});
    }

private:
    const Vec3& at(int vertex) const { return surface.mesh.positions[vertex]; }
    Vec3 normal(const Vec3& p) const; // of the ground above or below
};

} // namespace selvage
