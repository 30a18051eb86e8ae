// Contact within the steps of `multilevel`.

#include "solvers/multilevel/contact_forces.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "collision/contact/crossings.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

/// One triangle over another, and a free vertex over both solids' planes: what the forces are asked about here.
struct PressedPair {
    ThreadPool pool{1};
    std::vector<std::vector<ContactRecord>> records{1}, none;
    std::vector<std::vector<NearSolid>> near{1};
    std::vector<Collider> colliders;
    std::vector<Vec3> start{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.2, 0.9e-3, 0.3}};
    std::vector<Vec3> motion = std::vector<Vec3>(4);
    std::vector<std::uint8_t> is_held = std::vector<std::uint8_t>(4);
    ContactView view;
    Points x;
    Inertia inertia;
    SlicedMatrix matrix;
    std::vector<Floats4> residual = std::vector<Floats4>(4);
    static constexpr double kStep = 1e-3;

    PressedPair() {
        x.resize(4);
        inertia.y.resize(4);
        inertia.mass = {0.1, 0.2, 0.1, 0.05};
        matrix = make_sliced_matrix({{0, 0, 0, 0, 0}, {}});
    }
    /// A vertex on a face; sinks by 0.2 mm and slips by `slip`.
    void add_pair(double friction, const Vec3& slip) {
        ContactRecord record;
        record.vertex = {3, 0, 1, 2};
        record.count = 4;
        record.side_count = 1;
        record.normal = {0, 1, 0};
        record.minimum_distance = 1e-3;
        record.friction = friction;
        records[0] = {record};
        place(slip);
    }
    void add_ground(double friction, const Vec3& slip) {
        Collider ground{Plane{}, {{0, 0, 0}, {}}, {{0, 0, 0}, {}}};
        ground.friction = friction;
        ground.thickness = 1e-3;
        colliders = {ground};
        near[0] = {{3, 0}};
        place(slip);
    }
    void place(const Vec3& slip) {
        for (int i = 0; i < 4; ++i) {
            const Vec3 p = start[i] + (i == 3 ? slip + Vec3{0, -2e-4, 0} : Vec3{});
            x[i] = Doubles4{p.x, p.y, p.z, 0.0};
        }
    }
    void linearise(ContactForces& forces, int times) {
        view = {records, near, none, colliders, start, motion};
        forces.start_step(&view, is_held);
        forces.start_small_step(pool, start, kStep, 0, 1);
        for (int k = 0; k < times; ++k)
            linearise_again(forces);
    }
    void linearise_again(ContactForces& forces) {
        std::fill(residual.begin(), residual.end(), Floats4{});
        for (int i = 0; i < 4; ++i)
            matrix.set_diagonal(i, scaled_identity(static_cast<float>(inertia.mass[i] / (kStep * kStep))));
        forces.linearise(pool, x, inertia, matrix, residual);
    }
    Vec3 force(int i) const { return {residual[i][0], residual[i][1], residual[i][2]}; }
};

IndexLists one_piece() {
    return {{0, 4}, {0, 1, 2, 3}};
}

// Newton's third law, and Coulomb's: the drag is friction times the push when what slips cannot be stopped.
TEST(ContactForces, PairsPushAndDragEachOtherAlike) {
    PressedPair pressed;
    const double friction = 0.3;
    pressed.add_pair(friction, {0.01, 0, 0});
    ContactForces forces(4, one_piece());
    pressed.linearise(forces, 2);
    Vec3 sum;
    for (int i = 0; i < 4; ++i)
        sum += pressed.force(i);
    const Vec3 top = pressed.force(3);
    EXPECT_GT(top.y, 0.0);
    EXPECT_LT(length(sum), 1e-6 * length(top));
    EXPECT_NEAR(top.x, -friction * top.y, 1e-5 * top.y);
    EXPECT_NEAR(top.z, 0.0, 1e-6 * top.y);
}

// A slip that friction can stop it stops: the drag is the spring's own, below the limit.
TEST(ContactForces, HoldsWhatItCanStop) {
    for (const bool on_ground : {false, true}) {
        PressedPair pressed;
        if (on_ground)
            pressed.add_ground(0.5, {1e-6, 0, 0});
        else
            pressed.add_pair(0.5, {1e-6, 0, 0});
        ContactForces forces(4, one_piece());
        pressed.linearise(forces, 2);
        const Vec3 top = pressed.force(3);
        EXPECT_LT(top.x, 0.0);
        EXPECT_LT(-top.x, 0.5 * top.y);
        if (!on_ground) continue;
        forces.finish_small_step(pressed.pool, pressed.x);
        EXPECT_NEAR(pressed.x[3][0], pressed.start[3].x, 1e-15);
    }
}

