#pragma once

#include "garment/dressing.h"
#include "scene/scene_desc.h"

namespace selvage {

/// Cuts, sews and drapes the garments among a scene's cloths (`"mesh": {"garment": ...}`) on their characters, which then
/// move into the pose that the scene starts in. Cloths of one garment, its layers, are draped together. Each drapes as
/// its own fabric and gets the result as `given_mesh`, so a scene is dressed once. Of `settings`, `threads` and `progress`
/// are used. Fails with the place in the scene file of what cannot be worn.
Status dress_scene(SceneDesc& scene, const DressSettings& settings, std::vector<std::string>& warnings);
/// The same where nobody watches.
Status dress_scene(SceneDesc& scene, int threads);

} // namespace selvage
