#include "solvers/filter.h"

#include <cmath>
#include <random>

#include <Eigen/Dense>

#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/catalog.h"
#include "solvers/parts/held_factor.h"
#include "solvers/parts/rigid_motion.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

ClothModel sheet_model(int vertices = 11) {
    return make_simulation(free_sheet(FilterSettings{}, vertices)).model();
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, length(a[i] - b[i]));
    return most;
}

double largest_length(const std::vector<Vec3>& a) {
    return largest_difference(a, std::vector<Vec3>(a.size()));
}

struct RandomMatrix {
    std::vector<double> weight;
    std::vector<Vec3> b;
    RandomMatrix(const ClothModel& model, unsigned seed) : weight(model.springs.size()), b(model.mass.size()) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> any(-1.0, 1.0);
        for (double& w : weight)
            w = std::pow(10.0, 2.0 * any(random)); // against masses of about 1e-3: stiff
        for (Vec3& v : b)
            v = {any(random), any(random), any(random)};
    }
};

/// b - A y on the free points, which is 0 for the solution; scaled by the diagonal.
double residual(const ClothModel& model, const RandomMatrix& system, const std::vector<std::uint8_t>& is_held,
                const std::vector<Vec3>& y) {
    double most = 0.0;
    for (int i = 0; i < model.vertex_count(); ++i) {
        if (is_held[i]) {
            most = std::max(most, length(y[i])); // must be exactly 0
            continue;
        }
        Vec3 row = model.mass[i] * y[i];
        double diagonal = model.mass[i];
        for (const SpringEnd& end : model.ends_of(i)) {
            row += system.weight[end.spring] * (y[i] - (is_held[end.other] ? Vec3{} : y[end.other]));
            diagonal += system.weight[end.spring];
        }
        most = std::max(most, length(system.b[i] - row) / diagonal);
    }
    return most / largest_length(y);
}

TEST(HeldFactor, SolvesTheSystemOfTheFreePointsThroughAnySequenceOfGrabs) {
    const ClothModel model = sheet_model();
    const int n = model.vertex_count();
    ThreadPool pool(2);
    for (const FactorKind kind : {FactorKind::cholesky, FactorKind::dense}) {
        const RandomMatrix system(model, 5);
        std::vector<std::uint8_t> is_held(n, 0);
        is_held[0] = is_held[10] = is_held[60] = is_held[61] = 1;
        HeldFactor factor(model, kind);
        factor.factor(system.weight, is_held);
        EXPECT_EQ(factor.kind(), kind);
        std::mt19937 random(7);
        std::vector<Vec3> y(n);
        for (int round = 0; round < 60; ++round) {
            factor.solve(pool, system.b, y);
            EXPECT_LT(residual(model, system, is_held, y), 1e-12) << round;
            for (int k = 0; k < 1 + round % 3; ++k) {
                // Half of the time one of the base's own held points, so that neighbours are released together.
                const int v =
                    random() % 2 == 0 ? std::array{0, 10, 60, 61}[random() % 4] : static_cast<int>(random() % n);
                is_held[v] = !is_held[v];
            }
            factor.hold(is_held);
        }
        EXPECT_EQ(factor.factor_count(), 1);
        EXPECT_GT(factor.change_count(), 20);
    }
}

TEST(HeldFactor, GivesTheSameBitsWhateverTheOrderOfGrabs) {
    const ClothModel model = sheet_model();
    const int n = model.vertex_count();
    ThreadPool pool(1);
    const RandomMatrix system(model, 5);
    const std::vector<std::uint8_t> free(n, 0);
    std::vector<std::uint8_t> goal(n, 0), detour(n, 0);
    for (const int v : {3, 40, 77, 110})
        goal[v] = 1;
    for (const int v : {110, 5, 77})
        detour[v] = 1;
    HeldFactor direct(model, FactorKind::cholesky), wandering(model, FactorKind::cholesky);
    direct.factor(system.weight, free);
    direct.hold(goal);
    wandering.factor(system.weight, free);
    wandering.hold(detour);
    wandering.hold(free);
    wandering.hold(detour);
    wandering.hold(goal);
    std::vector<Vec3> a(n), b(n);
    direct.solve(pool, system.b, a);
    wandering.solve(pool, system.b, b);
    EXPECT_EQ(a, b);
}

