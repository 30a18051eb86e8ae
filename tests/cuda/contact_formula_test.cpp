// What kernels of contact work out, against the engine's own functions in double.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "collision/search/proximity.h"
#include "collision/shapes/collider.h"
#include "cuda/contact_formula.h"
#include "cuda/hull.h"

namespace selvage {
namespace {

class RandomPoints {
public:
    Vec3f operator()(double size) { return {coordinate(size), coordinate(size), coordinate(size)}; }

private:
    float coordinate(double size) {
        return static_cast<float>(size * (2.0 * static_cast<double>(engine_() % 1000003) / 1000003.0 - 1.0));
    }
    std::mt19937 engine_{3};
};

// Places of 1 cm round by 6e-10; slivers and near parallels lose more, along directions in which distances hardly change.
TEST(CudaContactFormula, FindsTheNearestPointsOfFeatures) {
    RandomPoints random;
    for (int k = 0; k < 20000; ++k) {
        Vec3f x[4];
        for (Vec3f& p : x) {
            p = random(0.01);
            if (k % 3 == 0) p.y *= 1e-3F; // nearly in one plane
        }
        const SegmentSegment edges = closest_points_of_segments(Vec3(x[0]), Vec3(x[1]), Vec3(x[2]), Vec3(x[3]));
        const PointTriangle face = closest_points(Vec3(x[0]), Vec3(x[1]), Vec3(x[2]), Vec3(x[3]));
        for (const bool is_edges : {false, true}) {
            const cuda::PairPlace place = cuda::place_pair(is_edges, x);
            const double exact = std::sqrt(is_edges ? edges.distance_squared : face.distance_squared);
            ASSERT_NEAR(place.distance, exact, 2e-8) << k << (is_edges ? " edges" : " face");
            const float* w = place.weight.w;
            EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 0.0, 1e-6);
            // No direction parts them by more than their distance.
            EXPECT_LE(cuda::gap_along(is_edges, cuda::direction(place, {0, 1, 0}), x), place.distance + 1e-8F);
        }
    }
}

TEST(CudaContactFormula, MeasuresTheDistanceOfEveryShape) {
    RandomPoints random;
    std::vector<std::pair<ColliderShape, cuda::SolidShape>> shapes{
        {Sphere{0.2}, {cuda::SolidShape::kSphere, {0.2F}}},
        {Box{{0.3, 0.2, 0.1}}, {cuda::SolidShape::kBox, {0.3F, 0.2F, 0.1F}}},
        {Plane{}, {cuda::SolidShape::kPlane}},
        {Cylinder{0.1, 0.3}, {cuda::SolidShape::kCylinder, {0.1F, 0.3F}}}};
    for (const Capsule& capsule : {Capsule{0.1, 0.1, 0.3}, Capsule{0.12, 0.05, 0.2}, Capsule{0.3, 0.05, 0.1}}) {
        const RoundCone cone = round_cone(capsule);
        cuda::SolidShape shape{cuda::SolidShape::kCapsule,
                               {static_cast<float>(capsule.radius), static_cast<float>(capsule.top_radius),
                                static_cast<float>(capsule.length)},
                               static_cast<float>(cone.sine),
                               static_cast<float>(cone.cosine),
                               cone.single};
        shapes.push_back({capsule, shape});
    }
    for (const auto& [exact, shape] : shapes)
        for (int k = 0; k < 2000; ++k) {
            const Vec3f p = random(0.4);
            const SurfacePoint expected = nearest_surface(exact, Vec3(p));
            const cuda::SolidPoint found = cuda::nearest_point(shape, p);
            ASSERT_NEAR(found.distance, expected.distance, 1e-6) << exact.index();
            ASSERT_LT(length(Vec3(found.normal) - expected.normal), 1e-3) << exact.index();
        }
}

TEST(CudaContactFormula, RubsNoMoreThanCoulombAllows) {
    const Vec3f n{0.0F, 1.0F, 0.0F};
    const auto spring = [&](float gap, float slipped) { // at 1000 N/m, coefficient 0.3
        cuda::ContactSpring before;
        before.normal_force = 1.0F;
        before.stiffness = 1000.0F;
        return cuda::contact_spring(0.002F, gap, 0.0F, 1000.0F, 1000.0F, 0.3F, n, {slipped, 0.0F, 0.0F}, before);
    };
    // 1 mm too near is 1 N. A slip of 0.1 mm is undone by 0.1 N, and one of 1 mm would be by 1 N.
    const cuda::ContactSpring sticks = spring(0.001F, 1e-4F), slides = spring(0.001F, 1e-3F);
    EXPECT_NEAR(sticks.force.x, -0.1F, 1e-6F);
    EXPECT_NEAR(sticks.force.y, 1.0F, 1e-6F);
    EXPECT_EQ(length(sticks.slip), 0.0F);
    EXPECT_NEAR(slides.force.x, -0.3F, 1e-6F);
    EXPECT_NEAR(slides.slip.x, 1.0F, 1e-6F);
    EXPECT_EQ(spring(0.003F, 0.0F).normal_force, 0.0F);
    // While it sticks the matrix is the derivative of the force; while it slides it gives nothing along the slip.
    const Vec3f d{1.0F, 2.0F, 3.0F};
    EXPECT_LT(length(cuda::stiffness_times(n, sticks.stiffness, sticks.slip, sticks.side, d) - 1000.0F * d), 1e-2F);
    const Vec3f pull = cuda::stiffness_times(n, slides.stiffness, slides.slip, slides.side, d);
    EXPECT_NEAR(pull.x, 0.0F, 1e-3F);
    float block[6] = {};
    cuda::add_stiffness(block, 1.0F, n, slides.stiffness, slides.slip, slides.side);
    const float product[3] = {block[0] * d.x + block[1] * d.y + block[2] * d.z,
                              block[1] * d.x + block[3] * d.y + block[4] * d.z,
                              block[2] * d.x + block[4] * d.y + block[5] * d.z};
    EXPECT_NEAR(product[0], pull.x, 1e-3F);
    EXPECT_NEAR(product[1], pull.y, 1e-3F);
    EXPECT_NEAR(product[2], pull.z, 1e-3F);
}

TEST(CudaContactFormula, HullsLieBetweenACollidersSurfaceAndItsThickness) {
    std::vector<Collider> colliders;
    for (const ColliderShape& shape :
         std::vector<ColliderShape>{Sphere{0.25}, Box{{0.3, 0.2, 0.1}}, Plane{}, Cylinder{0.1, 0.3},
                                    Capsule{0.12, 0.05, 0.2}, Capsule{0.3, 0.05, 0.1}}) {
        colliders.emplace_back();
        colliders.back().shape = shape;
    }
    const std::vector<cuda::Hull> hulls = cuda::make_hulls(colliders, {});
    ASSERT_EQ(hulls.size(), 5U); // all but the plane
    for (const cuda::Hull& hull : hulls) {
        SCOPED_TRACE(hull.collider);
        const Collider& collider = colliders[hull.collider];
        double volume = 0.0;
        for (const Triangle& t : hull.triangles) {
            const Vec3 &a = hull.points[t[0]], &b = hull.points[t[1]], &c = hull.points[t[2]];
            volume += dot(a, cross(b, c)) / 6.0;
            for (const Vec3& p : {a, (a + b) / 2.0, (a + b + c) / 3.0}) {
                EXPECT_GT(collider.nearest(p).distance, 0.0);
                EXPECT_LT(collider.nearest(p).distance, 1.3 * collider.thickness); // 0.75 roots of three, in a corner
            }
        }
        EXPECT_GT(volume, 0.0); // faces look outwards
        // Closed, like a ball: vertices less half the faces are two.
        EXPECT_EQ(static_cast<int>(hull.points.size()) - static_cast<int>(hull.triangles.size()) / 2, 2);
    }
    const std::vector<Vec3> inside{{0.0, 0.0, 0.0}};
    EXPECT_TRUE(cuda::make_hulls(colliders, inside).empty()); // cloth that starts inside must come out
}

} // namespace
} // namespace selvage
