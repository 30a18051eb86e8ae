#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/shapes/collider.h"
#include "geometry/topology.h"

namespace selvage {

/// Cloth in a collider: an edge of it that passes into or through it, or else a triangle that it pierces.
struct SolidCrossing {
    int edge = -1;     ///< Of the cloth; -1: none.
    int triangle = -1; ///< Of the cloth; -1: none.
    int solid = -1;
};

struct SolidCrossingCount {
    int count = 0;
    SolidCrossing first; ///< The lowest edge and solid; when no edge has one, the lowest triangle.
};

/// Counts where cloth and colliders overlap as they are now. Positions must be finite. Against a sphere, box, plane,
/// capsule or cylinder: the edges that pass into it, and the triangles that have some of it inside although none of
/// their edges do. Against a mesh or ground: pairs of a cloth edge and a triangle of the collider, and of an edge of
/// the collider and a cloth triangle, that cross; exact in double precision, as segment_crosses_triangle.
SolidCrossingCount count_collider_crossings(ThreadPool& pool, std::span<const Collider> colliders,
                                            std::span<const Edge> edges, std::span<const Triangle> triangles,
                                            const std::vector<Vec3>& positions);

} // namespace selvage
