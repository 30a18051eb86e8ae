// Solids of every kind in a scene: built, moved, given from outside, and the cloth kept off them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/atomic_file.h"
#include "collision/shapes/solid_mesh.h"
#include "geometry/mesh_export.h"
#include "geometry/vertex_cache.h"
#include "model/measures.h"
#include "sim/checkpoint.h"
#include "sim/report.h"
#include "solvers/scenes.h"
#include "support.h"

namespace selvage {
namespace {

/// A small sheet that falls flat, 0.3 m above the origin.
SceneDesc falling_sheet(const SolidDesc& solid) {
    SceneDesc scene = free_sheet(ImplicitJacobiSettings{}, 15);
    scene.dt = 1.0 / 1000.0;
    scene.cloths[0].place = {{0, 0.3, 0}, {-90, 0, 0}, 0.6};
    ColliderDesc collider;
    collider.shape = solid;
    scene.colliders.push_back(collider);
    return scene;
}

SolidMeshDesc block(double size, int vertices = 3) {
    return {BlockDesc{{size, size, size}, {vertices, vertices, vertices}}};
}

std::string build_error(const SceneDesc& scene) {
    const Result<Simulation> sim = Simulation::make(scene, 1);
    return sim ? "made" : sim.error().text();
}

// The quick answer must never deny what the distance says; far away it must spare the search.
TEST(Colliders, AreOnlyPassedOverByPointsBeyondTheirThickness) {
    SceneDesc scene = falling_sheet(SolidDesc{block(0.4)});
    scene.colliders[0].place.rotate_deg = {20, 30, 40};
    scene.colliders[0].spin = {1, 2, 3};
    for (const bool deforming : {false, true}) {
        Simulation sim = make_simulation(scene);
        const std::vector<Vec3> points = sim.colliders()[0].points_now;
        if (deforming) {
            ASSERT_TRUE(sim.set_collider_points(0, points));
        }
        run_steps(sim, 50);
        const Collider& solid = sim.colliders()[0];
        ASSERT_EQ(solid.is_deforming(), deforming);
        int passed_over = 0, touching = 0;
        for (int k = 0; k < 21 * 21 * 21; ++k) {
            const Vec3 p = solid.now.centre + 0.05 * Vec3(k % 21 - 10, k / 21 % 21 - 10, k / 441 - 10);
            const bool touches = solid.nearest(p).distance < solid.thickness;
            EXPECT_TRUE(solid.may_touch(p) || !touches) << p.x << " " << p.y << " " << p.z;
            touching += touches;
            passed_over += !solid.may_touch(p);
        }
        EXPECT_GT(touching, 400);     // the block has 0.064 of the 1 m3 that 9261 points share: about 590
        EXPECT_GT(passed_over, 4000); // even a box around the turned block is far smaller than the cube of points
    }
}

// Contact skips the points of a collider that rests at the number it had before, so every change must change the number.
TEST(Colliders, HaveAnotherNumberWheneverTheirPointsChange) {
    SceneDesc scene = falling_sheet(SolidDesc{block(0.4)});
    scene.colliders[0].keyframes = {{.t = 0.0}, {.t = 0.05}, {.t = 0.1, .translate = {0.1, 0, 0}}};
    Simulation sim = make_simulation(scene);
    std::vector<Vec3> before = sim.colliders()[0].points_before, now = sim.colliders()[0].points_now;
    std::uint64_t number = sim.colliders()[0].points_number;
    int rested = 0, moved = 0;
    const auto check = [&] {
        const Collider& solid = sim.colliders()[0];
        const bool same = solid.points_before == before && solid.points_now == now;
        EXPECT_TRUE(same || solid.points_number != number);
        EXPECT_TRUE(!solid.rests || solid.points_before == solid.points_now);
        ++(solid.rests ? rested : moved);
        before = solid.points_before, now = solid.points_now, number = solid.points_number;
    };
    for (int k = 0; k < 200; ++k) {
        run_steps(sim, 1);
        check();
    }
    EXPECT_GT(rested, 50);
    EXPECT_GT(moved, 5);
    std::vector<Vec3> bent = now;
    bent[0].y += 0.01;
    ASSERT_TRUE(sim.set_collider_points(0, bent));
    for (int k = 0; k < 3; ++k) {
        run_steps(sim, 1);
        check();
        EXPECT_EQ(sim.colliders()[0].points_now, bent);
    }
}

TEST(Colliders, OfEveryKindHoldTheSheetAtTheirThickness) {
    for (const SolidDesc& solid :
         {SolidDesc{Capsule{0.2, 0.1, 0.1}}, SolidDesc{Cylinder{0.2, 0.4}}, SolidDesc{block(0.4)}}) {
        Simulation sim = make_simulation(falling_sheet(solid));
        double deepest = 0.0;
        for (int k = 0; k < 400; ++k) {
            run_steps(sim, 1);
            deepest = std::max(deepest, deepest_penetration(sim.pool(), sim.colliders(), sim.state().position));
        }
        EXPECT_EQ(deepest, 0.0);
        double nearest = 1.0;
        for (const Vec3& p : sim.state().position)
            nearest = std::min(nearest, sim.colliders()[0].nearest(p).distance);
        // Edges are as long as the solid is wide here, and are kept at half the thickness: they may hold the points off.
        EXPECT_GT(nearest, 0.0018);
        EXPECT_LT(nearest, 0.0025);
        EXPECT_EQ(RunRecorder(sim).report()["penetration_mm"], 0.0);
    }
}

TEST(Colliders, AreScaledByTheirPlace) {
    SceneDesc scene = falling_sheet(Capsule{0.2, 0.1, 0.5});
    scene.colliders.push_back(scene.colliders[0]);
    scene.colliders[1].shape = Cylinder{0.3, 0.7};
    scene.colliders.push_back(scene.colliders[0]);
    scene.colliders[2].shape = block(0.4);
    for (ColliderDesc& collider : scene.colliders)
        collider.place = {{1, 2, 3}, {0, 0, 90}, 2.0};
    const Simulation sim = make_simulation(scene);
    const auto height = [&](int c) { return sim.colliders()[c].bounds().high - sim.colliders()[c].bounds().low; };
    // Turned onto its side: what was its height now lies along x.
    EXPECT_NEAR(height(0).x, 2 * 0.8, 1e-12);
    EXPECT_NEAR(height(0).y, 2 * 0.4, 1e-12);
    EXPECT_NEAR(height(1).x, 2 * 0.7, 1e-12);
    EXPECT_NEAR(height(1).z, 2 * 0.6, 1e-12);
    EXPECT_NEAR(height(2).x, 0.8, 1e-12);
    EXPECT_NEAR(sim.colliders()[2].nearest({1, 3, 3}).distance, 0.6, 1e-12);
}

// Cloth of this kind is flat at rest; a solid has no rest shape but the one it stands in.
TEST(Colliders, MadeOfARibbonStandWhereItStarts) {
    SolidMeshDesc rail;
    rail.mesh = RibbonDesc{{1.0, 0.1}, {21, 3}, {}, {{0, 1, 0}, {0, 1, 2}}, {0, 1, 0}};
    const Simulation sim = make_simulation(falling_sheet(rail));
    const Aabb box = sim.colliders()[0].bounds();
    EXPECT_LT(length(box.low - Vec3(-0.05, 1, 0)), 1e-12);
    EXPECT_LT(length(box.high - Vec3(0.05, 1, 1)), 1e-12);
}

// A mesh that is moved by keyframes and spins: its points are where its pose puts them, at both ends of the step.
TEST(Colliders, OfTrianglesHaveTheirPointsWhereTheirPoseIs) {
    SceneDesc scene = falling_sheet(block(0.1));
    scene.colliders[0].place = {{0, -1, 0}, {0, 30, 0}, 1.5};
    scene.colliders[0].spin = {0, 0, 2};
    scene.colliders[0].keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.1, {0.2, 0, 0}, {0, 90, 0}}};
    Simulation sim = make_simulation(scene);
    const std::vector<Vec3> rest = sim.colliders()[0].mesh()->mesh.positions;
    const Vec3* memory = sim.colliders()[0].points_now.data();
    const Vec3* other = sim.colliders()[0].points_before.data();
    EXPECT_EQ(sim.colliders()[0].points_before, sim.colliders()[0].points_now);
    for (int k = 1; k <= 60; ++k) {
        const std::vector<Vec3> last = sim.colliders()[0].points_now;
        run_steps(sim, 1);
        const Collider& solid = sim.colliders()[0];
        EXPECT_EQ(solid.points_before, last);
        ASSERT_EQ(solid.points_now.size(), rest.size());
        for (std::size_t i = 0; i < rest.size(); ++i)
            EXPECT_EQ(solid.points_now[i], solid.now.to_world(rest[i]));
        EXPECT_EQ(solid.points_now.data(), k % 2 == 1 ? other : memory); // swapped, never made anew
    }
    // 60 ms in: s = 0.6 eased to 0.648, so 0.1296 m along x, a turn of 58.32 degrees and then 0.12 rad about z.
    const Rotation turn =
        rotation_about({0, 0, 0.12}) * rotation_from_degrees({0, 0.648 * 90, 0}) * rotation_from_degrees({0, 30, 0});
    const Vec3 expected = Vec3{0.1296, -1, 0} + turn * rest[0];
    EXPECT_LT(length(sim.colliders()[0].points_now[0] - expected), 1e-12);
}

