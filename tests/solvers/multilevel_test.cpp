#include "solvers/multilevel.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/irregular_square.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

ClothModel irregular_model(int side, const Material& material) {
    std::vector<ClothSource> sources = {{"square", irregular_square(side, 0.25), material, {}}};
    std::vector<std::string> warnings;
    return *make_cloth_model(std::move(sources), warnings);
}

/// A system at a state of our choosing, without a solver around it.
struct Bench {
    SheetSystem system;
    BlockMultigrid multigrid;
    Points x;
    Inertia inertia;
    std::vector<Floats4> residual;
    ThreadPool pool{1};

    Bench(const ClothModel& model, double compression, bool springs = false)
        : system(model, compression, springs), multigrid(system.take_pattern()) {
        const std::size_t n = system.padded_count();
        x.resize(n);
        inertia.y.resize(n);
        inertia.mass.resize(n);
        for (std::size_t i = 0; i < model.mass.size(); ++i)
            inertia.mass[i] = model.mass[system.order()[i]];
        residual.resize(n);
    }
    /// By point of the system from by vertex of the cloth, padded; and back.
    std::vector<Floats4> by_point(const std::vector<Floats4>& by_vertex) const {
        std::vector<Floats4> out(system.padded_count());
        for (std::size_t v = 0; v < by_vertex.size(); ++v)
            out[system.place()[v]] = by_vertex[v];
        return out;
    }
    std::vector<Floats4> by_vertex(const std::vector<Floats4>& by_point) const {
        std::vector<Floats4> out(system.place().size());
        for (std::size_t v = 0; v < out.size(); ++v)
            out[v] = by_point[system.place()[v]];
        return out;
    }
    std::vector<Floats4> multiply(const std::vector<Floats4>& d) {
        std::vector<Floats4> product(system.padded_count());
        multigrid.multiply(pool, by_point(d), product);
        return by_vertex(product);
    }
    void linearise(const std::vector<Vec3>& at, double h) {
        for (std::size_t v = 0; v < at.size(); ++v)
            x[system.place()[v]] = inertia.y[system.place()[v]] = Doubles4{at[v].x, at[v].y, at[v].z, 0.0};
        system.start_step(pool, x, h);
        system.linearise(pool, x, {}, inertia, h, multigrid.matrix(), residual);
    }
};

std::vector<Vec3> crumpled(const ClothModel& model, unsigned seed, double size) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> u(-size, size);
    std::vector<Vec3> x = model.mesh.positions;
    for (Vec3& p : x)
        p = Vec3{p.x, 0.1 * std::sin(9 * p.x) * std::cos(7 * p.z), 0.95 * p.z} + Vec3{u(random), u(random), u(random)};
    return x;
}

std::vector<Floats4> any_vector(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> u(-1, 1);
    std::vector<Floats4> v(n);
    for (Floats4& p : v)
        p = Floats4{u(random), u(random), u(random), 0};
    return v;
}

TEST(SheetSystem, ResidualIsTheForceOfTheSheet) {
    const ClothModel model = irregular_model(9, Material{});
    Bench bench(model, 0.1);
    const std::vector<Vec3> x = crumpled(model, 3, 0.004);
    bench.linearise(x, 0.01);
    std::vector<Vec3> expected(x.size());
    add_sheet_forces(make_sheet(model), x, 0.1, expected);
    double largest = 0.0;
    for (const Vec3& f : expected)
        largest = std::max(largest, length(f));
    const std::vector<Floats4> residual = bench.by_vertex(bench.residual);
    for (std::size_t i = 0; i < x.size(); ++i) // floats at the end
        EXPECT_LT(length(Vec3{residual[i][0], residual[i][1], residual[i][2]} - expected[i]), 1e-6 * largest);
}

/// A product with the matrix: mass over h squared, and forces' central differences along `d` by 2 `step`.
void expect_product(const ClothModel& model, const std::vector<Floats4>& d, double h, const std::vector<Vec3>& above,
                    const std::vector<Vec3>& below, double step, const std::vector<Floats4>& product) {
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const Vec3 inertial = model.mass[i] / (h * h) * Vec3{d[i][0], d[i][1], d[i][2]};
        const Vec3 expected = inertial + (below[i] - above[i]) / (2 * step);
        largest = std::max(largest, length(expected));
        worst = std::max(worst, length(Vec3{product[i][0], product[i][1], product[i][2]} - expected));
    }
    EXPECT_LT(worst, 3e-5 * largest);
}

