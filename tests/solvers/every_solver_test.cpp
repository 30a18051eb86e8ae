#include <cmath>

#include "model/measures.h"
#include "solvers/catalog.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

TEST(EverySolver, IsFoundByItsNameAndByItsSettings) {
    for (const SolverEntry& entry : solver_catalog()) {
        EXPECT_EQ(find_solver(entry.name), &entry); // no other entry has its name
        EXPECT_EQ(solver_name(entry.defaults), entry.name);
        EXPECT_FALSE(entry.summary.empty()) << entry.name;
    }
}

TEST(EverySolver, DropsAnUnpinnedSheetLikeAFreeBody) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        Simulation sim = make_simulation(free_sheet(entry.defaults));
        const double start = centre_of_mass(sim.model(), sim.state()).y;
        run_steps(sim, 120);
        const double t = 0.5, h = 1.0 / 240.0;
        // g t (t + h)/2: what every first-order method here does with constant acceleration, to round-off.
        EXPECT_NEAR(start - centre_of_mass(sim.model(), sim.state()).y, 0.5 * 9.81 * t * (t + h), 1e-9);
        EXPECT_LT(measure_strain(sim.model(), sim.state()).max, 1e-6);
    }
}

TEST(EverySolver, LeavesAClothAtRestWhereItIs) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults);
        scene.gravity = {0, 0, 0};
        Simulation sim = make_simulation(scene);
        const std::vector<Vec3> start = sim.state().position;
        run_steps(sim, 240);
        // Rest lengths are floats: springs start 1e-9 m off and breathe by that much.
        for (std::size_t i = 0; i < start.size(); ++i)
            EXPECT_LT(length(sim.state().position[i] - start[i]), 1e-7);
    }
}

TEST(EverySolver, KeepsLinearMomentum) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults);
        scene.gravity = {0, 0, 0};
        scene.cloths[0].velocity = {0.5, 0.2, -0.3};
        scene.cloths[0].spin = {1, 2, 3};
        Simulation sim = make_simulation(scene);
        const Momentum before = measure_momentum(sim.model(), sim.state());
        run_steps(sim, 240);
        const Momentum after = measure_momentum(sim.model(), sim.state());
        EXPECT_LT(length(after.linear - before.linear), 1e-6 * length(before.linear));
    }
}

TEST(EverySolver, LetsVelocityFadeAtTheDampingRateOfSceneAndCloth) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults);
        scene.gravity = {0, 0, 0};
        scene.velocity_damping = 1.5;
        scene.cloths.push_back(scene.cloths[0]);
        scene.cloths[0].velocity = {0.5, 0.2, -0.3};
        scene.cloths[1].place.translate = {0, 0, 5};
        scene.cloths[1].velocity = {0.5, 0.2, -0.3};
        scene.cloths[1].velocity_damping = 0.73;
        Simulation sim = make_simulation(scene);
        run_steps(sim, 240);
        const double h = 1.0 / 240.0, start = length(Vec3{0.5, 0.2, -0.3});
        for (int c = 0; c < 2; ++c) {
            const double rate = c == 0 ? 1.5 : 2.23;
            const double speed = length(sim.state().velocity[121 * c + 60]) / start;
            // Backward Euler in 240 steps gives (1 + h rate)^-240; it is above exp(-rate t) by the factor
            // exp(rate^2 h t/2), 1.04 % at 2.23 /s.
            EXPECT_NEAR(speed, std::pow(1.0 + h * rate, -240), 1e-6);
            EXPECT_NEAR(speed * std::exp(rate), 1.0, 0.55 * rate * rate * h);
        }
    }
}

TEST(EverySolver, FallsAtTheTerminalSpeedOfTheDampingRate) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults);
        scene.velocity_damping = 20.0;
        Simulation sim = make_simulation(scene);
        run_steps(sim, 480);
        EXPECT_NEAR(sim.state().velocity[60].y, -9.81 / 20.0, 1e-6); // weight = m rate v, whatever the step
    }
}

