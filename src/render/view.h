#pragma once

#include <span>

#include "math/vec.h"
#include "render/gl_program.h"

namespace selvage {

/// Where a picture is taken from; up is +y.
struct RenderView {
    Vec3 eye{0, 1, 3}, target;
    double fov_deg = 40.0; ///< Vertical.
};

/// Where a point appears in a picture [pixels from the top left], and how far it lies along the view [m].
struct PicturePoint {
    double x = 0.0, y = 0.0;
    double depth = 0.0; ///< Not in front of the camera when not positive.
};

/// A view made ready for a picture of `width` by `height`.
class ViewCamera {
public:
    ViewCamera(const RenderView& view, double width, double height);

    PicturePoint project(const Vec3& point) const;
    Mat4f to_view() const;                                       ///< World to camera: x right, y up, looking along -z.
    Mat4f projection(double near_plane, double far_plane) const; ///< Camera to GL's clip space.
    Vec3 eye() const { return eye_; }
    Vec3 right() const { return right_; }
    Vec3 up() const { return up_; }
    Vec3 forward() const { return forward_; }
    double tan_half_y() const { return 0.5 * height_ / focal_; } ///< Of the field of view.
    double tan_half_x() const { return 0.5 * width_ / focal_; }

private:
    Vec3 eye_, forward_, right_, up_;
    double width_, height_, focal_; // in pixels
};

/// Column by column: first b, then a.
Mat4f product(const Mat4f& a, const Mat4f& b);

/// A view from the front right and a little above that holds all points with a margin.
RenderView frame_points(std::span<const Vec3> points, double fov_deg, double aspect);

} // namespace selvage
