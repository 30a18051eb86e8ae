#include "collision/contact/contact_stage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "collision/contact/contact_puppet.h"

namespace selvage {
namespace {

ContactSurface stack(int sheets, int n, double size, double apart) {
    ContactSurface surface;
    for (int k = 0; k < sheets; ++k)
        add_sheet(surface, n, size, {0.003 * k, 0.002 * k, apart * k});
    return surface;
}

double mean_of(std::span<const Vec3> all, double Vec3::* part) {
    double sum = 0.0;
    for (const Vec3& p : all)
        sum += p.*part;
    return sum / static_cast<double>(all.size());
}

// ---- The guarantee: no answer of a solver leads from a start without crossings to one with some.

TEST(ContactStage, LetsNoRandomMotionThrough) {
    for (const double edges : {0.1, 1.0, 10.0}) {
        SCOPED_TRACE(edges);
        Puppet cloth(stack(3, 6, 0.25, 0.004));
        Dice dice(1);
        for (int k = 0; k < (edges < 0.5 ? 100 : edges < 5.0 ? 30 : 6); ++k) {
            cloth.step(1.0 / 60.0, [&] {
                for (std::size_t i = 0; i < cloth.x.size(); ++i)
                    cloth.go(i, dice.vector(edges * 0.05));
            });
            ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
            ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
        }
    }
}

// Drawn out to 20 times its size and thrown about on a ball, everything is near everything: 108 vertices make tens of
// thousands of pairs, which hundreds of rounds of cutting would test. A step gives up after 2000 tests a vertex, and still
// lets nothing through: from there on every piece of it takes 2 hurried rounds and one to see that all is well.
TEST(ContactStage, EndsSoonWhereEverythingIsNearEverything) {
    Puppet cloth(stack(3, 6, 0.25, 0.004));
    cloth.colliders.push_back({Sphere{1.0}, {{0, 0, -1.5}, {}}, {{0, 0, -1.5}, {}}, 0.5, 0.01});
    for (std::size_t i = 0; i < cloth.x.size(); i += 7)
        cloth.held[i] = 1;
    Dice dice(5);
    for (Vec3& p : cloth.x)
        p = 20.0 * p;
    for (int k = 0; k < 8; ++k) {
        Collider& ball = cloth.colliders[0];
        ball.before = ball.now;
        ball.now.centre = dice.vector(1.0);
        const ContactStats stats = cloth.step(1.0 / 60.0, [&] {
            for (std::size_t i = 0; i < cloth.x.size(); ++i)
                cloth.go(i, dice.vector(2.0));
        });
        EXPECT_LT(stats.tests, 2000 * 108 + 4 * stats.records) << "step " << k;
        ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
        ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
    }
}

// A look ahead measures distances that the stage then takes over. What it looked for, near or far, right or wrong, must
// change no bit of what comes out.
TEST(ContactStage, DoesTheSameWhateverWasLookedAheadFor) {
    Puppet plain(stack(3, 7, 0.25, 0.004)), looking(stack(3, 7, 0.25, 0.004));
    Dice dice(3), guesses(4);
    std::vector<Vec3> told(plain.x.size()), guess(plain.x.size());
    std::int64_t records = 0;
    for (int k = 0; k < 60; ++k) {
        const double size = k % 3 == 0 ? 0.0004 : k % 3 == 1 ? 0.004 : 0.02;
        for (Vec3& d : told)
            d = dice.vector(size) + Vec3{0, 0, k % 2 ? 0.002 : -0.002};
        for (std::size_t i = 0; i < guess.size(); ++i)
            guess[i] = (k % 5 == 0 ? 3.0 : k % 5 == 1 ? 0.1 : 1.0) * told[i] + guesses.vector(0.2 * size);
        const auto solve = [&](Puppet& cloth) {
            for (std::size_t i = 0; i < cloth.x.size(); ++i)
                cloth.go(i, told[i]);
        };
        records += plain.step(1.0 / 60.0, [&] { solve(plain); }).records;
        looking.step(1.0 / 60.0, [&] {
            ContactStats stats;
            looking.contact.look_ahead(looking.pool, {1.0 / 60.0, looking.held, looking.colliders}, guess, stats);
            solve(looking);
        });
        ASSERT_EQ(plain.x, looking.x) << "step " << k;
        ASSERT_EQ(plain.v, looking.v) << "step " << k;
    }
    EXPECT_GT(records, 10000);
}

// Sheets thrown through each other as a whole: 10 m/s at 1/60 s is 17 cm in a step, half a sheet. They are told to go
// on where they were told to, whatever contact made of it.
TEST(ContactStage, LetsNoRigidMotionThrough) {
    Puppet cloth(stack(3, 6, 0.3, 0.05));
    Dice dice(2);
    std::vector<Vec3> shift(3), spin(3);
    for (int k = 0; k < 150; ++k) {
        if (k % 6 == 0)
            for (int b = 0; b < 3; ++b) {
                const Vec3 to = dice.vector(1.0);
                shift[b] = (10.0 / 60.0 / length(to)) * to;
                spin[b] = dice.vector(0.2);
            }
        cloth.step(1.0 / 60.0, [&] {
            for (int b = 0; b < 3; ++b) {
                const ContactBody& body = cloth.contact.surface().bodies[b];
                for (int i = body.vertex_begin; i < body.vertex_begin + body.vertex_count; ++i) {
                    cloth.go(i, shift[b] + cross(spin[b], cloth.x[i] - cloth.x[body.vertex_begin + 15]) -
                                    0.02 * cloth.x[i]); // and home again
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

TEST(ContactStage, CrumplesASheetThatThenTakesAnyMotion) {
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

TEST(ContactStage, LetsNoHeldVertexThrough) {
    for (const double speed : {1.0, 10.0}) {
        SCOPED_TRACE(speed);
        Puppet cloth(stack(2, 7, 0.3, 0.02));
        for (const int v : {3, 24, 45})
            cloth.held[v] = 1;
        Dice dice(4);
        Vec3 shift;
        for (int k = 0; k < 64; ++k) {
            // Up and down through the other sheet, and askew; others follow as if on springs.
            if (k % 8 == 0)
                shift = (speed / 60.0) * normalized(Vec3{0, 0, k % 16 == 0 ? 1.0 : -1.0} + dice.vector(0.7));
            cloth.step(1.0 / 60.0, [&] {
                for (int i = 0; i < 49; ++i)
                    cloth.go(i, cloth.held[i] ? shift : 0.3 * shift + dice.vector(0.002));
            });
            ASSERT_TRUE(cloth.is_finite_everywhere()) << "step " << k;
            ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
        }
    }
}

// A hand under cloth that does not yield: all there is to find out is that it cannot go on. Eight rounds of cutting
// look for a path past, one finds that nothing free is left to cut, one stops the hand and one sees that all is well, a
// few more see to its neighbours. Pieces of the step that follow have nothing to do.
TEST(ContactStage, SoonStopsAHandThatClothHoldsBack) {
    for (const double lag : {0.04, 0.5}) { // less than an edge of 0.05 m; ten of them
        SCOPED_TRACE(lag);
        Puppet cloth(stack(2, 7, 0.3, 0.01));
        std::fill(cloth.held.begin() + 49, cloth.held.end(), 1);
        cloth.held[24] = 1;
        for (int k = 0; k < 10; ++k) {
            const ContactStats stats =
                cloth.step(1.0 / 60.0, [&] { cloth.x[24].z = cloth.contact.surface().rest[24].z + 0.01 + lag; });
            ASSERT_EQ(cloth.crossings(), 0) << "step " << k;
            EXPECT_LT(cloth.x[24].z, cloth.x[49].z) << "step " << k;
            EXPECT_LE(stats.rounds, 16) << "step " << k;
        }
    }
}

TEST(ContactStage, LeavesAMotionWithoutContactAsItIs) {
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

TEST(ContactStage, GivesTheSameBitsOnAnyNumberOfThreads) {
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

// Pushes between two sheets are equal and opposite. They are summed in units of 6e-14 m, which is 3e-11 m/s at this
// step.
TEST(ContactStage, KeepsTheMomentumOfTwoSheetsThatCollide) {
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

// Sharply folded: the edge c d lies across a b, the edge opposite c in its triangle, and falls on it. What lies beyond a b
// that would be better to push against is that triangle; but it ends in c itself, so a b must do.
TEST(ContactStage, PushesAnEdgeOffTheOneOppositeItsEnd) {
    ContactSurface surface;
    surface.rest = {{-0.02, 0, 0}, {0.02, 0, 0}, {0, 0.016, 0.012}, {0, -0.012, 0.006}, {0.024, -0.012, 0.006}};
    surface.triangles = {{0, 1, 2}, {2, 3, 4}};
    ContactBody body;
    body.vertex_count = 5;
    body.triangle_count = 2;
    surface.bodies.push_back(body);
    Puppet cloth(std::move(surface), 1);
    const ContactStats stats = cloth.step(1.0 / 600.0, [&] {
        for (std::size_t i = 2; i < cloth.x.size(); ++i)
            cloth.go(i, {0, 0.0042, -0.0196});
    });
    EXPECT_EQ(stats.truncated, 0); // all five vertices where nothing pushes
    EXPECT_EQ(cloth.crossings(), 0);
}

// What is cut is what two sides do against each other. Far away a sheet is held; cloth that flies past it and crumples must
// not be braked in the air by that. Cut against what is held, they end up to 30 mm from where they would without flying.
TEST(ContactStage, CutsNothingOfWhatBothSidesDo) {
    std::vector<Vec3> still;
    const Vec3 flight{0.02, 0.01, 0.03};
    for (const bool flies : {false, true}) {
        ContactSurface surface = stack(3, 6, 0.25, 0.004);
        add_sheet(surface, 3, 0.1, {2, 0, 0});
        Puppet cloth(std::move(surface));
        cloth.hold(3);
        Dice dice(7);
        cloth.step(1.0 / 60.0, [&] {
            for (std::size_t i = 0; i < 3 * 36; ++i)
                cloth.go(i, dice.vector(0.01) + (flies ? flight : Vec3{}));
        });
        EXPECT_EQ(cloth.crossings(), 0);
        if (!flies) still = cloth.x;
        for (std::size_t i = 0; i < 3 * 36; ++i)
            EXPECT_LT(length(cloth.x[i] - still[i] - (flies ? flight : Vec3{})), 1e-3) << i;
    }
}

// A sheet dropped on one that is held: no part of it goes up again.
TEST(ContactStage, LetsNothingBounce) {
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

// Two sheets at rest, half the distance from each other that they should keep. The gap opens by up to 0.2 m/s, which is a
// correction and no motion: of that speed little may be left, or piles would throw their layers off.
TEST(ContactStage, OpensANarrowGapWithoutThrowingTheSheetsApart) {
    Puppet cloth(lying(stack(2, 7, 0.3, 0.0005)));
    cloth.hold(0);
    ASSERT_EQ(cloth.contact.surface().bodies[0].distance, 0.001);
    for (int k = 0; k < 40; ++k) {
        cloth.fall(1.0 / 2400.0, {});
        for (const Vec3& v : cloth.velocities(1))
            ASSERT_LT(v.y, 0.1) << "step " << k; // half of 0.2 m/s
    }
    for (int i = 49; i < 98; ++i)
        EXPECT_GT(cloth.x[i].y, 0.0006) << i; // the gap opened everywhere
}

TEST(ContactStage, KeepsTheLayersOfASheetAtRestApart) {
    ContactSurface surface;
    add_sheet(surface, 7, 0.3, {});
    add_sheet(surface, 7, 0.25, {0.003, 0.002, 0.003}); // no part of it beyond the border of the other
    Puppet cloth(lying(std::move(surface)));
    cloth.hold(0);
    for (int k = 0; k < 300; ++k)
        cloth.fall(1.0 / 1200.0);
    const double distance = cloth.contact.surface().bodies[0].distance;
    for (int i = 49; i < 98; ++i) {
        EXPECT_GT(cloth.x[i].y, 0.5 * distance) << i;
        EXPECT_LT(cloth.x[i].y, 1.1 * distance) << i;
    }
}

/// A sheet sent over one that is held, after it has come to lie; the mean deceleration as a fraction of gravity.
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
TEST(ContactStage, SlowsASheetThatSlidesOnAnother) {
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
TEST(ContactStage, LetsASheetSlideFreelyWithoutFriction) {
    for (const double speed : {0.3, 1.0, 2.0}) {
        Puppet cloth(small_on_large(0.0));
        EXPECT_LT(slowed_share(cloth, speed, 0.1), 0.02) << speed << " m/s";
    }
}

TEST(ContactStage, TakesTrianglesAndEdgesWithoutSize) {
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
