#include "scene/json_fields.h"
#include "scene/scene_fields.h"
#include "scene/scene_json.h"

namespace selvage {

namespace {

Json object_schema(const std::string& description, Json properties, const std::vector<std::string>& required = {}) {
    Json schema{{"type", "object"},
                {"description", description},
                {"properties", std::move(properties)},
                {"additionalProperties", false}};
    if (!required.empty()) schema["required"] = required;
    return schema;
}

template <class Desc>
Json desc_schema(const std::string& description) {
    Json properties = Json::object();
    describe_fields<Desc>(properties, desc_fields(Desc{}));
    return object_schema(description, properties);
}

/// An object with exactly one of the given keys.
Json one_key_of(Json properties) {
    Json choices = Json::array();
    for (const auto& [key, unused] : properties.items())
        choices.push_back(Json{{"required", {key}}});
    return {
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}, {"oneOf", choices}};
}

Json mesh_schema() {
    return one_key_of(
        {{"grid", desc_schema<GridDesc>("Rectangle in the x-y plane, centred, facing +z. Edges: left, right, bottom, "
                                        "top. Corners: bottom-left, ...")},
         {"disc", desc_schema<DiscDesc>("Disc in the x-y plane, centred, facing +z. Edge: rim. Corner: centre.")},
         {"tube", desc_schema<TubeDesc>("Open tube about the y axis. Edges: bottom, top.")},
         {"block",
          desc_schema<BlockDesc>("Solid lattice, centred. Edges (its faces): left, right, bottom, top, back, front.")},
         {"ribbon", desc_schema<RibbonDesc>("Strip that is flat at rest, like a grid, and starts along a smooth curve "
                                            "through given points. The path must be at least as long as the strip; "
                                            "what it has beyond is not used. Edges and corners: those of a grid, left "
                                            "at the first point.")},
         {"file", {{"type", "string"}, {"description", "Mesh file (.obj, .ply, .glb), relative to the scene file."}}},
         {"garment", desc_schema<GarmentMeshDesc>("Garment, cut to a character among the colliders, sewn around it and "
                                                  "draped before the scene starts. For cloths, in programs; not in "
                                                  "the library. Edges: those of the pattern, PANEL.EDGE.")}});
}

Json height_schema() {
    Json schema =
        desc_schema<HeightDesc>("Ground: all below a grid of heights, cut into triangles. Around the grid the "
                                "heights of its border go on outwards.");
    schema["properties"]["heights"] = {
        {"type", "array"},
        {"items", {{"type", "number"}, {"minimum", kHeight.min}, {"maximum", kHeight.max}}},
        {"description", "Heights, row by row from low z to high, each row from low x to high. [m]"}};
    schema["required"] = {"heights"};
    return schema;
}

Json solid_mesh_schema() {
    Json schema = mesh_schema();
    schema["properties"].erase("garment");
    Json& choices = schema["oneOf"];
    std::erase_if(choices.get_ref<Json::array_t&>(),
                  [](const Json& choice) { return choice["required"][0] == "garment"; });
    schema["description"] = "Triangles, of a file or made in place: solid inside when closed, else a surface with two "
                            "sides.";
    describe_fields<SolidMeshDesc>(schema["properties"], desc_fields(SolidMeshDesc{}));
    return schema;
}

Json character_schema() {
    Json schema = desc_schema<CharacterDesc>("A body that moves by its skeleton: a mannequin made in place, or a "
                                             "skinned character of a file.");
    Json measurements = Json::object();
    for (const MeasurementField& field : measurement_fields())
        measurements[field.key] = {{"description", std::string(field.help) + " [m]"},
                                   {"type", "number"},
                                   {"minimum", kMeasurement.min},
                                   {"maximum", kMeasurement.max}};
    schema["properties"]["measurements"] =
        object_schema("Measurements of the mannequin that differ from its figure's.", measurements);
    return schema;
}

Json keyframes_schema(const std::string& description) {
    return {{"type", "array"},
            {"items", desc_schema<KeyframeDesc>("Pose at a time, relative to the start.")},
            {"description", description}};
}

Json collider_schema() {
    Json collider = one_key_of({{"sphere", desc_schema<Sphere>("Ball.")},
                                {"box", desc_schema<Box>("Box, centred.")},
                                {"plane", desc_schema<Plane>("All below local y = 0.")},
                                {"capsule", desc_schema<Capsule>("Two balls along y and the cone around both, centred "
                                                                 "between them.")},
                                {"cylinder", desc_schema<Cylinder>("About y, with flat ends, centred.")},
                                {"height", height_schema()},
                                {"mesh", solid_mesh_schema()},
                                {"character", character_schema()}});
    collider["description"] = "Something that cloth lies on or is pushed by.";
    Json& properties = collider["properties"];
    describe_fields<ColliderDesc>(properties, desc_fields(ColliderDesc{}));
    properties["place"] = desc_schema<PlaceDesc>("Where the collider starts.");
    Json motion = Json::object();
    describe_fields<ColliderDesc>(motion, motion_fields(ColliderDesc{}));
    motion["keyframes"] = keyframes_schema("Poses relative to the start; times must rise.");
    properties["motion"] = object_schema("How it moves; without this key it stays.", motion);
    return collider;
}

/// Vertices by exactly one of several keys.
Json selection_schema() {
    return one_key_of({{"edge", {{"type", "string"}, {"description", "All vertices of a named edge."}}},
                       {"corner", {{"type", "string"}, {"description", "A named corner."}}},
                       {"vertices",
                        {{"type", "array"},
                         {"items", {{"type", "integer"}, {"minimum", 0}}},
                         {"minItems", 1},
                         {"description", "Vertices by index."}}},
                       {"box", desc_schema<BoxDesc>("All vertices inside a box.")}});
}

Json skinned_schema() {
    Json schema = desc_schema<SkinnedDesc>("The body that the cloth belongs to; without this key, none.");
    schema["properties"]["attach"] = {
        {"type", "array"},
        {"items", selection_schema()},
        {"description", "Vertices held to their places on the skin, selected like pins."}};
    const auto reaches = [](const std::string& what) {
        Json both = {{"type", Json::array({"array", "string"})},
                     {"items", {{"type", "number"}, {"minimum", kReach.min}, {"maximum", kReach.max}}}};
        both["description"] = what +
                              " of each vertex of the cloth, as a list, or by the name of a scalar that its mesh "
                              "file carries, painted as a fraction of " +
                              what + " where that is given; left out: the same for all. [m]";
        return both;
    };
    schema["properties"]["max_distances"] = reaches("max_distance");
    schema["properties"]["backstops"] = reaches("backstop");
    return schema;
}

Json pin_schema() {
    Json pin = selection_schema();
    Json& properties = pin["properties"];
    properties["keyframes"] = keyframes_schema("Motion of the pinned vertices; times must rise.");
    properties["smooth"] = {
        {"type", "boolean"}, {"default", true}, {"description", "Ease in and out between keyframes."}};
    properties["release"] = {{"type", "number"}, {"minimum", 0}, {"description", "Let go at this time [s]."}};
    return pin;
}

/// Without defaults: what is left out is the base fabric's.
Json look_schema(const std::string& description) {
    Json look = Json::object();
    describe_fields<FabricLook>(look, look_fields());
    for (auto& [key, entry] : look.items())
        entry.erase("default");
    return object_schema(description, look);
}

Json fabric_schema() {
    Json properties{{"base",
                     {{"type", "string"},
                      {"default", ClothDesc{}.fabric},
                      {"description", "Fabric whose numbers are changed here."}}}};
    describe_fields<Material>(properties, material_fields());
    for (auto& [key, entry] : properties.items())
        if (key != "base") entry.erase("default"); // the base fabric's number
    properties["look"] = look_schema("What light does with it.");
    return {{"description", "A fabric by name or file, or a fabric with some numbers changed."},
            {"oneOf", {Json{{"type", "string"}}, object_schema("Changed numbers.", properties)}},
            {"default", ClothDesc{}.fabric}};
}

Json cloth_schema() {
    Json properties = Json::object();
    describe_fields<ClothDesc>(properties, desc_fields(ClothDesc{}));
    properties["name"].erase("default"); // cloth0, cloth1, ...
    properties["mesh"] = mesh_schema();
    properties["place"] = desc_schema<PlaceDesc>("Where the cloth starts.");
    properties["fabric"] = fabric_schema();
    Json net = Json::object();
    describe_fields<NetDesc>(net, net_fields());
    properties["net"] = object_schema("Springs between the mass points.", net);
    properties["surface"] =
        one_key_of({{"pn", desc_schema<PnSettings>("Curved faces over sparse particles.")},
                    {"mesh", desc_schema<DrawnMeshDesc>("A detailed mesh that follows the simulated one.")}});
    properties["surface"]["description"] =
        "The surface that is drawn and exported; without this key, the simulated triangles.";
    properties["skinned"] = skinned_schema();
    properties["pins"] = {
        {"type", "array"}, {"items", pin_schema()}, {"description", "Vertices whose motion is given."}};
    return object_schema("One piece of cloth.", properties, {"mesh"});
}

Json solver_schema() {
    Json choices = Json::array();
    for (const SolverEntry& entry : solver_catalog()) {
        Json properties{{"type", {{"const", entry.name}}}};
        std::visit([&](const auto& chosen) { describe_fields(properties, settings_fields(chosen), chosen); },
                   entry.defaults);
        choices.push_back(object_schema(entry.summary, properties, {"type"}));
    }
    return {{"description", "The method and its settings."}, {"oneOf", choices}};
}

Json substeps_schema() {
    const auto number = [](const std::string& description) {
        return Json{
            {"description", description}, {"type", "integer"}, {"minimum", kSubsteps.min}, {"maximum", kSubsteps.max}};
    };
    Json properties = Json::object();
    for (const std::string& name : solver_names())
        properties[name] = number("Of " + name + ".");
    properties[kOtherSolvers] = number("Of all solvers that are not named.");
    return {{"description", "Solver steps per frame: one number for all solvers, or an object of numbers by solver."},
            {"oneOf", {number("Of all solvers."), object_schema("By solver.", properties, {kOtherSolvers})}},
            {"default", usual_substeps()}};
}

Json air_schema() {
    Json properties = Json::object(), wind = Json::object();
    AirDesc defaults;
    defaults.density = 1.2;
    describe_fields<AirDesc>(properties, air_fields(), defaults);
    describe_fields<AirDesc>(wind, wind_fields(), defaults);
    properties["wind"] = object_schema("Wind and gusts.", wind);
    return object_schema("The air; without this key there is none.", properties);
}

} // namespace

