#pragma once

#include <array>
#include <string>
#include <vector>

#include "geometry/generators.h"
#include "geometry/topology.h"

namespace selvage {

/// A triangle at rest in the cloth's own axes, x along the warp: its edges from corner 0 to 1 and from 0 to 2 [m].
struct RestTriangle {
    Vec2 e1, e2;
    bool has_threads = false; ///< Its uv say where warp and weft run.
    bool is_pattern = false;  ///< They also say how long its edges are.
};

/// The triangle as `rest` wants it. Where its uv have no area, as in the mesh.
RestTriangle rest_triangle(const TriangleMesh& mesh, RestShape rest, int triangle);

double rest_area(const TriangleMesh& mesh, RestShape rest, int triangle);

/// Places of a, b, c, d at rest. By uv the two triangles lie in one plane, whatever seam is between them, and the edge
/// has the mean of its two lengths.
std::array<Vec3, 4> rest_hinge(const TriangleMesh& mesh, RestShape rest, const HingeTriangles& hinge);

/// Lengths of `edges`, sorted as in Topology: those of the mesh, or the mean over the triangles of each.
struct EdgeLengths {
    std::vector<double> length; ///< [m].
    int uneven = 0;             ///< Edges whose sides differ by more than kSeamTolerance.
    double most_uneven = 0.0;   ///< The longer over the shorter, less one.
    Edge most_uneven_edge{0, 0};
};
inline constexpr double kSeamTolerance = 0.03;
EdgeLengths rest_lengths(const TriangleMesh& mesh, RestShape rest, const std::vector<Edge>& edges);

/// Says what the pattern of a cloth cannot mean: seams with sides of two lengths, triangles without area in uv.
void warn_of_pattern(const std::string& cloth, const TriangleMesh& mesh, const EdgeLengths& lengths,
                     std::vector<std::string>& warnings);

} // namespace selvage
