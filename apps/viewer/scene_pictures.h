#pragma once

#include <span>
#include <string>
#include <vector>

namespace selvage {

/// A small picture (JPEG) of a built-in scene, from apps/viewer/pictures/.
struct ScenePicture {
    std::string scene;
    std::span<const unsigned char> bytes;
};
const std::vector<ScenePicture>& scene_pictures();

} // namespace selvage
