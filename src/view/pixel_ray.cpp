#include "view/pixel_ray.h"

#include <algorithm>

namespace selvage {

Ray pixel_ray(const RenderView& view, double width, double height, double x, double y) {
    const ViewCamera camera(view, width, height);
    const double right = (2.0 * x / width - 1.0) * camera.tan_half_x();
    const double up = (1.0 - 2.0 * y / height) * camera.tan_half_y();
    return {camera.eye(), normalized(camera.forward() + right * camera.right() + up * camera.up(), camera.forward())};
}

Vec3 on_view_plane(const RenderView& view, const Vec3& through, const Ray& ray) {
    const Vec3 forward = normalized(view.target - view.eye, {0, 0, -1});
    const double depth = std::max(0.01, dot(through - view.eye, forward));
    const double along = std::max(0.05, dot(ray.direction, forward)); // rays of a picture point forward
    return ray.origin + (depth / along) * ray.direction;
}

} // namespace selvage
