#include "solvers/xpbd.h"

#include <cmath>
#include <numbers>
#include <random>

#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

// A spring on its own is a linear problem along its axis, and one projection solves it: backward Euler exactly, first
// for the damping, then for the spring,
//   r' = r / (1 + tau h k/mu),  r+ = (r' - h (k/mu) d) / (1 + h^2 k/mu),  d+ = d + h r+,
// d the stretch, r its rate, mu the reduced mass.
// Eleven pairs, so that the last batch of four is not full; different directions, masses and damping.
TEST(Xpbd, TakesTheImplicitStepOfASpringOnItsOwn) {
    for (const double tau : {0.0, 0.003}) {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> any(-1.0, 1.0);
        const int pairs = 11;
        std::vector<Vec3> x, axis;
        std::vector<double> mass;
        std::vector<Spring> springs;
        for (int p = 0; p < pairs; ++p) {
            const Vec3 a{any(random), any(random), any(random)};
            axis.push_back(normalized(Vec3{any(random), any(random), any(random)}));
            x.push_back(a);
            x.push_back(a + 0.75 * axis.back());
            mass.push_back(0.6 + 0.5 * any(random));
            mass.push_back(0.6 + 0.5 * any(random));
            springs.push_back({2 * p, 2 * p + 1, 0.5f, static_cast<float>(200.0 + 150.0 * any(random))});
        }
        ClothModel model = make_net(x, mass, springs);
        model.parts[0].damping.axial_time = tau;
        ThreadPool pool(1);
        XpbdSolver solver(model, {.substeps = 1}, pool);
        ClothState state = at_rest(model);
        for (int p = 0; p < pairs; ++p)
            state.velocity[2 * p + 1] = 2.0 * axis[p];
        const Hands nobody(2 * pairs);
        const double h = 0.02;
        solver.step(state, nobody.input(h));
        for (int p = 0; p < pairs; ++p) {
            const double mu = mass[2 * p] * mass[2 * p + 1] / (mass[2 * p] + mass[2 * p + 1]);
            const double k = springs[p].stiffness,
                         rate = (2.0 / (1.0 + tau * h * k / mu) - h * k / mu * 0.25) / (1.0 + h * h * k / mu);
            const Vec3 u = state.position[2 * p + 1] - state.position[2 * p];
            EXPECT_NEAR(length(u), 0.75 + h * rate, 2e-7); // the factor of a projection is a float
            EXPECT_NEAR(dot(state.velocity[2 * p + 1] - state.velocity[2 * p], axis[p]), rate, 2e-7 / h);
        }
    }
}

TEST(Xpbd, StretchesAHangingMassTheSameAtAnyNumberOfSteps) {
    for (const double h : {1.0 / 60.0, 1.0 / 600.0, 1.0 / 3000.0}) {
        ClothModel model = make_net({{0, 0, 0}, {0, -1, 0}}, {1.0, 0.5}, {{0, 1, 1.0f, 100.0f}});
        model.parts[0].damping.axial_time = 0.05;
        ThreadPool pool(1);
        XpbdSettings settings;
        settings.tethers = false;
        XpbdSolver solver(model, settings, pool);
        ClothState state = at_rest(model);
        Hands hand(2);
        hand.grab(0, {0, 0, 0});
        for (int k = 0; k < std::lround(5.0 / h); ++k)
            solver.step(state, hand.input(h, {0, -9.81, 0}));
        EXPECT_NEAR(state.position[1].y, -1.0 - 0.5 * 9.81 / 100.0, 1e-6); // m g / k
    }
}

