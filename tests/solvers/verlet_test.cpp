#include "solvers/verlet.h"

#include <cmath>
#include <random>

#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

/// A model by hand: points, masses and triangles; the lengths follow.
ClothModel make_model(std::vector<Vec3> positions, std::vector<double> mass, std::vector<Triangle> triangles) {
    ClothModel model;
    const int n = static_cast<int>(positions.size());
    model.mesh.positions = std::move(positions);
    model.mesh.triangles = std::move(triangles);
    model.edges = build_topology(model.mesh).edges;
    model.edge_length = rest_lengths(model.mesh, RestShape::mesh, model.edges).length;
    model.mass = std::move(mass);
    model.area.assign(n, 0.0f);
    model.spring_end_start.assign(n + 1, 0);
    model.vertex_triangles = vertex_triangles(model.mesh);
    ClothPart part;
    part.name = "part";
    part.vertex_count = n;
    part.triangle_count = model.mesh.triangle_count();
    model.parts = {part};
    return model;
}

/// A solver with its own state; points may be held anywhere.
struct Rig {
    ClothModel model;
    ThreadPool pool{1};
    VerletSolver solver;
    ClothState state;
    std::vector<std::uint8_t> is_held;
    std::vector<HeldPoint> held;
    std::vector<Collider> colliders;
    Vec3 gravity;
    double h = 1.0 / 120.0;

