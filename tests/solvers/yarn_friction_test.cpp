#include "solvers/multilevel/yarn_friction.h"

#include <cmath>
#include <numeric>
#include <random>

#include "geometry/generators.h"
#include "model/cloth_model.h"
#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

Material rubbing_fabric() {
    Material m;
    m.bend_friction_warp = 6e-4;
    m.bend_friction_weft = 4e-4;
    return m;
}

/// A patch and its friction, with points in the order of the vertices.
struct Patch {
    ClothModel model;
    std::vector<int> order;
    YarnFriction yarn;
    std::vector<YarnMemory> memory;
    ThreadPool pool{1};

    explicit Patch(const Material& m, int side = 9) {
        std::vector<std::string> warnings;
        model = *make_cloth_model({{"patch", *make_grid({{0.1, 0.1}, {side, side}, Diagonals::alternating}), m, {}}},
                                  warnings);
        order.resize(model.mass.size());
        std::iota(order.begin(), order.end(), 0);
        yarn = YarnFriction(make_sheet(model), order, padded(model.vertex_count()));
        memory.resize(model.mass.size());
    }
    Points shape(std::mt19937& random, double size) const {
        std::uniform_real_distribution<double> any(-size, size);
        Points x;
        x.resize(padded(model.vertex_count()));
        for (int i = 0; i < model.vertex_count(); ++i) {
            const Vec3& p = model.mesh.positions[i];
            x[i] = Doubles4{p.x + any(random), p.y + any(random), p.z + any(random), 0.0};
        }
        return x;
    }
    std::vector<Floats4> forces(const Points& from, const Points& to) {
        yarn.start_small_step(pool, from, order, memory);
        std::vector<Floats4> force(from.size());
        const std::vector<std::uint8_t> free(from.size(), 0);
        yarn.add_forces(pool, to, free, force);
        return force;
    }
};

TEST(YarnFriction, PushesAndTurnsNoPieceAsAWhole) {
    std::mt19937 random(3);
    Patch patch(rubbing_fabric());
    const Points from = patch.shape(random, 1e-3), to = patch.shape(random, 1e-3);
    const std::vector<Floats4> force = patch.forces(from, to);
    Vec3 sum, turn;
    double size = 0.0;
    for (int i = 0; i < static_cast<int>(force.size()); ++i) {
        const Vec3 f{force[i][0], force[i][1], force[i][2]}, x{to[i][0], to[i][1], to[i][2]};
        sum += f;
        turn += cross(x, f);
        size += length(f);
    }
    EXPECT_GT(size, 1e-4);
    EXPECT_LT(length(sum), 1e-5 * size);
    EXPECT_LT(length(turn), 1e-6 * size); // arms are up to 0.07 m
}

TEST(YarnFriction, TakesMoreWorkThanItStoresWhateverTheMotion) {
    // Of any path, however wild: the law alone, in steps that are short against the folds.
    std::mt19937 random(5);
    Patch patch(rubbing_fabric());
    Points before = patch.shape(random, 1e-3);
    patch.forces(before, before);
    double stored = patch.yarn.energy(patch.memory, patch.order), work = 0.0, passed = 0.0;
    for (int leg = 0; leg < 12; ++leg) {
        const Points start = before, goal = patch.shape(random, leg % 3 == 0 ? 1e-4 : 1e-3);
        constexpr int kSteps = 40;
        for (int k = 1; k <= kSteps; ++k) {
            Points after = start;
            for (int i = 0; i < static_cast<int>(after.size()); ++i)
                after[i] = start[i] + (static_cast<double>(k) / kSteps) * (goal[i] - start[i]);
            const std::vector<Floats4> force = patch.forces(before, after);
            for (int i = 0; i < static_cast<int>(after.size()); ++i)
                for (int c = 0; c < 3; ++c)
                    work -= force[i][c] * (after[i][c] - before[i][c]);
            before = after;
        }
        patch.forces(before, before);
        const double now = patch.yarn.energy(patch.memory, patch.order);
        EXPECT_GT(work - passed, now - stored) << leg;
        stored = now;
        passed = work;
    }
}

TEST(YarnFriction, HoldsNoMoreThanItsMoment) {
    std::mt19937 random(7);
    Patch patch(rubbing_fabric());
    Points before = patch.shape(random, 3e-3);
    for (int k = 0; k < 50; ++k) {
        const Points after = patch.shape(random, 3e-3);
        patch.forces(before, after);
        before = after;
        for (const YarnMemory& yarn : patch.memory) {
            const auto& m = yarn.moment;
            EXPECT_LE(std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]), 1.0001 * 5e-4); // the mean of both
        }
    }
}