TEST(SheetSystem, MatrixIsTheResidualsDerivative) {
    // Stretched along both axes and bent: nothing is cut off there but what grows with the shear angle, which is zero.
    Material m;
    m.bend_warp = m.bend_weft = 1e-3;
    m.damping = 0.0;
    const ClothModel model = irregular_model(9, m);
    std::vector<Vec3> x = model.mesh.positions;
    for (Vec3& p : x)
        p = {1.02 * p.x, 0.0, 1.03 * p.z};
    Bench bench(model, 0.1);
    const double h = 0.01;
    const std::vector<Floats4> d = any_vector(x.size(), 5);
    bench.linearise(x, h);
    const std::vector<Floats4> product = bench.multiply(d);
    std::vector<Vec3> up = x, down = x, above(x.size()), below(x.size());
    const double step = 1e-6;
    for (std::size_t i = 0; i < x.size(); ++i) {
        up[i] += step * Vec3{d[i][0], d[i][1], d[i][2]};
        down[i] -= step * Vec3{d[i][0], d[i][1], d[i][2]};
    }
    // For the bending of flat pieces the matrix holds their hinges, scaled so that Newton's method converges.
    Sheet sheet = make_sheet(model);
    sheet.plate = {};
    for (SheetHinge& hinge : sheet.hinges) {
        EXPECT_TRUE(hinge.in_plate);
        EXPECT_GT(hinge.tangent, 1.0);
        hinge.quadratic *= hinge.tangent;
        hinge.in_plate = false;
    }
    add_sheet_forces(sheet, up, 0.1, above);
    add_sheet_forces(sheet, down, 0.1, below);
    expect_product(model, d, h, above, below, step, product);
}

TEST(BlockMultigrid, CycleIsSymmetricPositiveAndNearlyTheInverse) {
    const ClothModel model = irregular_model(33, Material{});
    const std::size_t n = model.mass.size();
    Bench bench(model, 0.1);
    std::vector<std::uint8_t> held(n, 0);
    std::fill(held.begin(), held.begin() + 33, 1);
    for (const bool flat : {true, false}) {
        bench.linearise(model.mesh.positions, 1.0 / 600);
        bench.multigrid.build(bench.pool);
        bench.multigrid.measure(bench.pool);
        bench.system.hold(held, bench.multigrid.matrix(), bench.multigrid.far());
        bench.multigrid.gather_far();
        bench.linearise(flat ? model.mesh.positions : crumpled(model, 1, 0.002), 1.0 / 600);
        bench.multigrid.build(bench.pool);
        EXPECT_GE(bench.multigrid.level_count(), 3);
        std::vector<Floats4> a = any_vector(n, 1), b = any_vector(n, 2);
        for (int i = 0; i < 33; ++i)
            a[i] = b[i] = Floats4{};
        a = bench.by_point(a);
        b = bench.by_point(b);
        std::vector<Floats4> za(a.size()), zb(a.size()), product(a.size());
        const double aa = bench.multigrid.precondition(bench.pool, a, za);
        const double bb = bench.multigrid.precondition(bench.pool, b, zb);
        double ab = 0.0, ba = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            ab += dot(a[i], zb[i]);
            ba += dot(b[i], za[i]);
        }
        EXPECT_GT(aa, 0.0);
        EXPECT_GT(bb, 0.0);
        EXPECT_NEAR(ab, ba, 1e-4 * std::sqrt(aa * bb));
        for (int i = 0; i < 33; ++i)
            EXPECT_EQ(dot(za[bench.system.place()[i]], za[bench.system.place()[i]]), 0.0); // held: out of the system
        // b = A a has a as its answer; the first step length of conjugate gradients is then close to 1.
        bench.multigrid.multiply(bench.pool, a, product);
        const double rz = bench.multigrid.precondition(bench.pool, product, za);
        const double curvature = bench.multigrid.multiply(bench.pool, za, zb);
        EXPECT_GT(rz / curvature, 0.7);
        EXPECT_LT(rz / curvature, 2.0);
    }
}

