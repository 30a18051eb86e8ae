#include "solvers/implicit_jacobi.h"

#include <cmath>

#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

/// The paper's net, `factor` times as stiff, with a small random velocity in every point.
Simulation shaken_net(int sweeps, double factor, double dt) {
    ImplicitJacobiSettings settings;
    settings.sweeps = sweeps;
    SceneDesc scene = free_sheet(settings, 17);
    scene.dt = dt;
    scene.cloths[0].material.density = 0.05;
    scene.cloths[0].net.bend = false;
    scene.cloths[0].net.stiffness_times_length = 0.03 * factor;
    pin_corners(scene);
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    for (std::size_t i = 0; i < state.velocity.size(); ++i) {
        const double k = static_cast<double>(i * i);
        state.velocity[i] = 1e-3 * Vec3{std::sin(k), std::sin(3 * k + 1), std::sin(5 * k + 2)};
    }
    sim.set_state(state, 0);
    return sim;
}

double largest_speed(Simulation& sim, int steps) {
    double largest = 0.0;
    for (int k = 0; k < steps && !sim.divergence(); ++k) {
        sim.step();
        for (const Vec3& v : sim.state().velocity)
            largest = std::max(largest, length(v));
    }
    return sim.divergence() ? 1e9 : largest;
}

TEST(ImplicitJacobi, IsStableWithOddSweepsAndNotWithEven) {
    // A fall of the whole metre gives 4.4 m/s: twice that is noise.
    for (const int sweeps : {1, 3, 5, 7}) {
        Simulation sim = shaken_net(sweeps, 1000.0, 1.0 / 150.0);
        EXPECT_LT(largest_speed(sim, 150), 9.0) << sweeps;
    }
    for (const int sweeps : {0, 2, 4}) {
        Simulation sim = shaken_net(sweeps, 1000.0, 1.0 / 150.0);
        EXPECT_GT(largest_speed(sim, 150), 9.0) << sweeps;
    }
}

TEST(ImplicitJacobi, StaysFiniteForAnyStiffnessAndStep) {
    for (const double factor : {1e-3, 1.0, 1e3, 1e6, 1e9})
        for (const double dt : {1.0 / 3000.0, 1.0 / 150.0, 1.0 / 30.0, 0.5}) {
            Simulation sim = shaken_net(1, factor, dt);
            for (int k = 0; k < 60; ++k)
                sim.step();
            EXPECT_FALSE(sim.divergence()) << factor << " " << dt;
        }
}

TEST(ImplicitJacobi, TendsToTheFullSolutionWithItsSweeps) {
    ImplicitCgSettings full;
    full.tolerance = 1e-12;
    const auto step = [](const SolverSettings& solver) {
        SceneDesc scene = free_sheet(solver);
        scene.cloths[0].spin = {3, 2, 1};
        Simulation sim = make_simulation(scene);
        run_steps(sim, 1);
        return sim.state().velocity;
    };
    const std::vector<Vec3> expected = step(full);
    const auto distance = [&](int sweeps) {
        ImplicitJacobiSettings settings;
        settings.sweeps = sweeps;
        const std::vector<Vec3> v = step(settings);
        double worst = 0.0;
        for (std::size_t i = 0; i < v.size(); ++i)
            worst = std::max(worst, length(v[i] - expected[i]));
        return worst;
    };
    EXPECT_LT(distance(15), 0.1 * distance(1));
    EXPECT_LT(distance(200), 1e-5); // float blocks
}

TEST(ImplicitJacobi, GravityInsideTheFilterMakesStiffClothFloat) {
    const auto fallen = [](bool inside) {
        ImplicitJacobiSettings settings;
        settings.filter_gravity = inside;
        SceneDesc scene = free_sheet(settings);
        scene.cloths[0].material.stretch_warp = scene.cloths[0].material.stretch_weft = 6000;
        Simulation sim = make_simulation(scene);
        run_steps(sim, 48);
        return -centre_of_mass(sim.model(), sim.state()).y;
    };
    const double free_fall = 0.5 * 9.81 * 0.2 * (0.2 + 1.0 / 240.0);
    EXPECT_NEAR(fallen(false), free_fall, 1e-6);
    EXPECT_LT(fallen(true), 0.5 * free_fall);
}

TEST(ImplicitJacobi, MeanVelocityFallsAlongTheExactParabola) {
    ImplicitJacobiSettings settings;
    settings.position_update = PositionUpdate::mean_velocity;
    Simulation sim = make_simulation(free_sheet(settings));
    run_steps(sim, 120);
    EXPECT_NEAR(-centre_of_mass(sim.model(), sim.state()).y, 0.5 * 9.81 * 0.25, 1e-9);
}

TEST(ImplicitJacobi, DriftsWithoutTheMomentumCorrection) {
    // What keep_momentum is for: the unfinished solve alone moves the centre of mass.
    const auto drift = [](bool keep) {
        ImplicitJacobiSettings settings;
        settings.keep_momentum = keep;
        SceneDesc scene = free_sheet(settings);
        scene.gravity = {0, 0, 0};
        scene.cloths[0].spin = {1, 2, 3};
        Simulation sim = make_simulation(scene);
        ClothState state = sim.state();
        state.position[0] += Vec3{-0.3, -0.2, 0.1}; // a corner pulled out: nothing symmetric is left
        sim.set_state(state, 0);
        run_steps(sim, 120);
        return length(measure_momentum(sim.model(), sim.state()).linear);
    };
    EXPECT_LT(drift(true), 1e-7);
    EXPECT_GT(drift(false), 1e-4);
}

TEST(ImplicitJacobi, LeavesAPieceAloneThatNothingTouches) {
    // Two cloths in one part, as from one mesh file: a shaken one must not move the other.
    ClothSource source{"both", *make_grid({{1, 1}, {5, 5}}), {}, {}};
    source.source.lattice = {};
    const int n = source.source.mesh.vertex_count();
    const TriangleMesh one = source.source.mesh;
    for (const Vec3& p : one.positions)
        source.source.mesh.positions.push_back(p + Vec3{3, 0, 0});
    source.source.mesh.uv.insert(source.source.mesh.uv.end(), one.uv.begin(), one.uv.end());
    for (const Triangle& t : one.triangles)
        source.source.mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model({source}, warnings);
    ClothState state{model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
    state.position[0] += Vec3{-0.3, -0.2, 0.1};
    ThreadPool pool(1);
    ImplicitJacobiSolver solver(model, {}, pool);
    const std::vector<std::uint8_t> is_held(model.mass.size(), 0);
    for (int k = 0; k < 100; ++k)
        solver.step(state, {1.0 / 240.0, {}, nullptr, {}, is_held});
    for (int v = n; v < 2 * n; ++v)
        EXPECT_LT(length(state.position[v] - model.mesh.positions[v]), 1e-6);
    Vec3 momentum;
    for (int v = 0; v < n; ++v)
        momentum += model.mass[v] * state.velocity[v];
    EXPECT_LT(length(momentum), 1e-7);
}

} // namespace
} // namespace selvage
