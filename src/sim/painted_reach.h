#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "scene/scene_desc.h"
#include "sim/skinned_cloth.h"

namespace selvage {

/// Largest distances and back-stops that are painted in the cloth's mesh file, for its vertices, which start at `start`.
/// Nothing where the scene names no scalar. Errors have no location where they are the scene's.
Status read_painted(const ClothDesc& cloth, const std::filesystem::path& directory, const std::vector<Vec3>& start,
                    SkinSelection& out);

} // namespace selvage