// The matrix is the derivative of the forces: exact in products, and bounded by what stands on the diagonal. The pair
// is linear in the motion along its normal, so differences are exact but for rounding.
TEST(ContactForces, ProductsAreTheForcesDerivativeAndTheDiagonalBoundsThem) {
    PressedPair pressed;
    pressed.add_pair(0.0, {});
    ContactForces forces(4, one_piece());
    pressed.linearise(forces, 2);
    const std::vector<Floats4> before = pressed.residual;
    std::mt19937 random(5);
    std::uniform_real_distribution<float> u(-1, 1);
    for (int trial = 0; trial < 20; ++trial) {
        std::vector<Floats4> displacement(4), product(4);
        for (int i = 0; i < 4; ++i) {
            displacement[i] = Floats4{0, u(random), 0, 0};
            product[i] = selvage::product(pressed.matrix.diagonal(i), displacement[i]); // with m/h^2 and the bound
        }
        double inertial = 0.0, bounded = 0.0;
        for (int i = 0; i < 4; ++i) {
            inertial += pressed.inertia.mass[i] / (PressedPair::kStep * PressedPair::kStep) *
                        dot(displacement[i], displacement[i]);
            bounded += dot(displacement[i], product[i]);
        }
        const double curvature = bounded + forces.multiply(pressed.pool, displacement, product);
        EXPECT_GE(curvature, inertial * (1.0 - 1e-5));
        EXPECT_LE(curvature, bounded * (1.0 + 1e-5));
        PressedPair moved;
        moved.add_pair(0.0, {});
        constexpr double kFraction = 1e-5;
        for (int i = 0; i < 4; ++i)
            moved.x[i] += kFraction * SELVAGE_TO_DOUBLES(displacement[i]);
        ContactForces again(4, one_piece());
        moved.linearise(again, 2);
        for (int i = 0; i < 4; ++i) {
            const double stiffness = product[i][1] - pressed.inertia.mass[i] / 1e-6 * displacement[i][1];
            EXPECT_NEAR((moved.residual[i][1] - before[i][1]) / kFraction, -stiffness, 1e-4 * bounded);
        }
    }
}

// A pair that is nearly through pushes four times as hard as its depth asks for; one that is only pressed does not
// change.
TEST(ContactForces, StiffensWhatIsOverrun) {
    for (const bool deep : {false, true}) {
        PressedPair pressed;
        pressed.add_pair(0.0, {});
        if (deep) pressed.x[3][1] -= 6e-4; // 0.1 mm left of 0.9
        ContactForces forces(4, one_piece());
        pressed.linearise(forces, 2);
        const double before = pressed.force(3).y;
        EXPECT_EQ(forces.stiffen_overrun(pressed.pool, pressed.x), deep ? 1 : 0);
        pressed.linearise_again(forces);
        EXPECT_NEAR(pressed.force(3).y, (deep ? 4.0 : 1.0) * before, 1e-5 * before);
    }
}

TEST(ContactForces, IsOutOfReachWithoutAView) {
    PressedPair pressed;
    pressed.add_pair(0.3, {});
    ContactForces forces(4, one_piece());
    forces.start_step(nullptr, pressed.is_held);
    forces.start_small_step(pressed.pool, pressed.start, 1e-3, 0, 1);
    forces.linearise(pressed.pool, pressed.x, pressed.inertia, pressed.matrix, pressed.residual);
    EXPECT_EQ(forces.active_count(), 0);
    EXPECT_EQ(pressed.residual[3][1], 0.0F);
}

SceneDesc with_multilevel(const char* name, int substeps) {
    Result<SceneDesc> scene = load_scene(name);
    EXPECT_TRUE(scene);
    MultilevelSettings settings;
    settings.quality = Quality::low;
    scene->solver = settings;
    scene->substeps = substeps;
    return *scene;
}

SceneDesc small_stack() {
    SceneDesc scene = with_multilevel("five-sheets", 8);
    for (ClothDesc& cloth : scene.cloths) {
        std::get<GridDesc>(cloth.mesh).vertices = {9, 9};
        cloth.place.translate[1] -= 0.08; // less to fall
    }
    return scene;
}

// Two and a half small steps to a step, so that they are several and of their own length.
SceneDesc small_drape() {
    SceneDesc scene = with_multilevel("sphere-drape", 2);
    std::get<GridDesc>(scene.cloths[0].mesh).vertices = {15, 15};
    return scene;
}

