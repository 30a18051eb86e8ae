#include <cmath>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "scene/json_fields.h"
#include "scene/scene_fields.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"

namespace selvage {

namespace {

/// 1/60 reads better than 0.016666666666666666, and means exactly the same double.
Json seconds_json(double seconds) {
    const double reciprocal = std::round(1.0 / seconds);
    if (reciprocal > 1.0 && reciprocal < 1e9 && 1.0 / reciprocal == seconds)
        return concat("1/", static_cast<long long>(reciprocal));
    return seconds;
}

template <class Desc>
Json fields_json(const Desc& desc) {
    Json object = Json::object();
    write_fields(object, desc_fields(desc), desc);
    return object;
}

Json mesh_json(const MeshDesc& mesh) {
    struct Writer {
        Json operator()(const GridDesc& d) const { return {{"grid", fields_json(d)}}; }
        Json operator()(const DiscDesc& d) const { return {{"disc", fields_json(d)}}; }
        Json operator()(const TubeDesc& d) const { return {{"tube", fields_json(d)}}; }
        Json operator()(const BlockDesc& d) const { return {{"block", fields_json(d)}}; }
        Json operator()(const RibbonDesc& d) const { return {{"ribbon", fields_json(d)}}; }
        Json operator()(const FileMeshDesc& d) const { return {{"file", d.file}}; }
        Json operator()(const GarmentMeshDesc& d) const { return {{"garment", fields_json(d)}}; }
    };
    return std::visit(Writer{}, mesh);
}

void write_keyframes(Json& json, const std::vector<KeyframeDesc>& keyframes) {
    for (const KeyframeDesc& key : keyframes)
        json["keyframes"].push_back(fields_json(key));
}

Json collider_json(const ColliderDesc& collider) {
    struct Writer {
        Json& json;
        void operator()(const Sphere& d) const { json["sphere"] = fields_json(d); }
        void operator()(const Box& d) const { json["box"] = fields_json(d); }
        void operator()(const Plane& d) const { json["plane"] = fields_json(d); }
        void operator()(const Capsule& d) const { json["capsule"] = fields_json(d); }
        void operator()(const Cylinder& d) const { json["cylinder"] = fields_json(d); }
        void operator()(const HeightDesc& d) const {
            json["height"] = fields_json(d);
            json["height"]["heights"] = d.heights;
        }
        void operator()(const SolidMeshDesc& d) const {
            json["mesh"] = mesh_json(d.mesh);
            write_fields(json["mesh"], desc_fields(d), d);
        }
        void operator()(const CharacterDesc& d) const {
            json["character"] = fields_json(d);
            json["character"]["measurements"] = Json(d.measurements);
        }
    };
    Json json = fields_json(collider);
    std::visit(Writer{json}, collider.shape);
    json["place"] = fields_json(collider.place);
    json["motion"] = Json::object();
    write_fields(json["motion"], motion_fields(collider), collider);
    write_keyframes(json["motion"], collider.keyframes);
    return json;
}

Json selection_json(const PinSelection& select) {
    Json json = Json::object();
    if (const auto* edge = std::get_if<EdgeName>(&select)) json["edge"] = edge->name;
    if (const auto* corner = std::get_if<CornerName>(&select)) json["corner"] = corner->name;
    if (const auto* vertices = std::get_if<std::vector<int>>(&select)) json["vertices"] = *vertices;
    if (const auto* box = std::get_if<BoxDesc>(&select)) json["box"] = fields_json(*box);
    return json;
}

Json skinned_json(const SkinnedDesc& skinned) {
    Json json = fields_json(skinned);
    for (const PinSelection& select : skinned.attach)
        json["attach"].push_back(selection_json(select));
    if (!skinned.max_distances.empty()) json["max_distances"] = skinned.max_distances;
    if (!skinned.max_distance_scalar.empty()) json["max_distances"] = skinned.max_distance_scalar;
    if (!skinned.backstops.empty()) json["backstops"] = skinned.backstops;
    if (!skinned.backstop_scalar.empty()) json["backstops"] = skinned.backstop_scalar;
    return json;
}

Json pin_json(const PinDesc& pin) {
    Json json = selection_json(pin.select);
    write_keyframes(json, pin.keyframes);
    if (!pin.smooth) json["smooth"] = false;
    if (pin.release >= 0.0) json["release"] = pin.release;
    return json;
}

Json cloth_json(const ClothDesc& cloth) {
    Json json = fields_json(cloth);
    json["mesh"] = mesh_json(cloth.mesh);
    json["place"] = fields_json(cloth.place);
    if (cloth.inline_fabric) {
        json["fabric"] = Json{{"base", cloth.fabric}};
        write_fields(json["fabric"], material_fields(), cloth.material);
        json["fabric"]["look"] = Json::object();
        write_fields(json["fabric"]["look"], look_fields(), cloth.look);
    } else {
        json["fabric"] = cloth.fabric;
    }
    json["net"] = Json::object();
    write_fields(json["net"], net_fields(), cloth.net);
    if (cloth.skinned) json["skinned"] = skinned_json(*cloth.skinned);
    if (cloth.surface)
        json["surface"] = std::holds_alternative<PnSettings>(*cloth.surface)
                              ? Json{{"pn", fields_json(std::get<PnSettings>(*cloth.surface))}}
                              : Json{{"mesh", fields_json(std::get<DrawnMeshDesc>(*cloth.surface))}};
    json["pins"] = Json::array();
    for (const PinDesc& pin : cloth.pins)
        json["pins"].push_back(pin_json(pin));
    return json;
}

} // namespace

Json scene_json(const SceneDesc& scene) {
    Json json = fields_json(scene);
    json["dt"] = seconds_json(scene.dt);
    json["substeps"] = scene.substeps_of.empty() ? Json(scene.substeps) : Json(substeps_in_use(scene));
    json["solver"] = Json{{"type", solver_name(scene.solver)}};
    std::visit([&](const auto& chosen) { write_fields(json["solver"], settings_fields(chosen), chosen); },
               scene.solver);
    json["air"] = Json::object();
    write_fields(json["air"], air_fields(), scene.air);
    json["air"]["wind"] = Json::object();
    write_fields(json["air"]["wind"], wind_fields(), scene.air);
    json["cloths"] = Json::array();
    for (const ClothDesc& cloth : scene.cloths)
        json["cloths"].push_back(cloth_json(cloth));
    json["colliders"] = Json::array();
    for (const ColliderDesc& collider : scene.colliders)
        json["colliders"].push_back(collider_json(collider));
    if (scene.camera) json["camera"] = fields_json(*scene.camera);
    json["render"] = fields_json(scene.render);
    return json;
}

Status save_scene(const std::filesystem::path& path, const SceneDesc& scene) {
    return write_file(path, scene_json(scene).dump(2) + "\n");
}

} // namespace selvage