TEST(BlockMultigrid, CoarseMatricesTakeChangesOfTheDiagonalAsIfBuiltAnew) {
    const ClothModel model = irregular_model(33, Material{});
    const int n = static_cast<int>(model.mass.size());
    Bench bench(model, 0.1);
    bench.linearise(model.mesh.positions, 1.0 / 600);
    bench.multigrid.build(bench.pool);
    bench.multigrid.measure(bench.pool);
    // As contact with a floor does, of about the stiffness that is there, in every third point.
    std::vector<int> index(n, -1);
    std::vector<Block> block;
    for (int i = 0; i < n; i += 3) {
        Block diagonal = bench.multigrid.matrix().diagonal(i);
        const float k = 0.5F * diagonal.column[0][0];
        const Floats4 normal = {0.6F, 0.0F, 0.8F, 0.0F};
        index[i] = static_cast<int>(block.size());
        block.push_back({{k * normal[0] * normal, k * normal[1] * normal, k * normal[2] * normal}});
        add_scaled(diagonal, block.back(), 1.0F);
        bench.multigrid.matrix().set_diagonal(i, diagonal);
    }
    const std::vector<Floats4> r = bench.by_point(any_vector(static_cast<std::size_t>(n), 3));
    std::vector<Floats4> stale(r.size()), changed(r.size()), anew(r.size());
    bench.multigrid.build_finest(bench.pool);
    bench.multigrid.precondition(bench.pool, r, stale);
    bench.multigrid.add_change(bench.pool, {index, block});
    bench.multigrid.precondition(bench.pool, r, changed);
    bench.multigrid.build(bench.pool);
    bench.multigrid.precondition(bench.pool, r, anew);
    double size = 0.0, off = 0.0, off_stale = 0.0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        const Floats4 d = changed[i] - anew[i], d_stale = stale[i] - anew[i];
        size += dot(anew[i], anew[i]);
        off += dot(d, d);
        off_stale += dot(d_stale, d_stale);
    }
    EXPECT_LT(std::sqrt(off / size), 1e-5); // rounding of floats
    EXPECT_GT(std::sqrt(off_stale / size), 0.01);
}

// On the same springs both find the same minimum: implicit-cg by many iterations on its own system.
TEST(Multilevel, TakesTheImplicitStepOfTheReferenceWhenIteratedToTheEnd) {
    MultilevelSettings thorough;
    thorough.elements = Elements::springs;
    thorough.linearisations = 12;
    thorough.iterations = 40;
    ImplicitCgSettings reference;
    reference.newton = 30;
    reference.tolerance = 1e-12;
    std::vector<std::vector<Vec3>> ends;
    for (const SolverSettings& settings : std::vector<SolverSettings>{thorough, reference}) {
        SceneDesc scene = free_sheet(settings, 9);
        scene.cloths[0].material.damping = 0.0;
        scene.cloths[0].place.rotate_deg = {-90, 0, 0};
        scene.air.density = 1.2;
        scene.air.wind = {1, 0, 0.5};
        pin_corners(scene);
        Simulation sim = make_simulation(scene);
        run_steps(sim, 60);
        ends.push_back(sim.state().position);
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i)
        EXPECT_LT(length(ends[0][i] - ends[1][i]), 1e-6); // floats in the correction, 60 steps
}

TEST(Multilevel, StripBendsLikeTheHeavyElastica) {
    // Clamped along one edge under its own weight, s g L^3 / B = 8: the chord falls by 41.487 degrees (theta'' = -8 (1
    // - s) cos theta, integrated). Three straight rows of points are held; a fold on the clamp line stands for half a
    // cell on either side, so the elastic part begins half a cell before it.
    Material m;
    m.density = 0.12;
    m.bend_warp = m.bend_weft = 8e-6;
    const int side = 17;
    const double cell = std::cbrt(8 * m.bend_warp / (m.density * 9.81)) / (side - 2.5);
    GeneratedMesh mesh = irregular_square(side, 0.25);
    for (int i = side; i < 3 * side; ++i)
        mesh.mesh.positions[i] = {mesh.mesh.positions[i % side].x, 0.0, (i / side) / (side - 1.0)};
    for (Vec3& p : mesh.mesh.positions)
        p *= (side - 1) * cell;
    std::vector<ClothSource> sources = {{"strip", mesh, m, {}}};
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model(std::move(sources), warnings);
    ThreadPool pool(1);
    MultilevelSettings settings;
    settings.substeps = 1;
    settings.iterations = 10;
    MultilevelSolver solver(model, settings, pool);
    ClothState state = at_rest(model);
    Hands hands(model.vertex_count());
    for (int i = 0; i < 3 * side; ++i)
        hands.grab(i, model.mesh.positions[i]);
    for (int k = 0; k < 400; ++k) { // a period takes 0.3 s; slowed down until it rests
        solver.step(state, hands.input(0.002, {0, -9.81, 0}));
        for (Vec3& v : state.velocity)
            v *= 0.97;
    }
    Vec3 end;
    for (int i = 0; i < side; ++i)
        end += state.position[side * (side - 1) + i] / static_cast<double>(side);
    const double chord = std::atan2(-end.y, end.z - 1.5 * cell) * 180 / 3.14159265358979;
    EXPECT_NEAR(chord, 41.487, 0.01 * 41.487);
}

