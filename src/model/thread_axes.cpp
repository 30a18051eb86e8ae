#include "model/thread_axes.h"

#include "geometry/grain.h"

namespace selvage {

ThreadAxes thread_axes(const TriangleMesh& mesh, int triangle) {
    const std::vector<Vec3>& x = mesh.positions;
    const Triangle& v = mesh.triangles[triangle];
    const Vec3 e1 = x[v[1]] - x[v[0]], e2 = x[v[2]] - x[v[0]];
    const Vec3 normal = normalized(cross(e1, e2));
    if (!mesh.uv.empty()) {
        const Triangle& c = mesh.uv_corners(triangle);
        const Vec2 a = mesh.uv[c[0]], b = mesh.uv[c[1]], d = mesh.uv[c[2]];
        const double u1 = b.x - a.x, v1 = b.y - a.y, u2 = d.x - a.x, v2 = d.y - a.y;
        const double determinant = u1 * v2 - u2 * v1;
        const double size = u1 * u1 + v1 * v1 + u2 * u2 + v2 * v2;
        if (std::abs(determinant) > 1e-9 * size) {
            const Vec3 warp = normalized((v2 * e1 - v1 * e2) / determinant);
            return {warp, cross(normal, warp), true};
        }
    }
    if (!(length_squared(normal) > 0.0)) return {};
    const auto [right, up] = grain_axes(normal);
    return {right, up, false};
}

} // namespace selvage
