#pragma once

#include <cstdint>
#include <vector>

#include "collision/search/aabb.h"
#include "geometry/topology.h"
#include "math/vec.h"

namespace selvage {

/// One cloth, or one solid made of triangles, in a ContactSurface: a range of its arrays. How the numbers of two bodies
/// combine is said in collision/contact/friction.h.
struct ContactBody {
    int vertex_begin = 0, vertex_count = 0;
    int triangle_begin = 0, triangle_count = 0;
    double distance = 0.001; ///< Minimum distance of its layers, or of cloth from it when it is a solid [m].
    double friction = 0.4;   ///< Coulomb coefficient.
    bool meets_itself = true;
    bool is_solid = false; ///< A collider: it moves as prescribed, whatever it meets.
};

/// How a solid moves in a step, as far as whoever moves it knows.
struct SolidExtent {
    Aabb displacement;         ///< Holds the displacements of all its vertices [m].
    std::uint64_t resting = 0; ///< Not 0: it rests, and where it did when the same number was given before.
};

/// Triangles that must not pass through each other; those of solids come last.
struct ContactSurface {
    std::vector<Vec3> rest; ///< [m].
    std::vector<Triangle> triangles;
    std::vector<ContactBody> bodies;
};

} // namespace selvage