TEST(Colliders, MoveOverTheNextStepToPointsThatAreGiven) {
    SceneDesc scene = falling_sheet(block(0.2));
    scene.colliders[0].keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {1.0, {1, 0, 0}, {0, 0, 0}}};
    Simulation sim = make_simulation(scene);
    run_steps(sim, 10);
    const std::vector<Vec3> start = sim.colliders()[0].points_now;
    std::vector<Vec3> bent = start;
    for (Vec3& p : bent)
        p += Vec3{0.001 * p.y, 0.002, 0};
    ASSERT_TRUE(sim.set_collider_points(0, bent));
    EXPECT_EQ(sim.colliders()[0].points_now, start); // not before the step
    run_steps(sim, 1);
    EXPECT_EQ(sim.colliders()[0].points_before, start);
    EXPECT_EQ(sim.colliders()[0].points_now, bent);
    // On top of the block, which rose by 2 mm and was sheared by 1 mm a metre.
    const Vec3 top = bent[0] + Vec3{0, 0.15, 0};
    EXPECT_GT(sim.colliders()[0].nearest({0, 0.2, 0}).distance, 0.0);
    EXPECT_LT(sim.colliders()[0].nearest({0, 0.101, 0}).distance, 0.0);
    EXPECT_NEAR(sim.colliders()[0].displacement({0, 0.102, 0}).y, 0.002, 1e-12);
    EXPECT_NEAR(sim.colliders()[0].displacement({0, 0.102, 0}).x, 0.001 * 0.1, 1e-12);
    run_steps(sim, 1); // stands still until told again; the keyframes have no say
    EXPECT_EQ(sim.colliders()[0].points_before, bent);
    EXPECT_EQ(sim.colliders()[0].points_now, bent);
    EXPECT_EQ(sim.colliders()[0].displacement(top), Vec3{});
}