/// How deep the far edge of a square of 0.3 m, held by three rows at the other and stiff against bending (s g L^3 / B =
/// 1), hangs at rest [m].
double sag_of_stiff_square(int iterations) {
    constexpr int kSide = 17;
    GeneratedMesh mesh = irregular_square(kSide, 0.25);
    for (Vec3& p : mesh.mesh.positions)
        p *= 0.3;
    Material m;
    m.density = 0.2;
    m.bend_warp = m.bend_weft = m.density * 9.81 * 0.027;
    std::vector<ClothSource> sources = {{"square", std::move(mesh), m, {}}};
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model(std::move(sources), warnings);
    ThreadPool pool(1);
    MultilevelSettings settings;
    settings.substeps = 1;
    settings.iterations = iterations;
    MultilevelSolver solver(model, settings, pool);
    ClothState state = at_rest(model);
    Hands hands(model.vertex_count());
    for (int i = 0; i < 3 * kSide; ++i)
        hands.grab(i, model.mesh.positions[i]);
    for (int k = 0; k < 500; ++k) { // slowed down until it rests
        solver.step(state, hands.input(0.002, {0, -9.81, 0}));
        for (Vec3& v : state.velocity)
            v *= 0.95;
    }
    double sag = 0.0;
    for (int i = 0; i < kSide; ++i)
        sag -= state.position[kSide * (kSide - 1) + i].y / kSide;
    return sag;
}

TEST(Multilevel, RestsInBalanceHoweverFewItsIterations) {
    const double solved = sag_of_stiff_square(30);
    EXPECT_GT(solved, 0.005);
    EXPECT_NEAR(sag_of_stiff_square(2), solved, 1e-3 * solved);
}

TEST(Multilevel, SurvivesYanksAndTeleports) {
    Material m; // cotton
    const ClothModel model = irregular_model(17, m);
    for (const double seconds : {0.05, 0.0}) { // half a metre in three frames; three metres in one step
        ThreadPool pool(1);
        MultilevelSolver solver(model, {}, pool);
        ClothState state = at_rest(model);
        Hands hands(model.vertex_count());
        const ThreadGauge gauge(model);
        const Vec3 displacement = seconds > 0.0 ? Vec3{-0.3, 0.3, 0.25} : Vec3{3, 1, -1};
        double largest = 0.0;
        for (int k = 1; k <= 120; ++k) {
            const double t = k / 60.0 - 0.5;
            const double fraction = seconds > 0.0 ? std::clamp(t / seconds, 0.0, 1.0) : (t > 0 ? 1.0 : 0.0);
            hands.grab(0, model.mesh.positions[0]);
            hands.grab(16, model.mesh.positions[16] + fraction * displacement);
            if (seconds == 0.0) hands.grab(0, model.mesh.positions[0] + fraction * displacement);
            solver.step(state, hands.input(1.0 / 60.0, {0, -9.81, 0}));
            for (const Vec3& p : state.position)
                ASSERT_TRUE(is_finite(p)) << k;
            EXPECT_LE(solver.stats().substeps, 20);
            if (k > 90) largest = std::max(largest, gauge.largest(pool, state.position));
        }
        // Half a second later the threads are as long as they should be, but for the waves still running.
        EXPECT_LT(largest, 0.1);
    }
}

