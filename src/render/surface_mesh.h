#pragma once

#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace selvage {

/// One corner of what is drawn, as the vertex shader reads it (surface.vert.glsl).
struct SurfaceVertex {
    Vec3f position;
    Vec3f normal;         ///< Unit, out of the side that is drawn.
    Vec3f warp, weft;     ///< Unit directions of the yarns in the surface; zero for solids.
    float u = 0, v = 0;   ///< Metres along warp and weft.
    float side = 1.0f;    ///< +1 on the front of the cloth, -1 on its back.
    float hem = 0.0f;     ///< 0 on plain cloth; from there to 1 at the border of a hem, or to -1 at a seam.
    float measure = 0.0f; ///< What the heat map shows, 0 to 1; without one, metres along a hem or a seam.
};
static_assert(sizeof(SurfaceVertex) == 17 * sizeof(float));

/// Triangles ready for the GPU.
struct SurfaceMesh {
    std::vector<SurfaceVertex> vertices;
    std::vector<std::uint32_t> indices; ///< Counter-clockwise seen from outside.
};

} // namespace selvage
