#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scene/json_document.h"
#include "scene/scene_desc.h"

namespace selvage {

struct BuiltinFile {
    std::string name;
    std::string_view text;
};

/// The files of scenes/ and fabrics/, compiled into the program.
const std::vector<BuiltinFile>& builtin_scenes();
const std::vector<BuiltinFile>& builtin_fabrics();

/// `name_or_path` is a built-in scene or a file. `overrides` are "/json/pointer=VALUE" and win over the file.
Result<SceneDesc> load_scene(const std::string& name_or_path, const std::vector<std::string>& overrides = {});
Result<SceneDesc> parse_scene(JsonDocument document, const std::filesystem::path& directory);

/// The files behind a loaded scene: its own, meshes, fabrics, vertex caches, pictures. Those that are there.
std::vector<std::filesystem::path> scene_files(const std::string& name_or_path, const SceneDesc& scene);

/// A complaint about a value of the scene that only turned out wrong later, with the line of the file it stands in.
Error scene_error(const SceneDesc& scene, const std::string& pointer, const Error& error);

/// One entry of "cloths", and a solver with its settings: parts of a scene, read by the same code.
Result<ClothDesc> parse_cloth(JsonDocument document, const std::filesystem::path& directory);
Result<SolverSettings> parse_solver(JsonDocument document);

/// A fabric by built-in name, or by file name relative to `directory`.
Result<Fabric> load_fabric(const std::string& name_or_path, const std::filesystem::path& directory = {});

/// The scene as JSON that loads back to the same SceneDesc.
Json scene_json(const SceneDesc& scene);
Status save_scene(const std::filesystem::path& path, const SceneDesc& scene);

/// JSON Schema of scene files, made from the same descriptions that read them.
Json scene_schema();

} // namespace selvage