TEST(Multilevel, WorkFollowsQualityStiffnessAndHands) {
    const ClothModel model = irregular_model(17, Material{});
    ThreadPool pool(1);
    ClothState state = at_rest(model);
    Hands hands(model.vertex_count());
    hands.grab(0, model.mesh.positions[0]);
    const auto stats = [&](const MultilevelSettings& settings, const Hands& with) {
        MultilevelSolver solver(model, settings, pool);
        ClothState copy = state;
        solver.step(copy, with.input(1.0 / 60.0, {0, -9.81, 0}));
        return solver.stats();
    };
    MultilevelSettings low, high, own;
    low.quality = Quality::low;
    high.quality = Quality::high;
    own.substeps = 3;
    own.linearisations = 1;
    own.iterations = 7;
    EXPECT_EQ(stats(low, hands).substeps, 4);
    EXPECT_EQ(stats({}, hands).substeps, 10);
    EXPECT_EQ(stats(high, hands).substeps, 20);
    // k h^2 / (density l^2) = 6000 (1/240)^2 / (0.12 0.07^2) = 180; the mean edge is 0.07 m.
    EXPECT_EQ(stats(low, hands).iterations, 2);
    EXPECT_EQ(stats(high, hands).iterations, 3);
    const MultilevelStats given = stats(own, hands);
    EXPECT_EQ(given.substeps, 3);
    EXPECT_EQ(given.linearisations, 1);
    EXPECT_EQ(given.iterations, 7);
    hands.grab(0, model.mesh.positions[0] + Vec3{0, 1.2, 0}); // 17 edges: at 2.5 per small step
    EXPECT_EQ(stats(low, hands).substeps, 7);
    hands.grab(0, model.mesh.positions[0] + Vec3{0, 100, 0});
    EXPECT_EQ(stats(low, hands).substeps, 20);
}

// Stiffness from none to far beyond what a float tells from mass, densities from gauze to sheet metal, meshes nobody
// meant.
TEST(SheetSystem, MatrixOfSheetsThatAreNotWovenIsTheResidualsDerivative) {
    // Pulled along both axes, where nothing of the derivative is negative.
    for (const MembraneKind kind : {MembraneKind::neo_hookean, MembraneKind::stvk}) {
        Material m;
        m.membrane = kind;
        m.stretch_warp = 3000;
        m.coupling = 800;
        m.stretch_weft = 2000;
        m.bend_warp = m.bend_weft = m.damping = 0.0;
        const ClothModel model = irregular_model(9, m);
        std::vector<Vec3> x = model.mesh.positions;
        for (Vec3& p : x)
            p = {1.05 * p.x, 0.0, 1.08 * p.z};
        Bench bench(model, 0.1);
        const double h = 0.01, step = 1e-6;
        const std::vector<Floats4> d = any_vector(x.size(), 5);
        bench.linearise(x, h);
        const std::vector<Floats4> product = bench.multiply(d);
        std::vector<Vec3> up = x, down = x, above(x.size()), below(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            up[i] += step * Vec3{d[i][0], d[i][1], d[i][2]};
            down[i] -= step * Vec3{d[i][0], d[i][1], d[i][2]};
        }
        add_sheet_forces(make_sheet(model), up, 1.0, above);
        add_sheet_forces(make_sheet(model), down, 1.0, below);
        expect_product(model, d, h, above, below, step, product);
    }
}

