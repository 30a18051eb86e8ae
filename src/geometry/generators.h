#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "base/result.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

enum class Diagonals { uniform, alternating, cross };

/// Rectangle in the x-y plane, centred on the origin, facing +z; warp (u) along x, weft (v) along y.
struct GridDesc {
    Pair size{1.0, 1.0};      ///< Width along x, height along y [m].
    IntPair vertices{33, 33}; ///< Vertices along x and y; `cross` adds one in the middle of each cell.
    Diagonals diagonals = Diagonals::alternating;
    /// Moves every point at random by up to this fraction of a cell, those of an edge along it, and cuts cells at
    /// random: a mesh without relation to warp and weft, the same every time. 0: regular.
    double jitter = 0.0;
};

/// Disc in the x-y plane, centred on the origin, facing +z: a centre and `rings` rings, ring r with 6 r vertices.
struct DiscDesc {
    double radius = 0.5; ///< [m].
    int rings = 16;
    double jitter = 0.0; ///< Moves points by up to this fraction of the rings' distance, those of the rim along it.
};

/// Open tube about the y axis; top and bottom radius may differ (a skirt).
struct TubeDesc {
    double radius = 0.2;      ///< At the bottom [m].
    double top_radius = 0.2;  ///< [m].
    double height = 1.0;      ///< [m].
    IntPair vertices{48, 33}; ///< Around and along the axis.
};

/// Solid lattice of mass points filling a box centred on the origin; its surface is what is drawn.
struct BlockDesc {
    Triple size{0.2, 0.2, 0.2}; ///< [m].
    IntTriple vertices{5, 5, 5};
};

/// A strip that is flat at rest, like a grid, and starts along a smooth curve through the points of `path`: its left
/// end at the first point, its middle line on the curve. What the path has beyond the strip's length is not used.
struct RibbonDesc {
    Pair size{1.0, 0.05};    ///< Length (warp, u) and width (weft, v) [m].
    IntPair vertices{65, 5}; ///< Along the length and the width.
    Diagonals diagonals = Diagonals::alternating;
    std::vector<Triple> path; ///< At least two points, each apart from the one before [m].
    Triple normal{0, 1, 0};   ///< Where the front looks at the first point; from there it turns with the path only.
};

/// A named set of vertices to pin by: "left", "top-right", "rim", ...
struct VertexGroup {
    std::string name;
    std::vector<int> vertices;
};

/// Where the lengths and areas of a cloth at rest come from. By its uv it is a pattern in metres: every triangle lies
/// flat as its corners say, and no edge is bent, whatever pose the mesh was modelled in.
enum class RestShape { mesh, uv };

/// What a generator knows beyond the triangles: its named parts, and the lattice its points came from.
struct GeneratedMesh {
    TriangleMesh mesh;                ///< At rest; where it starts when its uv are the rest shape.
    RestShape rest = RestShape::mesh; ///< Only a mesh that is not a lattice can rest as its uv.
    std::vector<Vec3> start;          ///< Where its vertices start, when that is not where they rest; else empty [m].
    std::vector<VertexGroup> edges, corners;
    std::vector<int> vertex_of_file; ///< Vertex for each one of the file, where some of those were joined; else empty.
    bool cell_centres = false;       ///< After the lattice's vertices comes one for the middle of each of its cells.
    IntTriple lattice{0, 0, 0}; ///< Vertices per axis, first axis fastest; zeros when not a lattice, z = 1 for a grid.
};

Result<GeneratedMesh> make_grid(const GridDesc& desc);
Result<GeneratedMesh> make_disc(const DiscDesc& desc);
Result<GeneratedMesh> make_tube(const TubeDesc& desc);
Result<GeneratedMesh> make_block(const BlockDesc& desc);
Result<GeneratedMesh> make_ribbon(const RibbonDesc& desc);

} // namespace selvage
