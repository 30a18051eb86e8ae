#include "math/mat.h"

#include <limits>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(SymMat3, TimesItsInverseIsOne) {
    const SymMat3 m{4.0, 1.0, -0.5, 3.0, 0.25, 2.0};
    const SymMat3 i = inverse(m);
    for (const Vec3& v : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{1, -2, 3}})
        EXPECT_LT(length(i * (m * v) - v), 1e-14);
}

TEST(SymMat3, SingularHasZeroInverse) {
    const SymMat3 i = inverse(SymMat3{});
    EXPECT_EQ((i * Vec3{1, 2, 3}), (Vec3{0, 0, 0}));
}

TEST(SymMat3, AddsScaledIdentityAndOuterProduct) {
    SymMat3 m;
    const Vec3 t = normalized(Vec3{1, 2, 2});
    m.add_scaled(2.0, 3.0, t);
    const Vec3 v{0.5, -1, 4};
    EXPECT_LT(length(m * v - (2.0 * v + 3.0 * dot(t, v) * t)), 1e-15);
}

TEST(Rotation, KeepsQuarterTurnsExact) {
    EXPECT_EQ((rotation_from_degrees({-90, 0, 0}) * Vec3{1, 2, 3}), (Vec3{1, 3, -2}));
    EXPECT_EQ((rotation_from_degrees({0, 180, 0}) * Vec3{1, 2, 3}), (Vec3{-1, 2, -3}));
    EXPECT_EQ((rotation_from_degrees({0, 0, 450}) * Vec3{1, 2, 3}), (Vec3{-2, 1, 3}));
}

TEST(Rotation, TurnsAboutXThenYThenZAndKeepsLength) {
    const Vec3 v{0.3, -1.2, 2.0};
    const Vec3 stepwise = rotation_from_degrees({0, 0, 50}) *
                          (rotation_from_degrees({0, 20, 0}) * (rotation_from_degrees({35, 0, 0}) * v));
    const Vec3 at_once = rotation_from_degrees({35, 20, 50}) * v;
    EXPECT_LT(length(at_once - stepwise), 1e-14);
    EXPECT_NEAR(length(at_once), length(v), 1e-14);
}

TEST(Vec3, SeesInfinityAndNan) {
    EXPECT_TRUE(is_finite(Vec3{1e300, -1e300, 0}));
    EXPECT_FALSE(is_finite(Vec3{0, std::numeric_limits<double>::infinity(), 0}));
    EXPECT_FALSE(is_finite(Vec3{0, 0, std::numeric_limits<double>::quiet_NaN()}));
}

TEST(Rotation, VectorIsTheInverseOfRotatingAboutIt) {
    for (const double angle : {0.0, 1e-9, 1e-4, 0.3, 1.5, 3.0, 3.14159, 3.14159265358979})
        for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0.6, -0.48, 0.64}}) {
            const Rotation there = rotation_about(angle * axis);
            const Rotation again = rotation_about(rotation_vector(there));
            for (const Vec3& v : {Vec3{1, 2, 3}, Vec3{-2, 0.5, 1}})
                EXPECT_LT(length(there * v - again * v), 1e-8) << angle;
        }
}

} // namespace
} // namespace selvage
