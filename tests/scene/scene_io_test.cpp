#include "scene/scene_io.h"
#include "scene/scene_json.h"

#include <set>

#include "base/atomic_file.h"
#include "support.h"

namespace selvage {
namespace {

std::string text_of(const SceneDesc& scene) {
    return scene_json(scene).dump(2);
}

Result<SceneDesc> parse_text(const std::string& text, const std::filesystem::path& directory = {}) {
    Result<JsonDocument> document = parse_json(text, "test.json");
    if (!document) return document.error();
    return parse_scene(std::move(*document), directory);
}

TEST(BuiltinScenes, AreTheFilesOfTheFolder) {
    std::set<std::string> files, names;
    for (const auto& entry : std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/scenes"))
        if (entry.path().filename() != "scene.schema.json") files.insert(entry.path().stem().string());
    for (const BuiltinFile& file : builtin_scenes()) {
        names.insert(file.name);
        const Result<std::string> text = read_file(SELVAGE_SOURCE_DIR "/scenes/" + file.name + ".json");
        ASSERT_TRUE(text);
        EXPECT_EQ(*text, file.text);
    }
    EXPECT_EQ(names, files);
}

TEST(BuiltinScenes, LoadAndComeBackFromTheirOwnText) {
    for (const BuiltinFile& file : builtin_scenes()) {
        SCOPED_TRACE(file.name);
        const Result<SceneDesc> scene = load_scene(file.name);
        ASSERT_TRUE(scene) << scene.error().text();
        EXPECT_EQ(scene->name, file.name);
        EXPECT_FALSE(scene->description.empty());
        const Result<SceneDesc> again = parse_text(text_of(*scene));
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(text_of(*again), text_of(*scene));
    }
}

TEST(SceneJson, KeepsEveryKindOfMeshPinAndNumber) {
    const std::string text = R"({
      "name": "all", "description": "x", "gravity": [0.1, -9.81, 1e-17], "dt": 0.0123456789012345678, "substeps": 3,
      "seconds": 0.1, "solver": {"type": "implicit-cg", "integrator": "sdirk3", "derivative": "exact", "newton": 2},
      "air": {"density": 0, "wind": {"velocity": [1, 2, 3], "gust": 0.1, "seed": 7}},
      "cloths": [
        {"name": "a", "mesh": {"grid": {"size": [0.1, 0.3], "vertices": [3, 4], "diagonals": "cross"}},
         "fabric": {"base": "linen", "density": 0.2}, "velocity": [1, 0, 0], "spin": [0, 0, 2],
         "pins": [{"edge": "left", "release": 0.5, "smooth": false},
                  {"corner": "top-right", "keyframes": [{"t": 0}, {"t": 1, "translate": [1, 2, 3], "rotate_deg": [4, 5, 6]}]},
                  {"vertices": [2, 1, 2]}, {"box": {"min": [-1, -2, -3], "max": [1, 2, 3]}}]},
        {"mesh": {"disc": {"radius": 0.3, "rings": 2}}, "place": {"translate": [0, 1, 0], "rotate_deg": [90, 0, 45], "scale": 2}},
        {"mesh": {"tube": {"radius": 0.1, "top_radius": 0.2, "height": 0.3, "vertices": [5, 6]}},
         "net": {"layout": "mesh", "bend": false, "stiffness_times_length": 0.03, "relative_damping": 1e-4}},
        {"mesh": {"block": {"size": [1, 2, 3], "vertices": [2, 3, 4]}}, "fabric": "felt"},
        {"mesh": {"ribbon": {"size": [1.5, 0.1], "vertices": [9, 3], "diagonals": "uniform", "normal": [0, 0, 1],
                             "path": [[0, 0, 0], [1, 0.1, 0], [2, 0, 1e-17]]}}},
        {"mesh": {"file": "dress.obj"}, "surface": {"mesh": {"file": "fine.obj"}}},
        {"mesh": {"garment": {"pattern": "coat-over-dress", "layer": 1, "body": 2, "edge": 0.03}}}],
      "camera": {"eye": [1, 2, 3], "target": [4, 5, 6], "fov_deg": 50}})";
    const Result<SceneDesc> scene = parse_text(text);
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->dt, 0.0123456789012345678);
    EXPECT_EQ(scene->cloths[0].pins[1].keyframes[1].rotate_deg, (Triple{4, 5, 6}));
    EXPECT_EQ(scene->cloths[1].name, "cloth1");
    const Result<SceneDesc> again = parse_text(text_of(*scene));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(text_of(*again), text_of(*scene));
    EXPECT_EQ(again->dt, scene->dt);
    EXPECT_EQ(again->gravity, scene->gravity);
    EXPECT_EQ(again->air.seed, 7);
    EXPECT_EQ(again->cloths[0].material.density, 0.2);
    EXPECT_EQ(again->cloths[0].material.shear, load_fabric("linen")->material.shear);
    const RibbonDesc& ribbon = std::get<RibbonDesc>(again->cloths[4].mesh);
    EXPECT_EQ(ribbon.path, (std::vector<Triple>{{0, 0, 0}, {1, 0.1, 0}, {2, 0, 1e-17}}));
    EXPECT_EQ(ribbon.normal, (Triple{0, 0, 1}));
    EXPECT_EQ(ribbon.diagonals, Diagonals::uniform);
    EXPECT_EQ(std::get<DrawnMeshDesc>(*again->cloths[5].surface).file, "fine.obj");
    const GarmentMeshDesc& garment = std::get<GarmentMeshDesc>(again->cloths[6].mesh);
    EXPECT_EQ(garment.pattern, "coat-over-dress");
    EXPECT_EQ(garment.layer, 1);
    EXPECT_EQ(garment.body, 2);
    EXPECT_EQ(garment.edge, 0.03);
}