TEST(Colliders, RefusePointsThatDoNotFit) {
    Simulation sim = make_simulation(falling_sheet(block(0.2)));
    const std::vector<Vec3> start = sim.colliders()[0].points_now;
    std::vector<Vec3> points(start.begin(), start.end() - 1);
    Status refused = sim.set_collider_points(0, points);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text(), "found 26 points; expected 27");
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        points = start;
        points[3].y = bad;
        refused = sim.set_collider_points(0, points);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().text(), "point 3 is not finite");
    }
    run_steps(sim, 1);
    EXPECT_EQ(sim.colliders()[0].points_now, start);
    Simulation ball = make_simulation(falling_sheet(Sphere{0.1}));
    EXPECT_FALSE(ball.set_collider_points(0, start));
}

TEST(Colliders, ACrossingIsTold) {
    SceneDesc scene = falling_sheet(SolidMeshDesc{TubeDesc{0.01, 0.01, 2.0, {6, 2}}});
    scene.colliders[0].place.translate = {0.013, 0.3,
                                          0.011}; // a thin rod that stands in the middle of a cell from the start
    Simulation sim = make_simulation(scene);
    CrossingCounter counter;
    const std::optional<std::string> told = first_crossing(sim, counter);
    ASSERT_TRUE(told);
    EXPECT_NE(told->find("of cloth \"sheet\" is pierced by collider 0"), std::string::npos) << *told;
    scene.colliders[0].shape = Sphere{0.01};
    Simulation ball = make_simulation(scene);
    ASSERT_TRUE(first_crossing(ball, counter));
    EXPECT_EQ(RunRecorder(ball).report()["intersections"]["collider"], 1);
}

class SolidFiles : public TestFolder {};