TEST(HeldFactor, MakesANewBaseWhenTooManyPointsDiffer) {
    const ClothModel model = sheet_model();
    const int n = model.vertex_count();
    ThreadPool pool(1);
    const RandomMatrix system(model, 9);
    std::vector<std::uint8_t> is_held(n, 0);
    HeldFactor factor(model, FactorKind::cholesky);
    factor.factor(system.weight, is_held);
    std::vector<Vec3> y(n);
    for (int v = 0; v < HeldFactor::kMostChanges; ++v)
        is_held[v] = 1;
    factor.hold(is_held);
    EXPECT_EQ(factor.factor_count(), 1);
    EXPECT_EQ(factor.change_count(), HeldFactor::kMostChanges);
    factor.solve(pool, system.b, y);
    EXPECT_LT(residual(model, system, is_held, y), 1e-12);
    is_held[HeldFactor::kMostChanges] = 1;
    factor.hold(is_held);
    EXPECT_EQ(factor.factor_count(), 2);
    EXPECT_EQ(factor.change_count(), 0);
    factor.solve(pool, system.b, y);
    EXPECT_LT(residual(model, system, is_held, y), 1e-12);
    // Everything held, then everything let go.
    is_held.assign(n, 1);
    factor.hold(is_held);
    factor.solve(pool, system.b, y);
    EXPECT_EQ(largest_length(y), 0.0);
    is_held.assign(n, 0);
    factor.hold(is_held);
    factor.solve(pool, system.b, y);
    EXPECT_LT(residual(model, system, is_held, y), 1e-12);
}

TEST(HeldFactor, FilterRowsSumToOneWithDifferentMasses) {
    ClothModel model = sheet_model();
    for (int i = 0; i < model.vertex_count(); ++i)
        model.mass[i] *= 1.0 + i % 7;
    ThreadPool pool(1);
    const std::vector<std::uint8_t> free(model.mass.size(), 0);
    const RandomMatrix system(model, 3);
    std::vector<Vec3> weight_of_ones, y(model.mass.size());
    for (const double m : model.mass)
        weight_of_ones.emplace_back(m, m, m);
    for (const FactorKind kind : {FactorKind::cholesky, FactorKind::dense}) {
        HeldFactor factor(model, kind);
        factor.factor(system.weight, free);
        factor.solve(pool, weight_of_ones, y); // W 1 = A^-1 M 1
        for (const Vec3& v : y)
            EXPECT_NEAR(v.x, 1.0, 1e-9); // the condition number, 1e5 to 1e6, times 1e-16, and some
    }
}

TEST(HeldFactor, FallsBackToTheSparseFactorWhenTheInverseWouldBeTooLarge) {
    const ClothModel model = sheet_model(56); // 3136 points
    HeldFactor factor(model, FactorKind::dense);
    const std::vector<std::uint8_t> free(model.mass.size(), 0);
    factor.factor(RandomMatrix(model, 1).weight, free);
    EXPECT_EQ(factor.kind(), FactorKind::cholesky);
}

TEST(HeldFactor, StaysFiniteWhereMassesAreLostInRoundOff) {
    ClothModel model = sheet_model();
    ThreadPool pool(1);
    const std::vector<std::uint8_t> free(model.mass.size(), 0);
    std::vector<Vec3> y(model.mass.size());
    RandomMatrix system(model, 2);
    for (double& m : model.mass)
        m = 0.0; // singular outright
    for (const FactorKind kind : {FactorKind::cholesky, FactorKind::dense}) {
        HeldFactor factor(model, kind);
        factor.factor(system.weight, free);
        factor.solve(pool, system.b, y);
        for (const Vec3& v : y)
            EXPECT_TRUE(is_finite(v));
    }
}

TEST(RigidMotion, TakesOutMomentumAndNothingElse) {
    const ClothModel model = sheet_model();
    ThreadPool pool(1);
    ClothState state = at_rest(model);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    for (Vec3& v : state.velocity)
        v = {any(random), any(random), any(random)};
    const IndexLists pieces = spring_components(model);
    ASSERT_EQ(pieces.row_count(), 1);
    remove_rigid_motion(pool, model.mass, state.position, pieces[0], state.velocity);
    const Momentum left = measure_momentum(model, state);
    EXPECT_LT(length(left.linear), 1e-15);
    EXPECT_LT(length(left.angular), 1e-15);
    const std::vector<Vec3> once = state.velocity;
    remove_rigid_motion(pool, model.mass, state.position, pieces[0], state.velocity);
    EXPECT_LT(largest_difference(once, state.velocity), 1e-14);
    // A rigid motion is all momentum: nothing is left of it.
    for (std::size_t i = 0; i < state.velocity.size(); ++i)
        state.velocity[i] = Vec3{1, 2, 3} + cross({-2, 1, 4}, state.position[i] - Vec3{0.3, 0.1, 0});
    remove_rigid_motion(pool, model.mass, state.position, pieces[0], state.velocity);
    EXPECT_LT(largest_length(state.velocity), 1e-13);
}