    Rig(ClothModel m, const VerletSettings& settings) : model(std::move(m)), solver(model, settings, pool) {
        state = {model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
        is_held.assign(model.mass.size(), 0);
    }
    void hold(int vertex, const Vec3& target) {
        is_held[vertex] = 1;
        held.push_back({vertex, target});
    }
    void step(int count = 1) {
        for (int k = 0; k < count; ++k)
            solver.step(state, {h, gravity, nullptr, held, is_held, colliders});
    }
    double distance(int a, int b) const { return length(state.position[a] - state.position[b]); }
};

/// Two triangles on the edge (0, 1), points 2 and 3 opposite it:  2 above, 3 below  0---1.
ClothModel hinge_model() {
    return make_model({{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, -1, 0}}, {0.1, 0.2, 0.3, 0.4}, {{0, 1, 2}, {1, 0, 3}});
}

TEST(Verlet, IsThePrintedFormulaWhereNoConstraintActs) {
    VerletSettings settings;
    settings.damping = 0.97;
    settings.sweeps = 0;
    Rig rig(hinge_model(), settings);
    rig.gravity = {0.3, -9.81, 1.0};
    rig.state.velocity = {{1, 2, 3}, {-1, 0, 2}, {0.5, 0.5, 0.5}, {0, 0, -4}};
    std::vector<Vec3> x = rig.state.position, previous;
    for (std::size_t i = 0; i < x.size(); ++i)
        previous.push_back(x[i] - rig.h * rig.state.velocity[i]);
    for (int n = 0; n < 50; ++n) {
        rig.step();
        for (std::size_t i = 0; i < x.size(); ++i) {
            // Eq. 17 with the damping factor on x - x_prev.
            const Vec3 next = x[i] + 0.97 * (x[i] - previous[i]) + rig.h * rig.h * rig.gravity;
            previous[i] = x[i];
            x[i] = next;
            EXPECT_LT(length(rig.state.position[i] - x[i]), 1e-13);
        }
    }
}

TEST(Verlet, DampsTheSameShareOfVelocityPerSecondAtAnyStep) {
    for (const double rate : {30.0, 120.0, 1000.0}) {
        VerletSettings settings;
        settings.damping = 0.99;
        Rig rig(hinge_model(), settings);
        rig.h = 1.0 / rate;
        rig.state.velocity.assign(4, {0, 0, 1});
        rig.step(static_cast<int>(rate));
        EXPECT_NEAR(rig.state.velocity[2].z, std::pow(0.99, 120.0), 1e-9); // 120 of the paper's steps
    }
}

TEST(Verlet, BringsAnEdgeIntoItsLimitsAndSharesTheCorrectionByMass) {
    VerletSettings settings;
    settings.strain_limit = 0.1;
    settings.compression_limit = 0.2;
    settings.sweeps = 1;
    settings.damping = 0.0; // so that the step shows the correction alone
    for (const double stretch : {1.5, 1.05, 0.9, 0.5}) {
        // Two points and a spring between them: a net that is no surface.
        ClothModel model = make_model({{0, 0, 0}, {1, 0, 0}}, {0.1, 0.3}, {});
        model.springs = {{0, 1, 1.0f, 1.0f}};
        model.spring_kind = {SpringKind::structural};
        model.parts[0].spring_count = 1;
        Rig rig(model, settings);
        rig.state.position[1].x = stretch;
        rig.step();
        const double expected = std::min(std::max(stretch, 0.8), 1.1); // d_min l0, d_max l0
        EXPECT_NEAR(rig.distance(0, 1), expected, 1e-14);
        // Eqs. 6-9: the lighter end moves three times as far.
        EXPECT_NEAR(rig.state.position[0].x, 0.75 * (stretch - expected), 1e-14);

        Rig half_held(model, settings);
        half_held.state.position[1].x = stretch;
        half_held.hold(0, {0, 0, 0});
        half_held.step();
        EXPECT_EQ(half_held.state.position[0], Vec3{});
        EXPECT_NEAR(half_held.state.position[1].x, expected, 1e-14);
    }
}

TEST(Verlet, SettlesAHangingChainInsideItsLimits) {
    const int links = 10;
    ClothModel model = make_model(std::vector<Vec3>(links + 1), std::vector<double>(links + 1, 0.01), {});
    for (int i = 0; i <= links; ++i)
        model.mesh.positions[i] = {0.1 * i, 0, 0};
    for (int i = 0; i < links; ++i) {
        model.springs.push_back({i, i + 1, 0.1f, 1.0f});
        model.spring_kind.push_back(SpringKind::structural);
    }
    model.parts[0].spring_count = links;
    VerletSettings settings;
    settings.strain_limit = 0.05;
    settings.sweeps = 60;
    settings.damping = 0.9;
    Rig rig(model, settings);
    rig.gravity = {0, -9.81, 0};
    rig.hold(0, {});
    rig.step(1200);
    for (int i = 0; i < links; ++i) // all taut at d_max l0; the rest of each step's fall is left: g h^2 = 0.7 mm spread
        EXPECT_NEAR(rig.distance(i, i + 1), 0.105, 2e-4) << i;
    EXPECT_NEAR(rig.state.position[links].x, 0.0, 1e-3);
}

TEST(Verlet, LetsHingesFoldUntilTheirOppositePointsAreTooNear) {
    VerletSettings settings;
    settings.bend = 0.8;
    settings.sweeps = 1;
    settings.damping = 0.0;
    // Folded about the edge 0-1 by `angle` per side, edge lengths unchanged; the opposite points are 2 cos(angle)
    // apart, 2 at rest.
    for (const double angle : {0.3, 0.6, 0.7, 1.0}) {
        Rig rig(hinge_model(), settings);
        rig.state.position[2] = {0.5, std::cos(angle), std::sin(angle)};
        rig.state.position[3] = {0.5, -std::cos(angle), std::sin(angle)};
        const std::vector<Vec3> before = rig.state.position;
        rig.step();
        const double apart = 2.0 * std::cos(angle);
        if (apart >= 1.6) { // bend l0
            for (int i = 0; i < 4; ++i)
                EXPECT_LT(length(rig.state.position[i] - before[i]), 1e-12) << angle;
        } else {
            EXPECT_GT(rig.distance(2, 3), apart + 0.01) << angle;
        }
    }
    // Too long is not their business: pulled apart across a hinge of edges that may stretch, nothing moves.
    settings.strain_limit = 5.0;
    Rig rig(hinge_model(), settings);
    rig.state.position[2].y = 1.5;
    rig.step();
    EXPECT_EQ(rig.state.position[2].y, 1.5);
}

/// A sheet folded in half with its layers `gap` apart, and masses that differ by up to ten times.
struct FoldedSheet {
    ClothModel model;
    std::vector<Vec3> folded;

