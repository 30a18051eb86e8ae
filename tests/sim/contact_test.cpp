// Cloth on itself, on other cloth and in solids, as the simulation runs it.

#include "collision/contact/contact_stage.h"

#include <algorithm>

#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

SceneDesc small_five_sheets() {
    Result<SceneDesc> scene = load_scene("five-sheets");
    EXPECT_TRUE(scene);
    for (ClothDesc& cloth : scene->cloths) {
        std::get<GridDesc>(cloth.mesh).vertices = {9, 9};
        cloth.place.translate[1] -= 0.08; // less to fall
    }
    choose_solver(*scene, XpbdSettings{.substeps = 1}); // leaves all pushing to the stage
    scene->substeps = 8;
    return *scene;
}

SceneDesc small_shaken_box() {
    Result<SceneDesc> scene = load_scene("shaken-box");
    EXPECT_TRUE(scene);
    std::get<RibbonDesc>(scene->cloths[0].mesh).vertices = {31, 9};
    for (ColliderDesc& wall : scene->colliders)
        for (KeyframeDesc& key : wall.keyframes)
            key.t -= 0.5; // shaken soon
    choose_solver(*scene, XpbdSettings{.substeps = 1});
    scene->substeps = 8;
    return *scene;
}

struct NamedScene {
    const char* name;
    SceneDesc scene;
};
std::vector<NamedScene> small_scenes() {
    return {{"five-sheets", small_five_sheets()}, {"shaken-box", small_shaken_box()}};
}

constexpr int kFrames = 30;

TEST(Contact, GoesOnBitForBitFromAStateSetInTheMiddle) {
    for (const auto& [name, scene] : small_scenes()) {
        SCOPED_TRACE(name);
        Simulation whole = make_simulation(scene);
        std::vector<ClothState> states;
        std::vector<std::int64_t> steps;
        std::int64_t contacts = 0;
        CrossingCounter counter;
        for (int f = 0; f < kFrames; ++f) {
            states.push_back(whole.state());
            steps.push_back(whole.step_count());
            whole.step_frame();
            contacts += whole.contact_stats().contacts;
            ASSERT_FALSE(whole.divergence()) << whole.divergence()->text();
            ASSERT_EQ(
                counter.count(whole.pool(), whole.model().edges, whole.model().mesh.triangles, whole.state().position)
                    .count,
                0)
                << "frame " << f;
        }
        EXPECT_GT(contacts, 10000); // pairs of features of cloth that pushed, over all steps
        Simulation resumed = make_simulation(scene);
        for (const int f : {3, 12, 20, 27}) {
            resumed.set_state(states[f], steps[f]);
            for (int k = f; k < std::min(f + 5, kFrames); ++k) {
                resumed.step_frame();
                const ClothState& expected = k + 1 < kFrames ? states[k + 1] : whole.state();
                ASSERT_EQ(state_hash(resumed.state()), state_hash(expected)) << "from frame " << f << ", frame " << k;
            }
        }
    }
}

TEST(Contact, GivesTheSameHashOnAnyNumberOfThreads) {
    for (const auto& [name, scene] : small_scenes()) {
        SCOPED_TRACE(name);
        std::vector<std::uint64_t> hashes;
        for (const int threads : {1, 2, 8}) {
            Simulation sim = make_simulation(scene, threads);
            for (int f = 0; f < 18; ++f)
                sim.step_frame();
            EXPECT_GT(sim.contact_stats().contacts, 0);
            hashes.push_back(state_hash(sim.state()));
        }
        EXPECT_EQ(hashes[1], hashes[0]);
        EXPECT_EQ(hashes[2], hashes[0]);
    }
}

/// Two sheets over a ball; the second is turned.
SceneDesc two_sheets(const SolverSettings& solver, const PlaceDesc& second) {
    SceneDesc scene;
    scene.name = "two-sheets";
    scene.solver = solver;
    scene.substeps = 8;
    for (int k = 0; k < 2; ++k) {
        ClothDesc cloth;
        cloth.name = k == 0 ? "first" : "second";
        cloth.mesh = GridDesc{{0.4, 0.4}, {9, 9}, Diagonals::alternating};
        cloth.place = k == 0 ? PlaceDesc{{0, 0.1, 0}, {-90, 0, 0}, 1.0} : second;
        cloth.material.density = 0.2;
        cloth.material.stretch_warp = cloth.material.stretch_weft = 200;
        cloth.material.shear = 40;
        scene.cloths.push_back(cloth);
    }
    ColliderDesc ball, floor;
    ball.shape = Sphere{0.05};
    floor.shape = Plane{};
    floor.place.translate = {0, -0.2, 0};
    scene.colliders = {ball, floor};
    return scene;
}

