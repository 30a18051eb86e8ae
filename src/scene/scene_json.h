#pragma once

#include "scene/json_document.h"
#include "scene/scene_desc.h"

namespace selvage {

Result<SceneDesc> parse_scene(JsonDocument document, const std::filesystem::path& directory);

/// The scene as JSON that loads back to the same SceneDesc.
Json scene_json(const SceneDesc& scene);

/// JSON Schema of scene files, made from the same descriptions that read them.
Json scene_schema();

} // namespace selvage
