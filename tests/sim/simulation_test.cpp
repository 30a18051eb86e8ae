#include "sim/simulation.h"

#include <cfenv>
#include <cmath>
#include <numbers>
#include <set>

#include "base/atomic_file.h"
#include "base/processor.h"
#include "model/measures.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/scene_text.h"
#include "support.h"

namespace selvage {
namespace {

/// One 3 x 3 grid of a metre, without gravity, stepped by 1/64 s: every coordinate and time is exact in binary.
SceneDesc small_sheet(const std::string& cloth_keys) {
    return read(R"({"gravity": [0,0,0], "dt": "1/64", "substeps": 1, "solver": {"type": "implicit-jacobi"},
                    "cloths": [{"name": "sheet", "mesh": {"grid": {"size": [1,1], "vertices": [3,3]}}, )" +
                cloth_keys + "}]}");
}

void step_to(Simulation& sim, double time) {
    while (sim.state().time < time && !sim.divergence())
        sim.step();
}

std::string make_error(const SceneDesc& scene) {
    const Result<Simulation> sim = Simulation::make(scene, 1);
    return sim ? "made" : sim.error().text();
}

constexpr int kTopLeft = 6, kTopRight = 8; // of a 3 x 3 grid, rows from the bottom

TEST(Pins, FollowLinearKeyframesExactly) {
    Simulation sim = make(small_sheet(
        R"("pins": [{"corner": "top-left", "smooth": false, "keyframes": [{"t": 0}, {"t": 1, "translate": [1,2,-4]}]}])"));
    step_to(sim, 0.25);
    EXPECT_EQ(sim.state().position[kTopLeft], Vec3(-0.5 + 0.25, 0.5 + 0.5, -1.0));
    EXPECT_EQ(sim.state().velocity[kTopLeft], Vec3(1, 2, -4)); // [m/s]
    step_to(sim, 1.0);
    EXPECT_EQ(sim.state().position[kTopLeft], Vec3(0.5, 2.5, -4.0));
    step_to(sim, 1.5); // after the last keyframe it stays
    EXPECT_EQ(sim.state().position[kTopLeft], Vec3(0.5, 2.5, -4.0));
    EXPECT_EQ(sim.state().velocity[kTopLeft], Vec3(0, 0, 0));
}

TEST(Pins, EaseAlongTheSmoothstepBetweenKeyframes) {
    Simulation sim = make(small_sheet(
        R"("pins": [{"corner": "top-right", "keyframes": [{"t": 0.5}, {"t": 1.5, "translate": [1,0,0]}, {"t": 2.5, "translate": [1,2,0]}]}])"));
    step_to(sim, 0.5);
    EXPECT_EQ(sim.state().position[kTopRight], Vec3(0.5, 0.5, 0)); // before the first keyframe it waits there
    for (const double s : {0.25, 0.5, 0.75}) {
        step_to(sim, 0.5 + s);
        EXPECT_EQ(sim.state().position[kTopRight], Vec3(0.5 + s * s * (3.0 - 2.0 * s), 0.5, 0)) << s;
    }
    step_to(sim, 1.75); // s = 1/4 of the second leg: 1/16 * 5/2
    EXPECT_EQ(sim.state().position[kTopRight], Vec3(1.5, 0.5 + 2.0 * 0.15625, 0));
}

TEST(Pins, TurnAboutTheCentreOfTheirGroup) {
    Simulation sim = make(small_sheet(
        R"("place": {"translate": [4,0,0]}, "pins": [{"edge": "left", "smooth": false, "keyframes": [{"t": 0}, {"t": 1, "rotate_deg": [0,0,90]}]}])"));
    step_to(sim, 0.5); // 45 degrees about (3.5, 0, 0), half a metre away
    const double c = 0.5 * std::numbers::sqrt2 / 2.0;
    const Vec3 bottom = sim.state().position[0], middle = sim.state().position[3], top = sim.state().position[6];
    EXPECT_NEAR(length(bottom - Vec3(3.5 + c, -c, 0)), 0.0, 1e-15);
    EXPECT_EQ(middle, Vec3(3.5, 0, 0));
    EXPECT_NEAR(length(top - Vec3(3.5 - c, c, 0)), 0.0, 1e-15);
    step_to(sim, 1.0);
    EXPECT_EQ(sim.state().position[0], Vec3(4.0, 0, 0));
    EXPECT_EQ(sim.state().position[6], Vec3(3.0, 0, 0));
}

TEST(Pins, LetGoAtTheirReleaseAndTheClothFallsFromThere) {
    SceneDesc scene = small_sheet(R"("pins": [{"box": {"min": [-9,-9,-9], "max": [9,9,9]}, "release": 0.5}])");
    scene.gravity = {0, -8, 0};
    Simulation sim = make(scene);
    step_to(sim, 0.5 - 1.0 / 64.0);
    const std::vector<Vec3> start = sim.model().mesh.positions;
    EXPECT_EQ(sim.state().position, start);
    step_to(sim, 1.0);
    // 33 free steps, those that end at 0.5 s or later: h^2 g (1 + 2 + ... + 33).
    const double fall = 8.0 / 64.0 / 64.0 * 33.0 * 34.0 / 2.0;
    for (std::size_t i = 0; i < start.size(); ++i)
        EXPECT_NEAR(start[i].y - sim.state().position[i].y, fall, 1e-8); // rest lengths are floats
}

TEST(Pins, OfTwoGroupsTheFirstHasASharedVertexUntilItLetsGo) {
    Simulation sim = make(small_sheet(
        R"("pins": [{"corner": "top-left", "smooth": false, "release": 0.5, "keyframes": [{"t": 0}, {"t": 1, "translate": [1,0,0]}]},
                    {"vertices": [6], "smooth": false, "keyframes": [{"t": 0}, {"t": 1, "translate": [0,1,0]}]}])"));
    step_to(sim, 0.25);
    EXPECT_EQ(sim.state().position[kTopLeft], Vec3(-0.25, 0.5, 0));
    step_to(sim, 0.75);
    EXPECT_EQ(sim.state().position[kTopLeft], Vec3(-0.5, 1.25, 0));
}

TEST(Pins, MayNameAVertexTwice) {
    Simulation sim = make(small_sheet(R"("pins": [{"vertices": [6, 6]}])"));
    step_to(sim, 0.25);
    EXPECT_EQ(sim.state().position[kTopLeft], Vec3(-0.5, 0.5, 0));
}

TEST(Start, PutsTheMeshWhereThePlaceSays) {
    // Scaled to 2 m, turned from the x-y plane into the x-z plane, then moved.
    const Simulation sim = make(small_sheet(R"("place": {"scale": 2, "rotate_deg": [-90,0,0], "translate": [0,3,0]})"));
    EXPECT_EQ(sim.state().position[0], Vec3(-1, 3, 1));
    EXPECT_EQ(sim.state().position[kTopRight], Vec3(1, 3, -1));
    EXPECT_EQ(sim.model().mesh.uv[kTopRight], (Vec2{2, 2})); // metres of cloth
}

TEST(Start, GivesTheClothItsVelocityAndSpinAboutItsCentre) {
    const Simulation sim =
        make(small_sheet(R"("place": {"translate": [8,0,0]}, "velocity": [1,0,0], "spin": [0,0,2])"));
    EXPECT_EQ(sim.state().velocity[5], Vec3(1, 1, 0)); // right middle: r = (0.5, 0, 0), 2 e_z x r = (0, 1, 0)
    EXPECT_EQ(sim.state().velocity[4], Vec3(1, 0, 0)); // the centre
}

/// A ribbon of 2 m that starts as an L: a metre along x, then a metre up; at rest it is flat and straight.
SceneDesc bent_ribbon(const std::string& cloth_keys) {
    return read(R"({"gravity": [0,0,0], "dt": "1/64", "substeps": 1, "solver": {"type": "xpbd"},
        "cloths": [{"mesh": {"ribbon": {"size": [2,0.25], "vertices": [33,5], "normal": [0,0,1],
                             "path": [[0,0,0],[0.5,0,0],[1,0.5,0],[1,1,0],[1,2,0]]}}, )" +
                cloth_keys + "}]}");
}

TEST(Ribbon, StartsOnItsPathAndRestsFlat) {
    Simulation sim = make(bent_ribbon(R"("place": {"translate": [0,0,3], "scale": 2})"));
    const std::vector<Vec3>&start = sim.state().position, &rest = sim.model().mesh.positions;
    // The middle of the left end is the path's first point; the strip, 4 m by 0.5 m after scaling, lies about the origin.
    EXPECT_LT(length(start[2 * 33] - Vec3(0, 0, 3)), 1e-12);
    EXPECT_LT(length(rest[2 * 33] - Vec3(-2, 0, 3)), 1e-12);
    EXPECT_GT(start[2 * 33 + 32].y, 1.5);
    for (const Spring& spring : sim.model().springs)
        EXPECT_NEAR(spring.rest_length, length(rest[spring.a] - rest[spring.b]), 1e-6);
    double mass = 0.0; // of the flat strip's area, not of the bent one's
    for (const double m : sim.model().mass)
        mass += m;
    EXPECT_NEAR(mass, sim.model().parts[0].material.density * 4.0 * 0.5, 1e-12);
    CrossingCounter counter;
    EXPECT_FALSE(first_crossing(sim, counter));
}

TEST(Ribbon, StraightensWhenNothingHoldsItBent) {
    Simulation sim = make(bent_ribbon(R"("velocity": [0,0,0], "fabric": {"bend_warp": 1e-3, "damping": 0.01})"));
    const auto span = [&] { return length(sim.state().position[2 * 33 + 32] - sim.state().position[2 * 33]); };
    const double before = span();
    step_to(sim, 1.0);
    EXPECT_GT(span(), before + 0.05); // the ends part; a bent rest shape would keep them where they are
}

TEST(Ribbon, IsPinnedWhereItStarts) {
    // The box holds the far end on the path; at rest no point lies above y = 0.125.
    Simulation sim = make(bent_ribbon(
        R"("pins": [{"box": {"min": [0,1.2,-1], "max": [2,2,1]}}, {"edge": "left", "keyframes": [{"t": 0}, {"t": 1, "translate": [0,0,1]}]}])"));
    const std::vector<Vec3> start = sim.state().position;
    step_to(sim, 1.0);
    int held = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start[i].y >= 1.2) {
            EXPECT_EQ(sim.state().position[i], start[i]);
            ++held;
        }
    EXPECT_GT(held, 4);
    for (int row = 0; row < 5; ++row)
        EXPECT_LT(length(sim.state().position[33 * row] - start[33 * row] - Vec3(0, 0, 1)), 1e-12);
}

TEST(Ribbon, SpinsAboutTheCentreOfWhereItStarts) {
    const Simulation sim = make(bent_ribbon(R"("spin": [0,0,2])"));
    Vec3 momentum;
    for (std::size_t i = 0; i < sim.model().mass.size(); ++i)
        momentum += sim.model().mass[i] * sim.state().velocity[i];
    EXPECT_LT(length(momentum), 1e-12); // about any other point the whole ribbon would move
}

TEST(Ribbon, WithABadPathIsLocated) {
    const auto error = [](const std::string& ribbon) {
        return make_error(read(R"({"cloths": [{"mesh": {"grid": {}}}, {"mesh": {"ribbon": )" + ribbon + "}}]}"));
    };
    EXPECT_EQ(error("{}"), "test.json:1:46: /cloths/1/mesh: path has 0 points; expected at least 2");
    EXPECT_EQ(error(R"({"path": [[0,0,0]]})"),
              "test.json:1:46: /cloths/1/mesh: path has 1 points; expected at least 2");
    EXPECT_EQ(error(R"({"path": [[0,0,0],[1,0,0],[1,0,0]]})"),
              "test.json:1:46: /cloths/1/mesh: path points 1 and 2 coincide; expected them apart");
    EXPECT_EQ(error(R"({"path": [[0,0,0],[0.5,0,0]]})"),
              "test.json:1:46: /cloths/1/mesh: path is 0.5 m long; expected at least the ribbon's length, 1 m");
    EXPECT_NE(error(R"({"path": [[0,0,0],[0,2,0]]})").find("normal (0, 1, 0) does not look across the path"),
              std::string::npos);
}

TEST(Time, IsCountedNotSummed) {
    SceneDesc scene = small_sheet(R"("velocity": [0,0,0])");
    scene.dt = 1.0 / 300.0;
    Simulation sim = make(scene);
    double sum = 0.0;
    for (int k = 0; k < 1000; ++k) {
        sim.step();
        sum += 1.0 / 300.0;
    }
    EXPECT_EQ(sim.state().time, 1000 * (1.0 / 300.0));
    EXPECT_NE(sim.state().time, sum); // a sum would have drifted
    EXPECT_EQ(sim.step_count(), 1000);
}

TEST(Frame, IsSubstepsStepsOfEqualLength) {
    SceneDesc scene = small_sheet(R"("velocity": [0,0,0])");
    scene.dt = 0.5;
    scene.substeps = 4;
    Simulation sim = make(scene);
    EXPECT_EQ(sim.step_size(), 0.125);
    sim.step_frame();
    EXPECT_EQ(sim.step_count(), 4);
    EXPECT_EQ(sim.state().time, 0.5);
}

// -- Divergence --------------------------------------------------------------------------------------------------

/// Steps of 1/60 s are a hundred times too long for poplin held at a corner; the sheet that only falls has no strain.
SceneDesc bursting_scene() {
    return read(R"({"name": "burst", "dt": "1/60", "substeps": 1, "solver": {"type": "explicit"}, "cloths": [
        {"name": "calm", "mesh": {"grid": {"vertices": [5,5]}}, "place": {"translate": [5,0,0]}},
        {"name": "stiff", "mesh": {"grid": {"vertices": [5,5]}}, "pins": [{"corner": "top-left"}]}]})");
}

TEST(Divergence, NamesTheStepTheVertexAndTheCloth) {
    Simulation sim = make(bursting_scene());
    int frames = 0;
    for (; !sim.divergence() && frames < 1000; ++frames)
        sim.step_frame();
    ASSERT_TRUE(sim.divergence());
    const Divergence& divergence = *sim.divergence();
    EXPECT_EQ(divergence.step, frames); // one step per frame
    EXPECT_EQ(divergence.time, frames / 60.0);
    EXPECT_GE(divergence.vertex, 25);
    EXPECT_LT(divergence.vertex, 50);
    EXPECT_EQ(divergence.cloth, "stiff");
    const std::string text = divergence.text();
    EXPECT_NE(text.find("diverged at step " + std::to_string(frames)), std::string::npos) << text;
    EXPECT_NE(text.find("vertex " + std::to_string(divergence.vertex) + " of cloth \"stiff\""), std::string::npos)
        << text;
}

TEST(Divergence, KeepsTheLastGoodFrameAndStops) {
    SceneDesc scene = bursting_scene();
    scene.substeps = 3; // so that it bursts within a frame
    Simulation sim = make(scene);
    ClothState before;
    for (int f = 0; !sim.divergence() && f < 1000; ++f) {
        before = sim.state();
        sim.step_frame();
    }
    ASSERT_TRUE(sim.divergence());
    EXPECT_EQ(state_hash(sim.state()), state_hash(before));
    for (std::size_t i = 0; i < before.position.size(); ++i)
        EXPECT_TRUE(is_finite(sim.state().position[i]) && is_finite(sim.state().velocity[i]));

    const std::int64_t steps = sim.step_count();
    sim.step_frame();
    sim.step();
    EXPECT_EQ(state_hash(sim.state()), state_hash(before));
    EXPECT_EQ(sim.step_count(), steps);
}

TEST(Divergence, EndsWhenAGoodStateIsSet) {
    Simulation sim = make(bursting_scene());
    const ClothState start = sim.state();
    for (int f = 0; !sim.divergence() && f < 1000; ++f)
        sim.step_frame();
    ASSERT_TRUE(sim.divergence());
    sim.set_state(start, 0);
    EXPECT_FALSE(sim.divergence());
    sim.step_frame();
    EXPECT_EQ(sim.step_count(), 1);
}

// -- Several cloths ----------------------------------------------------------------------------------------------

TEST(SimulationEnergy, IsThatOfTheElementsTheSolverUses) {
    const auto stretched_by_a_hundredth = [](const char* solver) {
        SceneDesc scene = small_sheet(R"("fabric": {"stretch_warp": 4000, "stretch_weft": 3000, "shear": 1000})");
        scene.solver = find_solver(solver)->defaults;
        Simulation sim = make(scene);
        ClothState state = sim.state();
        for (Vec3& p : state.position)
            p.x *= 1.01;
        sim.set_state(std::move(state), 0);
        return sim.energy().elastic;
    };
    // Triangles: Y strain^2/2 over a square metre. Springs: the four half cells' warp threads carry that and their diagonals more.
    EXPECT_NEAR(stretched_by_a_hundredth("multilevel"), 0.5 * 4000 * 1e-4, 1e-9);
    EXPECT_GT(stretched_by_a_hundredth("xpbd"), 1.01 * 0.5 * 4000 * 1e-4);
}

TEST(TwoCloths, KeepTheirOwnRangesAndFabrics) {
    const Simulation sim = make(read(R"({"cloths": [
        {"name": "a", "mesh": {"grid": {"vertices": [3,4]}}, "fabric": "denim"},
        {"mesh": {"disc": {"rings": 2}}, "fabric": {"base": "linen", "density": 0.25}}]})"));
    const std::vector<ClothPart>& parts = sim.model().parts;
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].name, "a");
    EXPECT_EQ(parts[0].vertex_begin, 0);
    EXPECT_EQ(parts[0].vertex_count, 12);
    EXPECT_EQ(parts[0].triangle_count, 12);
    EXPECT_EQ(parts[1].name, "cloth1");
    EXPECT_EQ(parts[1].vertex_begin, 12);
    EXPECT_EQ(parts[1].vertex_count, 19); // 1 + 6 + 12
    EXPECT_EQ(parts[1].triangle_begin, 12);
    EXPECT_EQ(parts[1].spring_begin, parts[0].spring_count);
    EXPECT_EQ(parts[0].material.density, load_fabric("denim")->material.density);
    EXPECT_EQ(parts[1].material.density, 0.25);
    double mass = 0.0;
    for (int i = 0; i < 12; ++i)
        mass += sim.model().mass[i];
    EXPECT_NEAR(mass, load_fabric("denim")->material.density, 1e-12); // of one square metre
    for (const Spring& s : sim.model().springs)
        EXPECT_EQ(s.a < 12, s.b < 12) << "no spring joins the cloths";
}