TEST(YarnFriction, IsNotThereForFabricsWithoutIt) {
    EXPECT_FALSE(Patch(Material{}).yarn.is_present());
    Material stiff_as_nothing = rubbing_fabric();
    stiff_as_nothing.bend_warp = stiff_as_nothing.bend_weft = 0.0;
    EXPECT_FALSE(Patch(stiff_as_nothing).yarn.is_present());
}

SceneDesc rubbing_sheet(double dt = 1.0 / 60.0) {
    SceneDesc scene = free_sheet(MultilevelSettings{}, 17);
    std::get<MultilevelSettings>(scene.solver).substeps = 0;
    scene.dt = dt;
    scene.cloths[0].mesh = GridDesc{{0.3, 0.3}, {17, 17}, Diagonals::alternating};
    scene.cloths[0].material = rubbing_fabric();
    scene.cloths[0].place.rotate_deg = {-70, 0, 0};
    return scene;
}

TEST(YarnFriction, IsMissedAloudWhereAMethodHasNone) {
    const auto warnings_of = [](const SolverSettings& solver) {
        SceneDesc scene = free_sheet(solver, 5);
        scene.cloths[0].material = rubbing_fabric();
        return make_simulation(scene, 1).warnings();
    };
    EXPECT_TRUE(warnings_of(MultilevelSettings{}).empty());
    ASSERT_EQ(warnings_of(ImplicitCgSettings{}).size(), 1u);
    EXPECT_NE(warnings_of(ImplicitCgSettings{})[0].find("bends without its friction"), std::string::npos);
}

TEST(YarnFriction, HasTheSameBitsOnAnyNumberOfThreads) {
    SceneDesc scene = rubbing_sheet();
    pin_corners(scene);
    Simulation one = make_simulation(scene, 1), three = make_simulation(scene, 3);
    run_steps(one, 40);
    run_steps(three, 40);
    EXPECT_FALSE(one.state().yarn.empty());
    EXPECT_EQ(state_hash(one.state()), state_hash(three.state()));
}

TEST(YarnFriction, LetsAFlyingSheetGainNoEnergyAtAnyStep) {
    for (const double dt : {1.0 / 60.0, 1.0 / 600.0}) {
        SceneDesc scene = rubbing_sheet(dt);
        auto& settings = std::get<MultilevelSettings>(scene.solver);
        settings.substeps = 1;
        settings.linearisations = 12; // solved to the end: what is left of a solve may push
        settings.iterations = 40;
        settings.compression = 1.0;
        scene.gravity = {0, 0, 0};
        scene.cloths[0].spin = {6, 2, 3};
        scene.cloths[0].velocity = {0.3, 0, 0};
        Simulation sim = make_simulation(scene);
        ClothState bent = sim.state();
        for (Vec3& p : bent.position)
            p.z += 0.02 * std::sin(25.0 * p.x) * std::cos(20.0 * p.y);
        sim.set_state(std::move(bent), 0);
        const auto total = [&] {
            const Energy energy = sim.energy();
            return energy.kinetic + energy.elastic;
        };
        double before = total();
        const double first = before;
        for (int k = 0; k < 120; ++k) {
            sim.step();
            const double now = total();
            EXPECT_LT(now, before + 1e-4 * first) << k;
            before = now;
        }
        EXPECT_LT(before, first);
    }
}

TEST(YarnFriction, StaysFiniteHoweverLargeItIs) {
    for (const double slip : {1e-9, 1e-2, 10.0}) {
        SceneDesc scene = rubbing_sheet();
        pin_corners(scene);
        scene.cloths[0].material.bend_friction_warp = scene.cloths[0].material.bend_friction_weft = slip;
        Simulation sim = make_simulation(scene);
        run_steps(sim, 60);
        EXPECT_TRUE(all_finite(sim.state())) << slip;
    }
}

TEST(YarnFriction, ComesOutTheSameAfterAStateIsPutBack) {
    SceneDesc scene = rubbing_sheet();
    pin_corners(scene);
    Simulation sim = make_simulation(scene);
    run_steps(sim, 20);
    const ClothState half = sim.state();
    const std::int64_t steps = sim.step_count();
    run_steps(sim, 20);
    const std::uint64_t whole = state_hash(sim.state());
    Simulation other = make_simulation(scene);
    other.set_state(half, steps);
    run_steps(other, 20);
    EXPECT_EQ(state_hash(other.state()), whole);
    ClothState forgotten = half;
    forgotten.yarn.clear();
    other.set_state(forgotten, steps);
    run_steps(other, 20);
    EXPECT_NE(state_hash(other.state()), whole); // it matters
}

} // namespace
} // namespace selvage