TEST(SceneJson, KeepsASurfaceAndAddsNone) {
    const Result<SceneDesc> scene = parse_text(R"({"cloths": [{"mesh": {"grid": {}}}, {"mesh": {"grid": {}},
        "surface": {"pn": {"per_edge": 5, "normals": "area", "keep_length": false}}}, {"mesh": {"grid": {}}, "surface": {"pn": {}}}]})");
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_FALSE(scene->cloths[0].surface);
    EXPECT_FALSE(scene_json(*scene)["cloths"][0].contains("surface"));
    ASSERT_TRUE(scene->cloths[1].surface);
    const PnSettings& curved = std::get<PnSettings>(*scene->cloths[1].surface);
    EXPECT_EQ(curved.per_edge, 5);
    EXPECT_EQ(curved.normals, PnSettings::Normals::area);
    EXPECT_FALSE(curved.keep_length);
    ASSERT_TRUE(scene->cloths[2].surface);
    EXPECT_EQ(std::get<PnSettings>(*scene->cloths[2].surface).per_edge, 8);
    const Result<SceneDesc> again = parse_text(text_of(*scene));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(text_of(*again), text_of(*scene));
}

TEST(SceneJson, KeepsEveryKindOfSolidAndItsMotion) {
    SceneDesc scene;
    scene.cloths.emplace_back();
    ColliderDesc ball{Sphere{0.7}, {{1, 2, 3}, {4, 5, 6}, 2.0}, {0, 1, 0}, {{0.5, {1, 0, 0}, {0, 90, 0}}}, false, 0.9,
                      0.01};
    scene.colliders = {ball,
                       {Box{{1, 2, 3}}, {}, {}, {}},
                       {Plane{}, {}, {}, {}},
                       {Capsule{0.3, 0.2, 0.9}, {}, {}, {}},
                       {Cylinder{0.6, 0.8}, {}, {}, {}},
                       {SolidMeshDesc{FileMeshDesc{"arm.obj"}, "arm.pc2", 30.0}, {}, {}, {}},
                       {SolidMeshDesc{TubeDesc{0.3, 0.1, 0.7, {9, 4}}}, {}, {}, {}},
                       {HeightDesc{{3, 2}, {2, 3}, {0.5, 1, 1.5, 2, 2.5, -3}}, {}, {}, {}}};
    const Json json = scene_json(scene);
    const Result<JsonDocument> document = parse_json(json.dump(), "copy.json");
    ASSERT_TRUE(document);
    const Result<SceneDesc> copy = parse_scene(*document, {});
    ASSERT_TRUE(copy) << copy.error().text();
    ASSERT_EQ(copy->colliders.size(), scene.colliders.size());
    EXPECT_EQ(scene_json(*copy)["colliders"], json["colliders"]);
    EXPECT_EQ(std::get<Sphere>(copy->colliders[0].shape).radius, 0.7);
    EXPECT_EQ(copy->colliders[0].keyframes[0].rotate_deg[1], 90.0);
    EXPECT_EQ(copy->colliders[0].spin[1], 1.0);
    EXPECT_FALSE(copy->colliders[0].smooth);
    EXPECT_EQ(std::get<Capsule>(copy->colliders[3].shape).top_radius, 0.2);
    EXPECT_EQ(std::get<Cylinder>(copy->colliders[4].shape).height, 0.8);
    EXPECT_EQ(std::get<FileMeshDesc>(std::get<SolidMeshDesc>(copy->colliders[5].shape).mesh).file, "arm.obj");
    EXPECT_EQ(std::get<SolidMeshDesc>(copy->colliders[5].shape).frames, "arm.pc2");
    EXPECT_EQ(std::get<SolidMeshDesc>(copy->colliders[5].shape).frames_per_second, 30.0);
    EXPECT_EQ(std::get<HeightDesc>(copy->colliders[7].shape).heights, (std::vector<double>{0.5, 1, 1.5, 2, 2.5, -3}));
    EXPECT_EQ(std::get<HeightDesc>(copy->colliders[7].shape).vertices, (IntPair{2, 3}));
    EXPECT_EQ(std::get<TubeDesc>(std::get<SolidMeshDesc>(copy->colliders[6].shape).mesh).vertices, (IntPair{9, 4}));
}

