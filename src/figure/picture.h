#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "figure/canvas.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

struct PictureView {
    Vec3 eye{0, 1, 3}, target;
    double fov_deg = 40.0; ///< Vertical.
};

/// Where a point appears in a picture of this size [pixels], and how far it lies along the view [m].
struct PicturePoint {
    double x = 0.0, y = 0.0;
    double depth = 0.0; ///< Not in front of the camera when not positive.
};

/// A view made ready to project points into a picture of `width` by `height`.
class PictureCamera {
public:
    PictureCamera(const PictureView& view, double width, double height);
    PicturePoint project(const Vec3& point) const;

private:
    Vec3 eye_, forward_, right_, up_;
    double width_, height_, focal_; // in pixels
};

/// One thing in a picture; what it points to must outlive the drawing.
struct PictureObject {
    const TriangleMesh* mesh; ///< Its triangles.
    const std::vector<Vec3>* positions;
    Colour front{178, 58, 52}, back{214, 176, 140}; ///< Of cloth.
    std::span<const Vec3f> normals = {};            ///< One per vertex; none: area normals of the triangles.
};

inline constexpr Colour kSolidColour{146, 158, 170};

/// A plainly shaded picture, drawn by the CPU: shape is what matters.
Canvas draw_picture(ThreadPool& pool, std::span<const PictureObject> objects, const PictureView& view, int width,
                    int height);
/// Of one cloth.
Canvas draw_picture(ThreadPool& pool, const TriangleMesh& mesh, const std::vector<Vec3>& positions,
                    const PictureView& view, int width, int height, std::span<const Vec3f> normals = {});

} // namespace selvage
