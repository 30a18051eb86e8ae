#include "solvers/catalog.h"

#include <cmath>
#include <numbers>

#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/harmonic_formula.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

TEST(OscillationImpulse, IsTheIntegralOfTheForce) {
    for (const double omega : {0.0, 1e-6, 1e-3, 0.5, 3.0, 40.0})
        for (const double h : {0.01, 0.1, 1.0}) {
            const double k = 7.0, delta = 0.3, rate = -2.0;
            // Simpson's rule on k delta(t), fine enough to be exact to 1e-12 of the largest force.
            constexpr int kIntervals = 4000;
            double sum = 0.0;
            for (int i = 0; i <= kIntervals; ++i) {
                const double t = h * i / kIntervals;
                const double moved =
                    omega > 1e-9 ? delta * std::cos(omega * t) + rate / omega * std::sin(omega * t) : delta + rate * t;
                sum += (i == 0 || i == kIntervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * k * moved;
            }
            const double scale = k * h * (std::abs(delta) + std::abs(rate) * h);
            EXPECT_NEAR(oscillation_impulse(k, omega, delta, rate, h), sum * h / kIntervals / 3.0, 1e-10 * scale)
                << omega << " " << h;
        }
}

/// Two free masses and one spring along x.
struct Pair2 {
    ClothModel model;
    ClothState state;
    Pair2(double ma, double mb, double k)
        : model(make_net({{0, 0, 0}, {1, 0, 0}}, {ma, mb}, {{0, 1, 1.0f, static_cast<float>(k)}})),
          state(at_rest(model)) {}
};

template <class S, class Settings>
double relative_speed_after(Pair2& pair, double h) {
    ThreadPool pool(1);
    S solver(pair.model, Settings{}, pool);
    const std::vector<std::uint8_t> is_held{0, 0};
    solver.step(pair.state, {h, {}, nullptr, {}, is_held});
    return pair.state.velocity[1].x - pair.state.velocity[0].x;
}

TEST(HarmonicPublished, ChangesOneSpringsVelocityByTheAnalyticIntegral) {
    const double ma = 0.2, mb = 0.5, k = 64.0, h = 0.05;
    Pair2 pair(ma, mb, k);
    pair.state.position[1].x += 0.1;
    pair.state.velocity[0].x = 0.3;
    pair.state.velocity[1].x = -0.4;
    const double omega = std::sqrt(k * (1.0 / ma + 1.0 / mb));
    const double got = relative_speed_after<HarmonicPublishedSolver, HarmonicPublishedSettings>(pair, h);
    // delta' = r cos - delta omega sin, the oscillator's own motion.
    EXPECT_NEAR(got, -0.7 * std::cos(omega * h) - 0.1 * omega * std::sin(omega * h), 1e-13);
    EXPECT_NEAR(ma * pair.state.velocity[0].x + mb * pair.state.velocity[1].x, 0.2 * 0.3 - 0.5 * 0.4, 1e-15);
}

/// Largest amplitude of one mass on one held spring after many steps at the given omega h; started at 1 mm.
double amplitude(const SolverSettings& settings, double omega_h) {
    Pair2 pair(1.0, 1.0, 100.0); // omega = 10 with end 0 held
    pair.state.position[1].x += 1e-3;
    ThreadPool pool(1);
    const std::unique_ptr<Solver> solver = make_solver(pair.model, settings, pool);
    const HeldPoint held{0, {}};
    const std::vector<std::uint8_t> is_held{1, 0};
    const StepInput input{omega_h / 10.0, {}, nullptr, {&held, 1}, is_held};
    double largest = 0.0;
    for (int step = 0; step < 3000; ++step) {
        solver->step(pair.state, input);
        largest = std::max(largest, std::abs(pair.state.position[1].x - 1.0));
        if (largest > 0.5) break; // the spring would turn over: diverged
    }
    return largest;
}

TEST(HarmonicPublished, BurstsAt172WhereSymplecticEulerBurstsAt2) {
    // omega h tan(omega h/2) = 2 at omega h = 1.7207.
    EXPECT_NEAR(1.7207 * std::tan(1.7207 / 2.0), 2.0, 1e-3);
    EXPECT_LT(amplitude(HarmonicPublishedSettings{}, 1.715), 0.1);
    EXPECT_GT(amplitude(HarmonicPublishedSettings{}, 1.726), 0.1);
    EXPECT_LT(amplitude(ExplicitSettings{}, 1.995), 0.1);
    EXPECT_GT(amplitude(ExplicitSettings{}, 2.005), 0.1);
}

TEST(Harmonic, IsStableAtAnyStepOnOneSpring) {
    for (const double omega_h : {0.1, 1.0, 1.72, 2.0, 3.0, 10.0, 1000.0})
        EXPECT_LT(amplitude(HarmonicSettings{}, omega_h), 2.1e-3) << omega_h;
}

// Below the cut, with s = sin^2(omega h/2), a motion of one spring takes v+ = (1 - s) v - (4 s/h) x: the frequency is
// exact to second order, and the determinant 1 - s is what makes it die out. (half_angle_sine() in harmonic_formula.h.)
TEST(Harmonic, TakesTheStepOfTheFilteredOscillator) {
    for (const double omega_h : {0.05, 0.5, 1.5}) {
        const double k = 50.0, omega = 10.0, h = omega_h / omega; // omega = sqrt(50 (1/1 + 1/1))
        Pair2 pair(1.0, 1.0, k);
        pair.state.position[1].x += 0.1;
        pair.state.velocity[0].x = 0.3;
        pair.state.velocity[1].x = -0.4;
        const double s = std::pow(std::sin(0.5 * omega_h), 2);
        const double got = relative_speed_after<HarmonicSolver, HarmonicSettings>(pair, h);
        EXPECT_NEAR(got, (1.0 - s) * -0.7 - 4.0 * s / h * 0.1, 1e-6) << omega_h;
    }
}

// Between two free points a spring reaches the bound omega^2 = 2 sum k / m, where a held one has half of it: the worst
// case there is. x+ = (1 - 4 s) x at first, s = 0.64 where the filter cuts; 0.6 of it or less after each step from then
// on.
TEST(Harmonic, IsStableAtAnyStepBetweenTwoFreePoints) {
    for (const double damping_time : {0.0, 1e-3, 1e3})
        for (const double omega_h : {0.1, 1.0, 1.8, 2.0, 3.0, 10.0, 1000.0}) {
            Pair2 pair(1.0, 1.0, 50.0); // omega = sqrt(50 (1/1 + 1/1)) = 10
            pair.model.parts[0].damping.axial_time = damping_time;
            pair.state.position[1].x += 1e-3;
            ThreadPool pool(1);
            HarmonicSolver solver(pair.model, HarmonicSettings{}, pool);
            const std::vector<std::uint8_t> is_held{0, 0};
            const auto stretch = [&] { return pair.state.position[1].x - pair.state.position[0].x - 1.0; };
            double largest = 0.0;
            for (int step = 0; step < 3000; ++step) {
                solver.step(pair.state, {omega_h / 10.0, {}, nullptr, {}, is_held});
                largest = std::max(largest, std::abs(stretch()));
            }
            EXPECT_LT(largest, 1.57e-3) << omega_h;
            EXPECT_LT(std::abs(stretch()), omega_h > 0.5 ? 1e-12 : 1e-3) << omega_h;
        }
}

TEST(Harmonic, StaysFiniteOnANetForAnyStiffnessAndStep) {
    for (const double k : {5.0, 2e3, 1e6})
        for (const double dt : {1.0 / 30.0, 1.0 / 300.0, 1.0 / 3000.0}) {
            SceneDesc scene = free_sheet(HarmonicSettings{}, 32); // 12 springs at every inner point
            scene.dt = dt;
            scene.cloths[0].place.rotate_deg = {-90, 0, 0};
            scene.cloths[0].net.stiffness_times_length = k / 31.0; // k for the structural springs
            scene.cloths[0].self_collision = false; // the softest is drawn out 400 times: a thousand threads in one
            pin_corners(scene);
            Simulation sim = make_simulation(scene, 2);
            for (int step = 0; step < 300; ++step)
                sim.step();
            EXPECT_FALSE(sim.divergence()) << "k " << k << ", dt " << dt;
        }
}

TEST(Harmonic, StableShareNeverLetsTheStiffnessPassTheLimit) {
    for (double omega = 1e-3; omega < 1e7; omega *= 1.7)
        for (const double h : {1e-4, 1e-2, 1.0}) {
            EXPECT_LE(stable_fraction(omega, h) * omega * omega, 2.56 / (h * h) * (1.0 + 1e-12));
            EXPECT_LE(stable_fraction(omega, h), 1.0);
        }
    EXPECT_NEAR(stable_fraction(1.0, 1e-3), 1.0, 1e-6);
}

TEST(Harmonic, DampingNeverOvershootsHoweverLarge) {
    SceneDesc scene = free_sheet(HarmonicSettings{});
    scene.gravity = {0, 0, 0};
    scene.cloths[0].material.damping = 10.0;
    scene.cloths[0].net.relative_damping = 1e3;
    scene.cloths[0].spin = {1, 2, 3};
    Simulation sim = make_simulation(scene);
    const double before = measure_energy(sim.model(), sim.state(), {}).total();
    run_steps(sim, 240);
    EXPECT_LT(measure_energy(sim.model(), sim.state(), {}).total(), before);
}

} // namespace
} // namespace selvage
