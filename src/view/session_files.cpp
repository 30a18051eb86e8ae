// What a session reads and writes.
#include <algorithm>
#include <cmath>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "garment/ready_garments.h"
#include "garment/scene_garments.h"
#include "scene/scene_io.h"
#include "sim/checkpoint.h"
#include "sim/mesh_source.h"
#include "view/session.h"

namespace selvage {

namespace {

bool is_builtin(const std::vector<BuiltinFile>& files, const std::string& name) {
    return std::any_of(files.begin(), files.end(), [&](const BuiltinFile& file) { return file.name == name; });
}

/// File names that hold wherever the scene is saved to.
SceneDesc with_absolute_files(SceneDesc scene) {
    const auto fix = [&](std::string& name) {
        if (!name.empty()) name = std::filesystem::absolute(scene.directory / name).lexically_normal().string();
    };
    const auto fix_mesh = [&](MeshDesc& mesh) {
        if (auto* file = std::get_if<FileMeshDesc>(&mesh)) fix(file->file);
        if (auto* garment = std::get_if<GarmentMeshDesc>(&mesh); garment && !find_garment(garment->pattern))
            fix(garment->pattern);
    };
    for (ClothDesc& cloth : scene.cloths) {
        fix_mesh(cloth.mesh);
        if (cloth.surface)
            if (auto* drawn = std::get_if<DrawnMeshDesc>(&*cloth.surface)) fix(drawn->file);
        if (!is_builtin(builtin_fabrics(), cloth.fabric)) fix(cloth.fabric);
    }
    for (ColliderDesc& collider : scene.colliders)
        if (auto* mesh = std::get_if<SolidMeshDesc>(&collider.shape)) {
            fix_mesh(mesh->mesh);
            fix(mesh->frames);
        } else if (auto* body = std::get_if<CharacterDesc>(&collider.shape)) {
            fix(body->file);
        }
    if (scene.render.environment != "studio" && scene.render.environment != "sky") fix(scene.render.environment);
    return scene;
}

} // namespace

void Session::open_scene(const SceneDesc& scene) {
    const bool was_poking = std::exchange(poking_, false);
    if (!rebuild(with_absolute_files(scene), false)) {
        poking_ = was_poking;
        return;
    }
    undo_.clear();
    ++view_number_;
    playing_ = true;
    std::string text = concat(scene_.name, ": ", sim_->sim.model().vertex_count(), " particles");
    if (!sim_->sim.warnings().empty()) text += "; " + sim_->sim.warnings().front();
    say(text);
}

void Session::open_mesh(const std::filesystem::path& path) {
    SceneDesc scene;
    scene.name = path.stem().string();
    scene.directory = path.parent_path();
    ClothDesc cloth;
    cloth.name = scene.name;
    cloth.mesh = FileMeshDesc{path.string()};
    const Result<Fabric> fabric = load_fabric(cloth.fabric);
    if (!fabric) return say(fabric.error().text(), true);
    cloth.material = fabric->material;
    cloth.look = fabric->look;
    std::vector<std::string> warnings;
    const Result<GeneratedMesh> mesh = build_mesh(cloth.mesh, {}, warnings);
    if (!mesh) return say(mesh.error().text(), true);
    Aabb box;
    for (const Vec3& p : mesh->mesh.positions)
        box.include(p);
    // A file does not say its unit. What is far from a garment's size was not in metres.
    const double size = length(box.high - box.low);
    if (!(size > 0.0) || !std::isfinite(size)) return say(path.string() + ": has no extent to show", true);
    cloth.place.scale = size > 0.02 && size < 20.0 ? 1.0 : 1.5 / size;
    const Vec3 middle = 0.5 * cloth.place.scale * (box.low + box.high);
    cloth.place.translate = {-middle.x, 0.3 - cloth.place.scale * box.low.y, -middle.z};
    scene.cloths.push_back(cloth);
    ColliderDesc floor;
    floor.shape = Plane{};
    scene.colliders.push_back(floor);
    open_scene(scene);
}

void Session::open(const std::string& name_or_path) {
    const std::filesystem::path path = name_or_path;
    const std::string extension = lower_extension(path);
    if (is_builtin(builtin_scenes(), name_or_path) || extension == ".json") {
        Result<SceneDesc> scene = load_scene(name_or_path);
        if (!scene) return say(scene.error().text(), true);
        std::vector<std::string> warnings;
        if (const Status ok = dress_scene(*scene, {}, warnings); !ok) return say(ok.error().text(), true);
        open_scene(*scene);
        if (!warnings.empty()) say(warnings.back());
        return;
    }
    if (extension == ".obj" || extension == ".ply" || extension == ".glb")
        return open_mesh(std::filesystem::absolute(path));
    if (extension != ".state")
        return say(concat(name_or_path, ": found extension \"", extension,
                          "\"; expected a scene (.json), a mesh (.obj, .ply, .glb) or a saved state (.state)"),
                   true);
    set_poking(false, poke_radius_, poke_place_);
    const Result<RunHistory> history = load_checkpoint(path, sim_->sim);
    if (!history) return say(history.error().text(), true);
    sim_->grabs.grab_again(sim_->sim);
    rebuild_compared();
    frame_ = sim_->sim.step_count() / sim_->sim.scene().substeps;
    timeline_.start(sim_->sim.state().position.size(), scene_.dt);
    record();
    playing_ = false;
    say(concat(name_or_path, ": state at ", sim_->sim.state().time, " s"));
}

void Session::save(const std::filesystem::path& stem) {
    if (poking_) set_poking(false, poke_radius_, poke_place_);
    set_budget(0.0); // a state belongs to the scene's own steps
    const std::filesystem::path scene_path = stem.string() + ".json", state_path = stem.string() + ".state";
    if (const Status ok = save_scene(scene_path, scene_); !ok) return say(ok.error().text(), true);
    if (const Status ok = save_checkpoint(state_path, sim_->sim, {}); !ok) return say(ok.error().text(), true);
    say(concat("saved ", scene_path.string(), " and ", state_path.string()));
}

} // namespace selvage
