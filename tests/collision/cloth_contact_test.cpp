#include "collision/cloth_contact.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "collision/contact_samples.h"
#include "collision/crossings.h"
#include "collision/solid_crossings.h"

namespace selvage {
namespace {

/// Cloth that does what it is told, but for contact: no forces of its own.
struct Puppet {
    explicit Puppet(ContactSurface surface, int threads = 1, std::vector<double> masses = {})
        : mass(masses.empty() ? std::vector<double>(surface.rest.size(), 0.001) : std::move(masses)),
          contact(std::move(surface), mass), pool(threads) {
        x = contact.surface().rest;
        v.resize(x.size());
        held.resize(x.size());
        TriangleMesh mesh;
        mesh.positions = x;
        mesh.triangles = contact.surface().triangles;
        edges = build_topology(mesh).edges;
    }

    /// From x, a solver says positions and velocities; contact has the last word.
    template <class Solver>
    ContactStats step(double dt, const Solver& solve) {
        contact.start(x);
        start = x;
        solve();
        return contact.resolve(pool, {dt, held, colliders}, x, v);
    }
    /// The solver that knows gravity only.
    ContactStats fall(double dt, const Vec3& gravity = {0, -9.81, 0}) {
        return step(dt, [&] {
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (held[i]) continue;
                v[i] += dt * gravity;
                x[i] += dt * v[i];
            }
        });
    }
    /// The same with edges that keep their lengths, about.
    ContactStats fall_as_cloth(double dt) {
        return step(dt, [&] {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] += dt * (v[i] + dt * Vec3{0, -9.81, 0});
            keep_lengths(10);
            for (std::size_t i = 0; i < x.size(); ++i)
                v[i] = (x[i] - start[i]) / dt;
        });
    }
    void keep_lengths(int rounds) {
        for (int round = 0; round < rounds; ++round)
            for (const auto& [a, b] : edges) {
                const Vec3 d = x[b] - x[a];
                const double size = length(d), want = length(contact.surface().rest[b] - contact.surface().rest[a]);
                const Vec3 off = (0.5 * (1.0 - want / std::max(size, 1e-9))) * d;
                x[a] += off;
                x[b] -= off;
            }
    }
    int crossings() { return counter.count(pool, edges, contact.surface().triangles, x).count; }
    int solid_crossings() {
        return count_collider_crossings(pool, colliders, edges, contact.surface().triangles, x).count;
    }
    bool is_finite_everywhere() const {
        const auto finite = [](const Vec3& p) { return is_finite(p); };
        return std::all_of(x.begin(), x.end(), finite) && std::all_of(v.begin(), v.end(), finite);
    }
    Vec3 momentum() const {
        Vec3 sum;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += mass[i] * v[i];
        return sum;
    }
    std::span<Vec3> velocities(int body) {
        const ContactBody& b = contact.surface().bodies[body];
        return {v.data() + b.vertex_begin, static_cast<std::size_t>(b.vertex_count)};
    }
    void hold(int body) {
        const ContactBody& b = contact.surface().bodies[body];
        std::fill_n(held.begin() + b.vertex_begin, b.vertex_count, std::uint8_t{1});
    }

    std::vector<double> mass;
    ClothContact contact;
    ThreadPool pool;
    std::vector<Vec3> x, v, start;
    std::vector<std::uint8_t> held;
    std::vector<Collider> colliders;
    std::vector<Edge> edges;
    CrossingCounter counter;
};

/// Lies in the x-z plane.
ContactSurface lying(ContactSurface surface) {
    for (Vec3& p : surface.rest)
        p = {p.x, p.z, -p.y};
    return surface;
}

ContactSurface stack(int sheets, int n, double size, double apart) {
    ContactSurface surface;
    for (int k = 0; k < sheets; ++k)
        add_sheet(surface, n, size, {0.003 * k, 0.002 * k, apart * k});
    return surface;
}

ContactSurface one_point(const Vec3& p) {
    ContactSurface surface;
    add_loose(surface, {p});
    return surface;
}

