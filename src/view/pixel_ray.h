#pragma once

#include "render/view.h"
#include "sim/picking.h"

namespace selvage {

/// Through the middle of what pixel coordinates mean, (0, 0) being the picture's top left corner.
Ray pixel_ray(const RenderView& view, double width, double height, double x, double y);

/// Where the ray meets the plane through `through` that faces the camera. Stays in front of the camera.
Vec3 on_view_plane(const RenderView& view, const Vec3& through, const Ray& ray);

} // namespace selvage
