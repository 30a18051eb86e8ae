#pragma once

#include <optional>
#include <span>
#include <vector>

#include "collision/shapes/collider.h"
#include "model/cloth_model.h"
#include "render/view.h"

namespace selvage {

struct Ray {
    Vec3 origin;
    Vec3 direction; ///< Unit.
};

/// Through the middle of what pixel coordinates mean, (0, 0) being the picture's top left corner.
Ray pixel_ray(const RenderView& view, double width, double height, double x, double y);

/// A point of the cloth, given on a triangle: sum of weight times corner.
struct ClothHit {
    int triangle = -1;
    Vec3 weight; ///< Of the triangle's corners; not negative, and they sum to one.
    Vec3 point;
    double distance = 0.0; ///< From the ray's origin [m].
};

/// The nearest point of the cloth on the ray, either side.
std::optional<ClothHit> pick_cloth(const ClothModel& model, const std::vector<Vec3>& positions, const Ray& ray);

struct SolidHit {
    int collider = -1;
    Vec3 point;
    double distance = 0.0; ///< [m].
};

/// The nearest solid on the ray, up to `reach` metres away.
std::optional<SolidHit> pick_solid(std::span<const Collider> colliders, const Ray& ray, double reach);

/// Where the ray meets the plane through `through` that faces the camera. Stays before the camera.
Vec3 on_view_plane(const RenderView& view, const Vec3& through, const Ray& ray);

} // namespace selvage
