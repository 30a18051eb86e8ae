// Contact on the device: nothing crosses, what is pressed stays apart, friction holds what it should.

#include <cmath>
#include <random>

#include "base/concat.h"
#include "cuda/cuda_scenes.h"
#include "sim/report.h"

namespace selvage {
namespace {

class CudaContact : public OnEmulatedDevice {};

/// A sheet of poplin-like cloth of so many vertices per side and edge length [m].
ClothDesc sheet(const char* name, int side, double size, const Triple& place, const Triple& turn = {0, 0, 0}) {
    ClothDesc cloth;
    cloth.name = name;
    cloth.mesh = GridDesc{{size, size}, {side, side}, Diagonals::alternating};
    cloth.place.rotate_deg = {turn[0] - 90.0, turn[1], turn[2]}; // lies level
    cloth.place.translate = place;
    cloth.material.density = 0.2;
    cloth.material.stretch_warp = cloth.material.stretch_weft = 500;
    cloth.material.shear = 30;
    cloth.material.bend_warp = cloth.material.bend_weft = 1e-5;
    cloth.material.friction = 0.3;
    cloth.self_collision = true;
    return cloth;
}

SceneDesc scene_of(std::vector<ClothDesc> cloths) {
    SceneDesc scene;
    scene.name = "contact";
    scene.dt = 1.0 / 60.0;
    scene.substeps = 1;
    MultilevelSettings solver;
    solver.substeps = 4;
    scene.solver = solver;
    scene.cloths = std::move(cloths);
    return scene;
}

ColliderDesc ground(double friction = 0.4) {
    ColliderDesc collider;
    collider.shape = Plane{};
    collider.friction = friction;
    return collider;
}

double largest_stretch(const Simulation& sim) {
    return measure_strain(sim.model(), sim.state()).max;
}

/// Frame by frame, without a crossing.
void expect_clean(Simulation& sim, int frames, const std::function<void(int frame)>& before_frame = {}) {
    CrossingCounter counter;
    for (int f = 0; f < frames; ++f) {
        if (before_frame) before_frame(f);
        sim.step_frame();
        ASSERT_FALSE(sim.divergence()) << sim.divergence()->text();
        const std::optional<std::string> crossing = first_crossing(sim, counter);
        ASSERT_FALSE(crossing) << "frame " << f << ": " << *crossing;
    }
}

/// Two sheets fall on the ground, the upper one turned.
SceneDesc two_sheets() {
    SceneDesc scene =
        scene_of({sheet("lower", 7, 0.15, {0, 0.004, 0}), sheet("upper", 7, 0.15, {0, 0.008, 0}, {0, 30, 0})});
    scene.colliders.push_back(ground());
    return scene;
}

TEST_F(CudaContact, SheetsThatFallOnEachOtherNeverCross) {
    Simulation sim = on_device(two_sheets());
    std::int64_t contacts = 0;
    expect_clean(sim, 10, [&](int) { contacts += sim.contact_stats().contacts; });
    EXPECT_GT(contacts, 1000); // it was contact that kept them apart
    EXPECT_LT(largest_stretch(sim), 0.02);
    // At rest, one upon the other, no lower than the thickness of the ground.
    double lowest[2] = {1.0, 1.0};
    for (int i = 0; i < sim.model().vertex_count(); ++i)
        lowest[i / 49] = std::min(lowest[i / 49], sim.state().position[i].y);
    EXPECT_GT(lowest[0], 0.0018);
    EXPECT_GT(lowest[1], 0.0018); // its corners reach over the lower one
    EXPECT_LT(lowest[1], 0.008);
}

TEST_F(CudaContact, GivesTheSameBitsTwiceAndInAnyOrderOfThreads) {
    std::vector<std::uint64_t> hashes;
    for (const bool descending : {false, false, true}) {
        emulated::machine().descending = descending;
        Simulation sim = on_device(two_sheets());
        for (int f = 0; f < 6; ++f)
            sim.step_frame();
        EXPECT_GT(sim.contact_stats().contacts, 0);
        hashes.push_back(state_hash(sim.state()));
    }
    EXPECT_EQ(hashes[1], hashes[0]);
    EXPECT_EQ(hashes[2], hashes[0]);
}

// 8 m/s are 13 cm in a frame, and 33 mm in a small step: more than an edge.
TEST_F(CudaContact, ASheetThrownAtAnotherDoesNotPassThroughIt) {
    SceneDesc scene =
        scene_of({sheet("held", 9, 0.2, {0, 0, 0}), sheet("thrown", 9, 0.2, {0.03, 0.06, 0.02}, {0, 20, 0})});
    PinDesc pin;
    pin.select = EdgeName{"left"};
    scene.cloths[0].pins.push_back(pin);
    scene.cloths[1].velocity = {0, -8, 0};
    Simulation sim = on_device(scene);
    expect_clean(sim, 5);
}

TEST_F(CudaContact, AHandThatPullsThroughASheetLagsBehind) {
    SceneDesc scene = scene_of({sheet("held", 9, 0.2, {0, 0, 0}), sheet("pulled", 5, 0.1, {0, 0.02, 0}, {0, 10, 0})});
    for (const char* edge : {"left", "right"}) {
        PinDesc pin;
        pin.select = EdgeName{edge};
        scene.cloths[0].pins.push_back(pin);
    }
    Simulation sim = on_device(scene);
    const int middle = 81 + 12;
    const Vec3 start = sim.state().position[middle];
    expect_clean(sim, 8, [&](int f) { sim.grab(middle, start - Vec3{0, 0.01 * (f + 1), 0}); });
}

// The plane leans by 20 degrees (tangent 0.364): what rests on it sticks where the coefficient is larger, and else slides
// with g (sin - mu cos).
TEST_F(CudaContact, FrictionHoldsOnASlopeUpToItsCoefficient) {
    for (const double mu : {0.5, 0.2}) {
        SCOPED_TRACE(mu);
        const double slope = 20.0 * std::acos(-1.0) / 180.0;
        SceneDesc scene = scene_of({sheet("sheet", 5, 0.1, {0, 0.0024, 0})});
        scene.colliders.push_back(ground(mu));
        std::get<MultilevelSettings>(scene.solver).substeps = 8;
        scene.gravity = {9.81 * std::sin(slope), -9.81 * std::cos(slope), 0};
        Simulation sim = on_device(scene);
        const auto mean = [&] {
            double sum = 0.0;
            for (const Vec3& p : sim.state().position)
                sum += p.x / static_cast<double>(sim.state().position.size());
            return sum;
        };
        constexpr int kHalf = 9;  // frames
        expect_clean(sim, kHalf); // it settles
        const double settled = mean(), time = kHalf / 60.0;
        expect_clean(sim, kHalf);
        const double middle = mean(), before_middle = middle - settled;
        expect_clean(sim, kHalf);
        const double moved = mean() - middle, acceleration = 9.81 * (std::sin(slope) - mu * std::cos(slope));
        if (mu > 0.364)
            EXPECT_LT(std::abs(moved), 1e-5);
        else
            EXPECT_NEAR((moved - before_middle) / (time * time), acceleration, 0.02 * acceleration);
    }
}

// Sheets in random places and turns fly at each other and at a ball that moves, and a hand pulls at one of them.
TEST_F(CudaContact, RandomThrowsNeverCross) {
    std::mt19937 random(5);
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() % 10007) / 10007.0;
    };
    for (int run = 0; run < 3; ++run) {
        SCOPED_TRACE(run);
        std::vector<ClothDesc> cloths;
        for (int k = 0; k < 4; ++k) {
            const std::string name = concat("sheet ", k);
            cloths.push_back(sheet(name.c_str(), 5, 0.1, {between(-0.02, 0.02), 0.02 * k, between(-0.02, 0.02)},
                                   {between(-8, 8), between(0, 90), 0}));
            cloths.back().velocity = {between(-2, 2), between(-9, 9), between(-2, 2)};
        }
        SceneDesc scene = scene_of(std::move(cloths));
        ColliderDesc ball;
        ball.shape = Sphere{0.03};
        ball.place.translate = {0, -0.06, 0};
        ball.keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.1, {0, 0.02, 0.01}, {0, 0, 0}}};
        scene.colliders.push_back(ball);
        Simulation sim = on_device(scene);
        const int held = static_cast<int>(random() % 100);
        const Vec3 at = sim.state().position[held], pull{between(-1, 1), between(-1, 1), between(-1, 1)};
        expect_clean(sim, 5, [&](int f) { sim.grab(held, at + 0.02 * f * pull); });
    }
}