// Corrections come in equal and opposite impulses: linear momentum to round-off. Their line is that of the new
// positions, the lever that of the old: angular momentum drifts with the step, first order.
TEST(Xpbd, KeepsLinearMomentumExactlyAndAngularMomentumToFirstOrder) {
    const auto drift = [](double dt) {
        SceneDesc scene = free_sheet(XpbdSettings{});
        scene.cloths[0].mesh = DiscDesc{0.5, 6}; // masses in no simple ratio
        scene.gravity = {0, 0, 0};
        scene.dt = dt;
        scene.cloths[0].velocity = {0.5, 0.2, -0.3};
        scene.cloths[0].spin = {1, 2, 3};
        scene.cloths[0].material.damping = 0.0;
        Simulation sim = make_simulation(scene);
        const Momentum before = measure_momentum(sim.model(), sim.state());
        run_steps(sim, static_cast<int>(std::lround(1.0 / dt)));
        const Momentum after = measure_momentum(sim.model(), sim.state());
        EXPECT_LT(length(after.linear - before.linear), 1e-11 * length(before.linear));
        return length(after.angular - before.angular) / length(before.angular);
    };
    const double coarse = drift(1.0 / 240.0), fine = drift(1.0 / 960.0);
    EXPECT_LT(coarse, 0.05);
    EXPECT_LT(fine, 0.35 * coarse);
}

TEST(Xpbd, DampsRelativeMotionImplicitly) {
    // Two free points and a dashpot c between them, no spring: v_rel+ = v_rel / (1 + h c/mu), across the line too.
    ClothModel model = make_net({{0, 0, 0}, {1, 0, 0}}, {0.5, 0.25}, {{0, 1, 1.0f, 0.0f}});
    model.parts[0].damping.relative = 3.0;
    ThreadPool pool(1);
    XpbdSolver solver(model, {.substeps = 1}, pool);
    ClothState state = at_rest(model);
    state.velocity[1] = {0, 1, 2};
    const double h = 0.01, mu = 0.5 * 0.25 / 0.75;
    solver.step(state, Hands(2).input(h));
    EXPECT_LT(length(state.velocity[1] - state.velocity[0] - Vec3{0, 1, 2} / (1.0 + h * 3.0 / mu)), 1e-6); // floats
}

TEST(Tethers, ReachAsFarAsTheClothDoes) {
    SceneDesc irregular = free_sheet(XpbdSettings{}, 41);
    irregular.cloths[0].mesh = GridDesc{{1, 1}, {41, 41}, Diagonals::alternating, 0.25};
    const Simulation flat = make_simulation(irregular);
    std::vector<std::uint8_t> held(41 * 41, 0);
    held[0] = 1;
    Tethers tethers;
    tethers.update(flat.model(), held);
    const std::vector<Vec3>& x = flat.model().mesh.positions;
    for (int i = 1; i < 41 * 41; ++i) {
        ASSERT_EQ(tethers.of(i)[0].anchor, 0);
        ASSERT_EQ(tethers.of(i)[1].anchor, -1);
        EXPECT_NEAR(tethers.of(i)[0].reach / length(x[i] - x[0]), 1.0, 1e-6); // flat: straight lines, in a float
    }

    // Half around a tube, at the same height: pi r along the cloth, 2 r through the air.
    SceneDesc scene = free_sheet(XpbdSettings{});
    scene.cloths[0].mesh = TubeDesc{0.2, 0.2, 0.5, {64, 17}};
    const Simulation tube = make_simulation(scene);
    const std::vector<Vec3>& y = tube.model().mesh.positions;
    std::vector<std::uint8_t> one(y.size(), 0);
    one[0] = 1;
    Tethers round;
    round.update(tube.model(), one);
    for (std::size_t i = 1; i < y.size(); ++i)
        if (length(Vec3{y[i].x + y[0].x, y[i].y - y[0].y, y[i].z + y[0].z}) < 1e-9) {
            // of the prism with 64 sides that the tube is
            EXPECT_NEAR(round.of(static_cast<int>(i))[0].reach, 64 * 0.2 * std::sin(std::numbers::pi / 64), 1e-6);
        }
}

