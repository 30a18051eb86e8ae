#pragma once

#include <array>
#include <vector>

#include "base/result.h"
#include "garment/plane.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// A flat mesh. The points of the loops come first, in their order.
struct PlaneMesh {
    std::vector<Vec2> points;
    std::vector<Triangle> triangles; ///< Counter-clockwise.
};

/// Fills closed loops of points, an outline and its holes, with triangles whose edges are about `edge` long, or as long
/// as those of the loop nearby where that is less. The loops' own edges stay as they are: what is sewn there must find its
/// partner. Angles are over 25 degrees but where the loops have smaller ones. Fails where loops cross or touch.
Result<PlaneMesh> triangulate(const std::vector<std::vector<Vec2>>& loops, double edge);

/// The same where the outline is divided by creases: straight lines between two of its points, each, which do not cross
/// and are in the order of their first points along the loop. Edges of the mesh follow them. With creases there are no
/// holes.
Result<PlaneMesh> fill_creased(const std::vector<std::vector<Vec2>>& loops,
                               const std::vector<std::array<int, 2>>& creases, double edge);

/// How good a mesh is.
struct MeshQuality {
    double smallest_angle_deg = 180.0;                  ///< But for corners of the loops that are sharper themselves.
    double area = 0.0;                                  ///< [m2].
    double shortest = 1e300, longest = 0.0, mean = 0.0; ///< Edges [m].
};
MeshQuality measure_quality(const PlaneMesh& mesh);

} // namespace selvage
