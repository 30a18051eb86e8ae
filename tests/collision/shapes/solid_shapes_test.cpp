#include "collision/shapes/solid_shapes.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "collision/shapes/solid_mesh.h"
#include "solid_samples.h"

namespace selvage {
namespace {

/// The straight ones, a capsule of each taper, and those where one end swallows the other, just and by far.
std::vector<ColliderShape> round_shapes() {
    return {Sphere{0.3},
            Box{{0.4, 0.6, 1.0}},
            Capsule{0.2, 0.2, 0.5},
            Capsule{0.3, 0.1, 0.5},
            Capsule{0.05, 0.25, 0.4},
            Capsule{0.3, 0.1, 0.2},
            Capsule{0.05, 0.45, 0.1},
            Cylinder{0.25, 0.7},
            Cylinder{0.5, 0.1}};
}

// The solid as all balls between the two ends, the radius going evenly from one to the other: what a capsule means.
// Outside, the distance is the least to any of them.
double capsule_distance_by_balls(const Capsule& c, const Vec3& p) {
    double least = 1e9;
    constexpr int kBalls = 20000;
    for (int k = 0; k <= kBalls; ++k) {
        const double t = static_cast<double>(k) / kBalls;
        const Vec3 centre{0, (t - 0.5) * c.length, 0};
        least = std::min(least, length(p - centre) - ((1.0 - t) * c.radius + t * c.top_radius));
    }
    return least;
}

TEST(Capsule, IsAllTheBallsBetweenItsEnds) {
    for (const Capsule& c : {Capsule{0.2, 0.2, 0.5}, Capsule{0.3, 0.1, 0.5}, Capsule{0.05, 0.25, 0.4},
                             Capsule{0.3, 0.1, 0.2}, Capsule{0.05, 0.45, 0.1}})
        for (const Vec3& p : random_points(40, 0.8, 5)) {
            const double expected = capsule_distance_by_balls(c, p);
            // The balls are 1/20000 of the length apart: the least over them misses by at most the square of that.
            EXPECT_NEAR(nearest_surface(c, p).distance, expected, 1e-8) << p.x << " " << p.y << " " << p.z;
        }
}

// Distances to a dense sampling of the surface, whose spacing bounds the error; the sign by the solid's own definition.
TEST(SolidShapes, DistanceIsThatToTheSurface) {
    for (const ColliderShape& shape : round_shapes()) {
        const std::vector<Vec3> surface = sample_surface(shape, 0.01);
        for (const Vec3& p : random_points(30, 0.8, 7)) {
            double least = 1e9;
            for (const Vec3& q : surface)
                least = std::min(least, length(p - q));
            const double found = nearest_surface(shape, p).distance;
            EXPECT_LE(std::abs(found), least + 1e-12) << shape.index();
            // A sample within 0.01 / sqrt(2) of the nearest point.
            EXPECT_GE(std::abs(found), least - 0.0075) << shape.index();
            EXPECT_EQ(found < 0.0, is_inside(shape, p)) << shape.index();
        }
    }
}

TEST(SolidShapes, KnowDistancesByHand) {
    const auto d = [](const ColliderShape& shape, const Vec3& p) { return nearest_surface(shape, p); };
    const Cylinder can{0.5, 2.0};
    EXPECT_EQ(d(can, {0, 0, 0}).distance, -0.5);
    EXPECT_EQ(d(can, {0, 0.9, 0}).normal, (Vec3{0, 1, 0}));
    EXPECT_NEAR(d(can, {0, -0.9, 0}).distance, -0.1, 1e-15);
    EXPECT_EQ(d(can, {0, -0.9, 0}).normal, (Vec3{0, -1, 0}));
    EXPECT_NEAR(d(can, {0.8, 1.4, 0}).distance, 0.5, 1e-15); // 0.3 and 0.4 off the rim
    EXPECT_NEAR(d(can, {0.5, 1.0, 0}).distance, 0.0, 1e-15); // on the rim
    EXPECT_NEAR(length(d(can, {0.5, 1.0, 0}).normal), 1.0, 1e-15);
    EXPECT_NEAR(d(can, {0, 0.2, 2.0}).distance, 1.5, 1e-15);
    const Capsule limb{0.5, 0.5, 2.0};
    EXPECT_NEAR(d(limb, {0, 0, 0}).distance, -0.5, 1e-15);
    EXPECT_NEAR(d(limb, {0, 2.0, 0}).distance, 0.5, 1e-15);
    EXPECT_NEAR(d(limb, {0.3, 1.4, 0}).distance, 0.0, 1e-15);
    // Slope 3-4-5: radii 0.8 and 0.2 over a length of 1, so the side's normal is (0.8, 0.6).
    const Capsule cone{0.8, 0.2, 1.0};
    const Vec3 on_side = Vec3{0, -0.25, 0} + 0.65 * Vec3{0.8, 0.6, 0}; // the radius a quarter up is 0.65
    EXPECT_NEAR(d(cone, on_side).distance, 0.0, 1e-15);
    EXPECT_NEAR(d(cone, on_side + 0.3 * Vec3(0.8, 0.6, 0)).distance, 0.3, 1e-15);
    EXPECT_NEAR(d(cone, {0, -0.25, 0}).distance, -0.65, 1e-15);
    EXPECT_NEAR(d(cone, on_side).normal.x, 0.8, 1e-15);
    EXPECT_NEAR(d(Capsule{0.5, 0.1, 0.2}, {0, -0.1, 1}).distance, 0.5, 1e-15); // the lower ball alone
}

// No point of the solid lies farther, and the answer is one of its points.
TEST(SolidShapes, SupportPointsAreTheFarthest) {
    for (const ColliderShape& shape : round_shapes()) {
        const std::vector<Vec3> surface = sample_surface(shape, 0.02);
        for (const Vec3& direction : random_points(50, 1.0, 11)) {
            const std::optional<Vec3> found = support_point(shape, direction);
            ASSERT_TRUE(found);
            EXPECT_NEAR(nearest_surface(shape, *found).distance, 0.0, 1e-12);
            for (const Vec3& q : surface)
                EXPECT_LE(dot(q, direction), dot(*found, direction) + 1e-12);
        }
        for (const Vec3& axis : {Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, 0}})
            EXPECT_NEAR(nearest_surface(shape, *support_point(shape, axis)).distance, 0.0, 1e-12);
    }
    EXPECT_FALSE(support_point(Plane{}, {0, 1, 0}));
}

} // namespace
} // namespace selvage