TEST(TwoCloths, MoveAsIfTheOtherWereNotThere) {
    const std::string first = R"({"name": "a", "mesh": {"grid": {"vertices": [6,5]}}, "fabric": "denim",
        "net": {"stiffness_times_length": 0.05}, "velocity": [0,1,0], "spin": [1,0,0]})";
    const std::string second = R"({"name": "b", "mesh": {"grid": {"vertices": [4,7]}}, "place": {"translate": [3,0,0]},
        "fabric": "silk-habotai", "net": {"stiffness_times_length": 0.03}, "pins": [{"corner": "top-left"}]})";
    // implicit-cg is not in the list: its stopping test sums over all cloths, so they agree only within its tolerance.
    for (const char* solver : {"implicit-jacobi", "explicit"}) {
        SCOPED_TRACE(solver);
        const auto scene = [&](const std::string& cloths) {
            return read(
                R"({"dt": "1/150", "substeps": 1, "air": {"wind": {"velocity": [2,0,1], "gust": 0.3}}, "solver": {"type": ")" +
                std::string(solver) + R"("}, "cloths": [)" + cloths + "]}");
        };
        Simulation both = make(scene(first + "," + second)), one = make(scene(first)), other = make(scene(second));
        for (int f = 0; f < 50; ++f)
            for (Simulation* sim : {&both, &one, &other})
                sim->step_frame();
        ASSERT_FALSE(both.divergence());
        for (int i = 0; i < 30; ++i)
            EXPECT_EQ(both.state().position[i], one.state().position[i]) << i;
        for (int i = 0; i < 28; ++i)
            EXPECT_EQ(both.state().position[30 + i], other.state().position[i]) << i;
    }
}