    explicit FoldedSheet(int n, double gap) {
        const GeneratedMesh grid = *make_grid({{1, 1}, {n, n}, Diagonals::alternating});
        std::mt19937 random(3);
        std::vector<double> mass;
        for (std::size_t i = 0; i < grid.mesh.positions.size(); ++i)
            mass.push_back(1e-4 * (1.0 + 9.0 * static_cast<double>(random() % 1000) / 1000.0));
        model = make_model(grid.mesh.positions, mass, grid.mesh.triangles);
        folded = grid.mesh.positions;
        for (Vec3& p : folded)
            if (p.x > 0.0) p = {-p.x + 0.3 / n, p.y, gap};
    }
};

VerletSettings with_self_collision(PairSearch search = PairSearch::hash) {
    VerletSettings settings;
    settings.self_collision = true;
    settings.pair_search = search;
    return settings;
}

TEST(Verlet, KeepsTheCentreOfMassWithUnequalMassesAndSelfCollision) {
    const FoldedSheet sheet(21, 0.02);
    Rig rig(sheet.model, with_self_collision());
    rig.state.position = sheet.folded;
    for (std::size_t i = 0; i < sheet.folded.size(); ++i)
        rig.state.velocity[i] = {0.2, 0.1, sheet.folded[i].z > 0.0 ? -1.0 : 1.0}; // the layers move at each other
    const Vec3 start = centre_of_mass(rig.model, rig.state);
    const Momentum before = measure_momentum(rig.model, rig.state);
    double mass = 0.0;
    for (const double m : rig.model.mass)
        mass += m;
    rig.step(240);
    // Nothing acts from outside: the centre moves on evenly. Round-off of 240 steps with positions of 1 m.
    const Vec3 expected = start + (240 * rig.h / mass) * before.linear;
    EXPECT_LT(length(centre_of_mass(rig.model, rig.state) - expected), 1e-11);
}

int too_near(const Rig& rig) {
    const double d = rig.solver.distance();
    const PairFilter filter(rig.model.mesh.positions, std::vector<int>(rig.model.mass.size()), rig.model.edges, d);
    PairLists lists(filter.particle_count());
    find_pairs_by_brute_force(rig.state.position, 0.9 * d, filter,
                              lists); // a tenth is what unfinished rounds may leave
    return static_cast<int>(lists.pair_count());
}

TEST(Verlet, KeepsLayersApartThatWouldMeet) {
    for (const PairSearch search : {PairSearch::hash, PairSearch::hierarchy}) {
        const FoldedSheet sheet(17, 0.09);
        VerletSettings settings = with_self_collision(search);
        settings.damping = 0.95;
        const auto after = [&] {
            Rig rig(sheet.model, settings);
            rig.state.position = sheet.folded;
            for (std::size_t i = 0; i < sheet.folded.size(); ++i)
                rig.state.velocity[i].z = sheet.folded[i].z > 0.0 ? -0.2 : 0.2;
            rig.step(120);
            return too_near(rig);
        };
        EXPECT_EQ(after(), 0);
        settings.self_collision = false;
        EXPECT_GT(after(), 20);
    }
}

TEST(Verlet, GivesTheSameBitsWithSelfCollisionOnAnyThreadsAndByEitherSearch) {
    std::vector<std::uint64_t> hashes;
    for (const PairSearch search : {PairSearch::hash, PairSearch::hierarchy})
        for (const int threads : {1, 2, 8}) {
            SceneDesc scene = free_sheet(with_self_collision(search), 41); // 1681 points: several chunks
            scene.cloths[0].place.rotate_deg = {-90, 0, 0};
            PinDesc pin;
            pin.select = CornerName{"top-left"};
            scene.cloths[0].pins.push_back(pin); // hangs by one corner and folds on itself
            Simulation sim = make_simulation(scene, threads);
            run_steps(sim, 150);
            hashes.push_back(state_hash(sim.state()));
        }
    for (const std::uint64_t hash : hashes)
        EXPECT_EQ(hash, hashes[0]);
    SceneDesc scene = free_sheet(VerletSettings{}, 41); // the same without: it did fold on itself
    scene.cloths[0].place.rotate_deg = {-90, 0, 0};
    PinDesc pin;
    pin.select = CornerName{"top-left"};
    scene.cloths[0].pins.push_back(pin);
    Simulation sim = make_simulation(scene);
    run_steps(sim, 150);
    EXPECT_NE(state_hash(sim.state()), hashes[0]);
}

Collider solid(const ColliderShape& shape, double friction, const Vec3& moves = {}) {
    Collider collider;
    collider.shape = shape;
    collider.before.centre = {};
    collider.now.centre = moves;
    collider.friction = friction;
    collider.thickness = 0.01;
    return collider;
}

TEST(Verlet, AnswersSolidsAsPrinted) {
    for (const ColliderShape& shape : {ColliderShape{Sphere{0.5}}, ColliderShape{Box{{1, 1, 1}}}})
        for (const double friction : {0.0, 0.3, 1.0}) {
            Rig rig(make_model({{0.1, 0.6, 0.05}}, {0.2}, {}), VerletSettings{});
            rig.colliders = {solid(shape, friction)};
            rig.state.velocity[0] = {2, -30, -1}; // 0.25 m down: into either
            const Vec3 start = rig.state.position[0], moved = start + rig.h * rig.state.velocity[0];
            rig.step();
            // Eqs. 18-21.
            const SurfacePoint surface = rig.colliders[0].nearest(moved);
            ASSERT_LT(surface.distance, 0.01);
            const Vec3 n = surface.normal, d = moved - start;
            const Vec3 slip = d - dot(d, n) * n;
            const Vec3 expected = moved + (0.01 - surface.distance) * n - friction * slip;
            EXPECT_LT(length(rig.state.position[0] - expected), 1e-14) << friction;
            // 1 cancels all motion along the surface, 0 none of it.
            const Vec3 went = rig.state.position[0] - start;
            EXPECT_LT(length(went - dot(went, n) * n - (1.0 - friction) * slip), 1e-14);
            EXPECT_GT(length(slip), 0.01);
            EXPECT_LT(length(rig.state.velocity[0] - went / rig.h), 1e-12);
        }
}

TEST(Verlet, LosesTheSameSlipPerSecondAtAnyStep) {
    for (const double rate : {60.0, 120.0, 480.0}) {
        Rig rig(make_model({{0, 0.01, 0}}, {0.2}, {}), VerletSettings{});
        rig.colliders = {solid(Plane{}, 0.02)};
        rig.gravity = {0, -9.81, 0};
        rig.h = 1.0 / rate;
        rig.state.velocity[0] = {1, 0, 0};
        rig.step(static_cast<int>(rate));
        EXPECT_NEAR(rig.state.velocity[0].x, std::pow(0.98, 120.0), 1e-9); // 120 of the paper's steps
        EXPECT_NEAR(rig.state.position[0].y, 0.01, 1e-12);
    }
}

TEST(Verlet, IsCarriedByAMovingSolid) {
    Rig rig(make_model({{0, 0.505, 0}}, {0.2}, {}), VerletSettings{}); // within the thickness
    rig.colliders = {solid(Box{{1, 1, 1}}, 1.0, {0.1, 0, -0.2})};
    rig.step();
    EXPECT_LT(length(rig.state.position[0] - Vec3{0.1, 0.51, -0.2}), 1e-14);
}

TEST(Verlet, LeavesNoPointInsideWhereTwoSolidsMeet) {
    SceneDesc scene = free_sheet(with_self_collision(), 21);
    scene.cloths[0].place = {{0.1, 0.5, 0}, {-80, 20, 0}, 1.0};
    for (const double x : {-0.2, 0.25}) {
        ColliderDesc ball;
        ball.shape = Sphere{0.25};
        ball.place.translate = {x, 0.1, 0};
        ball.friction = 0.9;
        scene.colliders.push_back(ball);
    }
    Simulation sim = make_simulation(scene);
    for (int k = 0; k < 240; ++k) {
        run_steps(sim, 1);
        ASSERT_EQ(deepest_penetration(sim.pool(), sim.colliders(), sim.state().position), 0.0) << k;
    }
    double nearest = 1.0;
    for (const Vec3& p : sim.state().position)
        nearest = std::min(nearest, sim.colliders()[0].nearest(p).distance);
    EXPECT_LT(nearest, 0.003); // it did fall on them
}

TEST(Verlet, StaysFiniteUnderRandomGrabs) {
    for (const bool self_collision : {false, true}) {
        VerletSettings settings;
        settings.self_collision = self_collision;
        Rig rig(FoldedSheet(13, 0.05).model, settings);
        rig.gravity = {0, -9.81, 0};
        std::mt19937 random(11);
        std::uniform_real_distribution<double> any(-2.0, 2.0);
        const int n = rig.model.vertex_count();
        for (int k = 0; k < 300; ++k) {
            if (k % 10 == 0) { // other points, torn to other places
                rig.held.clear();
                rig.is_held.assign(n, 0);
                for (int g = 0; g < 3; ++g) {
                    const int v = static_cast<int>(random() % n);
                    if (!rig.is_held[v]) rig.hold(v, {any(random), any(random), any(random)});
                }
            }
            rig.step();
            for (const Vec3& p : rig.state.position)
                ASSERT_TRUE(is_finite(p) && length(p) < 100.0) << k;
        }
    }
}

TEST(Verlet, TakesDegenerateNets) {
    for (const PairSearch search : {PairSearch::hash, PairSearch::hierarchy}) {
        VerletSettings settings = with_self_collision(search);
        const auto run = [&](ClothModel model) {
            Rig rig(std::move(model), settings);
            rig.gravity = {0, -9.81, 0};
            rig.step(60);
            for (const Vec3& p : rig.state.position)
                EXPECT_TRUE(is_finite(p));
            return rig.state.position;
        };
        const double fall = 0.5 * 9.81 * 0.5 * (0.5 + 1.0 / 120.0); // g t (t + h)/2
        // One triangle, one point alone.
        EXPECT_NEAR(run(make_model({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 1, 1}, {{0, 1, 2}}))[1].y, -fall, 1e-9);
        EXPECT_NEAR(run(make_model({{0, 0, 0}}, {1}, {}))[0].y, -fall, 1e-9);
        // Two pieces and a stray point between them.
        EXPECT_NEAR(run(make_model({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {9, 0, 0}, {7, 0, 0}, {9, 0, 1}, {4, 0, 0}},
                                   std::vector<double>(7, 1.0), {{0, 1, 2}, {3, 4, 5}}))[6]
                        .y,
                    -fall, 1e-9);
        // Zero rest lengths, and a doubled triangle.
        run(make_model({{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, {1, 1, 1}, {{0, 1, 2}, {0, 1, 2}}));
        run(make_model(std::vector<Vec3>(4), {1, 1, 1, 1}, {{0, 1, 2}, {1, 3, 2}}));
        // All in one place, though not at rest.
        Rig pile(FoldedSheet(9, 0.05).model, settings);
        pile.state.position.assign(81, {1, 1, 1});
        pile.step(60);
        for (const Vec3& p : pile.state.position)
            EXPECT_TRUE(is_finite(p));
        // All held.
        Rig held(FoldedSheet(5, 0.05).model, settings);
        for (int i = 0; i < 25; ++i)
            held.hold(i, held.state.position[i]);
        held.gravity = {0, -9.81, 0};
        held.step(60);
        EXPECT_EQ(held.state.position, held.model.mesh.positions);
    }
}

TEST(Verlet, HoldsABlockTogetherBySpringsWhereThereAreNoTriangles) {
    SceneDesc scene = free_sheet(VerletSettings{});
    scene.cloths[0].mesh = BlockDesc{{0.2, 0.2, 0.2}, {4, 4, 4}};
    scene.cloths[0].material = {};
    PinDesc pin;
    pin.select = EdgeName{"top"};
    scene.cloths[0].pins.push_back(pin);
    Simulation sim = make_simulation(scene);
    const int inner = 1 + 4 * (1 + 4 * 1); // a point no triangle touches
    ASSERT_TRUE(sim.model().vertex_triangles[inner].empty());
    const Vec3 start = sim.state().position[inner];
    run_steps(sim, 240);
    EXPECT_LT(length(sim.state().position[inner] - start), 0.02); // it would have fallen 4.9 m
}

} // namespace
} // namespace selvage