// Edges, corners and rings held together: whatever the shape of the held cloth, a tether leaves cloth at rest alone.
TEST(Tethers, DoNotPullOnClothAtRest) {
    std::vector<SceneDesc> scenes(4, free_sheet(XpbdSettings{}, 15));
    scenes[0].cloths[0].mesh = GridDesc{{1, 1}, {12, 12}, Diagonals::cross};
    scenes[2].cloths[0].mesh = DiscDesc{0.5, 8};
    scenes[3].cloths[0].mesh = TubeDesc{0.2, 0.3, 0.5, {24, 9}};
    const std::vector<std::vector<std::string>> edges{{"top"}, {"top", "left"}, {"rim"}, {"top", "bottom"}};
    for (std::size_t k = 0; k < scenes.size(); ++k) {
        SCOPED_TRACE(k);
        for (const std::string& edge : edges[k]) {
            PinDesc pin;
            pin.select = EdgeName{edge};
            scenes[k].cloths[0].pins.push_back(pin);
        }
        const Simulation sim = make_simulation(scenes[k]);
        const std::vector<Vec3>& x = sim.model().mesh.positions;
        std::vector<std::uint8_t> held(x.size(), 0);
        Simulation stepped = make_simulation(scenes[k]);
        stepped.step();
        for (std::size_t i = 0; i < x.size(); ++i)
            held[i] = stepped.state().position[i] == x[i] && stepped.state().velocity[i] == Vec3{};
        Tethers tethers;
        tethers.update(sim.model(), held);
        EXPECT_TRUE(tethers.any());
        for (int i = 0; i < sim.model().vertex_count(); ++i)
            for (const Tethers::Tether& tether : tethers.of(i))
                if (tether.anchor >= 0) {
                    EXPECT_GE(tether.reach, (1.0 - 1e-6) * length(x[i] - x[tether.anchor]));
                }
    }
}

TEST(Tethers, GoToEveryPieceOfHeldClothTheNearestPointOfEach) {
    const Simulation sim = make_simulation(free_sheet(XpbdSettings{}, 11));
    std::vector<std::uint8_t> held(121, 0);
    for (int i = 0; i < 11; ++i)
        held[i] = 1; // the bottom row is one piece
    held[110] = held[120] = 1;
    Tethers tethers;
    tethers.update(sim.model(), held);
    const auto row = tethers.of(60); // the middle
    EXPECT_EQ(row[0].anchor, 5);
    EXPECT_NEAR(row[0].reach, 0.5, 1e-6);
    EXPECT_EQ(row[1].anchor + row[2].anchor, 230); // the two corners
    EXPECT_EQ(row[3].anchor, -1);
    held.assign(121, 0);
    tethers.update(sim.model(), held); // let go
    EXPECT_FALSE(tethers.any());
    EXPECT_EQ(tethers.of(60)[0].anchor, -1);
}

TEST(Tethers, ReachAsFarAsTheShapeAtRestNotAsTheStart) {
    SceneDesc scene = free_sheet(XpbdSettings{});
    // Starts as a U, 0.6 m down and 0.6 m up again at 0.1 m distance; at rest it is a straight band.
    scene.cloths[0].mesh = RibbonDesc{
        {1.3, 0.1}, {27, 3}, Diagonals::alternating, {{0, 0, 0}, {0, -0.6, 0}, {0.1, -0.6, 0}, {0.1, 0, 0}}, {0, 0, 1}};
    const Simulation sim = make_simulation(scene);
    std::vector<std::uint8_t> held(81, 0);
    held[0] = held[27] = held[54] = 1; // the left end
    Tethers tethers;
    tethers.update(sim.model(), held);
    EXPECT_NEAR(tethers.of(27 + 26)[0].reach, 1.3, 1e-6);
    EXPECT_NEAR(tethers.longest(0), 1.3, 1e-6);
}

