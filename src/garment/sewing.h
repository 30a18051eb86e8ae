#pragma once

#include <string>
#include <vector>

#include "garment/pattern.h"
#include "geometry/generators.h"

namespace selvage {

/// One panel inside a sewn cloth: a range of its flat vertices and triangles.
struct SewnPanel {
    int panel = 0; ///< Index in the pattern.
    int flat_begin = 0, flat_count = 0;
    int triangle_begin = 0, triangle_count = 0;
    bool mirrored = false; ///< Sewn with its other face up.
};

/// Panels sewn together vertex to vertex. The mesh's uv are the flat panels in metres, warp along u, side by side; its
/// positions are left at the origin for the placing.
struct SewnCloth {
    TriangleMesh mesh;
    std::string fabric;
    int layer = 0;
    std::vector<SewnPanel> panels;
    std::vector<Vec2> flat;         ///< Place in the pattern of every flat vertex, in its panel's own axes [m].
    std::vector<int> vertex_of;     ///< Mesh vertex of every flat vertex.
    std::vector<int> seam_vertex;   ///< Mesh vertices of two flat ones or more, ascending.
    std::vector<VertexGroup> edges; ///< Mesh vertices along every edge of the outlines, named "panel.edge".

    int panel_of_flat(int flat_vertex) const; ///< Index into `panels`.
};

/// Cuts, triangulates and sews a checked pattern. Panels that no seams connect are cloths of their own. Edges of the meshes
/// are about `edge` long [m]. Fails when panels that are sewn together have different fabrics, or cannot all lie with
/// a face up.
Result<std::vector<SewnCloth>> sew_pattern(const Pattern& pattern, double edge);

/// Area of a panel's triangles in the pattern, and where its vertices are now [m2].
double flat_area(const SewnCloth& cloth, const SewnPanel& panel);
double placed_area(const SewnCloth& cloth, const SewnPanel& panel, const std::vector<Vec3>& positions);

} // namespace selvage