TEST(SceneJson, WritesAReciprocalAsAFractionOnlyWhenItIsExact) {
    SceneDesc scene = *load_scene("flag");
    for (const int rate : {60, 150, 30000}) {
        scene.dt = 1.0 / rate;
        EXPECT_EQ(scene_json(scene)["dt"], "1/" + std::to_string(rate));
    }
    scene.dt = 0.017;
    EXPECT_EQ(scene_json(scene)["dt"], 0.017);
    scene.dt = 1.0;
    EXPECT_EQ(scene_json(scene)["dt"], 1.0);
}

TEST(SceneDefaults, AreThoseOfTheStructs) {
    const Result<SceneDesc> scene = parse_text(R"({"cloths": [{"mesh": {"grid": {}}}]})");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->name, "test"); // the file's
    EXPECT_EQ(scene->dt, 1.0 / 60.0);
    EXPECT_EQ(scene->substeps, 10); // multilevel's
    EXPECT_EQ(scene->gravity, (Triple{0, -9.81, 0}));
    EXPECT_EQ(scene->air.density, 0.0); // no "air", no air
    EXPECT_EQ(solver_name(scene->solver), "multilevel");
    EXPECT_EQ(scene->cloths[0].name, "cloth0");
    EXPECT_EQ(scene->cloths[0].fabric, "cotton-poplin");
    EXPECT_EQ(scene->cloths[0].material.density, load_fabric("cotton-poplin")->material.density);
    const Result<SceneDesc> windy = parse_text(R"({"cloths": [{"mesh": {"grid": {}}}], "air": {}})");
    ASSERT_TRUE(windy);
    EXPECT_EQ(windy->air.density, 1.2);
}

TEST(SceneSchema, InTheRepositoryIsTheOneOfTheProgram) {
    // selvage scenes --schema > scenes/scene.schema.json
    const Result<std::string> text = read_file(SELVAGE_SOURCE_DIR "/scenes/scene.schema.json");
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(*text, scene_schema().dump(2) + "\n");
}

