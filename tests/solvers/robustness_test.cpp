// Every solver on what nobody would give it on purpose: points yanked about, nets that make no sense, sizes out of all
// proportion. The long form of the first test is grab_fuzz_test.cpp.

#include <array>
#include <fstream>
#include <functional>

#include "drawing/drawn_surface.h"
#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/grab_fuzz.h"
#include "support.h"

namespace selvage {
namespace {

constexpr double kGravity = 9.81;
const Vec3 kDown{0, -kGravity, 0};

/// What n first-order steps of h fall: g h^2 (1 + 2 + ... + n) = g t (t + h)/2.
double fall(double n, double h) {
    return 0.5 * kGravity * h * h * n * (n + 1);
}

/// Half the longest step for which explicit steps stay stable whatever is held: h^2 omega^2 <= 4 - 2 h d, with
/// omega^2 <= 2 sum k/m and d <= 2 sum c/m at a point.
double explicit_step(const ClothModel& model) {
    double step = 1.0;
    for (int i = 0; i < model.vertex_count(); ++i) {
        double stiffness = 0.0, damping = 0.0;
        for (const SpringEnd& end : model.ends_of(i)) {
            const double k = model.springs[end.spring].stiffness;
            stiffness += k;
            damping += model.parts[0].damping.axial_time * k + model.parts[0].damping.relative;
        }
        if (stiffness > 0.0) step = std::min(step, std::sqrt(model.mass[i] / (2.0 * stiffness)));
        if (damping > 0.0) step = std::min(step, model.mass[i] / (4.0 * damping));
    }
    return step;
}

/// A step the method is made for: as long as asked, or what an explicit one can take.
double step_for(const SolverEntry& entry, const ClothModel& model, double wanted) {
    return entry.traits.can_diverge ? std::min(wanted, explicit_step(model)) : wanted;
}

/// As it comes, but a linear solve that stops at a tolerance goes on to round-off: the laws below hold for solutions.
SolverSettings solved_fully(const SolverEntry& entry) {
    SolverSettings settings = stepping_once(entry.defaults);
    if (auto* cg = std::get_if<ImplicitCgSettings>(&settings)) cg->tolerance = 1e-13;
    return settings;
}

template <class Body>
void for_every_solver(const Body& body) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        body(entry);
    }
}

TEST(Robustness, YankedPointsNeverBreakASolver) {
    for_every_solver([](const SolverEntry& entry) {
        fuzz_grabs(entry, entry.defaults, 7, fuzz_cases(), 200);
        fuzz_grabs(entry, entry.defaults, 7, fuzz_cases_of_folds(), 10);
    });
}

TEST(Robustness, YankedPointsNeverBreakASolversOtherSettings) {
    HarmonicSettings harmonic;
    ImplicitJacobiSettings jacobi;
    FilterSettings filter, dense;
    harmonic.strain_limit = jacobi.strain_limit = filter.strain_limit = 0.05;
    dense.solve = FactorKind::dense;
    dense.filter_gravity = true;
    VerletSettings hash, hierarchy;
    hash.self_collision = hierarchy.self_collision = true;
    hierarchy.pair_search = PairSearch::hierarchy;
    hierarchy.sweeps = 1;
    XpbdSettings loose;
    loose.tethers = false;
    for (const SolverSettings& settings :
         std::vector<SolverSettings>{harmonic, jacobi, filter, dense, hash, hierarchy, loose})
        fuzz_grabs(*find_solver(solver_name(settings)), settings, 9, fuzz_cases(), 40);
}

TEST(Robustness, DivergenceIsFoundAndNamed) {
    for_every_solver([](const SolverEntry& entry) {
        if (!entry.traits.can_diverge) return;
        Simulation sim = make_simulation(fuzz_scene(entry.defaults, {"denim", 30, true, false, false}, 9));
        ASSERT_GT(sim.step_size(), 10 * explicit_step(sim.model())); // no explicit step survives this
        sim.grab(40, sim.state().position[40] + Vec3{0.5, 0.5, 0.5});
        int steps = 0;
        while (!sim.divergence() && steps < 1000) {
            sim.step();
            ++steps;
        }
        ASSERT_TRUE(sim.divergence());
        expect_true_report(sim, steps);
        const ClothState found = sim.state();
        sim.step(); // does nothing more
        EXPECT_EQ(state_hash(sim.state()), state_hash(found));
        sim.release(40);
        sim.set_state(make_simulation(sim.scene()).state(), 0); // and starts afresh when given a state
        EXPECT_FALSE(sim.divergence());
        sim.step();
        EXPECT_TRUE(all_finite(sim.state()));
    });
}