TEST(RigidMotion, TakesPointsOnALineAndInOnePlace) {
    ThreadPool pool(1);
    const std::vector<int> points{0, 1, 2, 3};
    const std::vector<double> mass{1, 2, 3, 4};
    for (const Vec3& along : {Vec3{1, 0, 0}, Vec3{0.3, -0.7, 0.2}, Vec3{0, 0, 0}}) {
        std::vector<Vec3> x, v;
        for (int k = 0; k < 4; ++k) {
            x.push_back(Vec3{5, 6, 7} + (0.1 * k * k) * along);
            v.emplace_back(0.1 * k, 1.0 - k, 0.5 * k * k);
        }
        remove_rigid_motion(pool, mass, x, points, v);
        Vec3 linear, angular;
        for (int k = 0; k < 4; ++k) {
            linear += mass[k] * v[k];
            angular += mass[k] * cross(x[k] - x[0], v[k]);
        }
        EXPECT_LT(length(linear), 1e-13);
        EXPECT_LT(length(angular), 1e-13);
        EXPECT_LT(largest_length(v), 10.0); // a closest change never adds
    }
}

TEST(Filter, DenseAndCholeskyAgree) {
    FilterSettings dense, sparse;
    dense.solve = FactorKind::dense;
    const auto after = [](const FilterSettings& settings) {
        SceneDesc scene = free_sheet(settings);
        scene.dt = 0.02;
        scene.cloths[0].place.rotate_deg = {-90, 0, 0};
        pin_corners(scene);
        Simulation sim = make_simulation(scene);
        run_steps(sim, 25);
        return sim.state();
    };
    const ClothState a = after(dense), b = after(sparse);
    EXPECT_GT(largest_length(a.velocity), 0.1);
    EXPECT_LT(largest_difference(a.position, b.position), 1e-10 * largest_length(a.position));
    EXPECT_LT(largest_difference(a.velocity, b.velocity), 1e-10 * largest_length(a.velocity));
}

/// Relative change of the momenta of a free, spinning, wobbling object over 10 s at 0.02 s.
struct Drift {
    double linear, angular;
};
Drift drift(const SceneDesc& scene) {
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    for (Vec3& p : state.position) // stretched and bent, so that all springs work
        p = {1.1 * p.x, p.y, p.z + 0.1 * p.x * p.x};
    sim.set_state(state, 0);
    const Momentum before = measure_momentum(sim.model(), sim.state());
    double linear = 0.0, angular = 0.0;
    for (int step = 0; step < 500; ++step) {
        sim.step();
        if (sim.divergence()) return {INFINITY, INFINITY};
        const Momentum now = measure_momentum(sim.model(), sim.state());
        linear = std::max(linear, length(now.linear - before.linear) / length(before.linear));
        angular = std::max(angular, length(now.angular - before.angular) / length(before.angular));
    }
    return {linear, angular};
}

SceneDesc spinning(const FilterSettings& settings, bool block) {
    SceneDesc scene = free_sheet(settings, 15);
    scene.dt = 0.02;
    scene.gravity = {0, 0, 0};
    scene.cloths[0].velocity = {0.5, 0.2, -0.3};
    scene.cloths[0].spin = {1, 2, 3};
    scene.cloths[0].self_collision = false; // the momenta are to be the method's own
    if (block) {
        scene.cloths[0].mesh = BlockDesc{{0.4, 0.3, 0.2}, {7, 6, 5}};
        scene.cloths[0].material.thickness = 0.01;
    }
    return scene;
}

TEST(Filter, KeepsBothMomentaOfAFreeSheetAndBlockToRoundOff) {
    for (const bool block : {false, true}) {
        SCOPED_TRACE(block);
        const Drift conserved = drift(spinning(FilterSettings{}, block));
        // 500 steps, each rounding the momentum by about 1e-16.
        EXPECT_LT(conserved.linear, 1e-13);
        EXPECT_LT(conserved.angular, 1e-13);
    }
}