TEST(SceneSchema, DescribesEveryPropertyAndAllowsNoOthers) {
    std::vector<std::pair<std::string, Json>> open = {{"", scene_schema()}};
    int objects = 0;
    while (!open.empty()) {
        const auto [path, node] = open.back();
        open.pop_back();
        if (node.contains("properties")) {
            ++objects;
            EXPECT_EQ(node["additionalProperties"], false) << path;
            for (const auto& [key, property] : node["properties"].items())
                EXPECT_TRUE(property.contains("description") || property.contains("const") ||
                            property.contains("oneOf"))
                    << path << "/" << key;
        }
        if (node.is_structured())
            for (const auto& [key, child] : node.items())
                open.emplace_back(path + "/" + key, child);
    }
    EXPECT_GT(objects, 15); // scene, solvers, air, wind, cloth, meshes, place, fabric, net, pin, box, keyframe, camera
}

TEST(BuiltinFabrics, ArePositiveInEveryNumberAndSayWhereItIsFrom) {
    EXPECT_EQ(builtin_fabrics().size(), 20u);
    for (const BuiltinFile& file : builtin_fabrics()) {
        SCOPED_TRACE(file.name);
        const Result<Fabric> fabric = load_fabric(file.name);
        ASSERT_TRUE(fabric) << fabric.error().text();
        const Json json = Json::parse(file.text);
        EXPECT_EQ(json["name"], file.name);
        for (const Field& field : material_fields()) {
            SCOPED_TRACE(field.key);
            // All are woven, which is the default and knows no coupling.
            const std::string key(field.key);
            if (field.key == "membrane" || field.key == "coupling") {
                EXPECT_FALSE(json.contains(key));
                continue;
            }
            const double value = std::get<Place<double>>(field.member).in(&fabric->material);
            if (field.key == "bend_bias" || key.rfind("bend_friction", 0) == 0)
                EXPECT_GE(value, 0.0); // 0 where it is not measured, or left out
            else
                EXPECT_GT(value, 0.0);
            ASSERT_TRUE(json.contains(key)) << "a built-in fabric leaves nothing to defaults";
            EXPECT_EQ(json[key].get<double>(), value);
            ASSERT_TRUE(json["sources"].contains(key));
            EXPECT_GT(json["sources"][key].get<std::string>().size(), 10u);
        }
        ASSERT_TRUE(json["sources"].contains("look"));
        for (const Field& field : look_fields())
            EXPECT_TRUE(json["look"].contains(std::string(field.key)))
                << field.key << ": a built-in fabric leaves nothing to defaults";
    }
}

TEST(InlineFabric, ChangesSomeNumbersOfItsBase) {
    const Result<SceneDesc> scene = parse_text(
        R"({"cloths": [{"mesh": {"grid": {}}, "fabric": {"base": "denim", "density": 0.5}},
                       {"mesh": {"grid": {}}, "fabric": {"shear": 7}}]})");
    ASSERT_TRUE(scene) << scene.error().text();
    const Material denim = load_fabric("denim")->material, poplin = load_fabric("cotton-poplin")->material;
    EXPECT_EQ(scene->cloths[0].material.density, 0.5);
    EXPECT_EQ(scene->cloths[0].material.stretch_warp, denim.stretch_warp);
    EXPECT_EQ(scene->cloths[0].material.friction, denim.friction);
    EXPECT_EQ(scene->cloths[1].material.shear, 7.0);
    EXPECT_EQ(scene->cloths[1].material.density, poplin.density); // no base: the standard fabric
}

TEST(InlineFabric, ChangesPartsOfTheLook) {
    const Result<SceneDesc> scene = parse_text(
        R"({"cloths": [{"mesh": {"grid": {}},
                        "fabric": {"base": "denim", "look": {"warp_colour": [0.4, 0, 0], "print": "a.png"}}}]})");
    ASSERT_TRUE(scene) << scene.error().text();
    FabricLook expected = load_fabric("denim")->look;
    expected.warp_colour = {0.4, 0, 0};
    expected.print = std::filesystem::absolute("a.png").string(); // beside the scene, wherever it is used
    EXPECT_EQ(scene->cloths[0].look, expected);
    const Result<SceneDesc> again = parse_text(text_of(*scene));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->cloths[0].look, expected);
}

