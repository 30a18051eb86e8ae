#include "collision/shapes/collider.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

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
    // The top of the ball: shifted by 0.5, and carried along the circle by the turn. From R x - x with x what is on top
    // now.
    const Vec3 top = ball.now.centre + Vec3{0, 1, 0};
    const Vec3 expected = Vec3{0.5, 0, 0} + Vec3{0, 1, 0} - Vec3{std::sin(0.2), std::cos(0.2), 0};
    EXPECT_LT(length(ball.displacement(top) - expected), 1e-15);
}

TEST(Collider, MeasuresTheDeepestPoint) {
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