double mean_of(std::span<const Vec3> all, double Vec3::* part) {
    double sum = 0.0;
    for (const Vec3& p : all)
        sum += p.*part;
    return sum / static_cast<double>(all.size());
}

// ---- The guarantee: no answer of a solver leads from a start without crossings to one with some.

TEST(ClothContact, LetsNoRandomMotionThrough) {
    for (const double edges : {0.1, 1.0, 10.0}) {
        SCOPED_TRACE(edges);
        Puppet cloth(stack(3, 6, 0.25, 0.004));
        Dice dice(1);
        for (int k = 0; k < (edges < 0.5 ? 100 : edges < 5.0 ? 30 : 6); ++k) {
            cloth.step(1.0 / 60.0, [&] {
                for (std::size_t i = 0; i < cloth.x.size(); ++i) {
                    const Vec3 way = dice.vector(edges * 0.05);
                    cloth.x[i] += way;
                    cloth.v[i] = 60.0 * way;
                }
            });
            ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
            ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
        }
    }
}

// Sheets thrown through each other as a whole: 10 m/s at 1/60 s is 17 cm in a step, half a sheet. They are told to go on where
// they were told to, whatever contact made of it.
TEST(ClothContact, LetsNoRigidMotionThrough) {
    Puppet cloth(stack(3, 6, 0.3, 0.05));
    Dice dice(2);
    std::vector<Vec3> way(3), spin(3);
    for (int k = 0; k < 150; ++k) {
        if (k % 6 == 0)
            for (int b = 0; b < 3; ++b) {
                const Vec3 to = dice.vector(1.0);
                way[b] = (10.0 / 60.0 / length(to)) * to;
                spin[b] = dice.vector(0.2);
            }
        cloth.step(1.0 / 60.0, [&] {
            for (int b = 0; b < 3; ++b) {
                const ContactBody& body = cloth.contact.surface().bodies[b];
                for (int i = body.vertex_begin; i < body.vertex_begin + body.vertex_count; ++i) {
                    const Vec3 go = way[b] + cross(spin[b], cloth.x[i] - cloth.x[body.vertex_begin + 15]) -
                                    0.02 * cloth.x[i]; // and home again
                    cloth.x[i] += go;
                    cloth.v[i] = 60.0 * go;
                }
            }
        });
        ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
        ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
    }
}

/// Pressed together from all sides.
void crumple(Puppet& cloth, int steps, double noise, Dice& dice) {
    for (int k = 0; k < steps; ++k) {
        cloth.step(1.0 / 60.0, [&] {
            for (Vec3& p : cloth.x)
                p = 0.97 * p + dice.vector(noise);
            cloth.keep_lengths(3);
            for (std::size_t i = 0; i < cloth.x.size(); ++i)
                cloth.v[i] = 60.0 * (cloth.x[i] - cloth.start[i]);
        });
        ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
        ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
    }
}

TEST(ClothContact, CrumplesASheetThatThenTakesAnyMotion) {
    ContactSurface surface;
    add_sheet(surface, 9, 0.32, {});
    Puppet cloth(std::move(surface));
    Dice dice(3);
    crumple(cloth, 80, 0.002, dice);
    double reach = 0.0;
    for (const Vec3& p : cloth.x)
        reach = std::max(reach, length(p));
    EXPECT_LT(reach, 0.16); // it was 0.23 flat: crumpled indeed
    for (const double edges : {0.3, 3.0, 10.0})
        for (int k = 0; k < 4; ++k) {
            cloth.step(1.0 / 60.0, [&] {
                for (Vec3& p : cloth.x)
                    p += dice.vector(edges * 0.04);
            });
            ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
            ASSERT_EQ(cloth.crossings(), 0) << edges << " edges, step " << k;
        }
}