TEST(EverySolver, DriftsWhereWindAndDampingBalance) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults); // in the x-y plane: the wind meets it broadside
        scene.gravity = {0, 0, 0};
        scene.velocity_damping = 6.0;
        scene.air.density = 1.2;
        scene.air.wind = {0, 0, 2};
        Simulation sim = make_simulation(scene);
        run_steps(sim, 720);
        // Drag against damping: k (w - v)^2 = d v with k = rho C_D/(2 sigma) = 1.2 x 1.2/(2 x 0.2) = 3.6 /m.
        const double k = 3.6, w = 2.0, b = 2.0 * k * w + 6.0;
        const double v = (b - std::sqrt(b * b - 4.0 * k * k * w * w)) / (2.0 * k);
        EXPECT_NEAR(sim.state().velocity[60].z, v, 1e-4);
    }
}

TEST(EverySolver, KeepsPinsOnTheirTargets) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults);
        pin_corners(scene);
        scene.cloths[0].pins[1].keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.5, {-0.2, 0.1, 0.3}, {0, 0, 0}}};
        scene.cloths[0].pins[1].smooth = false;
        Simulation sim = make_simulation(scene);
        const std::vector<Vec3> start = sim.state().position;
        run_steps(sim, 60); // half of the time
        EXPECT_EQ(sim.state().position[110], start[110]);
        EXPECT_LT(length(sim.state().position[120] - (start[120] + Vec3{-0.1, 0.05, 0.15})), 1e-12);
    }
}

TEST(EverySolver, GivesTheSameBitsTwiceAndOnAnyNumberOfThreads) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults, 41); // 1681 points: several chunks
        scene.dt = 1.0 / 1000.0;
        pin_corners(scene);
        scene.air.density = 1.2;
        scene.air.wind = {3, 0, 1};
        scene.air.gust = 0.4;
        std::vector<std::uint64_t> hashes;
        for (const int threads : {1, 1, 2, 8}) {
            Simulation sim = make_simulation(scene, threads);
            run_steps(sim, 40);
            hashes.push_back(state_hash(sim.state()));
        }
        for (const std::uint64_t hash : hashes)
            EXPECT_EQ(hash, hashes[0]);
    }
}

// The same bits from every build, with any compiler and on any machine: contraction is off, and set-up and step call nothing of
// the C library's maths but sqrt (see math/functions.h). A change here is a change of results: say so in the changelog.
TEST(EverySolver, EndsInTheGoldenState) {
    const std::vector<std::pair<std::string, std::string>> golden = {
        {"implicit-jacobi", "c2307d44b0b85db8"},
        {"implicit-cg", "89ff24af0a20e6bd"},
        {"filter", "46e23f59eb53c84b"},
        {"verlet", "0680af2498cf5bb8"},
        {"harmonic", "d5dea0ef8bfc99f3"},
        {"harmonic-published", "5c175cee5881b672"},
        {"xpbd", "346aa369f71fb8be"},
        {"multilevel", "5ac83ccfc82fed3e"},
        {"explicit", "a80d999c3abbd7be"},
    };
    ASSERT_EQ(golden.size(), solver_catalog().size());
    for (const auto& [name, expected] : golden) {
        SCOPED_TRACE(name);
        SceneDesc scene = free_sheet(find_solver(name)->defaults);
        pin_corners(scene);
        scene.cloths[0].place.rotate_deg = {-90, 0, 0};
        scene.air.density = 1.2;
        scene.air.wind = {1, 0, 0.5};
        Simulation sim = make_simulation(scene);
        run_steps(sim, 120);
        EXPECT_EQ(hex(state_hash(sim.state())), expected);
    }
}

