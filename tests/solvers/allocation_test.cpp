// Counts every allocation of the program: a step after the first must make none.

#include "counted_allocations.h"
#include "drawing/drawn_surface.h"
#include "solvers/catalog.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

TEST(Allocation, NoneInAStepAfterTheFirst) {
    std::vector<SolverSettings> all;
    for (const SolverEntry& entry : solver_catalog())
        all.push_back(entry.defaults);
    ImplicitJacobiSettings limited;
    limited.strain_limit = 0.01;
    all.push_back(limited);
    FilterSettings dense;
    dense.solve = FactorKind::dense;
    dense.strain_limit = 0.01;
    all.push_back(dense);
    ImplicitCgSettings third;
    third.integrator = Integrator::sdirk3;
    third.newton = 3;
    all.push_back(third);
    for (const PairSearch search : {PairSearch::hash, PairSearch::hierarchy}) {
        VerletSettings apart;
        apart.self_collision = true;
        apart.pair_search = search;
        apart.distance = 0.05; // beyond the spacing: the hanging sheet soon has pairs
        all.push_back(apart);
    }
    for (const SolverSettings& settings : all)
        for (const int threads : {1, 4}) {
            SCOPED_TRACE(solver_name(settings));
            SceneDesc scene = free_sheet(settings, 33);
            scene.dt = 1.0 / 2000.0;
            scene.air.density = 1.2;
            scene.air.wind = {2, 0, 1};
            scene.air.gust = 0.5;
            pin_corners(scene);
            scene.cloths[0].pins[0].keyframes = {{0.0, {}, {}}, {1.0, {0.1, 0, 0}, {0, 30, 0}}};
            scene.cloths[0].pins[1].release = 0.01;
            Simulation sim = make_simulation(scene, threads);
            sim.step_frame();
            const long before = allocation_count();
            for (int k = 0; k < 30; ++k)
                sim.step_frame();
            EXPECT_EQ(allocation_count() - before, 0);
        }
}

TEST(Allocation, NoneWhenABudgetChangesTheEffort) {
    for (const SolverSettings& settings : {SolverSettings{MultilevelSettings{}}, SolverSettings{XpbdSettings{}}}) {
        SCOPED_TRACE(solver_name(settings));
        SceneDesc scene = free_sheet(settings, 33);
        scene.dt = 1.0 / 2000.0;
        pin_corners(scene);
        Simulation sim = make_simulation(scene, 1);
        sim.step_frame();
        const long before = allocation_count();
        for (int k = 0; k < 3 * FrameBudget::kWorkLevels; ++k) {
            sim.set_effort(FrameBudget::kWork[static_cast<std::size_t>(k) % FrameBudget::kWorkLevels]);
            sim.step_frame();
        }
        EXPECT_EQ(allocation_count() - before, 0);
    }
}

TEST(Allocation, NoneInAStepWithSolidsOfTriangles) {
    SceneDesc scene = free_sheet(ImplicitJacobiSettings{}, 17);
    scene.dt = 1.0 / 2000.0;
    scene.cloths[0].place = {{0, 0.1, 0}, {-90, 0, 0}, 1.0};
    ColliderDesc rigid, given, ground;
    rigid.shape = SolidMeshDesc{BlockDesc{{0.2, 0.2, 0.2}, {3, 3, 3}}};
    rigid.spin = {0, 1e-3, 0}; // slow, so that the cloth comes to rest: lists of pairs grow while it does not
    given.shape = rigid.shape;
    ground.shape = HeightDesc{{4, 4}, {3, 2}, {0, 0.1, 0, 0.1, 0, 0.1}};
    scene.colliders = {rigid, given, ground};
    Simulation sim = make_simulation(scene, 2);
    std::vector<Vec3> points = sim.colliders()[1].points_now;
    ASSERT_TRUE(sim.set_collider_points(1, points));
    const auto breathe = [&](int cycles) {
        for (int k = 0; k < 200 * cycles; ++k) {
            for (Vec3& p : points)
                p.x *= k % 200 < 100 ? 1.000001 : 1.0 / 1.000001;
            EXPECT_TRUE(sim.set_collider_points(1, points));
            sim.step_frame();
        }
    };
    breathe(20); // until the cloth lies on them and the lists of pairs have grown
    const long before = allocation_count();
    breathe(1);
    EXPECT_EQ(allocation_count() - before, 0);
}