TEST(ClothContact, LetsNoHeldVertexThrough) {
    for (const double speed : {1.0, 10.0}) {
        SCOPED_TRACE(speed);
        Puppet cloth(stack(2, 7, 0.3, 0.02));
        for (const int v : {3, 24, 45})
            cloth.held[v] = 1;
        Dice dice(4);
        Vec3 way;
        for (int k = 0; k < 64; ++k) {
            // Up and down through the other sheet, and askew; others follow as if on springs.
            if (k % 8 == 0) way = (speed / 60.0) * normalized(Vec3{0, 0, k % 16 == 0 ? 1.0 : -1.0} + dice.vector(0.7));
            cloth.step(1.0 / 60.0, [&] {
                for (int i = 0; i < 49; ++i) {
                    const Vec3 go = cloth.held[i] ? way : 0.3 * way + dice.vector(0.002);
                    cloth.x[i] += go;
                    cloth.v[i] = 60.0 * go;
                }
            });
            ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
            ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
        }
    }
}

TEST(ClothContact, LeavesAMotionWithoutContactAsItIs) {
    Puppet cloth(stack(2, 6, 0.3, 0.3));
    cloth.colliders.push_back({Sphere{0.1}, {{0, 0, -0.3}, {}}, {{0, 0, -0.3}, {}}});
    cloth.colliders.push_back({Box{{0.1, 0.1, 0.1}}, {{0.5, 0, 0.2}, {}}, {{0.5, 0, 0.2}, {}}});
    Dice dice(5);
    for (int k = 0; k < 50; ++k) {
        std::vector<Vec3> x, v;
        cloth.step(1.0 / 600.0, [&] {
            const Vec3 sway{0.01 * std::cos(0.3 * k), 0.01 * std::sin(0.3 * k), 0};
            for (std::size_t i = 0; i < cloth.x.size(); ++i) {
                cloth.x[i] += sway + dice.vector(1e-4);
                cloth.v[i] = dice.vector(10.0);
            }
            x = cloth.x;
            v = cloth.v;
        });
        ASSERT_EQ(std::memcmp(x.data(), cloth.x.data(), x.size() * sizeof(Vec3)), 0) << k;
        ASSERT_EQ(std::memcmp(v.data(), cloth.v.data(), v.size() * sizeof(Vec3)), 0) << k;
    }
}

TEST(ClothContact, GivesTheSameBitsOnAnyNumberOfThreads) {
    std::vector<Vec3> x, v;
    for (const int threads : {1, 2, 8}) {
        Puppet cloth(stack(3, 9, 0.3, 0.01), threads);
        cloth.colliders.push_back({Box{{0.1, 0.02, 0.1}}, {}, {}});
        cloth.colliders[0].before.centre = cloth.colliders[0].now.centre = {0, 0.02, -0.03};
        Dice dice(6);
        crumple(cloth, 6, 0.001, dice);
        if (threads == 1) {
            x = cloth.x;
            v = cloth.v;
        }
        EXPECT_EQ(std::memcmp(x.data(), cloth.x.data(), x.size() * sizeof(Vec3)), 0) << threads;
        EXPECT_EQ(std::memcmp(v.data(), cloth.v.data(), v.size() * sizeof(Vec3)), 0) << threads;
    }
}

// ---- Cloth against cloth: momentum, plastic impact, friction, distance.

// Pushes between two sheets are equal and opposite. They are summed in units of 6e-14 m, which is 3e-11 m/s at this step.
TEST(ClothContact, KeepsTheMomentumOfTwoSheetsThatCollide) {
    ContactSurface surface;
    add_sheet(surface, 7, 0.3, {0, 0, 0});
    add_sheet(surface, 6, 0.25, {0.01, 0.02, 0.0011});
    std::vector<double> mass(49, 0.001);
    mass.resize(49 + 36, 0.0007);
    Puppet cloth(std::move(surface), 1, mass);
    for (Vec3& v : cloth.velocities(0))
        v = {0.06, 0.03, 0.18};
    for (Vec3& v : cloth.velocities(1))
        v = {-0.09, 0, -0.12};
    const Vec3 before = cloth.momentum();
    double size = 0.0; // of what could have got lost: that of both
    for (std::size_t i = 0; i < cloth.v.size(); ++i)
        size += cloth.mass[i] * length(cloth.v[i]);
    std::int64_t contacts = 0;
    for (int k = 0; k < 60; ++k) {
        const ContactStats stats = cloth.fall(1.0 / 600.0, {});
        if (stats.truncated > 0) break; // cutting keeps no momentum
        contacts += stats.contacts;
        ASSERT_LT(length(cloth.momentum() - before), 1e-9 * size) << "step " << k;
    }
    EXPECT_GT(contacts, 100);
    EXPECT_LT(mean_of(cloth.velocities(0), &Vec3::z), 0.12); // they did meet
}