TEST_F(SolidFiles, GiveAMeshOrSayWhyNot) {
    SceneDesc scene = falling_sheet(SolidMeshDesc{FileMeshDesc{"arm.obj"}});
    scene.directory = folder_;
    EXPECT_NE(build_error(scene).find("arm.obj"), std::string::npos) << build_error(scene);
    ASSERT_TRUE(write_file(file("arm.obj"), ""));
    EXPECT_NE(build_error(scene).find("arm.obj: is empty"), std::string::npos) << build_error(scene);
    ASSERT_TRUE(
        write_file(file("arm.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"));
    EXPECT_EQ(build_error(scene), "made");
    const Simulation sim = make_simulation(scene);
    ASSERT_TRUE(sim.colliders()[0].mesh());
    EXPECT_TRUE(sim.colliders()[0].mesh()->is_closed);
    EXPECT_NEAR(sim.colliders()[0].nearest({0.1, 0.1, 0.05}).distance, -0.05, 1e-15);
    scene.colliders[0].shape = SolidMeshDesc{TubeDesc{0.1, 0.1, 1.0, {2, 2}}};
    EXPECT_NE(build_error(scene).find("/colliders/0"), std::string::npos) << build_error(scene);
}

// A checkpoint knows the file's content, not only its name.
TEST_F(SolidFiles, OfAnotherContentDoNotResume) {
    const std::string half = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    ASSERT_TRUE(write_file(file("arm.obj"), half));
    SceneDesc scene = falling_sheet(SolidMeshDesc{FileMeshDesc{"arm.obj"}});
    scene.directory = folder_;
    Simulation sim = make_simulation(scene);
    ASSERT_TRUE(save_checkpoint(file("c"), sim, {}));
    ASSERT_TRUE(load_checkpoint(file("c"), sim));
    ASSERT_TRUE(write_file(file("arm.obj"), "v 0 0 0.25" + half.substr(7)));
    Simulation other = make_simulation(scene);
    EXPECT_FALSE(load_checkpoint(file("c"), other));
}

/// A scene of a block that breathes: frames of a cache at 100 per second, and moved and turned besides.
SceneDesc breathing_block(const std::filesystem::path& folder, const std::string& name) {
    const Result<GeneratedMesh> block = make_block({{0.3, 0.3, 0.3}, {3, 3, 3}});
    EXPECT_TRUE(block);
    Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(folder / name, {&block->mesh, {}, 100.0});
    EXPECT_TRUE(writer);
    for (int f = 0; f < 30; ++f) {
        std::vector<Vec3> x;
        for (const Vec3& p : block->mesh.positions)
            x.push_back((1.0 + 0.2 * std::sin(0.3 * f)) * p + Vec3(0.05 * p.y * f, 0, 0));
        EXPECT_TRUE((*writer)->add_frame(x));
    }
    EXPECT_TRUE((*writer)->finish());
    SceneDesc scene = falling_sheet(SolidMeshDesc{BlockDesc{{0.3, 0.3, 0.3}, {3, 3, 3}}, name, 100.0});
    scene.cloths[0].place.translate = {0, 0.45, 0};
    scene.directory = folder;
    scene.colliders[0].place = {{0, 0.05, 0}, {0, 45, 0}, 1.25};
    scene.colliders[0].spin = {0, 1, 0};
    scene.colliders[0].keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.5, {0.1, 0.05, 0}, {0, 0, 10}}};
    return scene;
}

TEST_F(SolidFiles, OfFramesMoveEveryVertex) {
    for (const char* name : {"block.pc2", "block.mdd"}) {
        const SceneDesc scene = breathing_block(folder_, name);
        Simulation sim = make_simulation(scene);
        const Result<VertexCache> cache = read_vertex_cache(file(name), 100.0);
        ASSERT_TRUE(cache);
        for (int k = 1; k <= 45; ++k) {
            const std::vector<Vec3> last = sim.colliders()[0].points_now;
            run_steps(sim, 1);
            const Collider& solid = sim.colliders()[0];
            EXPECT_EQ(solid.points_before, last);
            // 45 steps of 1 ms: frames 0 to 4.5. Straight between two frames, then scaled, turned and shifted.
            const double at = 0.1 * k;
            const int f = static_cast<int>(at + 1e-9);
            for (std::size_t i = 0; i < solid.points_now.size(); ++i) {
                const Vec3 a(cache->positions[static_cast<std::size_t>(f) * 27 + i]);
                const Vec3 b(cache->positions[static_cast<std::size_t>(f + 1) * 27 + i]);
                const Vec3 local = 1.25 * (a + (at - f) * (b - a));
                EXPECT_LT(length(solid.points_now[i] - solid.now.to_world(local)), 1e-12);
            }
        }
        // Its surface is where its points are: the top face of the breathing block, in its own frame.
        const Collider& solid = sim.colliders()[0];
        const Vec3 corner = solid.points_now[26], middle = solid.points_now[22]; // of the whole block and of its top
        EXPECT_NEAR(solid.nearest(corner).distance, 0.0, 1e-12);
        EXPECT_NEAR(solid.nearest(middle).distance, 0.0, 1e-12);
        EXPECT_LT(solid.nearest(solid.points_now[13]).distance, -0.1);
        EXPECT_LT(length(solid.displacement(middle) - (middle - solid.points_before[22])), 1e-12);
    }
}

