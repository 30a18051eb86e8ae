#pragma once

#include <functional>

#include "geometry/triangle_mesh.h"

namespace selvage {

/// The zero surface of a field in x >= 0, cut open along x = 0, by marching tetrahedra: rough triangles, but a manifold
/// for certain. `spacing` of the grid [m]; `low` and `high` bound the surface.
TriangleMesh half_surface(const std::function<double(const Vec3&)>& field, const Vec3& low, const Vec3& high,
                          double spacing);

struct RemeshSettings {
    std::function<double(const Vec3&)> edge_length; ///< Wanted there [m].
    std::function<Vec3(const Vec3&)> project;       ///< Onto the surface; keeps x = 0.
    std::function<Vec3(const Vec3&)> normal;        ///< Of the surface there, any length.
    int rounds = 8;
};

/// Even triangles instead of the mesh's: long edges split, short ones collapsed, flipped towards six neighbours, moved
/// within the surface (Botsch and Kobbelt, 2004). Its border stays on x = 0.
void remesh_half(TriangleMesh& mesh, const RemeshSettings& settings);

/// Both halves as one closed surface.
TriangleMesh mirror_half(const TriangleMesh& half);

} // namespace selvage
