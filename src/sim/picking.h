#pragma once

#include <optional>
#include <span>

#include "collision/shapes/collider.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

struct Ray {
    Vec3 origin;
    Vec3 direction; ///< Unit.
};

/// A point of the cloth, given on a triangle: sum of weight times corner.
struct ClothHit {
    int triangle = -1;
    Vec3 weight; ///< Of the triangle's corners; not negative, and they sum to one.
    Vec3 point;
    double distance = 0.0; ///< From the ray's origin [m].
};

/// The nearest point of the cloth on the ray, on either side of the cloth. Triangles index into `positions`.
std::optional<ClothHit> pick_cloth(std::span<const Triangle> triangles, std::span<const Vec3> positions,
                                   const Ray& ray);

struct ColliderHit {
    int collider = -1; ///< Index into the colliders given.
    Vec3 point;
    double distance = 0.0; ///< From the ray's origin [m].
};

/// The nearest collider on the ray, up to `reach` metres away.
std::optional<ColliderHit> pick_collider(std::span<const Collider> colliders, const Ray& ray, double reach);

} // namespace selvage
