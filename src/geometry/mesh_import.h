#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// Reads a surface from a .obj, .ply, .glb or .gltf file and makes it safe to simulate (check_mesh). Texture
/// coordinates are kept as stored; what was mended or left out is told in `warnings`.
Result<TriangleMesh> read_mesh(const std::filesystem::path& path, std::vector<std::string>& warnings);

} // namespace selvage
