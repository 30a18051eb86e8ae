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

/// The mesh of a cloth, in its place: the one in memory, or one made or read.
Result<GeneratedMesh> build_placed_mesh(const ClothDesc& cloth, const std::filesystem::path& directory,
                                        std::vector<std::string>& warnings);

/// Scales, turns and shifts points.
void place_points(const PlaceDesc& place, std::vector<Vec3>& points);

/// Where the vertices are at the start of a run.
inline const std::vector<Vec3>& start_positions(const GeneratedMesh& source) {
    return source.start.empty() ? source.mesh.positions : source.start;
}

} // namespace selvage
