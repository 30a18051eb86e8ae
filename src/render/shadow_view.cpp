#include "render/shadow_view.h"

#include <algorithm>
#include <cmath>

namespace selvage {

void Bounds::include(const Vec3& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
}

Bounds find_casters(const RenderScene& scene, const Vec3& otherwise) {
    Bounds cloth;
    for (const RenderScene::Cloth& c : scene.cloths)
        for (const SurfaceVertex& v : c.mesh->vertices)
            cloth.include(Vec3(v.position));
    Bounds all = cloth;
    for (const RenderScene::Solid& solid : scene.solids)
        for (const SurfaceVertex& v : solid.mesh->vertices) {
            const Vec3 p(v.position);
            if (cloth.is_empty() || length(p - cloth.centre()) < 2.0 * cloth.radius()) all.include(p);
        }
    if (all.is_empty()) all.include(otherwise);
    return all;
}

ShadowView shadow_view(const Vec3& towards_light, const Bounds& casters) {
    const double radius = std::max(0.05, casters.radius()) * 1.02;
    const Vec3 forward = -towards_light;
    const Vec3 right = normalized(cross(forward, std::abs(forward.y) < 0.95 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}));
    const Vec3 up = cross(right, forward), centre = casters.centre();
    // Deeper than wide: the ground behind the cloth receives its shadow too.
    const double deep = 4.0 * radius;
    ShadowView view;
    view.across = static_cast<float>(2.0 * radius);
    view.deep = static_cast<float>(deep);
    // Depth 0 lies one radius from the centre towards the light.
    const Vec3 start = centre - radius * forward;
    const auto fill = [&](Mat4f& m, double scale, double shift, double z_scale, double z_shift) {
        const Vec3 rows[3] = {(scale / radius) * right, (scale / radius) * up, (z_scale / deep) * forward};
        const double offset[3] = {shift - dot(rows[0], centre), shift - dot(rows[1], centre),
                                  z_shift - dot(rows[2], start)};
        m = {};
        for (int r = 0; r < 3; ++r) {
            m[r] = static_cast<float>(rows[r].x);
            m[4 + r] = static_cast<float>(rows[r].y);
            m[8 + r] = static_cast<float>(rows[r].z);
            m[12 + r] = static_cast<float>(offset[r]);
        }
        m[15] = 1.0f;
    };
    fill(view.to_clip, 1.0, 0.0, 2.0, -1.0);
    fill(view.to_map, 0.5, 0.5, 1.0, 0.0);
    return view;
}

} // namespace selvage
