// A hundred thousand steps of small cloths among solids of every kind, dragged about by hands at ten metres per second:
// whatever the solver, no cloth ever passes through itself. Slow by design.

#include <random>
#include <string>

#include "collision/crossings.h"
#include "scene/scene_io.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

constexpr int kRuns = 12, kStepsPerRun = 1000; // 100 runs of 1100 make the hundred thousand that were run once

/// The same numbers from every standard library.
class Dice {
public:
    explicit Dice(unsigned seed) : random_(seed) {}
    double between(double low, double high) { return low + (high - low) * static_cast<double>(random_()) * 0x1p-32; }
    int below(int count) { return static_cast<int>(between(0.0, count)); }
    bool chance(double share) { return between(0.0, 1.0) < share; }
    Triple place(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }

private:
    std::mt19937 random_;
};

SolidDesc any_shape(Dice& dice) {
    switch (dice.below(6)) {
    case 0:
        return Sphere{dice.between(0.02, 0.12)};
    case 1:
        return Box{{dice.between(0.01, 0.2), dice.between(0.01, 0.2), dice.between(0.01, 0.2)}};
    case 2:
        return Capsule{dice.between(0.004, 0.06), dice.between(0.004, 0.06), dice.between(0.1, 0.3)};
    case 3:
        return Cylinder{dice.between(0.01, 0.12), dice.between(0.01, 0.2)};
    case 4: {
        TubeDesc tube;
        tube.radius = dice.between(0.03, 0.1);
        tube.top_radius = dice.between(0.03, 0.1);
        tube.height = dice.between(0.05, 0.2);
        tube.vertices = {10, 4};
        return SolidMeshDesc{tube};
    }
    default:
        return Plane{};
    }
}

SceneDesc any_scene(Dice& dice, const SolverSettings& solver, int substeps) {
    constexpr const char* kFabrics[] = {"cotton-poplin", "silk-habotai", "denim", "cotton-jersey"};
    SceneDesc scene;
    scene.name = "fuzz";
    scene.solver = solver;
    scene.dt = 1.0 / 60.0;
    scene.substeps = substeps;
    // One sheet, or two one over the other: 160 to 170 vertices in all.
    const int sheets = 1 + dice.below(2);
    for (int k = 0; k < sheets; ++k) {
        ClothDesc cloth;
        cloth.name = "sheet" + std::to_string(k);
        const int n = sheets == 1 ? 13 : 9;
        cloth.mesh = GridDesc{{0.4, 0.4}, {n, n}, Diagonals::alternating};
        cloth.place = {{0.02 * k, 0.5 + 0.03 * k, 0}, {-90, dice.between(0, 90), 0}, 1.0};
        cloth.fabric = kFabrics[dice.below(4)];
        Result<Fabric> fabric = load_fabric(cloth.fabric);
        EXPECT_TRUE(fabric);
        cloth.material = fabric->material;
        cloth.self_collision = true;
        scene.cloths.push_back(cloth);
    }
    ColliderDesc floor;
    floor.shape = Plane{};
    floor.place.translate = {0, -0.1, 0};
    scene.colliders.push_back(floor);
    for (int k = 0; k < 4; ++k) {
        ColliderDesc solid;
        solid.shape = any_shape(dice);
        solid.friction = dice.between(0.0, 1.0);
        const bool is_plane = std::holds_alternative<Plane>(solid.shape);
        // Below the sheets, which start free of everything; planes lean a little.
        solid.place.translate = {dice.between(-0.2, 0.2), is_plane ? -0.1 : dice.between(0.0, 0.25),
                                 dice.between(-0.2, 0.2)};
        solid.place.rotate_deg = is_plane ? Triple{dice.between(-20, 20), 0, dice.between(-20, 20)} : dice.place(180);
        if (!is_plane && dice.chance(0.6)) {
            solid.spin = dice.place(4.0);
            double t = 0.2;
            solid.keyframes.push_back({t, {0, 0, 0}, {0, 0, 0}});
            for (int key = 0; key < 20; ++key)
                solid.keyframes.push_back({t += dice.between(0.1, 0.6), dice.place(0.25), {0, 0, 0}});
        }
        scene.colliders.push_back(solid);
    }
    return scene;
}

/// One to three points in hands that travel at 10 m/s from place to place.
class FastHands {
public:
    FastHands(Simulation& sim, Dice& dice) : sim_(sim), dice_(dice) {}
    void act(double dt) {
        if (hands_.empty() || dice_.chance(0.01)) {
            for (const Hand& hand : hands_)
                sim_.release(hand.vertex);
            hands_.clear();
            if (dice_.chance(0.2)) return; // let it fall a while
            const int count = 1 + dice_.below(3);
            for (int k = 0; k < count; ++k) {
                const int v = dice_.below(sim_.model().vertex_count());
                hands_.push_back({v, sim_.state().position[v], {}});
                aim(hands_.back());
            }
        }
        for (Hand& hand : hands_) {
            // A cloth that cannot follow holds the hand back.
            hand.at = sim_.state().position[hand.vertex];
            const Vec3 way = hand.to - hand.at;
            const double left = length(way), most = 10.0 * dt;
            if (left < most) {
                hand.at = hand.to;
                aim(hand);
            } else {
                hand.at += (most / left) * way;
            }
            sim_.grab(hand.vertex, hand.at);
        }
    }

private:
    struct Hand {
        int vertex;
        Vec3 at, to;
    };
    void aim(Hand& hand) { hand.to = {dice_.between(-0.4, 0.4), dice_.between(-0.1, 0.7), dice_.between(-0.4, 0.4)}; }
    Simulation& sim_;
    Dice& dice_;
    std::vector<Hand> hands_;
};

class ContactFuzz : public ::testing::TestWithParam<int> {};

TEST_P(ContactFuzz, NeverTakesClothThroughItself) {
    const int run = GetParam();
    const std::vector<SolverSettings> solvers{XpbdSettings{}, ImplicitJacobiSettings{}, VerletSettings{},
                                              HarmonicSettings{}, MultilevelSettings{}};
    const SolverSettings& solver = solvers[static_cast<std::size_t>(run) % solvers.size()];
    Dice dice(static_cast<unsigned>(run));
    // At 1/300 s a hand goes farther in a step than an edge is long: everything is searched all the time, so less of it.
    const bool is_coarse = run % 8 == 0;
    Simulation sim = make_simulation(any_scene(dice, solver, is_coarse ? 5 : run % 3 == 0 ? 20 : 40));
    const int steps = is_coarse ? kStepsPerRun / 10 : kStepsPerRun;
    SCOPED_TRACE(solver_name(solver) + ", " + std::to_string(sim.scene().substeps) + " steps per frame");
    FastHands hands(sim, dice);
    CrossingCounter counter;
    for (int done = 0, frame = 0; done < steps; done += sim.scene().substeps, ++frame) {
        for (int k = 0; k < sim.scene().substeps; ++k) {
            hands.act(sim.step_size());
            sim.step();
        }
        ASSERT_FALSE(sim.divergence()) << sim.divergence()->text();
        for (const Vec3& p : sim.state().position)
            ASSERT_TRUE(is_finite(p)) << "frame " << frame;
        const CrossingCount crossings =
            counter.count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position);
        ASSERT_EQ(crossings.count, 0) << "frame " << frame << ", edge " << crossings.first.edge << ", triangle "
                                      << crossings.first.triangle;
    }
}

INSTANTIATE_TEST_SUITE_P(Run, ContactFuzz, ::testing::Range(0, kRuns));

} // namespace
} // namespace selvage