TEST_F(CudaContact, SaysWhatItRefuses) {
    SceneDesc scene = two_sheets();
    std::get<MultilevelSettings>(scene.solver).contact = false;
    EXPECT_NE(refusal(scene).find("found \"contact\": false"), std::string::npos) << refusal(scene);
    scene = two_sheets();
    scene.cloths[1].place.rotate_deg = {-60.0, 0, 0};
    scene.cloths[1].place.translate = {0, 0.009, 0};
    EXPECT_NE(refusal(scene).find("starts tangled"), std::string::npos) << refusal(scene);
}

struct Solid {
    const char* name;
    SolidDesc shape;
    double top; ///< Height of its highest point [m].
};
void PrintTo(const Solid& solid, std::ostream* out) {
    *out << solid.name;
}
class CudaContactWith : public OnEmulatedDevice, public ::testing::WithParamInterface<Solid> {};

TEST_P(CudaContactWith, ClothThatFallsOnItStaysOutside) {
    SceneDesc scene = scene_of({sheet("sheet", 11, 0.3, {0.01, GetParam().top + 0.005, 0.0}, {0, 15, 0})});
    ColliderDesc collider;
    collider.shape = GetParam().shape;
    collider.thickness = 0.002;
    scene.colliders.push_back(collider);
    Simulation sim = on_device(scene);
    double deepest = 0.0, least = 1.0;
    expect_clean(sim, 10, [&](int) {
        deepest = std::max(deepest, deepest_penetration(sim.pool(), sim.colliders(), sim.state().position));
    });
    for (const Vec3& p : sim.state().position)
        least = std::min(least, sim.colliders()[0].nearest(p).distance);
    EXPECT_LT(deepest, 1e-6);
    EXPECT_GT(least, 0.0015); // nearly its thickness
    EXPECT_LT(least, 0.006);  // and it has come to it
    EXPECT_LT(largest_stretch(sim), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Each, CudaContactWith,
                         ::testing::Values(Solid{"Sphere", Sphere{0.08}, 0.08},
                                           Solid{"Box", Box{{0.15, 0.1, 0.12}}, 0.05}, Solid{"Plane", Plane{}, 0.0},
                                           Solid{"Cylinder", Cylinder{0.08, 0.1}, 0.05},
                                           Solid{"Capsule", Capsule{0.06, 0.05, 0.1}, 0.1}),
                         [](const auto& solid) { return std::string(solid.param.name); });

/// Contact around steps of springs.
struct SpringSolver {
    const char* name;
    SolverSettings solver;
};
void PrintTo(const SpringSolver& solver, std::ostream* out) {
    *out << solver.name;
}
class CudaContactOf : public OnEmulatedDevice, public ::testing::WithParamInterface<SpringSolver> {
protected:
    static SceneDesc with_springs(SceneDesc scene) {
        scene.solver = GetParam().solver;
        scene.dt = 1.0 / 240.0;
        scene.substeps = 2;
        return scene;
    }
};

TEST_P(CudaContactOf, SheetsThatFallOnEachOtherNeverCross) {
    Simulation sim = on_device(with_springs(two_sheets()));
    std::int64_t contacts = 0;
    expect_clean(sim, 30, [&](int) { contacts += sim.contact_stats().contacts; });
    EXPECT_GT(contacts, 1000);
    double lowest = 1.0, highest = -1.0;
    for (const Vec3& p : sim.state().position) {
        lowest = std::min(lowest, p.y);
        highest = std::max(highest, p.y);
    }
    EXPECT_GT(lowest, 0.0018); // the thickness of the ground, but for what springs leave
    EXPECT_LT(highest, 0.012); // and it does not bounce
}

TEST_P(CudaContactOf, ASheetThrownAtAnotherAndAHandDoNotPassThroughIt) {
    SceneDesc scene = with_springs(
        scene_of({sheet("held", 9, 0.2, {0, 0, 0}), sheet("thrown", 9, 0.2, {0.03, 0.06, 0.02}, {0, 20, 0})}));
    PinDesc pin;
    pin.select = EdgeName{"left"};
    scene.cloths[0].pins.push_back(pin);
    scene.cloths[1].velocity = {0, -8, 0};
    Simulation sim = on_device(scene);
    const int middle = 81 + 40;
    const Vec3 start = sim.state().position[middle];
    expect_clean(sim, 12, [&](int f) { sim.grab(middle, start - Vec3{0, 0.02 * (f + 1), 0}); });
}

TEST_P(CudaContactOf, ABallIsNotEntered) {
    SceneDesc scene = with_springs(scene_of({sheet("sheet", 11, 0.3, {0.01, 0.085, 0.0}, {0, 15, 0})}));
    ColliderDesc ball;
    ball.shape = Sphere{0.08};
    ball.thickness = 0.002;
    scene.colliders.push_back(ball);
    Simulation sim = on_device(scene);
    double deepest = 0.0;
    expect_clean(sim, 24, [&](int) {
        deepest = std::max(deepest, deepest_penetration(sim.pool(), sim.colliders(), sim.state().position));
    });
    EXPECT_LT(deepest, 1e-6);
}

TEST_P(CudaContactOf, GivesTheSameBitsInAnyOrderOfThreads) {
    std::vector<std::uint64_t> hashes;
    for (const bool descending : {false, true}) {
        emulated::machine().descending = descending;
        Simulation sim = on_device(with_springs(two_sheets()));
        for (int f = 0; f < 12; ++f)
            sim.step_frame();
        EXPECT_GT(sim.contact_stats().contacts, 0);
        hashes.push_back(state_hash(sim.state()));
    }
    EXPECT_EQ(hashes[1], hashes[0]);
}

TEST_P(CudaContactOf, WhatNothingTouchesMovesAsWithoutContact) {
    SceneDesc scene = with_springs(scene_of({sheet("sheet", 9, 0.2, {0, 1, 0})}));
    scene.cloths[0].velocity = {0.1, 0, 0};
    std::uint64_t hashes[2];
    for (const bool collides : {false, true}) {
        scene.cloths[0].self_collision = collides;
        Simulation sim = on_device(scene);
        for (int f = 0; f < 5; ++f)
            sim.step_frame();
        EXPECT_EQ(sim.contact_stats().truncated, 0);
        hashes[collides] = state_hash(sim.state());
    }
    EXPECT_EQ(hashes[1], hashes[0]);
}

INSTANTIATE_TEST_SUITE_P(Springs, CudaContactOf,
                         ::testing::Values(SpringSolver{"Harmonic", HarmonicSettings{}},
                                           SpringSolver{"ImplicitJacobi", ImplicitJacobiSettings{}}),
                         [](const auto& solver) { return std::string(solver.param.name); });

} // namespace
} // namespace selvage
