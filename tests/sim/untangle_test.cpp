#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collision/contact/inside_vertices.h"
#include "collision/shapes/solid_mesh.h"
#include "math/pi.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace selvage {
namespace {

/// A square that starts as `at` says, from the x-z plane.
template <class Place>
ClothDesc placed_square(const std::string& name, const Place& at, int n = 13, double size = 0.4) {
    GeneratedMesh mesh = *make_grid({{size, size}, {n, n}});
    for (const Vec3& p : mesh.mesh.positions)
        mesh.start.push_back(at(p.x, p.y));
    ClothDesc cloth;
    cloth.name = name;
    cloth.given_mesh = std::make_shared<const GeneratedMesh>(std::move(mesh));
    return cloth;
}

ClothDesc level_square(const std::string& name, double height) {
    return placed_square(name, [=](double u, double v) { return Vec3{u, height, v}; });
}

SceneDesc still_scene(std::vector<ClothDesc> cloths) {
    SceneDesc scene;
    scene.name = "tangled";
    scene.gravity = {0, 0, 0};
    scene.velocity_damping = 1.0;
    scene.substeps = 10;
    scene.cloths = std::move(cloths);
    return scene;
}

SceneDesc crossed_squares() {
    return still_scene({level_square("level", 0.0), placed_square("upright", [](double u, double v) {
                            return Vec3{0.013 + 0.1 * u, 0.007 + 0.995 * u, 0.01 + v};
                        })});
}

ColliderDesc block_at(const Vec3& centre, const Triple& size) {
    TriangleMesh mesh = make_block({size, {5, 5, 5}})->mesh;
    for (Vec3& p : mesh.positions)
        p += centre;
    SolidMeshDesc shape;
    shape.given_mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
    ColliderDesc collider;
    collider.shape = shape;
    return collider;
}

Simulation simulation_of(const SceneDesc& scene, int threads = 1) {
    Result<Simulation> sim = Simulation::make(scene, threads);
    return std::move(*sim);
}

double run_and_measure(Simulation& sim, int frames) {
    double strain = 0.0;
    for (int f = 0; f < frames; ++f) {
        sim.step_frame();
        strain = std::max(strain, largest_strain(sim.pool(), sim.model(), sim.state()));
    }
    return strain;
}

TEST(Untangle, PullsCrossedSheetsApart) {
    Simulation sim = simulation_of(crossed_squares());
    ASSERT_GT(sim.start_tangles().cloth, 20);
    EXPECT_EQ(sim.start_tangles().contours, 1);
    const double strain = run_and_measure(sim, 60); // half a square is 0.2 m, at up to 1 m/s
    EXPECT_EQ(sim.count_tangles().cloth, 0);
    EXPECT_FALSE(sim.is_tangled());
    EXPECT_LT(strain, 0.35); // from there on nothing is pulled further
}

TEST(Untangle, GivesTheSameBitsOnAnyNumberOfThreadsAndAfterARestart) {
    Simulation one = simulation_of(crossed_squares()), three = simulation_of(crossed_squares(), 3);
    run_and_measure(one, 6);
    run_and_measure(three, 6);
    ASSERT_TRUE(one.is_tangled());
    EXPECT_EQ(state_hash(one.state()), state_hash(three.state()));
    Simulation resumed = simulation_of(crossed_squares());
    resumed.set_state(one.state(), one.step_count());
    run_and_measure(one, 12);
    run_and_measure(resumed, 12);
    EXPECT_EQ(state_hash(one.state()), state_hash(resumed.state()));
}

TEST(Untangle, PartsLayersInOnePlaceInTheOrderOfTheBodies) {
    std::vector<ClothDesc> layers;
    for (int k = 0; k < 5; ++k)
        layers.push_back(level_square("layer" + std::to_string(k), 0.0));
    Simulation sim = simulation_of(still_scene(layers));
    run_and_measure(sim, 30);
    EXPECT_EQ(sim.count_tangles().cloth, 0);
    // Grids face +z, which the placing turns to -y: later layers lie on that side.
    const int n = 13 * 13, middle = n / 2;
    for (int k = 1; k < 5; ++k)
        EXPECT_LT(sim.state().position[k * n + middle].y, sim.state().position[(k - 1) * n + middle].y - 1e-5) << k;
}

TEST(Untangle, BringsASheetOutOfAMesh) {
    SceneDesc scene = still_scene({level_square("sheet", 0.03)});
    scene.colliders = {block_at({0.2, 0, 0}, {0.3, 0.2, 0.3})};
    Simulation sim = simulation_of(scene);
    EXPECT_GT(sim.start_tangles().collider, 0);
    EXPECT_GT(sim.start_tangles().inside, 0);
    const auto says = [&](const std::string& text) {
        return std::any_of(sim.warnings().begin(), sim.warnings().end(),
                           [&](const std::string& line) { return line.find(text) != std::string::npos; });
    };
    EXPECT_TRUE(says("starts in a collider"));
    run_and_measure(sim, 90);
    EXPECT_FALSE(sim.count_tangles().any());
}

// Two blocks overlap by 4 cm, and the sheet passes through the overlap: whichever it leaves, it enters the other.
TEST(Untangle, LeavesClothAloneBetweenCollidersThatOverlap) {
    SceneDesc scene = still_scene({level_square("sheet", 0.0)});
    scene.colliders = {block_at({0, 0.08, 0}, {0.5, 0.2, 0.5}), block_at({0, -0.08, 0}, {0.5, 0.2, 0.5})};
    Simulation sim = simulation_of(scene);
    const TangleCount count = sim.count_tangles();
    EXPECT_EQ(count.inside, 2 * 13 * 13); // every vertex in both
    EXPECT_EQ(count.pinched, count.inside);
    const std::vector<Vec3> before = sim.state().position;
    const double strain = run_and_measure(sim, 30);
    double moved = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i)
        moved = std::max(moved, length(sim.state().position[i] - before[i]));
    EXPECT_LT(strain, 1e-6);
    EXPECT_LT(moved, 1e-6); // nothing acts on it
}