// -- Scenes that cannot be made ----------------------------------------------------------------------------------

TEST(SimulationErrors, PinsThatReachNothingAreLocated) {
    const auto pins = [](const std::string& pin) {
        return make_error(small_sheet(R"("pins": [{"corner": "top-left"}, )" + pin + "]"));
    };
    EXPECT_EQ(pins(R"({"vertices": [0, 9]})"),
              "test.json:2:137: /cloths/0/pins/1: pins vertex 9, which is outside the mesh; it has vertices 0 to 8");
    EXPECT_EQ(
        pins(R"({"vertices": [2147483647]})"),
        "test.json:2:137: /cloths/0/pins/1: pins vertex 2147483647, which is outside the mesh; it has vertices 0 to 8");
    EXPECT_EQ(pins(R"({"box": {"min": [5,5,5], "max": [6,6,6]}})"),
              "test.json:2:137: /cloths/0/pins/1: pins by a box that holds no vertex; expected it to reach the mesh "
              "where it starts");
    EXPECT_EQ(pins(R"({"box": {"min": [1,1,1], "max": [-1,-1,-1]}})").substr(0, 46),
              "test.json:2:137: /cloths/0/pins/1: pins by a b");
    EXPECT_EQ(pins(R"({"edge": "lft"})"),
              "test.json:2:137: /cloths/0/pins/1: unknown edge \"lft\"; expected one of: left, right, bottom, top");
    EXPECT_EQ(pins(R"({"corner": "left"})"),
              "test.json:2:137: /cloths/0/pins/1: unknown corner \"left\"; expected one of: "
              "bottom-left, bottom-right, top-left, top-right");
}

