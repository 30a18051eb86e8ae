#include "lab/validate/strip_over_bend.h"
#include "math/pi.h"

#include <cmath>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// T' = mu (T + r sin psi) + r cos psi by the midpoint rule.
double integrated_pull(const StripOverBend& strip, double near_length) {
    constexpr int kSteps = 20000;
    const double step = strip.turn / kSteps, mu = strip.bend_friction, r = strip.radius;
    const auto slope = [&](double pull, double angle) {
        const double psi = kPi - strip.turn + angle;
        return mu * (pull + r * std::sin(psi)) + r * std::cos(psi);
    };
    double pull = strip.near_pull(near_length);
    for (int k = 0; k < kSteps; ++k) {
        const double half = pull + 0.5 * step * slope(pull, k * step);
        pull += step * slope(half, (k + 0.5) * step);
    }
    return pull;
}

TEST(StripOverBend, PullsAsItsBalanceOfForcesIntegrates) {
    for (const double mu : {0.0, 0.3, 1.2})
        for (const double turn : {kPi, 0.5 * kPi}) {
            const StripOverBend strip{2.0, 0.2, turn, 0.5, mu};
            // The midpoint rule leaves (mu step)^3/6 of the pull per step: 1e-7 in all, at most.
            EXPECT_NEAR(strip.pull_on_bend(0.7, turn) / integrated_pull(strip, 0.7), 1.0, 1e-7) << mu << " " << turn;
        }
}

TEST(StripOverBend, TendsToTheTextbookOverATightBend) {
    const StripOverBend capstan{1.0, 1e-9, kPi, 0.0, 0.3};
    const double light = capstan.near_length_at_slip();
    EXPECT_NEAR(capstan.far_length(light) / light, std::exp(0.3 * kPi), 1e-6);
    const StripOverBend edge{1.0, 1e-9, 0.5 * kPi, 0.5, 0.0};
    EXPECT_NEAR(1.0 - edge.near_length_at_slip(), 0.5 / 1.5, 1e-6);
}

TEST(StripOverBend, HangsAsLowOnBothSidesOfASmoothRoller) {
    const StripOverBend strip{1.0, 0.1, kPi, 0.0, 0.0};
    EXPECT_NEAR(strip.near_length_at_slip(), 0.5 * (1.0 - 0.1 * kPi), 1e-12);
}

TEST(StripOverBend, SlipsOffASmoothTableEdgeWhereItsDropOutweighsTheFriction) {
    const StripOverBend strip{1.0, 0.1, 0.5 * kPi, 0.5, 0.0};
    const double near = strip.near_length_at_slip();
    EXPECT_NEAR(strip.far_length(near) + 0.1, 0.5 * near, 1e-12); // the drop, quarter turn included
}

// Stretched by the weight below each link; chords of the bend, not arcs, are the links' lengths.
TEST(RestingStrip, IsStretchedByWhatItCarriesAndLiesOnItsPath) {
    constexpr int kRows = 101;
    const double stretch_length = 50.0;
    const StripOverBend strip{1.0, 0.1, kPi, 0.0, 0.4};
    const std::vector<Vec3> points = resting_strip(strip, 0.25, kRows, stretch_length);
    ASSERT_EQ(points.size(), kRows);
    EXPECT_NEAR(length(points[1] - points[0]), 0.01 * (1.0 + 0.005 / stretch_length), 1e-12);
    EXPECT_NEAR(length(points[100] - points[99]), 0.01 * (1.0 + 0.005 / stretch_length), 1e-12);
    EXPECT_NEAR(points.front().y, -0.25 - 0.25 * 0.25 / (2.0 * stretch_length), 1e-5); // as elastic-hang
    for (const Vec3& p : points) {
        const double off = p.y > 0.0 ? std::hypot(p.x, p.y) : std::abs(p.x);
        EXPECT_NEAR(off, 0.1, 1e-12);
    }
}

TEST(RestingStrip, LiesOnTheTableUpToItsEdge) {
    const StripOverBend strip{1.0, 0.1, 0.5 * kPi, 0.5, 0.0};
    const std::vector<Vec3> points = resting_strip(strip, 0.6, 101, 50.0);
    EXPECT_NEAR(points.front().x, -0.6, 0.005);
    EXPECT_EQ(points.front().y, 0.1);
    EXPECT_NEAR(points.back().x, 0.1, 1e-12);
    EXPECT_NEAR(points.back().y, -(0.4 - 0.05 * kPi), 0.005);
}

} // namespace
} // namespace selvage
