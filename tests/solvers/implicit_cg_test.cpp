#include "solvers/implicit_cg.h"

#include <cmath>

#include <Eigen/SparseCholesky>

#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

/// One backward Euler step assembled and factorised by Eigen: (M - h^2 J - h C) dv = h (f + h J v + C v + m g).
std::vector<Vec3> step_by_factorisation(const Simulation& sim) {
    const ClothModel& model = sim.model();
    const ClothState& state = sim.state();
    const double h = sim.step_size();
    const int n = model.vertex_count();
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(3 * n);
    for (int i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a)
            entries.emplace_back(3 * i + a, 3 * i + a, model.mass[i]);
    for (int i = 0; i < n; ++i)
        right[3 * i + 1] -= h * model.mass[i] * 9.81;
    const SpringDamping& damping = model.parts[0].damping;
    for (const Spring& s : model.springs) {
        const Vec3 u = state.position[s.b] - state.position[s.a], dv = state.velocity[s.b] - state.velocity[s.a];
        const double l = length(u), k = s.stiffness, l0 = s.rest_length;
        const Eigen::Vector3d t(u.x / l, u.y / l, u.z / l), v(dv.x, dv.y, dv.z);
        Eigen::Matrix3d stiffness = k * t * t.transpose(); // eq. 22
        if (l > l0) stiffness = k * ((l - l0) / l * Eigen::Matrix3d::Identity() + l0 / l * t * t.transpose());
        const Eigen::Matrix3d c =
            damping.axial_time * k * t * t.transpose() + damping.relative * Eigen::Matrix3d::Identity();
        const Eigen::Matrix3d block = h * h * stiffness + h * c;
        const Eigen::Vector3d impulse = h * k * (l - l0) * t + block * v;
        for (int a = 0; a < 3; ++a) {
            right[3 * s.a + a] += impulse[a];
            right[3 * s.b + a] -= impulse[a];
            for (int b = 0; b < 3; ++b) {
                entries.emplace_back(3 * s.a + a, 3 * s.a + b, block(a, b));
                entries.emplace_back(3 * s.b + a, 3 * s.b + b, block(a, b));
                entries.emplace_back(3 * s.a + a, 3 * s.b + b, -block(a, b));
                entries.emplace_back(3 * s.b + a, 3 * s.a + b, -block(a, b));
            }
        }
    }
    Eigen::SparseMatrix<double> matrix(3 * n, 3 * n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(matrix);
    const Eigen::VectorXd delta = factor.solve(right);
    std::vector<Vec3> velocity(n);
    for (int i = 0; i < n; ++i)
        velocity[i] = state.velocity[i] + Vec3{delta[3 * i], delta[3 * i + 1], delta[3 * i + 2]};
    return velocity;
}

/// A sheet shaken out of its plane.
Simulation shaken(const ImplicitCgSettings& settings) {
    SceneDesc scene = free_sheet(settings);
    scene.cloths[0].net.relative_damping = 1e-3;
    scene.cloths[0].material.damping = 1e-3;
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    for (std::size_t i = 0; i < state.position.size(); ++i) {
        const double k = static_cast<double>(i);
        state.position[i] += Vec3{0.02 * std::sin(3 * k), 0.03 * std::cos(2 * k), 0.04 * std::sin(5 * k)};
        state.velocity[i] = {std::cos(k), std::sin(2 * k), 0.5 * std::cos(7 * k)};
    }
    sim.set_state(state, 0);
    return sim;
}

TEST(ImplicitCg, AgreesWithASparseFactorisation) {
    ImplicitCgSettings settings;
    settings.tolerance = 1e-13;
    Simulation sim = shaken(settings);
    const std::vector<Vec3> expected = step_by_factorisation(sim);
    sim.step();
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_LT(length(sim.state().velocity[i] - expected[i]), 1e-9);
}

TEST(ImplicitCg, TightensWithItsToleranceAndObeysItsCap) {
    ImplicitCgSettings settings;
    settings.tolerance = 1e-13;
    Simulation exact = shaken(settings);
    exact.step();
    double last = 1e300;
    for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
        settings.tolerance = tolerance;
        Simulation sim = shaken(settings);
        const StepStats stats = sim.step();
        EXPECT_LE(stats.residual, tolerance);
        double worst = 0.0;
        for (std::size_t i = 0; i < sim.state().velocity.size(); ++i)
            worst = std::max(worst, length(sim.state().velocity[i] - exact.state().velocity[i]));
        EXPECT_LT(worst, last);
        last = worst;
    }
    settings.max_iterations = 3;
    EXPECT_EQ(shaken(settings).step().iterations, 3);
}

