#pragma once

#include <span>

#include "collision/search/surface_tree.h"
#include "collision/shapes/solid_mesh.h"
#include "math/vec.h"

namespace selvage {

/// A place on a moving skin: beside a point of one of its triangles, in that triangle's frame.
struct SkinTie {
    Triangle corners;
    Vec3 weight;
    Vec3 offset; ///< Along the triangle's first edge, across, along the normal [m].
};

struct SkinPlace {
    Vec3 at, normal;
};

/// The nearest point of the skin, whose vertices are at `points` now, to p.
SkinTie tie_to_skin(const SolidMesh& solid, const SurfaceTree& tree, std::span<const Vec3> points, const Vec3& p);
/// Where it is once the vertices are at `points`.
SkinPlace place_on_skin(const SkinTie& tie, std::span<const Vec3> points);

} // namespace selvage
