#include "view/picking.h"

#include <algorithm>
#include <cmath>

namespace selvage {

Ray pixel_ray(const RenderView& view, double width, double height, double x, double y) {
    const ViewCamera camera(view, width, height);
    const double right = (2.0 * x / width - 1.0) * camera.tan_half_x();
    const double up = (1.0 - 2.0 * y / height) * camera.tan_half_y();
    return {camera.eye(), normalized(camera.forward() + right * camera.right() + up * camera.up(), camera.forward())};
}

std::optional<ClothHit> pick_cloth(const ClothModel& model, const std::vector<Vec3>& positions, const Ray& ray) {
    std::optional<ClothHit> nearest;
    for (int t = 0; t < model.mesh.triangle_count(); ++t) {
        const Triangle& corners = model.mesh.triangles[t];
        const Vec3 a = positions[corners[0]], ab = positions[corners[1]] - a, ac = positions[corners[2]] - a;
        // Cramer's rule on origin + s direction = a + v ab + w ac (Moeller and Trumbore 1997).
        const Vec3 across = cross(ray.direction, ac);
        const double det = dot(ab, across);
        if (!(std::abs(det) > 1e-18)) continue; // seen edge-on, or without area
        const Vec3 from = ray.origin - a;
        const double v = dot(from, across) / det;
        const Vec3 lifted = cross(from, ab);
        const double w = dot(ray.direction, lifted) / det;
        const double s = dot(ac, lifted) / det;
        if (!(v >= 0.0 && w >= 0.0 && v + w <= 1.0 && s > 0.0)) continue;
        if (nearest && nearest->distance <= s) continue;
        nearest = ClothHit{t, {std::max(0.0, 1.0 - v - w), v, w}, a + v * ab + w * ac, s};
    }
    return nearest;
}

std::optional<SolidHit> pick_solid(std::span<const Collider> colliders, const Ray& ray, double reach) {
    std::optional<SolidHit> nearest;
    for (std::size_t c = 0; c < colliders.size(); ++c) {
        // Steps as long as the distance to the solid can meet nothing on the way (Hart 1996).
        constexpr int kMostSteps = 200;
        constexpr double kTouching = 1e-4; // [m]
        double s = 0.0;
        for (int k = 0; k < kMostSteps && s < reach; ++k) {
            const double gap = colliders[c].nearest(ray.origin + s * ray.direction).distance;
            if (!(gap > kTouching)) break;
            s += gap;
        }
        if (!(s < reach) || !(colliders[c].nearest(ray.origin + s * ray.direction).distance <= 10.0 * kTouching))
            continue;
        if (nearest && nearest->distance <= s) continue;
        nearest = SolidHit{static_cast<int>(c), ray.origin + s * ray.direction, s};
    }
    return nearest;
}

Vec3 on_view_plane(const RenderView& view, const Vec3& through, const Ray& ray) {
    const Vec3 forward = normalized(view.target - view.eye, {0, 0, -1});
    const double depth = std::max(0.01, dot(through - view.eye, forward));
    const double along = std::max(0.05, dot(ray.direction, forward)); // a ray of the picture is never beside it
    return ray.origin + (depth / along) * ray.direction;
}

} // namespace selvage
