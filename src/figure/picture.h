#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "figure/canvas.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

struct PictureView {
    Vec3 eye{0, 1, 3}, target;
    double fov_deg = 40.0; ///< Vertical.
    Colour front{178, 58, 52}, back{214, 176, 140};
};

/// A plainly shaded picture of a cloth, drawn by the CPU: shape is what matters.
Canvas draw_picture(ThreadPool& pool, const TriangleMesh& mesh, const std::vector<Vec3>& positions,
                    const PictureView& view, int width, int height);

} // namespace selvage