// A sheet dropped on one that is held: no part of it goes up again.
TEST(ClothContact, LetsNothingBounce) {
    Puppet cloth(lying(stack(2, 7, 0.3, 0.01)));
    cloth.hold(0);
    for (Vec3& v : cloth.velocities(1))
        v = {0, -2, 0};
    for (int k = 0; k < 40; ++k) {
        cloth.fall(1.0 / 600.0);
        for (const Vec3& v : cloth.velocities(1))
            ASSERT_LT(v.y, 0.06) << "step " << k; // 3 % of the impact's speed: gaps open by some of it
        ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
    }
    EXPECT_LT(std::abs(mean_of(cloth.velocities(1), &Vec3::y)), 0.02);
}

TEST(ClothContact, KeepsTheLayersOfASheetAtRestApart) {
    ContactSurface surface;
    add_sheet(surface, 7, 0.3, {});
    add_sheet(surface, 7, 0.25, {0.003, 0.002, 0.003}); // no part of it beyond the border of the other
    Puppet cloth(lying(std::move(surface)));
    cloth.hold(0);
    for (int k = 0; k < 300; ++k)
        cloth.fall(1.0 / 1200.0);
    const double kept = cloth.contact.surface().bodies[0].distance;
    for (int i = 49; i < 98; ++i) {
        EXPECT_GT(cloth.x[i].y, 0.5 * kept) << i;
        EXPECT_LT(cloth.x[i].y, 1.1 * kept) << i;
    }
}

/// A sheet sent over one that is held, after it has come to lie; the mean deceleration as a share of gravity.
double slowed_share(Puppet& cloth, double speed, double seconds) {
    cloth.hold(0);
    constexpr double kDt = 1.0 / 1200.0;
    for (int k = 0; k < 120; ++k)
        cloth.fall(kDt);
    for (Vec3& v : cloth.velocities(1))
        v.x = speed;
    const int steps = static_cast<int>(std::lround(seconds / kDt));
    for (int k = 0; k < steps; ++k)
        cloth.fall(kDt);
    return (speed - mean_of(cloth.velocities(1), &Vec3::x)) / (steps * kDt * 9.81);
}
ContactSurface small_on_large(double friction) {
    ContactSurface surface;
    add_sheet(surface, 13, 0.6, {});
    add_sheet(surface, 6, 0.2, {-0.1, 0.013, 0.00101});
    for (ContactBody& body : surface.bodies)
        body.friction = friction;
    return lying(std::move(surface));
}

// Coulomb between cloths: a = mu g until it stops, and then no more.
TEST(ClothContact, SlowsASheetThatSlidesOnAnother) {
    for (const double mu : {0.2, 0.5}) {
        SCOPED_TRACE(mu);
        Puppet cloth(small_on_large(mu));
        EXPECT_NEAR(slowed_share(cloth, 0.3, 0.15 / (mu * 9.81)), mu, 0.03 * mu); // to half the speed
        for (int k = 0; k < 400; ++k)                                             // more than is needed for the rest
            cloth.fall(1.0 / 1200.0);
        for (const Vec3& v : cloth.velocities(1))
            EXPECT_LT(std::abs(v.x), 1e-3);
        EXPECT_EQ(cloth.crossings(), 0);
    }
}

// The borders of the lower sheet's triangles are no bumps.
TEST(ClothContact, LetsASheetSlideFreelyWithoutFriction) {
    for (const double speed : {0.3, 1.0, 2.0}) {
        Puppet cloth(small_on_large(0.0));
        EXPECT_LT(slowed_share(cloth, speed, 0.1), 0.02) << speed << " m/s";
    }
}

// ---- Cloth against solids.

