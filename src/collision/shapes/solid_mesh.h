#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "collision/search/surface_tree.h"
#include "collision/shapes/solid_shapes.h"
#include "geometry/topology.h"

namespace selvage {

/// A triangle's nearest point to another.
struct MeshPoint {
    SurfacePoint surface;
    int triangle = -1;
    Vec3 weight; ///< Of the triangle's corners in the nearest point: not negative, their sum is 1.
};

/// The surface of a solid made of triangles: what stays the same however its points move.
struct SolidMesh {
    TriangleMesh mesh;                    ///< At rest. Outward when closed; vertices at one place count as one here.
    std::vector<Edge> edges;              ///< Each once, sorted.
    std::vector<Triangle> triangle_edges; ///< For each triangle, the edges from corner k to corner k + 1.
    std::vector<int> edge_owner;          ///< For each edge, the first triangle that has it.
    std::vector<Triangle> across; ///< For each triangle, the one across edge k; -1 where there is not exactly one.
    std::vector<int> vertices;    ///< Those that some triangle has.
    IndexLists vertex_triangles;
    bool is_closed = false; ///< Has an inside. Else it is a surface with two sides.
    SurfaceTree tree;       ///< Over the mesh at rest.

    /// Fails on a mesh that check_mesh refuses. Triangles of a closed mesh that face inwards are turned around. What is
    /// not a closed surface (borders, edges with three triangles, triangles facing both ways, no volume) is taken as
    /// open; all but borders, which may well be meant, are told in `warnings`.
    static Result<SolidMesh> make(TriangleMesh mesh, const std::string& location, std::vector<std::string>& warnings);

    /// The nearest point of the surface when its vertices are at `points` and `fitted` is fitted to them. The sign
    /// comes from the normal of the nearest face, edge or corner, the latter two as sums weighted by angles (Baerentzen
    /// and Aanaes, 2005). At most `reach` away [m]; triangle -1 when there is none.
    MeshPoint nearest(const SurfaceTree& fitted, std::span<const Vec3> points, const Vec3& p,
                      double reach = std::numeric_limits<double>::infinity()) const;
};

} // namespace selvage
