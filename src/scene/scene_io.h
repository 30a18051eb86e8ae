#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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
/// A scene from its text. `source` is what complaints call it; files are looked for in `directory`.
Result<SceneDesc> parse_scene(std::string text, std::string source, const std::filesystem::path& directory = {});

/// The files behind a loaded scene: its own, meshes, fabrics, vertex caches, pictures. Those that are there.
std::vector<std::filesystem::path> scene_files(const std::string& name_or_path, const SceneDesc& scene);

/// A complaint about a value of the scene that only turned out wrong later, with the line of the file it stands in.
Error scene_error(const SceneDesc& scene, const std::string& pointer, const Error& error);

/// One entry of "cloths", and a solver with its settings: parts of a scene, read by the same code.
Result<ColliderDesc> parse_collider(std::string text);
Result<ClothDesc> parse_cloth(std::string text, const std::filesystem::path& directory);
/// `settings` is a JSON object without the type. `quality` is for a solver that has one, where the settings give none.
Result<SolverSettings> parse_solver(const std::string& type, std::string settings, const std::string& quality);

/// A fabric by built-in name, or by file name relative to `directory`.
Result<Fabric> load_fabric(const std::string& name_or_path, const std::filesystem::path& directory = {});

/// Writes JSON that loads back to the same SceneDesc.
Status save_scene(const std::filesystem::path& path, const SceneDesc& scene);

} // namespace selvage