/// One point on a tilted plane for a while, gravity given; how far and fast it slid.
struct Slide {
    double distance, speed;
};
Slide slide(double angle, double friction, double seconds) {
    Puppet point(one_point({}));
    Collider plane{Plane{}, {}, {}, friction, 0.0};
    plane.before.turn = plane.now.turn = rotation_about({0, 0, angle});
    point.colliders.push_back(plane);
    const double h = 1.0 / 600.0;
    for (int k = 0; k < std::lround(seconds / h); ++k)
        point.fall(h);
    return {length(point.x[0]), length(point.v[0])};
}

// Coulomb: rests when tan(angle) < mu, else slides with a = g (sin - mu cos).
TEST(ClothContact, SlidesOnAnInclineAsCoulombSays) {
    for (const double mu : {0.0, 0.2, 0.5, 0.8}) {
        const double critical = std::atan(mu), degree = std::numbers::pi / 180.0;
        if (mu > 0.0) {
            EXPECT_LT(slide(critical - 0.5 * degree, mu, 1.0).speed, 1e-12);
        }
        const double angle = critical + 10 * degree;
        const double a = 9.81 * (std::sin(angle) - mu * std::cos(angle));
        EXPECT_NEAR(slide(angle, mu, 1.0).speed, a, 1e-9 * a);
        EXPECT_NEAR(slide(angle, mu, 1.0).distance, 0.5 * a * (1.0 + 1.0 / 600.0), 1e-6);
    }
}

TEST(ClothContact, CarriesAPointOnAMovingSolid) {
    const double h = 0.01;
    Puppet point(one_point({0.5, 0, 0}));
    point.colliders.push_back({Plane{}, {}, {}, 10.0, 0.0});
    Collider& plate = point.colliders[0];
    for (int k = 1; k <= 300; ++k) { // rises from rest to 1 m/s: presses all the while, so friction holds
        plate.before = plate.now;
        plate.now.centre = {0.1 * k * h, 0.5 * k * h * k * h / 3, 0};
        point.fall(h);
    }
    EXPECT_NEAR(point.x[0].x, 0.5 + 0.3, 1e-3); // the first step's grip is what it lags by
    EXPECT_NEAR(point.x[0].y, 1.5, 1e-12);
    EXPECT_NEAR(point.v[0].x, 0.1, 1e-12);
}