Json scene_schema() {
    Json properties = Json::object();
    describe_fields<SceneDesc>(properties, desc_fields(SceneDesc{}));
    properties["name"].erase("default"); // the file's name
    properties["dt"] = {
        {"description",
         "Time of a frame; a solver step is dt / substeps. A number or a fraction such as \"1/60\". [s]"},
        {"oneOf",
         {Json{{"type", "number"}, {"minimum", 1e-9}, {"maximum", 10}},
          Json{{"type", "string"}, {"pattern", "^[0-9.eE+-]+(/[0-9.eE+-]+)?$"}}}},
        {"default", "1/60"}};
    properties["substeps"] = substeps_schema();
    properties["solver"] = solver_schema();
    properties["air"] = air_schema();
    properties["cloths"] = {
        {"type", "array"}, {"items", cloth_schema()}, {"minItems", 1}, {"description", "The pieces of cloth."}};
    properties["colliders"] = {{"type", "array"}, {"items", collider_schema()}, {"description", "The colliders."}};
    properties["camera"] =
        desc_schema<CameraDesc>("Where pictures are taken from; without it all cloth and colliders fill the picture.");
    properties["render"] = desc_schema<RenderDesc>("How pictures are drawn.");
    properties["render"]["properties"]["fabric"] =
        look_schema("Changes the look of every cloth: the keys of cloths[].fabric.look.");
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Selvage scene"}};
    schema.update(object_schema("A scene for Selvage: SI units, y up, right-handed.", properties, {"cloths"}));
    return schema;
}

} // namespace selvage
