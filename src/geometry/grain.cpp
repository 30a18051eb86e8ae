#include "geometry/grain.h"

#include <array>
#include <cmath>
#include <map>

namespace selvage {

namespace {

struct Derivatives {
    Vec3 along_u, along_v;
    double uv_area = 0.0; // twice, with sign
};

Derivatives derivatives(const TriangleMesh& mesh, int t, const Vec2& a, const Vec2& b, const Vec2& c) {
    const Triangle& corner = mesh.triangles[t];
    const Vec3 e1 = mesh.positions[corner[1]] - mesh.positions[corner[0]];
    const Vec3 e2 = mesh.positions[corner[2]] - mesh.positions[corner[0]];
    const double u1 = b.x - a.x, v1 = b.y - a.y, u2 = c.x - a.x, v2 = c.y - a.y, d = u1 * v2 - u2 * v1;
    if (!(std::abs(d) > 1e-20)) return {};
    return {(v2 * e1 - v1 * e2) / d, (u1 * e2 - u2 * e1) / d, d};
}

/// Metres per unit along u and v, the mean over the area; 0 when the uv cover nothing.
Vec2 metres_per_unit(const TriangleMesh& mesh) {
    double area = 0.0, u = 0.0, v = 0.0;
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Triangle& c = mesh.uv_corners(t);
        const Derivatives d = derivatives(mesh, t, mesh.uv[c[0]], mesh.uv[c[1]], mesh.uv[c[2]]);
        if (d.uv_area == 0.0) continue;
        const double weight = triangle_area(mesh, t);
        area += weight;
        u += weight * length(d.along_u);
        v += weight * length(d.along_v);
    }
    return area > 0.0 ? Vec2{u / area, v / area} : Vec2{};
}

Grain derived_grain(const TriangleMesh& mesh) {
    Grain grain;
    grain.is_derived = true;
    grain.corners.resize(mesh.triangles.size());
    Vec3 sum;
    double total = 0.0;
    std::vector<Vec3> area(mesh.triangles.size());
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Triangle& c = mesh.triangles[t];
        area[t] = doubled_area_normal(mesh.positions[c[0]], mesh.positions[c[1]], mesh.positions[c[2]]);
        sum += area[t];
        total += length(area[t]);
    }
    // Planar enough that laying it on one plane changes lengths by a tenth at most.
    const bool flat = length(sum) > 0.9 * total;
    std::map<std::array<int, 2>, int> index; // (vertex, plane) -> uv
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        Vec3 normal = normalized(flat ? sum : area[t], {0, 0, 1});
        int plane = 0;
        if (!flat) {
            const std::array<double, 3> n{normal.x, normal.y, normal.z};
            int axis = 0;
            for (int a = 1; a < 3; ++a)
                if (std::abs(n[a]) > std::abs(n[axis])) axis = a;
            plane = 1 + 2 * axis + (n[axis] < 0.0);
            const double sign = n[axis] < 0.0 ? -1.0 : 1.0;
            normal = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
        }
        const auto [right, up] = grain_axes(normal);
        for (int k = 0; k < 3; ++k) {
            const int vertex = mesh.triangles[t][k];
            const auto [place, is_new] = index.try_emplace({vertex, plane}, static_cast<int>(grain.uv.size()));
            if (is_new) grain.uv.push_back({dot(mesh.positions[vertex], right), dot(mesh.positions[vertex], up)});
            grain.corners[t][k] = place->second;
        }
    }
    return grain;
}

} // namespace

GrainAxes grain_axes(const Vec3& normal) {
    Vec3 up = normalized(Vec3{0, 1, 0} - normal.y * normal, {0, 0, -1});
    if (std::abs(normal.y) > 0.99) up = normalized(Vec3{0, 0, -1} + normal.z * normal, {0, 1, 0});
    return {cross(up, normal), up};
}

Grain make_grain(const TriangleMesh& rest) {
    const Vec2 scale = rest.uv.empty() ? Vec2{} : metres_per_unit(rest);
    if (!(scale.x > 0.0 && scale.y > 0.0)) return derived_grain(rest);
    Grain grain;
    for (const Vec2& uv : rest.uv)
        grain.uv.push_back({scale.x * uv.x, scale.y * uv.y});
    for (int t = 0; t < rest.triangle_count(); ++t)
        grain.corners.push_back(rest.uv_corners(t));
    return grain;
}

} // namespace selvage