TEST(Filter, LosesAngularMomentumWithoutTheInertiaTensor) {
    FilterSettings none, printed;
    none.angular = AngularCorrection::none;
    printed.angular = AngularCorrection::printed;
    for (const bool block : {false, true}) {
        SCOPED_TRACE(block);
        const Drift nothing = drift(spinning(none, block));
        EXPECT_LT(nothing.linear, 1e-10); // the filter's own doing: rows that sum to 1
        EXPECT_GT(nothing.angular, 0.05);
        EXPECT_GT(drift(spinning(printed, block)).angular, 0.05);
    }
}

TEST(Filter, IsBackwardEulerOnALine) {
    // A chain along x, one end held and moved: forces are linear there, and the printed approximation is none.
    const double h = 0.02;
    std::vector<Vec3> x;
    std::vector<double> mass;
    std::vector<Spring> springs;
    for (int i = 0; i < 12; ++i) {
        x.emplace_back(0.1 * i, 0, 0);
        mass.push_back(0.01 * (1 + i % 3));
        if (i > 0) springs.push_back({i - 1, i, 0.1f, 20.0f + 10.0f * static_cast<float>(i % 4)});
    }
    ClothModel model = make_net(x, mass, springs);
    model.parts[0].damping.relative = 0.05;
    const int n = model.vertex_count();
    ThreadPool pool(1);
    ClothState state = at_rest(model);
    for (int i = 0; i < n; ++i)
        state.velocity[i].x = 0.05 * std::sin(1.0 + i);

    // (M + h^2 K + h C) v+ = M v + h f(x) with the held velocity on the right, solved densely.
    Eigen::VectorXd xe(n), ve(n);
    for (int i = 0; i < n; ++i) {
        xe[i] = state.position[i].x;
        ve[i] = state.velocity[i].x;
    }
    const std::unique_ptr<Solver> solver = make_solver(model, FilterSettings{}, pool);
    Hands hands(n);
    for (int step = 0; step < 100; ++step) {
        const double target = 0.02 * std::sin(0.1 * (step + 1));
        hands.grab(0, {target, 0, 0});
        solver->step(state, hands.input(h));

        ve[0] = (target - xe[0]) / h;
        Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
        Eigen::VectorXd b(n);
        for (int i = 0; i < n; ++i) {
            a(i, i) = mass[i];
            b[i] = mass[i] * ve[i];
        }
        for (const Spring& s : model.springs) {
            const double weight = h * h * s.stiffness + h * 0.05;
            const double pull = h * s.stiffness * (xe[s.b] - xe[s.a] - s.rest_length);
            a(s.a, s.a) += weight;
            a(s.b, s.b) += weight;
            a(s.a, s.b) -= weight;
            a(s.b, s.a) -= weight;
            b[s.a] += pull;
            b[s.b] -= pull;
        }
        a.row(0).setZero();
        a(0, 0) = 1.0;
        b[0] = ve[0];
        ve = a.partialPivLu().solve(b);
        xe += h * ve;
        for (int i = 0; i < n; ++i) {
            ASSERT_NEAR(state.position[i].x, xe[i], 1e-12) << step;
            ASSERT_NEAR(state.velocity[i].x, ve[i], 1e-11) << step;
        }
    }
}

TEST(Filter, AfterAnyGrabsStepsLikeAFreshSolver) {
    for (const FactorKind kind : {FactorKind::cholesky, FactorKind::dense}) {
        FilterSettings settings;
        settings.solve = kind;
        const ClothModel model = sheet_model();
        ThreadPool pool(1);
        ClothState state = at_rest(model);
        Hands hands(model.vertex_count());
        hands.grab(0, state.position[0]);
        hands.grab(10, state.position[10]);
        const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
        std::mt19937 random(11);
        for (int step = 0; step < 80; ++step) {
            ClothState copy = state;
            const StepInput input = hands.input(0.02, {0, -9.81, 0});
            solver->step(state, input);
            make_solver(model, settings, pool)->step(copy, input);
            ASSERT_LT(largest_difference(state.position, copy.position), 1e-10) << step;
            ASSERT_LT(largest_difference(state.velocity, copy.velocity), 1e-10 * largest_length(copy.velocity));
            for (HeldPoint& held : hands.held)
                held.target += {0.01, 0.02, -0.01};
            const int v = static_cast<int>(random() % model.mass.size());
            if (random() % 3 > 0)
                hands.grab(v, state.position[v]);
            else if (!hands.held.empty())
                hands.release(hands.held[random() % hands.held.size()].vertex);
        }
    }
}