struct NamedNet {
    const char* name;
    ClothModel net;
};

/// Springs of 10 N/m unless said otherwise, all of them away from rest so that something happens.
std::vector<NamedNet> odd_nets() {
    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0.2}, {1.1, 1, 0}};
    const std::vector<double> even = {0.1, 0.1, 0.1, 0.1};
    std::vector<NamedNet> nets;
    nets.push_back({"one triangle", make_net({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0.1, 0.1, 0.1},
                                             {{0, 1, 0.9f, 10}, {0, 2, 1.1f, 10}, {1, 2, 1.5f, 10}})});
    nets.push_back({"an isolated point", make_net(corners, even, {{0, 1, 0.8f, 10}, {1, 2, 1.2f, 10}})});
    nets.push_back({"two components", make_net(corners, even, {{0, 1, 0.8f, 10}, {2, 3, 1.2f, 10}})});
    nets.push_back(
        {"a pair joined three times",
         make_net(corners, even,
                  {{0, 1, 0.9f, 10}, {0, 1, 0.9f, 10}, {0, 1, 0.5f, 3}, {1, 2, 1.0f, 10}, {2, 3, 1.0f, 10}})});
    nets.push_back({"springs without rest length",
                    make_net(corners, even, {{0, 1, 0, 10}, {1, 2, 0, 10}, {1, 3, 1.0f, 10}, {2, 3, 0, 10}})});
    nets.push_back(
        {"springs without stiffness", make_net(corners, even, {{0, 1, 0.9f, 0}, {1, 2, 0.9f, 10}, {2, 3, 0.5f, 0}})});
    nets.push_back({"no stiffness at all", make_net(corners, even, {{0, 1, 0.9f, 0}, {1, 2, 0.9f, 0}})});
    nets.push_back(
        {"a mote tied to a weight",
         make_net(corners, {1.0, 1e-6, 1.0, 1e-6},
                  {{0, 1, 0.9f, 10}, {0, 2, 0.9f, 10}, {1, 2, 1.2f, 10}, {1, 3, 0.7f, 10}, {2, 3, 1.0f, 10}})});
    nets.push_back({"points in one place",
                    make_net({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, even,
                             {{0, 1, 0.5f, 10}, {0, 2, 0.8f, 10}, {1, 2, 1, 10}, {1, 3, 1, 10}, {2, 3, 0, 10}})});
    nets.push_back(
        {"points on a line", make_net({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, even,
                                      {{0, 1, 1.5f, 10}, {0, 3, 5.0f, 10}, {1, 2, 1.7f, 10}, {2, 3, 1.9f, 10}})});
    nets.push_back({"a point alone", make_net({{1, 2, 3}}, {0.1}, {})});
    // Damped as well, along the springs and in every direction.
    for (std::size_t k = 0, count = nets.size(); k < count; ++k) {
        nets.push_back(nets[k]);
        nets.back().net.parts[0].damping = {1e-4, 0.01};
    }
    return nets;
}

// Springs push in pairs: whatever they do, the centre of mass of a free net falls like a stone.
TEST(Robustness, OddNetsFallAsAWhole) {
    for (const NamedNet& odd : odd_nets())
        for_every_solver([&](const SolverEntry& entry) {
            SCOPED_TRACE(odd.name);
            ThreadPool pool(1);
            const std::unique_ptr<Solver> solver = make_solver(odd.net, solved_fully(entry), pool);
            const double h = step_for(entry, odd.net, 1.0 / 60.0);
            const int steps = 120;
            ClothState state = at_rest(odd.net);
            const Vec3 start = centre_of_mass(odd.net, state);
            const Hands hands(odd.net.vertex_count());
            for (int k = 0; k < steps; ++k)
                solver->step(state, hands.input(h, kDown));
            ASSERT_TRUE(all_finite(state));
            EXPECT_LT(length(centre_of_mass(odd.net, state) - (start - Vec3{0, fall(steps, h), 0})), 1e-6);
        });
}

TEST(Robustness, OddNetsUnderHandsStayFiniteAndHeld) {
    for (const NamedNet& odd : odd_nets())
        for_every_solver([&](const SolverEntry& entry) {
            SCOPED_TRACE(odd.name);
            ThreadPool pool(1);
            const std::unique_ptr<Solver> solver = make_solver(odd.net, entry.defaults, pool);
            const double h = step_for(entry, odd.net, 1.0 / 60.0);
            const int n = odd.net.vertex_count();
            ClothState state = at_rest(odd.net);
            std::mt19937 random(7);
            Hands hands(n);
            for (int k = 0; k < 400; ++k) {
                const int v = static_cast<int>(random() % static_cast<unsigned>(n));
                const double jump = entry.traits.can_diverge ? h : 1.0; // these may diverge: 1 m/s at most
                if (random() % 4 == 0)
                    hands.grab(v, state.position[v] + jump * Vec3{double(random() % 3) - 1, 0, double(random() % 2)});
                if (random() % 8 == 0) hands.release(v);
                solver->step(state, hands.input(h, kDown));
                ASSERT_TRUE(all_finite(state)) << k;
                for (const HeldPoint& held : hands.held)
                    ASSERT_EQ(state.position[held.vertex], held.target);
                for (const Vec3& velocity : state.velocity)
                    ASSERT_LT(length(velocity), 1e4) << k;
            }
        });
}

// Two pieces know nothing of each other: the free one falls as a stone beside one that hangs, swings and is yanked.
TEST(Robustness, AFreePieceFallsBesideOneThatIsHeld) {
    const ClothModel net = make_net({{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 0, 1}, {9, 0, 0}},
                                    std::vector<double>(7, 0.1),
                                    {{0, 1, 0.8f, 10},
                                     {0, 2, 1.2f, 10},
                                     {1, 2, 1.2f, 10},
                                     {3, 4, 1, 10},
                                     {3, 5, 1, 10},
                                     {4, 5, std::sqrt(2.0f), 10}}); // the second piece is at rest, the third one point
    for_every_solver([&](const SolverEntry& entry) {
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(net, solved_fully(entry), pool);
        const double h = step_for(entry, net, 1.0 / 60.0);
        const int steps = 120;
        ClothState state = at_rest(net);
        Hands hands(7);
        for (int k = 0; k < steps; ++k) {
            hands.grab(0, {0, 0.2 * (k / 10 % 2), 0});
            solver->step(state, hands.input(h, kDown));
        }
        ASSERT_TRUE(all_finite(state));
        Vec3 momentum;
        for (const int i : {3, 4, 5}) {
            momentum += net.mass[i] * state.velocity[i];
            EXPECT_LT(length(state.position[i] - (net.mesh.positions[i] - Vec3{0, fall(steps, h), 0})), 1e-5);
        }
        EXPECT_LT(length(momentum - 0.3 * steps * h * kDown), 1e-6);
        EXPECT_LT(length(state.position[6] - (net.mesh.positions[6] - Vec3{0, fall(steps, h), 0})), 1e-9);
    });
}

// A step depends on the state and the input alone: a solver that has done other steps, with another dt and other hands,
// goes on like one that was just made.
TEST(Robustness, AChangeOfStepLeavesNoTrace) {
    const ClothModel net = [] {
        std::vector<ClothSource> sources = {{"sheet", *make_grid({{1, 1}, {7, 7}, Diagonals::alternating}), {}, {}}};
        sources[0].material.stretch_warp = sources[0].material.stretch_weft = 20;
        sources[0].material.shear = 4;
        std::vector<std::string> warnings;
        return *make_cloth_model(std::move(sources), warnings);
    }();
    for_every_solver([&](const SolverEntry& entry) {
        ThreadPool pool(1);
        const double longest = step_for(entry, net, 1.0 / 60.0);
        const std::unique_ptr<Solver> old = make_solver(net, solved_fully(entry), pool);
        ClothState state = at_rest(net);
        Hands hands(net.vertex_count());
        hands.grab(42, net.mesh.positions[42]);
        double moved = 0.0, speed = 0.0; // of the centre of mass, once nothing is held
        for (const double h : {longest, 0.1 * longest, 0.7 * longest, longest}) {
            if (h == 0.7 * longest) hands.release(42);
            const std::unique_ptr<Solver> fresh = make_solver(net, solved_fully(entry), pool);
            ClothState twin = state;
            const double before = centre_of_mass(net, state).y;
            if (hands.held.empty() && speed == 0.0) speed = measure_momentum(net, state).linear.y / (0.12 * 1.0);
            for (int k = 0; k < 20; ++k) {
                old->step(state, hands.input(h, kDown));
                fresh->step(twin, hands.input(h, kDown));
                if (!hands.held.empty()) continue;
                speed -= h * kGravity;
                moved += h * speed;
            }
            // To round-off: a factor made for another set of held points solves in another order.
            for (int i = 0; i < net.vertex_count(); ++i)
                ASSERT_LT(length(state.position[i] - twin.position[i]), 1e-11) << h;
            if (hands.held.empty()) {
                EXPECT_NEAR(centre_of_mass(net, state).y - before, moved, 1e-8);
                moved = 0.0;
            }
        }
        ASSERT_TRUE(all_finite(state));
    });
}

TEST(Robustness, AnOldStatePutBackGivesTheSameRunAgain) {
    for_every_solver([](const SolverEntry& entry) {
        SceneDesc scene = free_sheet(entry.defaults, 9);
        pin_corners(scene);
        Simulation straight = make_simulation(scene), wild = make_simulation(scene);
        run_steps(straight, 100);
        run_steps(wild, 50);
        const ClothState saved = wild.state();
        wild.grab(40, {0, 0.3, 0.5});
        wild.grab(41, {0.1, 0.3, 0.5});
        run_steps(wild, 33);
        wild.release(40);
        run_steps(wild, 4);
        wild.release(41);
        wild.set_state(saved, 50);
        run_steps(wild, 50);
        EXPECT_EQ(state_hash(wild.state()), state_hash(straight.state()));
    });
}

// Carried along as a whole, then let go all at once: it flies on as a stone thrown. 5 x 5 and 13 x 13: fewer and more
// points than a solver might keep a list of changes for.
TEST(Robustness, AClothLetGoAllAtOnceFliesOnAndCanBeCaughtAgain) {
    for (const int side : {5, 13})
        for_every_solver([&](const SolverEntry& entry) {
            Simulation sim = make_simulation(free_sheet(entry.defaults, side));
            const double h = sim.step_size();
            const std::vector<Vec3> start = sim.state().position;
            const int n = static_cast<int>(start.size());
            Vec3 shift;
            double speed = 0.0; // downwards
            for (const bool holding : {true, false, true, true, false}) {
                for (int k = 0; k < 10; ++k) {
                    speed = holding ? 0.0 : speed + h * kGravity;
                    shift += Vec3{2 * h, -h * speed, 0};
                    for (int i = 0; i < n; ++i) {
                        if (holding)
                            sim.grab(i, start[i] + shift);
                        else
                            sim.release(i);
                    }
                    run_steps(sim, 1);
                }
                for (int i = 0; i < n; ++i) {
                    const double error = length(sim.state().position[i] - (start[i] + shift));
                    EXPECT_LT(error, holding ? 1e-300 : 1e-7); // rest lengths are floats: free cloth breathes a little
                }
            }
        });
}

TEST(Robustness, HugeTinyFarAndNarrowClothsFall) {
    struct Odd {
        const char* name;
        std::array<double, 2> size;
        std::array<int, 2> vertices;
        double scale;
        Triple place;
    };
    for (const Odd& odd : std::vector<Odd>{{"a millimetre", {1, 1}, {9, 9}, 1e-3, {0, 0, 0}},
                                           {"a kilometre", {1, 1}, {9, 9}, 1e3, {0, 0, 0}},
                                           {"far out", {1, 1}, {9, 9}, 1.0, {1e6, -1e6, 1e6}},
                                           {"a ribbon", {0.02, 2}, {2, 41}, 1.0, {0, 0, 0}},
                                           {"slivers", {1e-2, 2}, {3, 5}, 1.0, {0, 0, 0}}})
        for (const Triple& turn : {Triple{0, 0, 0}, Triple{33, 47, 71}})
            for_every_solver([&](const SolverEntry& entry) {
                SCOPED_TRACE(odd.name);
                SceneDesc scene = free_sheet(entry.defaults);
                scene.cloths[0].mesh = GridDesc{odd.size, odd.vertices, Diagonals::alternating};
                scene.cloths[0].material = Material{};
                scene.cloths[0].place = {odd.place, turn, odd.scale};
                scene.dt = step_for(entry, make_simulation(scene).model(), 1.0 / 30.0);
                Simulation sim = make_simulation(scene);
                const Vec3 start = centre_of_mass(sim.model(), sim.state());
                run_steps(sim, 30);
                const double fallen = fall(30, scene.dt), far = std::abs(odd.place[0]);
                const Vec3 error = centre_of_mass(sim.model(), sim.state()) - (start - Vec3{0, fallen, 0});
                // A tiny cloth's springs outweigh its mass by 1e9, which costs a solve nine digits; rest lengths are
                // floats; positions carry 16 digits of the distance from the origin.
                EXPECT_LT(length(error), 1e-7 * fallen + 1e-10 * odd.scale + 1e-13 * far);
                EXPECT_LT(measure_strain(sim.model(), sim.state()).max, 1e-5 + 1e-13 * far);

                // Held by two corners and kicked.
                pin_corners(scene);
                scene.air.density = 1.2;
                scene.air.wind = {3, 0, 3};
                Simulation held = make_simulation(scene);
                held.grab(0, held.state().position[0] + std::min(odd.scale, 1.0) * Vec3{0.1, 0.3, 0.2});
                if (!entry.traits.can_diverge) run_steps(held, 10);
                held.release(0);
                run_steps(held, 20);
                EXPECT_TRUE(all_finite(held.state()));
            });
}

// Where the cloth is makes no difference but for round-off: 1e6 m out a position is known to 1e-10 m.
TEST(Robustness, FarFromTheOriginClothHangsTheSame) {
    for_every_solver([](const SolverEntry& entry) {
        SceneDesc scene = free_sheet(entry.defaults, 9);
        pin_corners(scene);
        scene.cloths[0].place.rotate_deg = {-90, 0, 0};
        Simulation near = make_simulation(scene);
        const Vec3 far_out{1e6, -1e6, 1e6};
        scene.cloths[0].place.translate = {1e6, -1e6, 1e6};
        Simulation far = make_simulation(scene);
        run_steps(near, 120);
        run_steps(far, 120);
        for (std::size_t i = 0; i < near.state().position.size(); ++i)
            EXPECT_LT(length(far.state().position[i] - far_out - near.state().position[i]), 1e-5);
    });
}

class RobustnessWithFiles : public TestFolder {
protected:
    /// A scene around a mesh file, soft enough for explicit steps of 1/240 s.
    SceneDesc scene_with(const SolverSettings& solver, const std::string& obj) const {
        std::ofstream(file("mesh.obj")) << obj;
        SceneDesc scene = free_sheet(solver);
        scene.directory = folder_;
        scene.cloths[0].mesh = FileMeshDesc{"mesh.obj"};
        return scene;
    }
    static void pin(SceneDesc& scene, std::vector<int> vertices) {
        PinDesc pin;
        pin.select = std::move(vertices);
        scene.cloths[0].pins.push_back(pin);
    }
};

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";
constexpr const char* kTriangleAndPoint = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 5 0 5\nf 1 2 3\n";
constexpr const char* kTwoPieces = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nv 5 0 5\nv 6 0 5\nv 5 0 6\nv 6 0 6\n"
                                   "f 1 2 3\nf 3 2 4\nf 5 6 7\nf 7 6 8\n";
constexpr const char* kTwinPoints = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 5 4 6\nf 2 4 5\n";
constexpr const char* kFan =
    "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n"; // one edge, 3 faces
constexpr const char* kSliver = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.5 0 0\nv 0.5 0 1e-9\nf 1 2 3\nf 1 2 4\nf 4 2 5\n";

TEST_F(RobustnessWithFiles, APointInNoTriangleFallsBesideAPinnedTriangle) {
    for_every_solver([this](const SolverEntry& entry) {
        for (const double air : {0.0, 1.2}) { // it has no area for the air to push on
            SceneDesc scene = scene_with(entry.defaults, kTriangleAndPoint);
            pin(scene, {0, 1, 2});
            scene.air.density = air;
            Simulation sim = make_simulation(scene);
            const std::vector<Vec3> start = sim.state().position;
            run_steps(sim, 120);
            for (const int i : {0, 1, 2})
                EXPECT_EQ(sim.state().position[i], start[i]);
            EXPECT_LT(length(sim.state().position[3] - (start[3] - Vec3{0, fall(120, 1.0 / 240.0), 0})), 1e-9);
        }
    });
}

TEST_F(RobustnessWithFiles, AFreePieceBesideAPinnedOneFallsAsItWouldAlone) {
    for_every_solver([this](const SolverEntry& entry) {
        SceneDesc scene = scene_with(entry.defaults, kTwoPieces);
        pin(scene, {0, 1});
        Simulation sim = make_simulation(scene);
        const std::vector<Vec3> start = sim.state().position;
        run_steps(sim, 120);
        Vec3 momentum;
        for (int i = 4; i < 8; ++i) {
            momentum += sim.model().mass[i] * sim.state().velocity[i];
            EXPECT_LT(length(sim.state().position[i] - (start[i] - Vec3{0, fall(120, 1.0 / 240.0), 0})), 1e-5);
        }
        // One square metre of 0.2 kg, half a second.
        EXPECT_LT(length(momentum - 0.2 * 0.5 * kDown), 1e-6);
        EXPECT_GT(start[3].y - sim.state().position[3].y, 0.1); // the pinned one swings
    });
}

TEST_F(RobustnessWithFiles, OddMeshesRunUnderHandsAndAreDrawn) {
    for (const char* obj : {kTriangle, kTriangleAndPoint, kTwoPieces, kTwinPoints, kFan, kSliver})
        for_every_solver([&](const SolverEntry& entry) {
            SCOPED_TRACE(obj);
            SceneDesc scene = scene_with(entry.defaults, obj);
            scene.air.density = 1.2;
            scene.air.wind = {1, 0, 2};
            scene.cloths[0].surface = PnSettings{.per_edge = 4};
            scene.dt = step_for(entry, make_simulation(scene).model(), 1.0 / 60.0);
            Simulation sim = make_simulation(scene);
            Result<DrawnSurface> drawn = DrawnSurface::make(scene, sim.model());
            ASSERT_TRUE(drawn);
            const auto expect_drawn = [&](const std::vector<Vec3>& particles) {
                const std::vector<Vec3>& x = drawn->update(particles, sim.pool());
                ASSERT_EQ(x.size(), drawn->mesh().positions.size());
                for (std::size_t i = 0; i < x.size(); ++i) {
                    ASSERT_TRUE(is_finite(x[i])) << i;
                    const float size = length(drawn->normals()[i]);
                    ASSERT_TRUE(size == 0.0f || std::abs(size - 1.0f) < 1e-5f) << i << ": " << size;
                }
                for (std::size_t i = 0; i < particles.size(); ++i)
                    ASSERT_EQ(x[i], particles[i]);
            };
            const double reach = entry.traits.can_diverge ? scene.dt : 1.0;
            for (int k = 0; k < 100; ++k) {
                if (k % 10 == 0) sim.grab(k / 10 % 3, sim.state().position[k / 10 % 3] + reach * Vec3{0.5, 0.5, -0.5});
                if (k % 10 == 7) sim.release(k / 10 % 3);
                run_steps(sim, 1);
                expect_drawn(sim.state().position);
            }
            // All in one place, and far out.
            expect_drawn(std::vector<Vec3>(sim.state().position.size(), Vec3{1, 2, 3}));
            std::vector<Vec3> far = sim.state().position;
            for (Vec3& p : far)
                p += Vec3{1e6, -1e6, 1e6};
            expect_drawn(far);
            for (Vec3& p : far)
                p *= 1e9;
            expect_drawn(far);
        });
}

// With both searches: a heap in one place, a heap almost in one place, and a cloth farther out than a grid can count.
TEST(Robustness, ParticlesKeptApartMayLieAnywhere) {
    for (const PairSearch search : {PairSearch::hash, PairSearch::hierarchy}) {
        VerletSettings settings;
        settings.self_collision = true;
        settings.pair_search = search;
        SceneDesc scene = free_sheet(settings, 21);
        scene.cloths[0].self_collision = false; // the method's own is the subject
        Simulation sim = make_simulation(scene);
        const ClothState rest = sim.state();
        const auto run_from = [&](const std::function<Vec3(int, const Vec3&)>& place) {
            ClothState state = rest;
            for (std::size_t i = 0; i < state.position.size(); ++i)
                state.position[i] = place(static_cast<int>(i), state.position[i]);
            const Vec3 start = centre_of_mass(sim.model(), state);
            sim.set_state(state, 0);
            run_steps(sim, 10);
            ASSERT_TRUE(all_finite(sim.state()));
            // Pairs push each other apart by equal momenta. 1e-14: ten steps that each round the positions.
            EXPECT_LT(length(centre_of_mass(sim.model(), sim.state()) - (start - Vec3{0, fall(10, 1.0 / 240.0), 0})),
                      1e-9 + 1e-14 * length(start));
        };
        run_from([](int, const Vec3&) { return Vec3{1, 1, 1}; });
        run_from([](int i, const Vec3&) { return Vec3{1e-9 * i, 1e-10 * (i % 7), 0}; });
        run_from([](int, const Vec3& p) { return p + Vec3{1e6, 1e6, -1e6}; });
        run_from([](int, const Vec3& p) { return p + Vec3{1e12, 1e12, -1e12}; });
    }
}

} // namespace
} // namespace selvage
