#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "math/vec.h"

namespace selvage {

/// A number per vertex that a mesh file carries beside its geometry, as it was painted: a custom attribute of glTF, whose
/// name begins with "_", or a property of a PLY file's vertices. Of colours the first channel. Whole numbers that stand for
/// fractions are 0 to 1.
struct VertexScalar {
    std::string name;
    std::vector<Vec3> points; ///< Where the file's vertices are, as it stores them, in world space.
    std::vector<double> values;
    std::vector<std::string> known; ///< What there is, for complaints.
};

/// Reads it from a .glb, .gltf or .ply file. Fails where the file has none of that name, and on values that are not finite.
Result<VertexScalar> read_vertex_scalar(const std::filesystem::path& path, const std::string& name);

} // namespace selvage
