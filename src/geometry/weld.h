#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

inline constexpr double kWeldRounding = -1.0; ///< Instead of a distance: join what coincides but for rounding.

/// What joining did.
struct Weld {
    std::vector<int> vertex_of; ///< Where each vertex of the mesh before has gone; empty: nothing was joined.
    int joined = 0;             ///< Vertices less than before.
    double distance = 0.0;      ///< The largest between two that were joined [m].
};

/// Joins vertices on the borders of panels: each to those nearer than `distance` [m], or with kWeldRounding to those that
/// coincide but for the last digit of a file's numbers. Inner vertices stay, so layers do; so do panels that lie on
/// one another with their inner vertices too. uv stays per corner. Fails when vertices of one triangle would be joined.
Result<Weld> weld_borders(TriangleMesh& mesh, double distance);

/// Pieces that no triangles hold together but whose borders come near each other.
struct LooseBorders {
    int pieces = 1;
    double gap = 0.0; ///< The largest between border vertices of two pieces, of those nearer than `reach`; 0: none [m].
};
LooseBorders find_loose_borders(const TriangleMesh& mesh, double reach);

} // namespace selvage