TEST_F(SolidFiles, OfFramesCarryTheClothAndGoOnAfterACheckpoint) {
    const SceneDesc scene = breathing_block(folder_, "block.pc2");
    Simulation whole = make_simulation(scene), first = make_simulation(scene), second = make_simulation(scene, 2);
    double deepest = 0.0;
    for (int k = 0; k < 350; ++k) {
        run_steps(whole, 1);
        deepest = std::max(deepest, deepest_penetration(whole.pool(), whole.colliders(), whole.state().position));
    }
    EXPECT_EQ(deepest, 0.0);
    double nearest = 1.0;
    for (const Vec3& p : whole.state().position)
        nearest = std::min(nearest, whole.colliders()[0].nearest(p).distance);
    EXPECT_LT(nearest, 0.0021); // it lies on it
    run_steps(first, 217);
    ASSERT_TRUE(save_checkpoint(file("c"), first, {}));
    ASSERT_TRUE(load_checkpoint(file("c"), second));
    EXPECT_EQ(second.colliders()[0].points_now, first.colliders()[0].points_now);
    EXPECT_EQ(second.colliders()[0].points_before, second.colliders()[0].points_now); // nothing is moving yet
    run_steps(second, 350 - 217);
    EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
}

TEST_F(SolidFiles, OfFramesThatDoNotFitAreRefused) {
    SceneDesc scene = breathing_block(folder_, "block.pc2");
    auto& mesh = std::get<SolidMeshDesc>(scene.colliders[0].shape);
    EXPECT_EQ(build_error(scene), "made");
    mesh.mesh = BlockDesc{{0.3, 0.3, 0.3}, {3, 3, 4}};
    EXPECT_NE(build_error(scene).find("block.pc2: moves 27 vertices; expected the mesh's 36"), std::string::npos)
        << build_error(scene);
    mesh.frames = "none.mdd";
    EXPECT_NE(build_error(scene).find("none.mdd"), std::string::npos) << build_error(scene);
    mesh = {BlockDesc{{0.3, 0.3, 0.3}, {3, 3, 3}}, "block.pc2", 0.0};
    EXPECT_NE(build_error(scene).find("expected frames_per_second"), std::string::npos) << build_error(scene);
}

TEST(Colliders, OfGroundHoldTheSheetAndAreScaledAndTurned) {
    HeightDesc hills{{0.5, 0.5}, {6, 6}, {}};
    for (int k = 0; k < 36; ++k)
        hills.heights.push_back(0.03 * std::sin(1.3 * k));
    SceneDesc scene = falling_sheet(hills);
    scene.colliders[0].place = {{0, 0.1, 0}, {0, 30, 10}, 1.5};
    scene.colliders[0].keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.4, {0, 0.02, 0}, {0, 0, 0}}};
    Simulation sim = make_simulation(scene);
    const Collider& ground = sim.colliders()[0];
    ASSERT_EQ(ground.points_now.size(), 36u);
    EXPECT_LT(length(ground.points_now[7] - ground.now.to_world(1.5 * Vec3(-0.15, hills.heights[7], -0.15))), 1e-12);
    double deepest = 0.0;
    for (int k = 0; k < 400; ++k) {
        run_steps(sim, 1);
        deepest = std::max(deepest, deepest_penetration(sim.pool(), sim.colliders(), sim.state().position));
    }
    EXPECT_EQ(deepest, 0.0);
    double nearest = 1.0;
    for (const Vec3& p : sim.state().position)
        nearest = std::min(nearest, ground.nearest(p).distance);
    EXPECT_NEAR(nearest, 0.002, 1e-6);
    EXPECT_FALSE(sim.set_collider_points(0, ground.points_now)); // ground keeps its shape
}

} // namespace
} // namespace selvage