TEST(Filter, ResumesBitForBitAfterAPinLetGo) {
    SceneDesc scene = free_sheet(FilterSettings{});
    scene.dt = 0.02;
    pin_corners(scene);
    scene.cloths[0].pins[1].release = 0.1;
    Simulation whole = make_simulation(scene);
    run_steps(whole, 10);
    Simulation second = make_simulation(scene);
    second.set_state(whole.state(), 10);
    run_steps(whole, 20);
    run_steps(second, 20);
    EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
}

/// The paper's harshest use: random points are taken, thrown about by up to a metre per step, and let go.
struct Tantrum {
    bool finite = true;
    double reach = 0.0; ///< Largest distance from the origin [m].
};
Tantrum throw_about(const ClothModel& model, const FilterSettings& settings, int steps) {
    ThreadPool pool(1);
    const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
    ClothState state = at_rest(model);
    Hands hands(model.vertex_count());
    std::mt19937 random(3);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    Tantrum result;
    for (int step = 0; step < steps; ++step) {
        if (step % 5 == 0) {
            if (hands.held.size() > 3) hands.release(hands.held.front().vertex);
            const int v = static_cast<int>(random() % model.mass.size());
            hands.grab(v, state.position[v]);
        }
        for (HeldPoint& held : hands.held) { // towards some place in the unit cube, a metre at most
            const Vec3 move = Vec3{any(random), any(random), any(random)} - held.target;
            held.target += move / std::max(1.0, length(move));
        }
        solver->step(state, hands.input(0.02, {0, -9.81, 0}));
        if (!all_finite(state)) return {false, INFINITY};
        result.reach = std::max(result.reach, largest_length(state.position));
    }
    return result;
}

TEST(Filter, StaysFiniteAtAnyStiffnessUnderViolentHands) {
    for (const double limit : {0.0, 0.1})
        for (const double k : {0.0, 1.0, 1e2, 1e4, 1e6}) {
            SCOPED_TRACE(testing::Message() << "k " << k << ", limit " << limit);
            ClothModel model = sheet_model();
            for (Spring& s : model.springs)
                s.stiffness = static_cast<float>(k);
            FilterSettings settings;
            settings.strain_limit = limit;
            const Tantrum result = throw_about(model, settings, 400);
            EXPECT_TRUE(result.finite);
            // Hands stay within 1.7 m of the origin, the sheet is 1.4 m across. Soft springs alone let a point that was
            // thrown at 50 m/s fly; stiff ones (k h^2 >> m) and limits keep it.
            if (k >= 1e4 || limit > 0.0) {
                EXPECT_LT(result.reach, 20.0);
            }
        }
}

TEST(Filter, WithoutStiffnessIsChainMail) {
    FilterSettings settings;
    settings.stiffness_scale = 0.0;
    settings.strain_limit = 0.02;
    settings.strain_passes = 300;
    SceneDesc scene = free_sheet(settings);
    scene.dt = 0.02;
    scene.cloths[0].place.rotate_deg = {-90, 0, 0};
    scene.cloths[0].material.damping = 0.0;
    PinDesc edge;
    edge.select = EdgeName{"top"};
    scene.cloths[0].pins.push_back(edge);
    Simulation sim = make_simulation(scene);
    run_steps(sim, 250);
    EXPECT_LT(measure_strain(sim.model(), sim.state()).max, 0.02 + 1e-3 + 1e-4); // limit, strain_error, mesh diagonals
    double lowest = 0.0;
    for (const Vec3& p : sim.state().position)
        lowest = std::min(lowest, p.y);
    EXPECT_NEAR(lowest, -1.0 * 1.02, 0.03); // hangs at its full length, and nothing else carries it

    // Without the limit there is nothing: every free point falls by itself.
    settings.strain_limit = 0.0;
    scene.solver = settings;
    Simulation dust = make_simulation(scene);
    const Vec3 start = dust.state().position[5];
    run_steps(dust, 10);
    EXPECT_LT(length(dust.state().position[5] - start - Vec3{0, -0.5 * 9.81 * 0.2 * 0.22, 0}), 1e-12);
}