double highest_energy(Simulation& sim, int frames) {
    double most = 0.0;
    for (int f = 0; f < frames; ++f) {
        sim.step_frame();
        if (sim.divergence()) return 1e300;
        most = std::max(most, measure_energy(sim.model(), sim.state(), {}).kinetic);
    }
    return most;
}

// What falls is never faster than 0.4 m of falling makes it.
TEST(Contact, SaysWhereClothStartsTangledAndNeverBursts) {
    for (const SolverEntry& entry : solver_catalog()) {
        if (entry.traits.can_diverge) continue;
        SCOPED_TRACE(entry.name);
        Simulation sim = make_simulation(two_sheets(entry.defaults, {{0, 0.1, 0}, {-90, 30, 40}, 1.0}));
        ASSERT_EQ(sim.warnings().size(), 1U);
        EXPECT_NE(sim.warnings()[0].find("starts tangled"), std::string::npos) << sim.warnings()[0];
        EXPECT_NE(sim.warnings()[0].find("of cloth \"first\""), std::string::npos) << sim.warnings()[0];
        EXPECT_TRUE(sim.is_tangled());
        const double mass = 2 * 0.2 * 0.4 * 0.4;
        EXPECT_LT(highest_energy(sim, 60), mass * 9.81 * 0.45);
    }
}

TEST(Contact, StandsSheetsThatStartInOnePlane) {
    for (const double angle : {0.0, 10.0}) {
        SCOPED_TRACE(angle);
        Simulation sim = make_simulation(two_sheets(XpbdSettings{}, {{0, 0.1, 0}, {-90, angle, 0}, 1.0}));
        const double mass = 2 * 0.2 * 0.4 * 0.4;
        EXPECT_LT(highest_energy(sim, 60), mass * 9.81 * 0.45);
    }
}

// Sheets that start in each other and fly apart are kept apart when they meet again.
TEST(Contact, HoldsFromTheFirstFrameWithoutCrossings) {
    SceneDesc scene = two_sheets(XpbdSettings{}, {{0.01, 0.12, 0}, {-90, 30, 8}, 1.0});
    scene.gravity = {0, 0, 0};
    scene.colliders.clear();
    scene.cloths[1].velocity = {0, 2, 0};
    Simulation sim = make_simulation(scene);
    ASSERT_TRUE(sim.is_tangled());
    CrossingCounter counter;
    const auto crossings = [&] {
        return counter.count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position).count;
    };
    for (int f = 0; f < 10; ++f)
        sim.step_frame();
    ASSERT_EQ(crossings(), 0);
    EXPECT_FALSE(sim.is_tangled());
    ClothState back = sim.state();
    for (int i = 81; i < 162; ++i)
        back.velocity[i] = {0, -3, 0};
    sim.set_state(back, sim.step_count());
    std::int64_t contacts = 0;
    for (int f = 0; f < 20; ++f) {
        sim.step_frame();
        contacts += sim.contact_stats().contacts;
        ASSERT_EQ(crossings(), 0) << "frame " << f;
    }
    EXPECT_GT(contacts, 100);
}

// A solver that handles contact by itself may leave the stage nothing to push, though cloth lies on a mesh. What the stage
// then cuts must be cut against the mesh, not against the hand that draws the cloth on: it let 12 edges through here.
TEST(Contact, CutsAgainstAMeshThatTheSolverHasLeftNothingToPushFrom) {
    Result<SceneDesc> scene =
        load_scene("funnel", {"/solver={\"type\":\"xpbd\"}", "/substeps=4", "/gravity=[0.004,-9.81,0]"});
    ASSERT_TRUE(scene);
    Result<Simulation> made = Simulation::make(*scene, 1);
    ASSERT_TRUE(made);
    for (int frame = 1; frame <= 100; ++frame) { // the first crossing was in frame 98
        made->step_frame();
        if (frame < 90) continue;
        const ClothModel& model = made->model();
        ASSERT_EQ(count_collider_crossings(made->pool(), made->colliders(), model.edges, model.mesh.triangles,
                                           made->state().position)
                      .count,
                  0)
            << "in frame " << frame;
    }
}

} // namespace
} // namespace selvage
