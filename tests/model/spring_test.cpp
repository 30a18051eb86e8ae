#include "model/spring.h"

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// Force on end a of a spring with ends u apart and relative velocity dv.
Vec3 force(const Spring& s, const SpringDamping& d, const Vec3& u, const Vec3& dv) {
    const double l = length(u);
    const Vec3 t = u / l;
    return s.stiffness * (l - s.rest_length) * t + d.axial_time * s.stiffness * dot(t, dv) * t + d.relative * dv;
}

TEST(Spring, ExactDerivativeAgreesWithCentralDifferences) {
    const Spring spring{0, 1, 0.5f, 40.0f};
    for (const double stretch : {0.6, 0.95, 1.0, 1.3, 2.5}) {
        const Vec3 u = 0.5 * stretch * normalized(Vec3{1, -2, 0.5});
        const double h = 0.01;
        const SpringBlock<double> block = linearise<double>(spring, {}, u, h, true);
        for (const Vec3& direction : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
            const double e = 1e-6;
            const Vec3 difference =
                (force(spring, {}, u + e * direction, {}) - force(spring, {}, u - e * direction, {})) / (2.0 * e);
            EXPECT_LT(length(block.apply(direction) / (h * h) - difference), 1e-7 * 40.0) << "stretch " << stretch;
        }
    }
}

TEST(Spring, DampingEntersTheBlockAsItsVelocityDerivative) {
    const Spring spring{0, 1, 0.5f, 40.0f};
    const SpringDamping damping{0.02, 0.3};
    const Vec3 u{0.4, 0.3, 0}, dv{0.1, -0.2, 0.7};
    const double h = 0.01;
    const SpringBlock<double> with = linearise<double>(spring, damping, u, h, false);
    const SpringBlock<double> without = linearise<double>(spring, {}, u, h, false);
    const Vec3 damping_force = force(spring, damping, u, dv) - force(spring, {}, u, dv);
    EXPECT_LT(length(with.apply(dv) - without.apply(dv) - h * damping_force), 1e-15);
    EXPECT_NEAR(with.push, h * 40.0 * (0.5 - 0.5), 1e-9); // |u| = 0.5: at rest
}

TEST(Spring, StabilisedDerivativeIsNeverNegative) {
    const Spring spring{0, 1, 1.0f, 100.0f};
    for (const double l : {1e-6, 0.01, 0.5, 0.999, 1.0, 1.001, 3.0}) {
        const SpringBlock<double> block = linearise<double>(spring, {}, {l, 0, 0}, 1.0, false);
        // Eigenvalues of a I + b t t^T: a twice and a + b.
        EXPECT_GE(block.isotropic, 0.0);
        EXPECT_GE(block.isotropic + block.axial, 0.0);
        EXPECT_NEAR(block.isotropic + block.axial, 100.0, 1e-9); // along the spring always k
    }
    // Exact: compressed to half its length, across the spring k (1 - l0/L) = -k.
    EXPECT_NEAR(linearise<double>(spring, {}, {0.5, 0, 0}, 1.0, true).isotropic, -100.0, 1e-9);
}

TEST(Spring, WithoutLengthPushesNowhere) {
    const SpringBlock<float> block = linearise<float>({0, 1, 1.0f, 100.0f}, {0.0, 2.0}, {0, 0, 0}, 0.1, false);
    EXPECT_EQ(block.push, 0.0f);
    EXPECT_EQ(block.apply({1, 2, 3}), (Vec3f{0.2f, 0.4f, 0.6f})); // relative damping needs no direction
}

TEST(Spring, WithZeroRestLengthIsStiffInAllDirections) {
    const SpringBlock<double> block = linearise<double>({0, 1, 0.0f, 100.0f}, {}, {0.1, 0, 0}, 1.0, false);
    EXPECT_NEAR(block.isotropic, 100.0, 1e-12);
    EXPECT_NEAR(block.axial, 0.0, 1e-12);
}

} // namespace
} // namespace selvage