/// Four points about a ball at 1 m/s downwards, in one body or each in its own run; where they end within a step.
std::vector<Vec3> four_points(bool together, std::vector<Vec3>& velocities) {
    const std::vector<Vec3> ends{{0, 0, 0}, {0, 1.2, 0}, {0, 1.05, 0}, {0, 0.2, 0}};
    const Vec3 speed{0, -1, 0};
    std::vector<Vec3> found;
    for (std::size_t k = 0; k < ends.size(); k += together ? ends.size() : 1) {
        const std::vector<Vec3> own(ends.begin() + static_cast<std::ptrdiff_t>(k),
                                    together ? ends.end() : ends.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        ContactSurface surface;
        add_loose(surface, own);
        Puppet points(std::move(surface));
        points.colliders.push_back({Sphere{1.0}, {}, {}, 0.5, 0.1});
        if (k == 0) points.held[0] = 1;
        for (Vec3& p : points.x)
            p -= 0.01 * speed;
        points.step(0.01, [&] {
            points.x = own;
            std::fill(points.v.begin(), points.v.end(), speed);
        });
        found.insert(found.end(), points.x.begin(), points.x.end());
        velocities.insert(velocities.end(), points.v.begin(), points.v.end());
    }
    return found;
}

void check_four_points(bool together) {
    std::vector<Vec3> v;
    const std::vector<Vec3> x = four_points(together, v);
    EXPECT_EQ(x[0], Vec3{});         // held
    EXPECT_EQ(v[1], Vec3(0, -1, 0)); // distant
    EXPECT_EQ(x[1], Vec3(0, 1.2, 0));
    EXPECT_NEAR(x[2].y, 1.1, 1e-15); // the thickness is kept
    EXPECT_NEAR(x[3].y, 1.1, 1e-15); // from deep inside too
    EXPECT_LT(length(v[2]), 1e-12);  // plastic
    EXPECT_LT(length(v[3]), 1e-12);
}

TEST(ClothContact, LeavesHeldAndDistantPointsAloneAndKeepsTheThickness) {
    check_four_points(false);
}

// Cloth without a single triangle has no mean edge to limit motions by.
TEST(ClothContact, TreatsPointsOfOneBodyLikeSinglePoints) {
    check_four_points(true);
}

/// A thing thrown down at 10 m/s on a solid about the origin.
struct Throw {
    const char* name;
    ColliderShape shape;
    Rotation turn = {};
    bool is_plate = false; ///< Wide enough to say on which side of it a point is.
};
std::vector<Throw> thin_solids() {
    const double quarter = 0.5 * std::numbers::pi;
    return {{"box, 1 cm", Box{{0.3, 0.01, 0.3}}, {}, true},
            {"box, 1 cm, tilted", Box{{0.3, 0.01, 0.3}}, rotation_about({0.3, 0, 0.4}), true},
            {"capsule, 5 mm", Capsule{0.0025, 0.0025, 0.4}, rotation_about({0, 0, quarter})},
            {"cylinder, 1 cm", Cylinder{0.005, 0.4}, rotation_about({quarter, 0, 0})},
            {"disc, 1 cm", Cylinder{0.2, 0.01}, {}, true}};
}

// It must not come out below. Where it starts differs, so that the steps end before, in and behind the solid; on a
// slope it slides on.
TEST(ClothContact, LetsNoFastVertexThroughThinSolids) {
    for (const Throw& solid : thin_solids())
        for (const double h : {1.0 / 60.0, 1.0 / 1200.0})
            for (int k = 0; k < 25; ++k) {
                SCOPED_TRACE(solid.name);
                SCOPED_TRACE(k);
                Puppet point(one_point({0.0, 0.05 + 0.01 * k, 0.0}));
                point.colliders.push_back({solid.shape, {{}, solid.turn}, {{}, solid.turn}});
                point.v[0] = {0, -10, 0};
                for (int s = 0; s < 0.06 / h; ++s) {
                    point.fall(h);
                    const Vec3 p = point.colliders[0].now.to_local(point.x[0]);
                    const bool is_below = solid.is_plate ? p.y < 0.0 && std::abs(p.x) < 0.14 && std::abs(p.z) < 0.14
                                                         : point.x[0].y < -0.001;
                    EXPECT_FALSE(is_below) << "1/h " << 1 / h << " step " << s;
                    EXPECT_GT(point.colliders[0].nearest(point.x[0]).distance, 0.0) << "1/h " << 1 / h << " step " << s;
                    if (HasFailure()) return;
                }
            }
}

void throw_sheets(double h) {
    for (const Throw& solid : thin_solids())
        for (const int n : {2, 5, 9}) {
            SCOPED_TRACE(solid.name);
            SCOPED_TRACE(n);
            ContactSurface surface;
            add_sheet(surface, n, 0.2, {0.011, 0.007, 0.1});
            Puppet cloth(lying(std::move(surface)));
            cloth.colliders.push_back({solid.shape, {{}, solid.turn}, {{}, solid.turn}});
            for (Vec3& v : cloth.v)
                v = {0, -10, 0};
            for (int s = 0; s < 0.05 / h; ++s) {
                cloth.fall_as_cloth(h);
                ASSERT_TRUE(cloth.is_finite_everywhere());
                EXPECT_EQ(cloth.solid_crossings(), 0) << "1/h " << 1 / h << " step " << s;
                EXPECT_EQ(cloth.crossings(), 0) << "1/h " << 1 / h << " step " << s;
                if (::testing::Test::HasFailure()) return;
            }
            // Of a sheet as wide as this something lies on top still; or else it fell beside, not through.
            double highest = -1.0;
            for (const Vec3& p : cloth.x)
                highest = std::max(highest, p.y);
            EXPECT_GT(highest, -0.01) << "1/h " << 1 / h;
        }
}

TEST(ClothContact, LetsNoFastSheetThroughThinSolidsInShortSteps) {
    throw_sheets(1.0 / 1200.0);
}

TEST(ClothContact, LetsNoFastSheetThroughThinSolidsInLongSteps) {
    throw_sheets(1.0 / 60.0);
}

// The same the other way round: the solid comes up at 10 m/s.
void throw_solids(double h) {
    for (const Throw& solid : thin_solids())
        for (const int n : {2, 5, 9}) {
            SCOPED_TRACE(solid.name);
            SCOPED_TRACE(n);
            ContactSurface surface;
            add_sheet(surface, n, 0.2, {0.011, 0.007, 0.1});
            Puppet cloth(lying(std::move(surface)));
            cloth.colliders.push_back({solid.shape, {{}, solid.turn}, {{}, solid.turn}});
            Collider& plate = cloth.colliders[0];
            const int steps = static_cast<int>(0.05 / h);
            for (int s = 0; s < steps; ++s) {
                plate.before = plate.now;
                plate.now.centre.y += 10.0 * h;
                cloth.fall_as_cloth(h);
                EXPECT_EQ(cloth.solid_crossings(), 0) << "1/h " << 1 / h << " step " << s;
                EXPECT_EQ(cloth.crossings(), 0) << "1/h " << 1 / h << " step " << s;
                if (::testing::Test::HasFailure()) return;
            }
            double highest = -1.0;
            for (const Vec3& p : cloth.x)
                highest = std::max(highest, p.y);
            EXPECT_GT(highest, plate.now.centre.y - 0.01) << "1/h " << 1 / h;
        }
}

TEST(ClothContact, LetsNoFastSolidThroughASheetInShortSteps) {
    throw_solids(1.0 / 1200.0);
}

TEST(ClothContact, LetsNoFastSolidThroughASheetInLongSteps) {
    throw_solids(1.0 / 60.0);
}

// Two triangles 40 cm wide, no vertex near the solid: what meets its corner is the inside of a face, or of an edge.
TEST(ClothContact, RestsABigTriangleOnACorner) {
    const Rotation on_tip =
        rotation_about(std::acos(1.0 / std::sqrt(3.0)) * Vec3{-1 / std::sqrt(2.0), 0, 1 / std::sqrt(2.0)});
    for (const double h : {1.0 / 60.0, 1.0 / 1200.0})
        for (const Vec3& at : {Vec3{0.0, 0.05, 0.0}, Vec3{0.04, -0.05, 0.0}, Vec3{-0.05, 0.06, 0}}) {
            SCOPED_TRACE(at.y);
            ContactSurface surface;
            add_sheet(surface, 2, 0.4, {at.x, at.y, 0.2});
            Puppet cloth(lying(std::move(surface)));
            cloth.colliders.push_back({Box{{0.1, 0.1, 0.1}}, {{}, on_tip}, {{}, on_tip}});
            for (Vec3& v : cloth.v)
                v = {0, -5, 0};
            for (int s = 0; s < 0.1 / h; ++s) {
                cloth.fall(h);
                ASSERT_EQ(cloth.solid_crossings(), 0) << "1/h " << 1 / h << " step " << s;
            }
        }
}

TEST(ClothContact, TakesTrianglesAndEdgesWithoutSize) {
    ContactSurface surface;
    add_sheet(surface, 4, 0.2, {});
    add_sheet(surface, 4, 0.2, {0, 0, 0.01});
    for (const int v : {17, 20, 21})
        surface.rest[v] = surface.rest[16]; // triangles of no area, edges of no length
    Puppet cloth(lying(std::move(surface)));
    cloth.colliders.push_back({Box{{0.1, 0.01, 0.1}}, {{0, -0.02, 0}, {}}, {{0, -0.02, 0}, {}}});
    for (int k = 0; k < 120; ++k) {
        cloth.fall(1.0 / 240.0);
        ASSERT_TRUE(cloth.is_finite_everywhere()) << k;
        ASSERT_EQ(cloth.crossings(), 0) << k;
    }
}

} // namespace
} // namespace selvage