TEST(EverySolver, TendsToTheReferenceAsTheStepShrinks) {
    SceneDesc scene = free_sheet(ImplicitCgSettings{});
    scene.cloths[0].place.rotate_deg = {-90, 0, 0};
    pin_corners(scene);
    const auto after = [&](const SolverSettings& solver, double dt) {
        SceneDesc copy = scene;
        copy.solver = solver;
        copy.dt = dt;
        Simulation sim = make_simulation(copy);
        run_steps(sim, static_cast<int>(std::lround(0.3 / dt)));
        return sim.state().position;
    };
    const std::vector<Vec3> of_springs = after(ImplicitCgSettings{}, 1.0 / 16000.0);
    MultilevelSettings multilevel_on_springs;
    multilevel_on_springs.elements = Elements::springs;
    std::vector<SolverEntry> all = solver_catalog();
    all.push_back({"multilevel on springs", "", multilevel_on_springs, {}});
    for (const SolverEntry& entry : all) {
        if (!entry.traits.elastic) continue; // knows no stiffness to agree on
        SCOPED_TRACE(entry.name);
        // Triangles bend and shear differently from springs: their limit is their own.
        const std::vector<Vec3> reference =
            entry.traits.own_elements ? after(entry.defaults, 1.0 / 16000.0) : of_springs;
        const auto distance = [&](double dt) {
            const std::vector<Vec3> x = after(entry.defaults, dt);
            double sum = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i)
                sum += length_squared(x[i] - reference[i]);
            return std::sqrt(sum / static_cast<double>(x.size()));
        };
        const double coarse = distance(1.0 / 1000.0), fine = distance(1.0 / 4000.0);
        EXPECT_LT(fine, 0.005);         // [m], after a fall of 0.44 m
        EXPECT_LT(fine, 0.45 * coarse); // first order: a quarter, less what the reference itself is off
    }
}

TEST(EverySolver, ReachesTheTerminalSpeed) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = free_sheet(entry.defaults);
        scene.cloths[0].place.rotate_deg = {-90, 0, 0};
        scene.air.density = 1.2;
        scene.air.drag = 1.28;
        Simulation sim = make_simulation(scene);
        run_steps(sim, 600);
        // sqrt(2 sigma g/(rho C_D))
        EXPECT_NEAR(-sim.state().velocity[0].y, std::sqrt(2 * 0.2 * 9.81 / (1.2 * 1.28)), 0.01 * 1.6);
    }
}

TEST(EverySolver, TakesOneTriangleAllPinnedClothAndClothWithoutSprings) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc pinned = free_sheet(entry.defaults, 2);
        PinDesc all;
        all.select = std::vector<int>{0, 1, 2, 3};
        pinned.cloths[0].pins.push_back(all);
        Simulation held = make_simulation(pinned);
        const std::vector<Vec3> start = held.state().position;
        run_steps(held, 50);
        EXPECT_EQ(held.state().position, start);

        SceneDesc loose = free_sheet(entry.defaults, 3);
        loose.cloths[0].net.structural = loose.cloths[0].net.shear = loose.cloths[0].net.bend = false;
        Simulation dust = make_simulation(loose);
        ASSERT_EQ(dust.model().spring_count(), 0);
        run_steps(dust, 24);
        EXPECT_NEAR(dust.state().position[4].y, -0.5 * 9.81 * 0.1 * (0.1 + 1.0 / 240.0), 1e-9);
    }
}

TEST(EverySolver, StaysFiniteWhenPointsLieOnOneAnother) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        Simulation sim = make_simulation(free_sheet(entry.defaults, 5));
        ClothState state = sim.state();
        for (Vec3& p : state.position) // the whole cloth in one point
            p = {1, 1, 1};
        sim.set_state(state, 0);
        run_steps(sim, 10);
        // Two points that touch.
        state = make_simulation(free_sheet(entry.defaults, 5)).state();
        state.position[7] = state.position[6];
        sim.set_state(state, 0);
        run_steps(sim, 100);
    }
}

} // namespace
} // namespace selvage
