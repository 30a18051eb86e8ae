#pragma once

#include <functional>

#include "lab/validate/validate_internal.h"

namespace selvage {

/// A grid cut from cloth whose warp runs at `grain` radians from +x towards +y.
GeneratedMesh cut_at(const GridDesc& grid, double grain);

/// Cuts the pattern in two along a line of the grid and lays one part elsewhere, face down; in the mesh the parts stay
/// joined. `is_second` says of the middle of a triangle, as it lies in the mesh, which part it belongs to.
void cut_pattern(GeneratedMesh& mesh, const std::function<bool(const Vec3&)>& is_second);

/// Puts a mesh into a scene as its first cloth, as it is; nothing touches it.
void hang(SceneDesc& scene, GeneratedMesh mesh);

/// Holds vertices of the first cloth where they start.
void pin_at_start(SceneDesc& scene, std::vector<int> vertices);

/// Where the points of a scene come to rest: by a solver, or by the energies alone.
std::vector<Vec3> shape_at_rest(const Variant& variant, const SceneDesc& scene);

} // namespace selvage