TEST(SimulationErrors, MeshesTooSmallOrTooLargeAreRefusedBeforeAnyMemoryIsTaken) {
    const auto grid = [](int nx, int ny) {
        SceneDesc scene = small_sheet(R"("velocity": [0,0,0])");
        std::get<GridDesc>(scene.cloths[0].mesh).vertices = {nx, ny};
        return make_error(scene);
    };
    EXPECT_EQ(grid(0, 3), "test.json:2:58: /cloths/0/mesh: grid vertices per side is 0; expected at least 2");
    EXPECT_EQ(grid(3, 1), "test.json:2:58: /cloths/0/mesh: grid vertices per side is 1; expected at least 2");
    EXPECT_EQ(grid(1000000000, 2),
              "test.json:2:58: /cloths/0/mesh: grid asks for 2000000000 vertices; expected at most 16000000");
    EXPECT_EQ(grid(1000000000, 1000000000),
              "test.json:2:58: /cloths/0/mesh: grid asks for 1000000000000000000 vertices; expected at most 16000000");
    SceneDesc block = small_sheet(R"("velocity": [0,0,0])");
    block.cloths[0].mesh = BlockDesc{{1, 1, 1}, {1000000000, 1000000000, 1000000000}}; // 1e27 overflows 64 bits
    EXPECT_NE(make_error(block).find("expected at most 16000000"), std::string::npos) << make_error(block);
    SceneDesc disc = small_sheet(R"("velocity": [0,0,0])");
    disc.cloths[0].mesh = DiscDesc{1.0, 1000000};
    EXPECT_EQ(make_error(disc),
              "test.json:2:58: /cloths/0/mesh: disc asks for 3000003000001 vertices; expected at most 16000000");
}

