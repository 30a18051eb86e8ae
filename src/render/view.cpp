#include "render/view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace selvage {

namespace {
constexpr double kNear = 1e-3; // nearer than this nothing is projected [m]
}

ViewCamera::ViewCamera(const RenderView& view, double width, double height)
    : eye_(view.eye), forward_(normalized(view.target - view.eye, {0, 0, -1})),
      right_(normalized(cross(forward_, Vec3{0, 1, 0}), {1, 0, 0})), up_(cross(right_, forward_)), width_(width),
      height_(height), focal_(0.5 * height / std::tan(0.5 * view.fov_deg * std::numbers::pi / 180.0)) {}

PicturePoint ViewCamera::project(const Vec3& point) const {
    const Vec3 d = point - eye_;
    const double depth = dot(d, forward_);
    const double scale = depth > kNear ? focal_ / depth : 0.0;
    return {0.5 * width_ + scale * dot(d, right_), 0.5 * height_ - scale * dot(d, up_), depth};
}

Mat4f ViewCamera::to_view() const {
    const Vec3f r(right_), u(up_), f(forward_);
    const Vec3f t(Vec3{-dot(right_, eye_), -dot(up_, eye_), dot(forward_, eye_)});
    return {r.x, u.x, -f.x, 0, r.y, u.y, -f.y, 0, r.z, u.z, -f.z, 0, t.x, t.y, t.z, 1};
}

Mat4f ViewCamera::projection(double near_plane, double far_plane) const {
    Mat4f m{};
    m[0] = static_cast<float>(1.0 / tan_half_x());
    m[5] = static_cast<float>(1.0 / tan_half_y());
    m[10] = static_cast<float>(-(far_plane + near_plane) / (far_plane - near_plane));
    m[11] = -1.0f;
    m[14] = static_cast<float>(-2.0 * far_plane * near_plane / (far_plane - near_plane));
    return m;
}

Mat4f product(const Mat4f& a, const Mat4f& b) {
    Mat4f out{};
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row)
            for (int k = 0; k < 4; ++k)
                out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return out;
}

RenderView frame_points(std::span<const Vec3> points, double fov_deg, double aspect) {
    RenderView view;
    view.fov_deg = fov_deg;
    if (points.empty()) return view;
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    view.target = 0.5 * (low + high);
    const Vec3 from = normalized(Vec3{0.42, 0.32, 1.0});
    view.eye = view.target + from;
    // Far enough that every point lies within the frame: along each point's own ray, for the narrower direction.
    const ViewCamera camera(view, aspect, 1.0);
    const double tan_y = std::tan(0.5 * fov_deg * std::numbers::pi / 180.0);
    double distance = 0.05;
    constexpr double kMargin = 1.12;
    for (const Vec3& p : points) {
        const Vec3 d = p - view.target;
        const double toward = -dot(d, camera.forward());
        distance = std::max(distance, toward + kMargin * std::abs(dot(d, camera.up())) / tan_y);
        distance = std::max(distance, toward + kMargin * std::abs(dot(d, camera.right())) / (tan_y * aspect));
    }
    view.eye = view.target + distance * from;
    return view;
}

} // namespace selvage