TEST(MultilevelContact, GivesTheSameHashOnAnyNumberOfThreads) {
    for (const SceneDesc& scene : {small_stack(), small_drape()}) {
        std::vector<std::uint64_t> hashes;
        for (const int threads : {1, 2, 8}) {
            Simulation sim = make_simulation(scene, threads);
            for (int f = 0; f < 20; ++f)
                sim.step_frame();
            hashes.push_back(state_hash(sim.state()));
        }
        EXPECT_EQ(hashes[1], hashes[0]);
        EXPECT_EQ(hashes[2], hashes[0]);
    }
}

TEST(MultilevelContact, GoesOnBitForBitFromAStateSetInTheMiddle) {
    for (const SceneDesc& scene : {small_stack(), small_drape()}) {
        Simulation whole = make_simulation(scene);
        std::vector<ClothState> states;
        std::vector<std::int64_t> steps;
        for (int f = 0; f < 26; ++f) {
            states.push_back(whole.state());
            steps.push_back(whole.step_count());
            whole.step_frame();
        }
        Simulation resumed = make_simulation(scene);
        for (const int f : {4, 13, 20}) {
            resumed.set_state(states[f], steps[f]);
            for (int k = f; k < f + 5; ++k) {
                resumed.step_frame();
                ASSERT_EQ(state_hash(resumed.state()), state_hash(states[k + 1])) << "from " << f << ", frame " << k;
            }
        }
    }
}

// What the stage after the solver has to do: with contact inside next to nothing, and without it a good deal.
TEST(MultilevelContact, LeavesLittleToDoAfterTheStep) {
    std::int64_t truncated[2] = {}, contacts[2] = {};
    for (const bool inside : {false, true}) {
        SceneDesc scene = small_stack();
        std::get<MultilevelSettings>(scene.solver).contact = inside;
        Simulation sim = make_simulation(scene);
        CrossingCounter counter;
        for (int f = 0; f < 40; ++f) {
            sim.step_frame();
            truncated[inside] += sim.contact_stats().truncated;
            contacts[inside] += sim.contact_stats().contacts;
            ASSERT_EQ(
                counter.count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position).count,
                0);
        }
    }
    EXPECT_LT(4 * contacts[1], contacts[0]); // measured 4.9
    EXPECT_LE(truncated[1], truncated[0]);
    EXPECT_GT(contacts[0], 1000);
}

// A sheet on a table comes to rest on the distance of contact: above the distance that the stage after the solver
// keeps, and no more than a fifth above it.
TEST(MultilevelContact, LaysASheetDownAndLetsItLie) {
    SceneDesc scene = free_sheet(MultilevelSettings{}, 9);
    scene.solver = MultilevelSettings{};
    scene.dt = 1.0 / 60.0;
    scene.cloths[0].place = {{0, 0.02, 0}, {-90, 20, 0}, 0.5};
    ColliderDesc table;
    table.shape = Plane{};
    table.thickness = 0.002;
    scene.colliders = {table};
    Simulation sim = make_simulation(scene);
    for (int f = 0; f < 90; ++f)
        sim.step_frame();
    for (std::size_t i = 0; i < sim.state().position.size(); ++i) {
        EXPECT_GE(sim.state().position[i].y, 0.002 - 1e-9);
        EXPECT_LE(sim.state().position[i].y, 1.2 * 0.002 + 1e-9);
        EXPECT_LT(length(sim.state().velocity[i]),
                  1e-5); // a fall of a microsecond: rounding in floats is ten times less
    }
    EXPECT_EQ(sim.contact_stats().truncated, 0);
}

// Half a metre in a twentieth of a second, and a corner that is somewhere else from one step to the next, among folds
// on a ball.
TEST(MultilevelContact, StandsYanksAndTeleportsInContact) {
    for (const bool teleports : {false, true}) {
        Simulation sim = make_simulation(small_drape());
        CrossingCounter counter;
        for (int f = 0; f < 30; ++f)
            sim.step_frame();
        const Vec3 from = sim.state().position[0];
        for (int f = 0; f < 20; ++f) {
            const double fraction = teleports ? 1.0 : std::min(1.0, (f + 1) / 3.0);
            sim.grab(0, from + fraction * Vec3{0.3, 0.4, 0});
            sim.step_frame();
            ASSERT_FALSE(sim.divergence()) << sim.divergence()->text();
            ASSERT_TRUE(all_finite(sim.state()));
            ASSERT_EQ(
                counter.count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position).count, 0)
                << "frame " << f;
        }
    }
}

} // namespace
} // namespace selvage
