#include "collision/collider.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "collision/contact.h"
#include "geometry/topology.h"

namespace selvage {
namespace {

std::vector<ColliderShape> shapes() {
    return {Sphere{0.3},
            Box{{0.4, 0.6, 1.0}},
            Plane{},
            Capsule{0.2, 0.2, 0.5},
            Capsule{0.3, 0.1, 0.5},
            Capsule{0.05, 0.25, 0.4},
            Capsule{0.3, 0.1, 0.15},
            Cylinder{0.25, 0.7}};
}

// |grad d| = 1 and the normal is that gradient: what makes a function a signed distance. Central differences, away from
// the creases where the nearest point jumps.
TEST(Collider, NormalIsTheGradientOfTheDistance) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> place(-0.9, 0.9);
    for (const ColliderShape& shape : shapes()) {
        int smooth = 0;
        for (int k = 0; k < 500; ++k) {
            const Vec3 p{place(random), place(random), place(random)};
            const double e = 1e-6;
            const auto d = [&](const Vec3& q) { return nearest_surface(shape, q).distance; };
            const Vec3 gradient =
                Vec3{d(p + Vec3{e, 0, 0}) - d(p - Vec3{e, 0, 0}), d(p + Vec3{0, e, 0}) - d(p - Vec3{0, e, 0}),
                     d(p + Vec3{0, 0, e}) - d(p - Vec3{0, 0, e})} /
                (2 * e);
            if (std::abs(length(gradient) - 1.0) > 1e-6) continue; // on a crease
            ++smooth;
            EXPECT_LT(length(gradient - nearest_surface(shape, p).normal), 1e-5);
        }
        EXPECT_GT(smooth, 480);
    }
}

TEST(Collider, StepsAlongTheNormalReachTheSurface) {
    for (const ColliderShape& shape : shapes())
        for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{0.1, 0.05, -0.2}, Vec3{1, 2, 3}, Vec3{-0.5, 0, 0}}) {
            const SurfacePoint s = nearest_surface(shape, p);
            EXPECT_NEAR(length(s.normal), 1.0, 1e-15);
            EXPECT_NEAR(nearest_surface(shape, p - s.distance * s.normal).distance, 0.0, 1e-15);
        }
}

// What is drawn lies on what collides, faces outwards and is closed but for the plane and the sphere's seam and poles.
TEST(Collider, DrawsWhatItIs) {
    for (const ColliderShape& shape : shapes()) {
        const TriangleMesh mesh = collider_mesh(shape);
        for (const Vec3& p : mesh.positions)
            EXPECT_NEAR(nearest_surface(shape, p).distance, 0.0, 1e-12);
        for (const Triangle& t : mesh.triangles) {
            const Vec3 n = doubled_area_normal(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
            const Vec3 middle = (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0;
            if (length(n) < 1e-12) continue; // at the poles
            EXPECT_GT(dot(n, nearest_surface(shape, middle).normal), 0.0);
        }
    }
}

TEST(Collider, KnowsHowFarItsPointsMoved) {
    Collider ball{Sphere{1.0}, {}, {}};
    const Vec3 spin{0, 0, 0.2};
    ball.before = {{1, 0, 0}, {}};
    ball.now = {{1.5, 0, 0}, rotation_about(spin)};
    // The top of the ball: shifted by 0.5, and carried along the circle by the turn. From R x - x with x what is on top now.
    const Vec3 top = ball.now.centre + Vec3{0, 1, 0};
    const Vec3 expected = Vec3{0.5, 0, 0} + Vec3{0, 1, 0} - Vec3{std::sin(0.2), std::cos(0.2), 0};
    EXPECT_LT(length(ball.displacement(top) - expected), 1e-15);
}

/// One point on a tilted plane for a while, gravity given; how far and fast it slid.
struct Slide {
    double distance, speed;
};
Slide slide(double angle, double friction, double seconds) {
    ThreadPool pool(1);
    Collider plane{Plane{}, {}, {}, friction, 0.0};
    plane.before.turn = plane.now.turn = rotation_about({0, 0, angle});
    const double h = 1.0 / 600.0;
    std::vector<Vec3> x{{0, 0, 0}}, v{{0, 0, 0}};
    const std::vector<std::uint8_t> held{0};
    for (int k = 0; k < std::lround(seconds / h); ++k) {
        v[0] += h * Vec3{0, -9.81, 0};
        x[0] += h * v[0];
        resolve_collider_contacts(pool, {&plane, 1}, h, held, x, v);
    }
    return {length(x[0]), length(v[0])};
}

// Coulomb: rests when tan(angle) < mu, else slides with a = g (sin - mu cos).
TEST(Contact, SlidesOnAnInclineAsCoulombSays) {
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

TEST(Contact, CarriesAPointOnAMovingSolid) {
    ThreadPool pool(1);
    const double h = 0.01;
    Collider plate{Plane{}, {}, {}, 10.0, 0.0};
    std::vector<Vec3> x{{0.5, 0, 0}}, v{{0, 0, 0}};
    const std::vector<std::uint8_t> held{0};
    for (int k = 1; k <= 300; ++k) { // rises from rest to 1 m/s: presses all the while, so friction holds
        plate.before = plate.now;
        plate.now.centre = {0.1 * k * h, 0.5 * k * h * k * h / 3, 0};
        v[0] += h * Vec3{0, -9.81, 0};
        x[0] += h * v[0];
        resolve_collider_contacts(pool, {&plate, 1}, h, held, x, v);
    }
    EXPECT_NEAR(x[0].x, 0.5 + 0.3, 1e-3); // the first step's grip is what it lags by
    EXPECT_NEAR(x[0].y, 1.5, 1e-12);
    EXPECT_NEAR(v[0].x, 0.1, 1e-12);
}

TEST(Contact, LeavesHeldAndDistantPointsAlone) {
    ThreadPool pool(1);
    const Collider ball{Sphere{1.0}, {}, {}, 0.5, 0.1};
    std::vector<Vec3> x{{0, 0, 0}, {0, 1.2, 0}, {0, 1.05, 0}, {0, 0.2, 0}}, v(4, Vec3{0, -1, 0});
    const std::vector<std::uint8_t> held{1, 0, 0, 0};
    resolve_collider_contacts(pool, {&ball, 1}, 0.01, held, x, v);
    EXPECT_EQ(x[0], Vec3{});
    EXPECT_EQ(v[1], (Vec3{0, -1, 0}));
    EXPECT_NEAR(x[2].y, 1.1, 1e-15); // the thickness is kept
    EXPECT_NEAR(x[3].y, 1.1, 1e-15); // from deep inside too
    EXPECT_EQ(v[3], Vec3{});         // plastic
}

TEST(Contact, MeasuresTheDeepestPoint) {
    ThreadPool pool(2);
    const std::vector<Collider> solids{{Sphere{1.0}, {}, {}}, {Plane{}, {{0, -2, 0}, {}}, {{0, -2, 0}, {}}}};
    std::vector<Vec3> x(1000, Vec3{0, 5, 0});
    EXPECT_EQ(deepest_penetration(pool, solids, x), 0.0);
    x[777] = {0, 0.9, 0};
    x[3] = {4, -2.25, 0};
    EXPECT_NEAR(deepest_penetration(pool, solids, x), 0.25, 1e-15);
}

} // namespace
} // namespace selvage