/// Meshes that are hardly any, each stepped for a second with the given points held.
TEST(Multilevel, StepsHardlyAnyMeshAndCrumpledRestShapes) {
    const auto run = [](const char* name, const GeneratedMesh& mesh, const std::vector<int>& held, const Material& m) {
        SCOPED_TRACE(name);
        std::vector<std::string> warnings;
        const ClothModel model = *make_cloth_model({{"odd", mesh, m, {}}}, warnings);
        ThreadPool pool(1);
        MultilevelSolver solver(model, {}, pool);
        ClothState state = at_rest(model);
        Hands hands(model.vertex_count());
        for (const int v : held)
            hands.grab(v, model.mesh.positions[v]);
        for (int k = 0; k < 60; ++k)
            solver.step(state, hands.input(1.0 / 60.0, {0, -9.81, 0}));
        for (const Vec3& p : state.position)
            EXPECT_TRUE(is_finite(p));
        for (const int v : held)
            EXPECT_EQ(length(state.position[v] - model.mesh.positions[v]), 0.0);
        return state;
    };
    for (const MembraneKind kind : {MembraneKind::woven, MembraneKind::neo_hookean, MembraneKind::stvk}) {
        Material m;
        m.membrane = kind;
        GeneratedMesh one;
        one.mesh.positions = {{0, 0, 0}, {0.1, 0, 0}, {0, 0, 0.1}};
        one.mesh.triangles = {{0, 1, 2}};
        // In 600 small steps of 1/600 s it falls g t (t + h)/2.
        EXPECT_NEAR(run("one triangle", one, {}, m).position[1].y, -0.5 * 9.81 * (1.0 + 1.0 / 600), 1e-6);
        run("one triangle by a corner", one, {0}, m);
        run("one triangle, all held", one, {0, 1, 2}, m);
        const GeneratedMesh square = irregular_square(5, 0.25);
        std::vector<int> all;
        for (int i = 0; i < 25; ++i)
            all.push_back(i);
        run("all held", square, all, m);
        GeneratedMesh inverted = square; // a point moved across its neighbours: triangles turned over at rest
        inverted.mesh.positions[12] = inverted.mesh.positions[9] + Vec3{0.1, 0, 0.05};
        run("turned over at rest", inverted, {0, 4}, m);
        GeneratedMesh flat = square; // two triangles of a row without area
        flat.mesh.positions[7] = 0.5 * (flat.mesh.positions[6] + flat.mesh.positions[8]);
        flat.mesh.positions[12] = flat.mesh.positions[7];
        run("points upon another", flat, {0, 4}, m);
        GeneratedMesh nothing = square;
        for (Vec3& p : nothing.mesh.positions)
            p = {};
        run("no size at all", nothing, {0}, m);
    }
}

TEST(Multilevel, StaysFiniteAndSaneOnBadInput) {
    struct Case {
        const char* name;
        double stiffness, density;
    };
    for (const Case& c : std::vector<Case>{{"no stiffness", 0, 0.2},
                                           {"soft", 1, 0.2},
                                           {"stiff", 1e7, 0.2},
                                           {"light", 6000, 1e-3},
                                           {"light and stiff", 1e7, 1e-3},
                                           {"heavy", 6000, 10},
                                           {"heavy and soft", 10, 10}})
        for (const bool with_uv : {true, false}) {
            SCOPED_TRACE(c.name);
            Material m;
            m.density = c.density;
            m.stretch_warp = m.stretch_weft = c.stiffness;
            m.shear = 0.01 * c.stiffness;
            GeneratedMesh mesh = irregular_square(9, 0.25);
            // A triangle without area, one turned inside out in its uv, and a second piece without neighbours.
            mesh.mesh.triangles.push_back({0, 1, 2});
            if (with_uv) std::swap(mesh.mesh.uv[40], mesh.mesh.uv[41]);
            const int extra = mesh.mesh.vertex_count();
            for (const Vec3& p : {Vec3{2, 0, 0}, Vec3{2.1, 0, 0}, Vec3{2, 0, 0.1}, Vec3{3, 0, 0}}) {
                mesh.mesh.positions.push_back(p);
                mesh.mesh.uv.push_back({p.x, p.z});
            }
            mesh.mesh.triangles.push_back({extra, extra + 1, extra + 2});
            if (!with_uv) mesh.mesh.uv.clear();
            std::vector<ClothSource> sources = {{"odd", mesh, m, {}}};
            std::vector<std::string> warnings;
            const ClothModel model = *make_cloth_model(std::move(sources), warnings);
            ASSERT_FALSE(warnings.empty());
            EXPECT_NE(warnings.back().find("no usable uv"), std::string::npos) << warnings.back();
            ThreadPool pool(1);
            MultilevelSolver solver(model, {}, pool);
            ClothState state = at_rest(model);
            Hands hands(model.vertex_count());
            for (int i = 0; i < 9; ++i)
                hands.grab(i, model.mesh.positions[i]);
            for (int k = 0; k < 60; ++k)
                solver.step(state, hands.input(1.0 / 60.0, {0, -9.81, 0}));
            for (int i = 0; i < model.vertex_count(); ++i) {
                ASSERT_TRUE(is_finite(state.position[i])) << i;
                // Nothing is faster than what falls for a second, times what a stiff swing makes of it.
                EXPECT_LT(length(state.velocity[i]), 30.0) << i;
            }
            const double h = 1.0 / 600; // a point alone falls freely
            EXPECT_NEAR(state.position[extra + 3].y, -0.5 * 9.81 * (1 + h), 1e-9);
        }
}

} // namespace
} // namespace selvage