TEST(Tethers, MeasureAgainOnlyThePiecesThatChanged) {
    const Simulation sim = make_simulation(free_sheet(XpbdSettings{}, 21));
    std::vector<std::uint8_t> held(441, 0);
    Tethers tethers;
    held[0] = held[1] = held[440] = 1; // two pieces
    tethers.update(sim.model(), held);
    EXPECT_EQ(tethers.search_count(), 2);
    held[220] = 1; // a hand
    tethers.update(sim.model(), held);
    EXPECT_EQ(tethers.search_count(), 3);
    held[220] = 0;
    tethers.update(sim.model(), held); // lets go
    EXPECT_EQ(tethers.search_count(), 3);
    held[2] = 1; // one piece grows
    tethers.update(sim.model(), held);
    EXPECT_EQ(tethers.search_count(), 4);
    Tethers fresh;
    fresh.update(sim.model(), held);
    for (int i = 0; i < 441; ++i)
        for (int k = 0; k < Tethers::kMost; ++k) {
            EXPECT_EQ(tethers.of(i)[k].anchor, fresh.of(i)[k].anchor);
            EXPECT_EQ(tethers.of(i)[k].reach, fresh.of(i)[k].reach);
        }
}

TEST(Tethers, TakeMorePiecesThanTheyKeep) {
    const Simulation sim = make_simulation(free_sheet(XpbdSettings{}, 21));
    std::vector<std::uint8_t> held(441, 0);
    std::vector<int> pieces; // three cells apart: no two are joined by an edge or a diagonal
    for (int j = 0; j < 21; j += 3)
        for (int k = 0; k < 21; k += 3)
            pieces.push_back(21 * j + k);
    for (const int v : pieces)
        held[v] = 1;
    Tethers tethers;
    tethers.update(sim.model(), held);
    const std::vector<Vec3>& x = sim.model().mesh.positions;
    for (int i = 0; i < 441; ++i) {
        if (held[i]) continue;
        std::vector<double> straight;
        for (const int v : pieces)
            straight.push_back(length(x[i] - x[v]));
        std::sort(straight.begin(), straight.end());
        for (int k = 0; k < Tethers::kMost; ++k)
            EXPECT_NEAR(tethers.of(i)[k].reach, straight[k], 1e-6); // flat: the four nearest by straight lines
    }
}

// Its inner points belong to no triangle; paths to them lead along springs.
TEST(Tethers, ReachTheInsideOfASolidNet) {
    SceneDesc scene = free_sheet(XpbdSettings{});
    scene.cloths[0].mesh = BlockDesc{{0.4, 0.4, 0.4}, {5, 5, 5}};
    const Simulation sim = make_simulation(scene);
    std::vector<std::uint8_t> held(125, 0);
    held[0] = 1;
    Tethers tethers;
    tethers.update(sim.model(), held);
    const std::vector<Vec3>& x = sim.model().mesh.positions;
    for (int i = 1; i < 125; ++i) {
        ASSERT_EQ(tethers.of(i)[0].anchor, 0) << i;
        const double straight = length(x[i] - x[0]);
        EXPECT_GE(tethers.of(i)[0].reach, (1.0 - 1e-6) * straight);
        // Along the three axes at the worst: |x| + |y| + |z|.
        EXPECT_LE(tethers.of(i)[0].reach, 1.0001 * std::sqrt(3.0) * straight);
    }
}

// Few steps leave springs unsolved; tethers take the weight all the same.
TEST(Tethers, HoldUpAHangingClothAtFewSteps) {
    const auto lowest = [](bool tethers) {
        XpbdSettings settings;
        settings.tethers = tethers;
        settings.substeps = 1;
        SceneDesc scene = free_sheet(settings, 33);
        scene.cloths[0].material = Material{};
        PinDesc pin;
        pin.select = EdgeName{"top"};
        scene.cloths[0].pins.push_back(pin);
        scene.dt = 1.0 / 240.0;
        Simulation sim = make_simulation(scene);
        run_steps(sim, 480);
        double low = 0.0;
        for (const Vec3& p : sim.state().position)
            low = std::min(low, p.y);
        return low;
    };
    // Half a metre below the middle, and at most the slack: twice density g L^2 / stiffness = 0.7 mm.
    EXPECT_NEAR(lowest(true), -0.5, 0.0007);
    EXPECT_LT(lowest(false), -0.53);
}

} // namespace
} // namespace selvage
