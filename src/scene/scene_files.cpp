#include "base/atomic_file.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

/// A .gltf file names its buffers. What cannot be read is left to the reader to complain about.
void add_gltf_buffers(const std::filesystem::path& file, std::vector<std::filesystem::path>& files) {
    if (lower_extension(file) != ".gltf") return;
    const Result<std::string> text = read_file(file);
    const Json root = text ? Json::parse(*text, nullptr, false) : Json();
    if (!root.is_object() || !root.contains("buffers") || !root["buffers"].is_array()) return;
    for (const Json& buffer : root["buffers"])
        if (buffer.is_object() && buffer.contains("uri") && buffer["uri"].is_string())
            if (const auto uri = buffer["uri"].get<std::string>(); !uri.starts_with("data:"))
                files.push_back(file.parent_path() / uri);
}

void add_mesh(const MeshDesc& mesh, const std::filesystem::path& directory, std::vector<std::filesystem::path>& files) {
    if (const auto* garment = std::get_if<GarmentMeshDesc>(&mesh)) files.push_back(directory / garment->pattern);
    const auto* file = std::get_if<FileMeshDesc>(&mesh);
    if (!file) return;
    files.push_back(directory / file->file);
    add_gltf_buffers(files.back(), files);
}

} // namespace

std::vector<std::filesystem::path> scene_files(const std::string& name_or_path, const SceneDesc& scene) {
    std::vector<std::filesystem::path> files{name_or_path};
    for (const ClothDesc& cloth : scene.cloths) {
        add_mesh(cloth.mesh, scene.directory, files);
        if (cloth.surface)
            if (const auto* drawn = std::get_if<DrawnMeshDesc>(&*cloth.surface))
                files.push_back(scene.directory / drawn->file);
        files.push_back(scene.directory / cloth.fabric);
        if (!cloth.look.print.empty()) files.emplace_back(cloth.look.print);
    }
    for (const ColliderDesc& collider : scene.colliders)
        if (const auto* solid = std::get_if<SolidMeshDesc>(&collider.shape)) {
            add_mesh(solid->mesh, scene.directory, files);
            if (!solid->frames.empty()) files.push_back(scene.directory / solid->frames);
        } else if (const auto* body = std::get_if<CharacterDesc>(&collider.shape); body && !body->file.empty()) {
            files.push_back(scene.directory / body->file);
            add_gltf_buffers(files.back(), files);
        }
    files.push_back(scene.directory / scene.render.environment);
    // Names of what is built in are no files, unless there happens to be one.
    std::erase_if(files, [](const std::filesystem::path& file) {
        std::error_code code;
        return !std::filesystem::is_regular_file(file, code);
    });
    return files;
}

} // namespace selvage
