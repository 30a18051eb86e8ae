#include "garment/scene_garments.h"

#include <gtest/gtest.h>

#include <numeric>

#include "character/mannequin.h"
#include "garment/ready_garments.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

Result<SceneDesc> scene_of(const std::string& garment, const std::string& colliders,
                           const std::string& fabric = "cotton-poplin") {
    return parse_scene(R"({"substeps": 4, "cloths": [{"name": "worn", "fabric": ")" + fabric +
                           R"(", "mesh": {"garment": )" + garment + R"(}}], "colliders": [)" + colliders + "]}",
                       "worn.json");
}

/// What dressing says of a scene; empty when it is fine.
std::string complaint(const std::string& garment, const std::string& colliders) {
    Result<SceneDesc> scene = scene_of(garment, colliders);
    if (!scene) return scene.error().text();
    const Status ok = dress_scene(*scene, 1);
    return ok ? "" : ok.error().text();
}

const char* const kWalker = R"({"character": {"figure": "female", "motion": "walk", "in_place": true}})";

int crossings(Simulation& sim) {
    const TangleCount tangles = sim.count_tangles();
    return tangles.cloth + tangles.collider + tangles.inside;
}

} // namespace

TEST(SceneGarments, WeighWhatTheirPatternSays) {
    const Character body = *make_mannequin(standard_measurements(Figure::female));
    const Pattern pattern = cut_circle_skirt(*body.landmarks);
    const double area = std::accumulate(pattern.panels.begin(), pattern.panels.end(), 0.0,
                                        [](double sum, const PatternPanel& p) { return sum + panel_area(p); });
    Result<SceneDesc> scene = scene_of(R"({"pattern": "circle-skirt", "edge": 0.05})", kWalker);
    ASSERT_TRUE(scene) << scene.error().text();
    const Status dressed = dress_scene(*scene, 1);
    ASSERT_TRUE(dressed) << dressed.error().text();
    Result<Simulation> sim = Simulation::make(*scene, 1);
    ASSERT_TRUE(sim) << sim.error().text();
    const std::vector<double>& mass = sim->model().mass;
    const double weight = std::accumulate(mass.begin(), mass.end(), 0.0);
    // Curved edges are cut as polygons of 5 cm: a few thousandths of the area are lost or won.
    EXPECT_NEAR(weight / (area * scene->cloths[0].material.density), 1.0, 0.01);
    EXPECT_EQ(crossings(*sim), 0);
}

TEST(SceneGarments, StandWhereTheirBodyStands) {
    const char* garment = R"({"pattern": "circle-skirt", "edge": 0.06})";
    Result<SceneDesc> here = scene_of(garment, kWalker);
    Result<SceneDesc> there = scene_of(garment, R"({"plane": {}}, {"character": {"figure": "female", "motion": "walk"},
                     "place": {"translate": [3, 1, -2], "rotate_deg": [0, 90, 0]}})");
    ASSERT_TRUE(here && there);
    std::get<GarmentMeshDesc>(there->cloths[0].mesh).body = 1;
    ASSERT_TRUE(dress_scene(*here, 1));
    ASSERT_TRUE(dress_scene(*there, 1));
    const std::vector<Vec3>& a = here->cloths[0].given_mesh->mesh.positions;
    const std::vector<Vec3>& b = there->cloths[0].given_mesh->mesh.positions;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) // a quarter turn about y takes x to -z and z to x
        EXPECT_LT(length(b[i] - (Vec3{3, 1, -2} + Vec3{a[i].z, a[i].y, -a[i].x})), 1e-9);
}

TEST(SceneGarments, StandWhereTheFirstKeyframePutsTheirBody) {
    Result<SceneDesc> scene =
        scene_of(R"({"pattern": "circle-skirt", "edge": 0.06})",
                 R"({"character": {"figure": "female", "motion": "a-pose"}, "motion": {"keyframes": [
                                           {"t": 0, "translate": [1, 0.5, 0], "rotate_deg": [0, 90, 0]}]}})");
    ASSERT_TRUE(scene) << scene.error().text();
    ASSERT_TRUE(dress_scene(*scene, 1));
    Result<Simulation> sim = Simulation::make(*scene, 1);
    ASSERT_TRUE(sim);
    EXPECT_EQ(crossings(*sim), 0);
    Vec3 mean;
    for (const Vec3& p : sim->state().position)
        mean += p / static_cast<double>(sim->state().position.size());
    EXPECT_NEAR(mean.x, 1.0, 0.1);
    EXPECT_NEAR(mean.y, 1.3, 0.3);
}

TEST(SceneGarments, DrapeAsTheirOwnFabric) {
    // What was draped as leather stays at its height as leather, and sinks as silk. Of single folds of the hem nothing is
    // asked: they may turn over at any time.
    const auto sinks = [](const std::string& fabric) {
        Result<SceneDesc> scene = scene_of(R"({"pattern": "circle-skirt", "edge": 0.06})",
                                           R"({"character": {"figure": "female", "motion": "a-pose"}})", "leather");
        EXPECT_TRUE(scene && dress_scene(*scene, 1));
        scene->cloths[0].material = load_fabric(fabric)->material;
        Result<Simulation> sim = Simulation::make(*scene, 1);
        EXPECT_TRUE(sim) << sim.error().text();
        const std::vector<Vec3> start = sim->state().position;
        for (int frame = 0; frame < 30; ++frame)
            sim->step_frame();
        double sum = 0.0;
        for (std::size_t v = 0; v < start.size(); ++v)
            sum += (start[v].y - sim->state().position[v].y) / static_cast<double>(start.size());
        return sum;
    };
    const double leather = sinks("leather"), silk = sinks("silk-habotai");
    EXPECT_NEAR(leather, 0.0, 0.003);
    EXPECT_GT(silk, 0.01);
}

