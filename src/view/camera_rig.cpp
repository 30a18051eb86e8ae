#include "view/camera_rig.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace selvage {

void orbit(RenderView& view, double right, double up) {
    const Vec3 out = view.eye - view.target;
    const double distance = length(out);
    if (!(distance > 0.0) || !std::isfinite(right) || !std::isfinite(up)) return;
    constexpr double kSteepest = 89.0 * std::numbers::pi / 180.0;
    const double turn = std::atan2(out.x, out.z) - right;
    const double rise = std::clamp(std::asin(std::clamp(out.y / distance, -1.0, 1.0)) + up, -kSteepest, kSteepest);
    view.eye =
        view.target + distance * Vec3{std::cos(rise) * std::sin(turn), std::sin(rise), std::cos(rise) * std::cos(turn)};
}

void pan(RenderView& view, double dx, double dy, double height) {
    if (!(height > 0.0) || !std::isfinite(dx) || !std::isfinite(dy)) return;
    const ViewCamera camera(view, height, height);
    const double metres = 2.0 * camera.tan_half_y() * length(view.target - view.eye) / height; // per pixel
    const Vec3 shift = metres * (dy * camera.up() - dx * camera.right());
    constexpr double kFar = 1e4; // [m]; beyond it nothing can be seen anyway
    if (length(view.target + shift) > kFar) return;
    view.eye += shift;
    view.target += shift;
}

void zoom(RenderView& view, double factor) {
    const Vec3 out = view.eye - view.target;
    const double distance = length(out);
    if (!(distance > 0.0) || !(factor > 0.0) || !std::isfinite(factor)) return;
    view.eye = view.target + (std::clamp(factor * distance, 0.01, 1000.0) / distance) * out;
}

} // namespace selvage