TEST(Filter, HangsWhereItsGravityPutsIt) {
    // One mass under a held point comes to rest where A^-1 h k d = h g, d = m g/k + h^2 g, with gravity outside the
    // filter, and at m g/k, where it belongs, with gravity inside.
    const double m = 0.1, k = 50.0, g = 9.81, h = 0.02;
    const ClothModel model = make_net({{0, 0, 0}, {0, -1, 0}}, {1, m}, {{0, 1, 1, static_cast<float>(k)}});
    for (const bool inside : {false, true}) {
        FilterSettings settings;
        settings.filter_gravity = inside;
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
        ClothState state = at_rest(model);
        Hands hands(2);
        hands.grab(0, {});
        for (int step = 0; step < 2000; ++step)
            solver->step(state, hands.input(h, {0, -g, 0}));
        EXPECT_NEAR(-1.0 - state.position[1].y, m * g / k + (inside ? 0.0 : h * h * g), 1e-12);
        // Let go it falls like anything else, and nothing takes gravity for momentum of its own springs.
        const double before = state.velocity[0].y + m * state.velocity[1].y;
        hands.release(0);
        solver->step(state, hands.input(h, {0, -g, 0}));
        EXPECT_NEAR(state.velocity[0].y + m * state.velocity[1].y - before, -(1.0 + m) * g * h, 1e-12);
    }
}

TEST(Filter, TakesLooseEndsAndOddSprings) {
    // Two pieces, one held; a lone point; a spring without length; two springs between the same points; a piece on a
    // line.
    const std::vector<Vec3> x = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 0, 0}, {6, 0, 0},
                                 {7, 0, 0}, {9, 9, 9}, {9, 9, 9}, {4, 4, 4}};
    const std::vector<double> mass = {1, 1, 1, 1, 2, 3, 1, 1e-9, 1e-9};
    const ClothModel model = make_net(
        x, mass, {{0, 1, 1, 10}, {0, 1, 1, 20}, {1, 2, 1, 1e6f}, {3, 4, 1, 10}, {4, 5, 0.5f, 10}, {6, 7, 0, 1e6f}});
    for (const FactorKind kind : {FactorKind::cholesky, FactorKind::dense})
        for (const double limit : {0.0, 0.05}) {
            FilterSettings settings;
            settings.solve = kind;
            settings.strain_limit = limit;
            settings.strain_error = 0.0;
            ThreadPool pool(1);
            const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
            ClothState state = at_rest(model);
            state.velocity[4] = {0, 1, 0};
            Hands hands(model.vertex_count());
            hands.grab(0, x[0]);
            for (int step = 0; step < 50; ++step)
                solver->step(state, hands.input(0.02, {0, -1, 0}));
            ASSERT_TRUE(all_finite(state));
            EXPECT_NEAR(state.position[8].y, 4.0 - 0.5 * 1.0 * (1.0 + 0.02), 1e-9); // the lone point falls freely
            // The free piece on the line: its centre falls freely too, with the momentum it was given.
            const Vec3 centre = (state.position[3] + 2.0 * state.position[4] + 3.0 * state.position[5]) / 6.0;
            EXPECT_NEAR(centre.y, 2.0 / 6.0 * 1.0 - 0.5 * (1.0 + 0.02), 1e-9);
        }
}

TEST(Filter, DampingNeverOvershootsHoweverLarge) {
    SceneDesc scene = free_sheet(FilterSettings{});
    scene.gravity = {0, 0, 0};
    scene.cloths[0].material.damping = 10.0;
    scene.cloths[0].net.relative_damping = 1e3;
    Simulation sim = make_simulation(scene);
    ClothState state = sim.state();
    for (std::size_t i = 0; i < state.velocity.size(); ++i)
        state.velocity[i] = {0.1 * std::sin(3.0 * static_cast<double>(i)), 0.1 * std::cos(5.0 * static_cast<double>(i)),
                             0};
    sim.set_state(state, 0);
    const double before = measure_energy(sim.model(), sim.state(), {}).total();
    for (int step = 0; step < 20; ++step) {
        run_steps(sim, 1);
        // The first step takes all but the common motion, 1/121 of a random one's energy and less; overshooting would
        // leave as much as there was.
        EXPECT_LT(measure_energy(sim.model(), sim.state(), {}).total(), 0.01 * before);
    }
}

} // namespace
} // namespace selvage
