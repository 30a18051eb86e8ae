#pragma once

#include "geometry/triangle_mesh.h"

namespace selvage {

/// Where the threads of a triangle run at rest, unit vectors in its plane; zero for one without area.
struct ThreadAxes {
    Vec3 warp, weft;
    bool from_uv = false; ///< Otherwise they follow the triangle's place alone: see grain_axes().
};

/// Only the warp's direction is taken from the uv: their scale is whatever the artist's tool made it.
ThreadAxes thread_axes(const TriangleMesh& mesh, int triangle);

} // namespace selvage