/// Cloth that has come to rest: whatever contact needs it has by then.
void expect_no_allocations_at_rest(const SceneDesc& scene, int frames) {
    for (const int threads : {1, 4}) {
        Simulation sim = make_simulation(scene, threads);
        std::int64_t pairs = 0;
        for (int k = 0; k < frames; ++k)
            sim.step_frame();
        const long before = allocation_count();
        for (int k = 0; k < 30; ++k) {
            sim.step_frame();
            pairs += sim.contact_stats().records;
        }
        EXPECT_EQ(allocation_count() - before, 0) << threads;
        EXPECT_GT(pairs, 0);
    }
}

TEST(Allocation, NoneInAStepOfAClothDrapedOverABall) {
    SceneDesc scene = free_sheet(XpbdSettings{}, 17);
    scene.dt = 1.0 / 60.0;
    scene.substeps = 10;
    scene.air.density = 1.2;
    scene.cloths[0].place = {{0, 0.16, 0}, {-90, 0, 0}, 0.7};
    scene.cloths[0].self_collision = true;
    ColliderDesc ball, floor;
    ball.shape = Sphere{0.15};
    floor.shape = Plane{};
    floor.place.translate = {0, -0.15, 0};
    scene.colliders = {ball, floor};
    expect_no_allocations_at_rest(scene, 150);
}

SceneDesc two_sheets_on_a_plane(const SolverSettings& solver) {
    SceneDesc scene = free_sheet(solver, 13);
    scene.dt = 1.0 / 60.0;
    scene.substeps = 10;
    scene.cloths[0].place = {{0, 0.003, 0}, {-90, 0, 0}, 0.5};
    scene.cloths[0].self_collision = true;
    scene.cloths.push_back(scene.cloths[0]);
    scene.cloths[1].name = "upper";
    scene.cloths[1].place = {{0.01, 0.006, 0.02}, {-90, 30, 0}, 0.4};
    ColliderDesc floor;
    floor.shape = Plane{};
    scene.colliders = {floor};
    return scene;
}

TEST(Allocation, NoneInAStepOfTwoSheetsAtRestOnAPlane) {
    expect_no_allocations_at_rest(two_sheets_on_a_plane(XpbdSettings{}), 90);
}

TEST(Allocation, NoneInAStepWithContactInsideTheSolver) {
    SceneDesc scene = two_sheets_on_a_plane(MultilevelSettings{});
    scene.substeps = 4;
    ColliderDesc block;
    block.shape = Box{{0.1, 0.004, 0.1}};
    scene.colliders.push_back(block);
    expect_no_allocations_at_rest(scene, 300);
}

TEST(Allocation, NoneInAnUpdateOfTheDrawnSurface) {
    SceneDesc scene = free_sheet(ImplicitJacobiSettings{}, 9);
    scene.cloths.push_back(scene.cloths[0]);
    scene.cloths[0].surface = PnSettings{};
    pin_corners(scene);
    for (const int threads : {1, 4}) {
        Simulation sim = make_simulation(scene, threads);
        Result<DrawnSurface> surface = DrawnSurface::make(scene, sim.model());
        ASSERT_TRUE(surface);
        std::vector<Vec3> x = sim.state().position;
        const long before = allocation_count();
        for (int k = 0; k < 30; ++k) {
            for (Vec3& p : x) // pressed together, so that wrinkles are made as well
                p.x *= 0.99;
            surface->update(x, sim.pool());
        }
        EXPECT_EQ(allocation_count() - before, 0);
    }
}

} // namespace
} // namespace selvage