TEST(Overrides, WinOverTheFileInTheirOrder) {
    const Result<SceneDesc> scene = load_scene(
        "flag", {"/dt=1/150", "/solver={\"type\":\"implicit-cg\"}", "/solver/newton=3", "/air/wind/gust=0",
                 "/cloths/0/mesh/grid/vertices=[5,7]", "/cloths/0/fabric=felt", "/substeps=2", "/substeps=4"});
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->dt, 1.0 / 150.0);
    EXPECT_EQ(std::get<ImplicitCgSettings>(scene->solver).newton, 3);
    EXPECT_EQ(scene->air.gust, 0.0);
    EXPECT_EQ(scene->air.wind, (Triple{4.5, 0, 0.9})); // the rest of the file stays
    EXPECT_EQ(std::get<GridDesc>(scene->cloths[0].mesh).vertices, (IntPair{5, 7}));
    EXPECT_EQ(scene->cloths[0].material.density, load_fabric("felt")->material.density);
    EXPECT_EQ(scene->substeps, 4);
}

TEST(Substeps, FollowTheSolver) {
    const auto with = [](const std::string& solver, const std::string& substeps) {
        return parse_text(R"({"cloths": [{"mesh": {"grid": {}}}], "solver": {"type": ")" + solver + "\"}" +
                          (substeps.empty() ? "" : R"(, "substeps": )" + substeps) + "}");
    };
    const std::string both = R"({"multilevel": 3, "other": 17})";
    EXPECT_EQ(with("multilevel", both)->substeps, 3);
    EXPECT_EQ(with("filter", both)->substeps, 17);
    EXPECT_EQ(with("multilevel", "5")->substeps, 5);
    EXPECT_EQ(with("multilevel", "")->substeps, 10); // small steps of 1/600 s
    EXPECT_EQ(with("filter", "")->substeps, 20);

    Result<SceneDesc> scene = with("multilevel", both);
    ASSERT_TRUE(scene) << scene.error().text();
    scene->substeps = 8; // by hand
    choose_solver(*scene, VerletSettings{});
    EXPECT_EQ(scene->substeps, 17);
    const Result<SceneDesc> again = parse_text(text_of(*scene));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(text_of(*again), text_of(*scene));
    choose_solver(*scene, MultilevelSettings{});
    EXPECT_EQ(scene->substeps, 8);

    scene = with("multilevel", "5"); // one number is everybody's
    ASSERT_TRUE(scene) << scene.error().text();
    scene->substeps = 6;
    choose_solver(*scene, VerletSettings{});
    EXPECT_EQ(scene->substeps, 6);
    EXPECT_EQ(scene_json(*scene)["substeps"], 6);
}

using SceneFiles = TestFolder;

TEST_F(SceneFiles, FindFabricsBesideThem) {
    std::filesystem::create_directories(file("cloths"));
    ASSERT_TRUE(write_file(file("cloths/mine.json"),
                           R"({"name": "mine", "density": 0.33, "sources": {"density": "a scale"}})"));
    ASSERT_TRUE(write_file(file("scene.json"), R"({"cloths": [
        {"mesh": {"grid": {}}, "fabric": "cloths/mine.json"},
        {"mesh": {"grid": {}}, "fabric": {"base": "cloths/mine.json", "shear": 5}}]})"));
    const Result<SceneDesc> scene = load_scene(file("scene.json").string());
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->cloths[0].material.density, 0.33);
    EXPECT_EQ(scene->cloths[1].material.density, 0.33);
    EXPECT_EQ(scene->cloths[1].material.shear, 5.0);
    EXPECT_EQ(scene->directory, folder_);
}

TEST_F(SceneFiles, SaveAndLoadToTheSameScene) {
    const SceneDesc scene = *load_scene("curtain");
    ASSERT_TRUE(save_scene(file("copy.json"), scene));
    const Result<SceneDesc> copy = load_scene(file("copy.json").string());
    ASSERT_TRUE(copy) << copy.error().text();
    EXPECT_EQ(text_of(*copy), text_of(scene));
    EXPECT_EQ(files(), std::vector<std::string>{"copy.json"});
}

TEST_F(SceneFiles, CannotBeSavedIntoAFolderThatIsNotThere) {
    const Status ok = save_scene(file("none/copy.json"), *load_scene("flag"));
    ASSERT_FALSE(ok);
    EXPECT_EQ(ok.error().kind, ErrorKind::io);
    EXPECT_TRUE(files().empty());
}

} // namespace
} // namespace selvage
