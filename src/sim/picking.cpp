#include "sim/picking.h"

#include <algorithm>
#include <cmath>

namespace selvage {

std::optional<ClothHit> pick_cloth(std::span<const Triangle> triangles, std::span<const Vec3> positions,
                                   const Ray& ray) {
    std::optional<ClothHit> nearest;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Triangle& corners = triangles[t];
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
        nearest = ClothHit{static_cast<int>(t), {std::max(0.0, 1.0 - v - w), v, w}, a + v * ab + w * ac, s};
    }
    return nearest;
}

std::optional<ColliderHit> pick_collider(std::span<const Collider> colliders, const Ray& ray, double reach) {
    std::optional<ColliderHit> nearest;
    for (std::size_t c = 0; c < colliders.size(); ++c) {
        // A step as long as the distance to the collider cannot pass through it (Hart 1996).
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
        nearest = ColliderHit{static_cast<int>(c), ray.origin + s * ray.direction, s};
    }
    return nearest;
}

} // namespace selvage
