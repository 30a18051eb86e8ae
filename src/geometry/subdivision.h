#pragma once

#include <array>
#include <vector>

#include "geometry/topology.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// Every triangle of a mesh cut into per_edge^2 smaller ones that share their vertices across its sides. Fine vertices
/// come in three runs: the mesh's own, per_edge - 1 on each edge (from its lower end), those inside each face.
///
///        2            point (p, q) of a face: p steps towards corner 1, q towards corner 2, p + q <= per_edge
///       / \           side k runs from corner k to corner k + 1
///   (0,1)-(1,1)
///     / \ / \ .
///    0-(1,0)-1
struct Subdivision {
    struct Side {
        int edge;
        bool forward; ///< The side runs from the edge's lower end.
    };

    int per_edge = 1;
    int coarse_vertex_count = 0, fine_vertex_count = 0;
    std::vector<Edge> edges; ///< Of the coarse mesh: each once, sorted.
    std::vector<std::array<Side, 3>> faces;
    IndexLists edge_sides;           ///< For each edge the sides on it, as 3 * face + side.
    std::vector<Triangle> triangles; ///< The fine ones, each face's together.

    int edge_points() const { return per_edge - 1; }
    int face_points() const { return (per_edge - 1) * (per_edge - 2) / 2; }
    /// Fine vertex `step` (1 .. per_edge - 1) of an edge, counted from its lower end.
    int edge_vertex(int edge, int step) const { return coarse_vertex_count + edge * edge_points() + step - 1; }
    /// The first of the vertices inside a face; they run with p fastest.
    int face_vertex_begin(int face) const {
        return coarse_vertex_count + static_cast<int>(edges.size()) * edge_points() + face * face_points();
    }
};

/// Corners must lie in [0, vertex_count). Fails when the result would have more than kMaxVertices vertices.
Result<Subdivision> subdivide(int vertex_count, const std::vector<Triangle>& triangles, int per_edge);

/// The coarse vertices' values at the fine vertices, linear within each triangle.
std::vector<Vec2> interpolate(const Subdivision& subdivision, const std::vector<Triangle>& triangles,
                              const std::vector<Vec2>& values);

} // namespace selvage