TEST(ImplicitCg, ExactDerivativeSurvivesCompression) {
    ImplicitCgSettings settings;
    settings.derivative = Derivative::exact;
    SceneDesc scene = free_sheet(settings);
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    for (Vec3& p : state.position) // pressed to a tenth: strongly indefinite
        p *= 0.1;
    sim.set_state(state, 0);
    run_steps(sim, 50);
}

/// Error of one oscillation of a mass on a spring against its closed form.
double oscillator_error(Integrator integrator, int steps) {
    ImplicitCgSettings settings;
    settings.integrator = integrator;
    settings.newton = 20;
    settings.tolerance = 1e-14;
    SceneDesc scene = free_sheet(settings, 2);
    scene.gravity = {0, 0, 0};
    ClothDesc& cloth = scene.cloths[0];
    cloth.net.shear = cloth.net.bend = false;
    cloth.material.damping = 0.0;
    cloth.material.stretch_weft = 0.0; // two springs along x, each with its mass
    PinDesc left;
    left.select = EdgeName{"left"};
    cloth.pins.push_back(left);
    Simulation plan = make_simulation(scene);
    const double k = plan.model().springs[0].stiffness;
    const double omega = std::sqrt(k / plan.model().mass[1]), end = 1.0 / omega;
    scene.dt = end / steps;
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    state.position[1].x += 0.1;
    state.position[3].x += 0.1;
    sim.set_state(state, 0);
    run_steps(sim, steps);
    return std::abs(sim.state().position[1].x - (0.5 + 0.1 * std::cos(1.0)));
}

TEST(ImplicitCg, ConvergesWithTheOrderOfItsIntegrator) {
    const std::vector<std::pair<Integrator, double>> orders = {
        {Integrator::backward_euler, 1.0}, {Integrator::sdirk2, 2.0}, {Integrator::sdirk3, 3.0}};
    for (const auto& [integrator, order] : orders) {
        const double ratio = oscillator_error(integrator, 40) / oscillator_error(integrator, 80);
        EXPECT_NEAR(std::log2(ratio), order, 0.15);
    }
}

/// Positions after 0.1 s of a folded, spinning, partly compressed net with the default settings of an integrator.
std::vector<Vec3> fold(Integrator integrator, int steps) {
    ImplicitCgSettings settings;
    settings.integrator = integrator;
    settings.tolerance = 1e-11;
    SceneDesc scene = free_sheet(settings, 5);
    scene.cloths[0].spin = {3, 1, 2};
    scene.dt = 0.1 / steps;
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    for (Vec3& p : state.position)
        p = {0.95 * p.x, p.y, 0.3 * p.x * p.x};
    sim.set_state(state, 0);
    run_steps(sim, steps);
    return sim.state().position;
}

TEST(ImplicitCg, KeepsItsOrderOnANonlinearNetWithItsDefaults) {
    const std::vector<Vec3> exact = fold(Integrator::sdirk3, 1600);
    const auto error = [&](Integrator integrator, int steps) {
        const std::vector<Vec3> x = fold(integrator, steps);
        double sum = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += length_squared(x[i] - exact[i]);
        return std::sqrt(sum);
    };
    EXPECT_GT(std::log2(error(Integrator::sdirk2, 50) / error(Integrator::sdirk2, 100)), 1.8);
    EXPECT_GT(std::log2(error(Integrator::sdirk3, 50) / error(Integrator::sdirk3, 100)), 2.6);
}

TEST(ImplicitCg, HigherOrderKeepsPinsMovingEvenly) {
    for (const Integrator integrator : {Integrator::sdirk2, Integrator::sdirk3}) {
        ImplicitCgSettings settings;
        settings.integrator = integrator;
        SceneDesc scene = free_sheet(settings, 3);
        PinDesc all;
        all.select = std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8};
        all.keyframes = {{0.0, {}, {}}, {1.0, {1, 2, 3}, {}}};
        all.smooth = false;
        scene.cloths[0].pins.push_back(all);
        Simulation sim = make_simulation(scene);
        run_steps(sim, 24);
        EXPECT_LT(length(sim.state().velocity[4] - Vec3{1, 2, 3}), 1e-9);
    }
}

TEST(ImplicitCg, NeverGainsEnergyWithoutGravity) {
    ImplicitCgSettings settings;
    settings.newton = 10;
    Simulation sim = [&] {
        SceneDesc scene = free_sheet(settings);
        scene.gravity = {0, 0, 0};
        scene.cloths[0].spin = {2, 1, 3};
        return make_simulation(scene);
    }();
    double last = measure_energy(sim.model(), sim.state(), {}).total();
    for (int k = 0; k < 240; ++k) {
        sim.step();
        const double now = measure_energy(sim.model(), sim.state(), {}).total();
        EXPECT_LE(now, last * (1.0 + 1e-6));
        last = now;
    }
}

} // namespace
} // namespace selvage