TEST(Untangle, CountsHowOftenAMeshWindsAroundAPoint) {
    SceneDesc scene = still_scene({level_square("sheet", 1.0)});
    scene.colliders = {block_at({0, 0, 0}, {0.2, 0.2, 0.2})};
    TriangleMesh twice = *std::get<SolidMeshDesc>(scene.colliders[0].shape).given_mesh;
    const int n = twice.vertex_count();
    const std::vector<Triangle> once = twice.triangles;
    for (int i = 0; i < n; ++i)
        twice.positions.push_back(twice.positions[i] + Vec3{0.1, 0.01, 0.01});
    for (const Triangle& t : once)
        twice.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    std::get<SolidMeshDesc>(scene.colliders[0].shape).given_mesh = std::make_shared<const TriangleMesh>(twice);
    const Simulation sim = simulation_of(scene);
    const Collider& collider = sim.colliders()[0];
    EXPECT_EQ(winding_number(collider, {-0.05, 0.013, 0.017}), 1);
    EXPECT_EQ(winding_number(collider, {0.05, 0.013, 0.017}), 2); // in both blocks
    EXPECT_EQ(winding_number(collider, {0.15, 0.013, 0.017}), 1);
    EXPECT_EQ(winding_number(collider, {0.25, 0.013, 0.017}), 0);
}

/// Of cotton poplin, for the default solver.
SceneDesc poplin_scene(std::vector<ClothDesc> cloths) {
    SceneDesc scene;
    scene.name = "tangled";
    for (ClothDesc& cloth : cloths)
        cloth.material = load_fabric("cotton-poplin")->material;
    scene.cloths = std::move(cloths);
    return scene;
}

/// The frame after which nothing is tangled until the last one.
int frame_of_freedom(Simulation& sim, int frames) {
    int free_at = 0;
    for (int f = 1; f <= frames; ++f) {
        sim.step_frame();
        if (sim.count_tangles().any()) free_at = f;
    }
    return free_at;
}

// Two sheets in one another lie on the ball with the curve between them. When all near the curve was let through, new
// curves came up around it faster than they went: 164 crossings were left after 2 s.
TEST(Untangle, FreesSheetsThatFallOnABallWithTheDefaultSolverAndLongSteps) {
    const double c = std::cos(kPi / 6.0), s = std::sin(kPi / 6.0);
    SceneDesc scene = poplin_scene(
        {placed_square(
             "level", [](double u, double v) { return Vec3{u, 0.25, v}; }, 31, 0.6),
         placed_square("steep", [=](double u, double v) { return Vec3{0.1 + c * u, 0.25 + s * u, v}; }, 31, 0.6)});
    scene.substeps = 4;
    ColliderDesc ball;
    ball.shape = Sphere{0.2};
    scene.colliders = {ball};
    Simulation sim = simulation_of(scene);
    ASSERT_GT(sim.start_tangles().cloth, 100);
    EXPECT_LT(frame_of_freedom(sim, 75), 60);
}

// The ribbon starts 52 % too long for its path and snaps back at 14 m/s. When all of a cloth near a crossing was let
// through the rest of it, the ribbon crumpled through itself: 8,053 crossings after half a second.
TEST(Untangle, KeepsFoldsOfOneSheetApartBesideACrossing) {
    ClothDesc ribbon;
    ribbon.name = "ribbon";
    RibbonDesc trefoil{{1.4, 0.09}, {141, 10}, Diagonals::alternating, {}, {0, 0, 1}};
    for (int k = 0; k <= 36; ++k) {
        const double t = 2.0 * kPi * k / 40.0;
        trefoil.path.push_back({0.07 * (std::sin(t) + 2.0 * std::sin(2.0 * t)),
                                0.07 * (std::cos(t) - 2.0 * std::cos(2.0 * t)), -0.035 * std::sin(3.0 * t)});
    }
    ribbon.mesh = trefoil;
    SceneDesc scene = poplin_scene({ribbon});
    scene.velocity_damping = 1.0;
    Simulation sim = simulation_of(scene);
    ASSERT_EQ(sim.start_tangles().cloth, 23);
    EXPECT_LT(frame_of_freedom(sim, 30), 15);
}

} // namespace
} // namespace selvage
