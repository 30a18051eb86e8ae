#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// Reads a surface from a .obj, .ply, .glb or .gltf file and makes it safe to simulate (check_mesh). Texture
/// coordinates stay as stored; `warnings` says what was repaired or left out.
Result<TriangleMesh> read_mesh(const std::filesystem::path& path, std::vector<std::string>& warnings);
/// The same from the bytes of such a file; the extension of `path` says which.
Result<TriangleMesh> parse_mesh(std::string content, const std::filesystem::path& path,
                                std::vector<std::string>& warnings);

} // namespace selvage
