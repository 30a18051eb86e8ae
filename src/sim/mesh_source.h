#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "scene/scene_desc.h"

namespace selvage {

/// Makes or reads the mesh a scene asks for; file names start at `directory`.
Result<GeneratedMesh> build_mesh(const MeshDesc& desc, const std::filesystem::path& directory,
                                 std::vector<std::string>& warnings);

} // namespace selvage
