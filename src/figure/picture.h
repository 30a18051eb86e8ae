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

/// One thing in a picture; what it points to must outlive the drawing.
struct PictureObject {
    const TriangleMesh* mesh; ///< Its triangles.
    const std::vector<Vec3>* positions;
    Colour front{178, 58, 52}, back{214, 176, 140}; ///< Of cloth.
};

inline constexpr Colour kSolidColour{146, 158, 170};

/// A plainly shaded picture, drawn by the CPU: shape is what matters.
Canvas draw_picture(ThreadPool& pool, std::span<const PictureObject> objects, const PictureView& view, int width,
                    int height);
/// Of one cloth.
Canvas draw_picture(ThreadPool& pool, const TriangleMesh& mesh, const std::vector<Vec3>& positions,
                    const PictureView& view, int width, int height);

} // namespace selvage
