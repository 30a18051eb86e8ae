#pragma once

#include "geometry/triangle_mesh.h"

namespace selvage {

/// Where cloth that says nothing has its weft: level where it stands, along x where it lies. `right` is the warp's
/// direction, `up` the weft's, both in the plane across `normal`, a unit vector.
struct GrainAxes {
    Vec3 right, up;
};
GrainAxes grain_axes(const Vec3& normal);

/// Where warp and weft run: uv per corner in metres, as a weave needs them.
struct Grain {
    std::vector<Vec2> uv;
    std::vector<Triangle> corners; ///< Per triangle of the mesh, indices into uv.
    bool is_derived = false;       ///< The mesh had none, or none with any area.
};

/// The uv of a mesh, scaled along each axis so that a unit is a metre on the average (files often stretch them over the
/// unit square). Where there are none: flat pieces are laid on their own plane, others are seen along whichever axis
/// each triangle faces, with seams in between, as if sewn from flat pieces.
Grain make_grain(const TriangleMesh& rest);

} // namespace selvage