TEST(SceneGarments, GoAlongIntoThePoseThatTheSceneStartsIn) {
    // In the middle of a dance; and on a body of a file, in its file's own frame.
    for (const char* body : {R"({"character": {"figure": "female", "motion": "dance", "start": 4.3}})",
                             R"({"character": {"figure": "child", "motion": "sit", "start": 6}})"}) {
        SCOPED_TRACE(body);
        Result<SceneDesc> scene = scene_of(R"({"pattern": "a-line-dress", "edge": 0.05})", body);
        ASSERT_TRUE(scene) << scene.error().text();
        const Status dressed = dress_scene(*scene, 2);
        ASSERT_TRUE(dressed) << dressed.error().text();
        Result<Simulation> sim = Simulation::make(*scene, 2);
        ASSERT_TRUE(sim) << sim.error().text();
        EXPECT_EQ(crossings(*sim), 0);
    }
}

TEST(SceneGarments, SayWhatCannotBeWorn) {
    const char* skirt = R"({"pattern": "circle-skirt", "edge": 0.1})";
    EXPECT_NE(complaint(R"({"pattern": "circle-skrit"})", kWalker).find("did you mean \"circle-skirt\"?"),
              std::string::npos);
    EXPECT_NE(complaint(R"({"pattern": "missing.svg"})", kWalker).find("missing.svg"), std::string::npos);
    EXPECT_NE(complaint(R"({"pattern": "table-cloth"})", kWalker).find("lies flat"), std::string::npos);
    EXPECT_NE(complaint(R"({"pattern": "circle-skirt", "layer": 3, "edge": 0.1})", kWalker).find("0 cloths in layer 3"),
              std::string::npos);
    EXPECT_NE(complaint(skirt, "").find("found \"body\": 0 where there are 0 colliders"), std::string::npos);
    EXPECT_NE(complaint(skirt, R"({"sphere": {}})").find("is no character"), std::string::npos);
    EXPECT_NE(complaint(skirt, R"({"character": {"file": "hero.glb"}})").find("hero.glb"), std::string::npos);
    EXPECT_NE(complaint(skirt, R"({"character": {"motion": "wakl"}})").find("did you mean \"walk\"?"),
              std::string::npos);
    EXPECT_NE(complaint(skirt, R"({"character": {}, "place": {"scale": 2}})").find("/colliders/0/place/scale: found 2"),
              std::string::npos);
    const auto complaint_of = [](const std::string& text) {
        Result<SceneDesc> scene = parse_scene(text, "worn.json");
        const Status ok = dress_scene(*scene, 1);
        return ok ? "" : ok.error().text();
    };
    const std::string worn = R"({"mesh": {"garment": {"pattern": "circle-skirt", "edge": 0.1}})",
                      body = R"(], "colliders": [{"character": {}}]})";
    EXPECT_NE(complaint_of(R"({"cloths": [)" + worn + R"(, "place": {"translate": [1, 0, 0]}})" + body)
                  .find("/cloths/0/place"),
              std::string::npos);
    EXPECT_NE(
        complaint_of(R"({"cloths": [)" + worn + "}, " + worn + "}" + body).find("is layer 0 of this garment already"),
        std::string::npos);
    // The line of the file comes first.
    EXPECT_EQ(complaint(skirt, R"({"sphere": {}})").find("worn.json:1:"), 0u);
}

TEST(SceneGarments, AreRefusedWhereNothingSewsThem) {
    const Result<SceneDesc> scene = scene_of(R"({"pattern": "cape"})", kWalker);
    ASSERT_TRUE(scene);
    const Result<Simulation> sim = Simulation::make(*scene, 1);
    ASSERT_FALSE(sim);
    EXPECT_NE(sim.error().text().find("found the garment \"cape\""), std::string::npos) << sim.error().text();
}

TEST(SceneGarments, OfTheBuiltInScenesStartAndWalkWithoutCrossings) {
    int dressed = 0;
    for (const BuiltinFile& file : builtin_scenes()) {
        SCOPED_TRACE(file.name);
        // Larger edges than the scenes have: this runs under sanitizers as well.
        Result<SceneDesc> scene = load_scene(file.name);
        ASSERT_TRUE(scene) << scene.error().text();
        if (!std::holds_alternative<GarmentMeshDesc>(scene->cloths[0].mesh)) continue;
        ++dressed;
        for (ClothDesc& cloth : scene->cloths)
            std::get<GarmentMeshDesc>(cloth.mesh).edge = 0.04;
        const Status ok = dress_scene(*scene, 2);
        ASSERT_TRUE(ok) << ok.error().text();
        Result<Simulation> sim = Simulation::make(*scene, 2);
        ASSERT_TRUE(sim) << sim.error().text();
        EXPECT_EQ(crossings(*sim), 0);
        for (int frame = 0; frame < 10; ++frame)
            sim->step_frame();
        EXPECT_EQ(crossings(*sim), 0);
        EXPECT_FALSE(sim->divergence());
    }
    EXPECT_EQ(dressed, 4);
}

} // namespace selvage