TEST(SimulationErrors, ASceneWithoutClothsIsRefused) {
    EXPECT_EQ(make_error(SceneDesc{}), "the scene has no mass points; expected at least one cloth");
}

using MeshFiles = TestFolder;

TEST_F(MeshFiles, ThatAreMissingOrNoMeshesAreNamed) {
    const auto load = [&](const std::string& name) {
        return make_error(read(R"({"cloths": [{"mesh": {"file": ")" + name + "\"}}]}", folder_));
    };
    EXPECT_EQ(load("none.obj"), file("none.obj").string() + ": no such file");
    ASSERT_TRUE(write_file(file("text.obj"), "Dear diary,\n"));
    EXPECT_EQ(load("text.obj").rfind(file("text.obj").string(), 0), 0u) << load("text.obj");
    ASSERT_TRUE(write_file(file("text.ply"), "Dear diary,\n"));
    EXPECT_EQ(load("text.ply").rfind(file("text.ply").string(), 0), 0u) << load("text.ply");
    ASSERT_TRUE(write_file(file("text.glb"), "Dear diary,\n"));
    EXPECT_EQ(load("text.glb").rfind(file("text.glb").string(), 0), 0u) << load("text.glb");
    EXPECT_EQ(load("a.stl"),
              file("a.stl").string() + ": has the extension \".stl\"; expected one of: .obj, .ply, .glb, .gltf");
}

