#include <algorithm>
#include <cmath>

#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

TEST(Grab, HoldsAPointUntilItIsReleased) {
    Simulation sim = make_simulation(free_sheet(ImplicitJacobiSettings{}, 5));
    sim.grab(12, {0, 1, 0});
    run_steps(sim, 3);
    EXPECT_EQ(sim.state().position[12], (Vec3{0, 1, 0}));
    sim.grab(12, {0, 2, 0});
    sim.grab(12, {0, std::nan(""), 0}); // says nothing
    run_steps(sim, 1);
    EXPECT_EQ(sim.state().position[12], (Vec3{0, 2, 0}));
    sim.release(12);
    sim.release(12);
    run_steps(sim, 1);
    EXPECT_NE(sim.state().position[12], (Vec3{0, 2, 0}));
}

TEST(Grab, IsStrongerThanAPinWhichTakesOverAgain) {
    SceneDesc scene = free_sheet(ImplicitJacobiSettings{}, 5);
    pin_corners(scene);
    Simulation sim = make_simulation(scene);
    const Vec3 corner = sim.state().position[20];
    sim.grab(20, corner + Vec3{0, 0.1, 0});
    run_steps(sim, 1);
    EXPECT_EQ(sim.state().position[20], corner + Vec3(0, 0.1, 0));
    sim.release(20);
    run_steps(sim, 1);
    EXPECT_EQ(sim.state().position[20], corner);
}

// Every solver: falls on a ball that turns and rises, and no point is ever inside it.
TEST(Colliders, KeepEverySolversClothOutside) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults, 15);
        scene.dt = 1.0 / 1000.0;
        scene.cloths[0].place = {{0, 0.3, 0}, {-90, 0, 0}, 1.0};
        ColliderDesc ball;
        ball.shape = Sphere{0.1};
        ball.place.scale = 2.0;
        ball.spin = {0, 2, 0};
        ball.keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.5, {0, 0.1, 0}, {0, 0, 0}}};
        scene.colliders.push_back(ball);
        Simulation sim = make_simulation(scene);
        double deepest = 0.0;
        for (int k = 0; k < 500; ++k) {
            run_steps(sim, 1);
            deepest = std::max(deepest, deepest_penetration(sim.pool(), sim.colliders(), sim.state().position));
        }
        EXPECT_EQ(deepest, 0.0);
        EXPECT_NEAR(sim.colliders()[0].now.centre.y, 0.1, 1e-12);
        double nearest = 1.0;
        for (const Vec3& p : sim.state().position)
            nearest = std::min(nearest, sim.colliders()[0].nearest(p).distance);
        // It lies on the ball at the thickness, or a little off where edges, kept at half of it, sag more than that.
        EXPECT_GT(nearest, 0.0018);
        EXPECT_LT(nearest, 0.004);
        // The ball turns the cloth with it: friction 0.4 on what lies on it, for half a second.
        EXPECT_GT(measure_momentum(sim.model(), sim.state()).angular.y, 1e-4);
    }
}

TEST(Colliders, MoveOnTheSameWayAfterACheckpointedStateIsSet) {
    SceneDesc scene = free_sheet(ImplicitJacobiSettings{}, 9);
    scene.cloths[0].place = {{0, 0.3, 0}, {-90, 0, 0}, 1.0};
    ColliderDesc ball;
    ball.shape = Sphere{0.25};
    ball.spin = {0, 2, 0};
    scene.colliders.push_back(ball);
    Simulation whole = make_simulation(scene), first = make_simulation(scene), second = make_simulation(scene);
    run_steps(whole, 120);
    run_steps(first, 70);
    second.set_state(first.state(), first.step_count());
    run_steps(second, 50);
    EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
}

} // namespace
} // namespace selvage
