#include "arrays.h"
#include "bindings.h"
#include "garment/scene_garments.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace selvage::python {

namespace {

py::dict material_dict(const std::string& fabric) {
    selvage_material m{};
    m.struct_size = sizeof m;
    check(selvage_fabric_material(fabric.c_str(), &m));
    py::dict out;
    out["density"] = m.density;
    out["thickness"] = m.thickness;
    out["stretch_warp"] = m.stretch_warp;
    out["stretch_weft"] = m.stretch_weft;
    out["shear"] = m.shear;
    out["bend_warp"] = m.bend_warp;
    out["bend_weft"] = m.bend_weft;
    out["bend_bias"] = m.bend_bias;
    out["damping"] = m.damping;
    out["friction"] = m.friction;
    return out;
}

std::vector<std::string> fabrics() {
    std::vector<std::string> names;
    for (const BuiltinFile& file : builtin_fabrics())
        names.push_back(file.name);
    return names;
}

/// (name, summary, settings as JSON, usual substeps) of each.
std::vector<std::tuple<std::string, std::string, std::string, int>> solvers() {
    std::vector<std::tuple<std::string, std::string, std::string, int>> all;
    for (const SolverEntry& entry : solver_catalog()) {
        SceneDesc scene;
        scene.solver = entry.defaults;
        all.emplace_back(entry.name, entry.summary, scene_json(scene)["solver"].dump(), entry.traits.usual_substeps);
    }
    return all;
}

/// (name, description) of each built-in scene.
std::vector<std::pair<std::string, std::string>> scenes() {
    std::vector<std::pair<std::string, std::string>> all;
    for (const BuiltinFile& file : builtin_scenes())
        all.emplace_back(file.name, take(load_scene(file.name)).description);
    return all;
}

/// A name, a path, or the text of a scene, which starts with "{" and whose files lie in `directory`.
SceneDesc load_undressed(const std::string& scene, const std::vector<std::string>& overrides,
                         const std::string& directory) {
    if (scene.find_first_not_of(" \t\r\n") == std::string::npos)
        check(fail(SELVAGE_ERROR_ARGUMENT, "the scene is empty; expected a name, a path or JSON text"));
    if (scene[scene.find_first_not_of(" \t\r\n")] != '{') return take(load_scene(scene, overrides));
    JsonDocument document = take(parse_json(scene, "scene"));
    for (const std::string& assignment : overrides)
        take(apply_override(document, assignment));
    return take(parse_scene(std::move(document), directory));
}

/// With its garments sewn and draped.
LoadedScene load(const std::string& scene, const std::vector<std::string>& overrides, const std::string& directory) {
    SceneDesc desc = load_undressed(scene, overrides, directory);
    take(dress_scene(desc, 0));
    return {std::move(desc)};
}

} // namespace

void bind_catalogs(py::module_& module) {
    module.def("version", &selvage_version);
    module.def("fabrics", &fabrics);
    module.def("fabric", &material_dict, py::arg("name"));
    module.def("solvers", &solvers);
    module.def("scenes", &scenes);
    py::class_<LoadedScene>(module, "Scene", "A scene, loaded and checked.")
        .def_property_readonly("name", [](const LoadedScene& scene) { return scene.desc.name; })
        .def_property_readonly("seconds", [](const LoadedScene& scene) { return scene.desc.seconds; })
        .def("json", [](const LoadedScene& scene) { return scene_json(scene.desc).dump(); });
    module.def("load_scene", &load, py::arg("scene"), py::arg("overrides"), py::arg("directory"));
}

} // namespace selvage::python