TEST_F(MeshFiles, HaveNoNamedEdgesToPinBy) {
    ASSERT_TRUE(write_file(file("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    EXPECT_EQ(
        make_error(read(R"({"cloths": [{"mesh": {"file": "a.obj"}, "pins": [{"edge": "left"}]}]})", folder_)),
        "test.json:1:50: /cloths/0/pins/0: pins by edge \"left\", but this mesh has none; expected vertices or box");
    EXPECT_EQ(make_error(read(R"({"cloths": [{"mesh": {"file": "a.obj"}, "pins": [{"vertices": [2]}]}]})", folder_)),
              "made");
}

TEST_F(MeshFiles, PassTheirOdditiesOnAsWarnings) {
    ASSERT_TRUE(write_file(file("odd.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 2\n"));
    const Simulation sim = make(read(R"({"cloths": [{"name": "odd", "mesh": {"file": "odd.obj"}}]})", folder_));
    ASSERT_EQ(sim.warnings().size(), 2u);
    EXPECT_EQ(sim.warnings()[0],
              file("odd.obj").string() + ": dropped triangles that name a vertex twice: triangle 1 (0 0 1)");
    EXPECT_NE(sim.warnings()[1].find("cloth \"odd\": 1 of 1 triangles have no usable uv"), std::string::npos)
        << sim.warnings()[1];
    EXPECT_EQ(sim.model().mesh.triangle_count(), 1);
}

// -- Report ------------------------------------------------------------------------------------------------------

std::set<std::string> keys(const Json& object) {
    std::set<std::string> names;
    for (const auto& [key, unused] : object.items())
        names.insert(key);
    return names;
}

void expect_finite(const Json& value) {
    EXPECT_TRUE(!value.is_number() || std::isfinite(value.get<double>()));
    if (value.is_structured())
        for (const Json& child : value)
            expect_finite(child);
}

TEST(Report, HoldsThePromisedKeysAndFiniteNumbers) {
    Simulation sim = make(*load_scene("corner-hang", {"/cloths/0/mesh/grid/vertices=[5,5]"}));
    RunRecorder recorder(sim);
    for (int f = 0; f < 5; ++f) {
        sim.step_frame();
        recorder.add_frame(1.0 + f);
    }
    const Json report = recorder.report();
    EXPECT_EQ(keys(report), (std::set<std::string>{"scene",       "solver",         "vertices",
                                                   "triangles",   "springs",        "threads",
                                                   "dt",          "substeps",       "steps",
                                                   "simulated_s", "finite",         "ms_per_frame",
                                                   "strain",      "intersections",  "tangled_at_start",
                                                   "contact",     "penetration_mm", "energy_j",
                                                   "look",        "momentum",       "state_hash"}));
    EXPECT_EQ(keys(report["ms_per_frame"]), (std::set<std::string>{"median", "p95"}));
    EXPECT_EQ(keys(report["strain"]),
              (std::set<std::string>{"max", "rms", "p999", "max_last_second", "compression_max", "threads_max",
                                     "threads_rms", "threads_p999", "threads_max_last_second"}));
    EXPECT_EQ(keys(report["intersections"]), (std::set<std::string>{"self", "collider"}));
    EXPECT_EQ(keys(report["energy_j"]), (std::set<std::string>{"first", "last"}));
    expect_finite(report);
    EXPECT_EQ(report["scene"], "corner-hang");
    EXPECT_EQ(report["solver"], "multilevel");
    EXPECT_EQ(report["vertices"], 25);
    EXPECT_EQ(report["triangles"], 32);
    EXPECT_EQ(report["steps"], 20); // 5 frames of 4
    EXPECT_EQ(report["simulated_s"], sim.state().time);
    EXPECT_EQ(report["finite"], true);
    EXPECT_EQ(report["ms_per_frame"]["median"], 3.0);
    EXPECT_EQ(report["ms_per_frame"]["p95"], 5.0);
    EXPECT_EQ(report["strain"]["max"], measure_strain(sim.model(), sim.state()).max);
    EXPECT_EQ(report["strain"]["threads_max"], ThreadGauge(sim.model()).measure(sim.state().position).max);
    // At rest at y = 1.2 m: m g y of 0.12 kg.
    EXPECT_NEAR(report["energy_j"]["first"].get<double>(), 0.12 * 9.81 * 1.2, 1e-12);
    EXPECT_EQ(report["momentum"].size(), 3u);
    EXPECT_EQ(report["state_hash"], hex(state_hash(sim.state())));
}

TEST(Report, OfADivergedRunIsStillFiniteAndSaysSo) {
    Simulation sim = make(bursting_scene());
    RunRecorder recorder(sim);
    for (int f = 0; !sim.divergence() && f < 1000; ++f) {
        sim.step_frame();
        if (!sim.divergence()) recorder.add_frame(1.0);
    }
    const Json report = recorder.report();
    EXPECT_EQ(report["finite"], false);
    EXPECT_EQ(report["diverged"], sim.divergence()->text());
    expect_finite(report);
}

TEST(Report, TakesTheLargestStrainOfTheLastSecondOnly) {
    // One spring-like sheet pulled out and back: large strain early, none in the last second.
    SceneDesc scene = small_sheet(R"("pins": [{"edge": "left"}, {"edge": "right", "smooth": false, "keyframes":
        [{"t": 0}, {"t": 1, "translate": [0.5,0,0]}, {"t": 2, "translate": [0,0,0]}]}, {"vertices": [1,4,7], "smooth": false,
        "keyframes": [{"t": 0}, {"t": 1, "translate": [0.25,0,0]}, {"t": 2, "translate": [0,0,0]}]}])");
    scene.dt = 0.25;
    Simulation sim = make(scene);
    RunRecorder recorder(sim);
    std::vector<double> recent;
    for (int f = 0; f < 8; ++f) {
        sim.step_frame();
        recorder.add_frame(1.0);
        recent.push_back(recorder.report()["strain"]["max_last_second"].get<double>());
    }
    EXPECT_NEAR(recent[3], 0.5, 1e-12);   // at t = 1 s every horizontal edge is 1.5 times as long
    EXPECT_NEAR(recent[6], 0.5, 1e-12);   // t = 1.75 s: the frame at 1 s is one of the last four
    EXPECT_NEAR(recent[7], 0.375, 1e-12); // t = 2 s: it is not, the one at 1.25 s is
}

TEST(Percentile, IsTheValueThatTheShareLiesAtOrBelow) {
    std::vector<double> values;
    for (int i = 100; i >= 1; --i)
        values.push_back(i);
    EXPECT_EQ(percentile(values, 95.0), 95.0);
    EXPECT_EQ(percentile(values, 50.0), 50.0);
    EXPECT_EQ(percentile(values, 0.0), 1.0);
    EXPECT_EQ(percentile(values, 100.0), 100.0);
    EXPECT_EQ(percentile({3.0}, 95.0), 3.0);
    EXPECT_EQ(percentile({2.0, 1.0}, 50.0), 1.0);
    EXPECT_EQ(percentile({}, 50.0), 0.0);
}

/// A sheet that falls on a ball, on two threads; made and stepped in whatever mode the processor is in.
std::uint64_t hash_of_a_drape(bool by_frame) {
    Simulation sim = make(read(R"({"dt": "1/60", "substeps": 5, "solver": {"type": "xpbd"},
        "cloths": [{"name": "sheet", "mesh": {"disc": {"radius": 0.3, "rings": 6}},
                    "place": {"rotate_deg": [-80, 0, 0], "translate": [0, 0.2, 0]}}],
        "colliders": [{"sphere": {"radius": 0.15}}]})"),
                          2);
    for (int k = 0; k < 60; ++k)
        by_frame ? sim.step_frame() : sim.step();
    return state_hash(sim.state());
}

TEST(Simulation, GivesTheSameBitsWhateverTheHostsFloatMode) {
    for (const bool by_frame : {false, true}) {
        const std::uint64_t expected = hash_of_a_drape(by_frame);
        ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
        const std::uint64_t upward = hash_of_a_drape(by_frame);
        volatile double one = 1.0;
        const bool still_upward = one + 0x1p-60 > 1.0;
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(upward, expected);
        EXPECT_TRUE(still_upward);
#if SELVAGE_HAS_MXCSR
        constexpr FloatControl kFlush = 0x8040; // subnormal results and operands to zero
        const FloatControl before = float_control();
        set_float_control(before | kFlush);
        const std::uint64_t flushed = hash_of_a_drape(by_frame);
        EXPECT_EQ(float_control() & kFlush, kFlush);
        set_float_control(before);
        EXPECT_EQ(flushed, expected);
#endif
    }
}

} // namespace
} // namespace selvage
