#include "lab/validate/reference_shapes.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(HeavyCantilever, StartsAsALinearBeam) {
    // Small loads: drop = Gamma/8, tip slope = Gamma/6, both to order Gamma^3.
    const HeavyCantilever shape = heavy_cantilever(0.01);
    EXPECT_NEAR(shape.drop, 0.01 / 8.0, 1e-7);
    EXPECT_NEAR(shape.tip_angle, 0.01 / 6.0, 1e-7);
    EXPECT_NEAR(shape.reach, 1.0, 1e-5);
    EXPECT_NEAR(heavy_cantilever(0.0).drop, 0.0, 1e-15);
}

TEST(HeavyCantilever, RestsAsItsArcAndBendsFromThere) {
    const HeavyCantilever arc = heavy_cantilever(0.0, 1.0);
    EXPECT_NEAR(arc.reach, std::sin(1.0), 1e-9);
    EXPECT_NEAR(arc.drop, std::cos(1.0) - 1.0, 1e-9);
    EXPECT_NEAR(arc.tip_angle, -1.0, 1e-9);
    // theta'' = -Gamma (1 - s) cos(s) for a little weight; integrated twice from theta(0) = 0 and theta'(1) = -1.
    const double gamma = 1e-3;
    double turned = 0.0;
    constexpr int kPieces = 2000;
    for (int i = 0; i < kPieces; ++i) {
        const double s = (i + 0.5) / kPieces;
        turned += gamma * s * (1.0 - s) * std::cos(s) / kPieces;
    }
    EXPECT_NEAR(heavy_cantilever(gamma, 1.0).tip_angle, -1.0 + turned, 1e-6);
}

TEST(HeavyCantilever, IsStationaryInEnergy) {
    // Independent of the shooting: a chain of 400 rigid links with bending springs, relaxed by Newton's method on the
    // tridiagonal system of its angles. Its error is of second order in the link.
    const double gamma = 20.0;
    constexpr int kLinks = 400;
    const double h = 1.0 / kLinks;
    std::vector<double> theta(kLinks, 0.3);
    for (int iteration = 0; iteration < 200; ++iteration) {
        // Force on link i: bending (theta_{i-1} - 2 theta_i + theta_{i+1})/h and weight gamma (1 - s) h cos theta, the
        // clamp half a link before the first.
        std::vector<double> a(kLinks), b(kLinks), c(kLinks), r(kLinks);
        for (int i = 0; i < kLinks; ++i) {
            const double before = i > 0 ? theta[i - 1] : -theta[0], after = i + 1 < kLinks ? theta[i + 1] : theta[i];
            const double weight = gamma * (1.0 - (i + 0.5) * h) * h;
            r[i] = (before - 2.0 * theta[i] + after) / h + weight * std::cos(theta[i]);
            a[i] = i > 0 ? -1.0 / h : 0.0;
            c[i] = i + 1 < kLinks ? -1.0 / h : 0.0;
            b[i] = (i > 0 ? 2.0 : 3.0) / h - (i + 1 < kLinks ? 0.0 : 1.0 / h) + weight * std::abs(std::sin(theta[i]));
        }
        for (int i = 1; i < kLinks; ++i) {
            const double w = a[i] / b[i - 1];
            b[i] -= w * c[i - 1];
            r[i] -= w * r[i - 1];
        }
        std::vector<double> d(kLinks);
        for (int i = kLinks; i-- > 0;)
            d[i] = (r[i] - (i + 1 < kLinks ? c[i] * d[i + 1] : 0.0)) / b[i];
        for (int i = 0; i < kLinks; ++i)
            theta[i] += d[i];
    }
    double reach = 0.0, drop = 0.0;
    for (const double t : theta) {
        reach += h * std::cos(t);
        drop += h * std::sin(t);
    }
    const HeavyCantilever shape = heavy_cantilever(gamma);
    EXPECT_NEAR(shape.reach, reach, 2e-5);
    EXPECT_NEAR(shape.drop, drop, 2e-5);
}

TEST(HeavyCantilever, GivesPeircesAngleAtTwiceTheBendingLength) {
    // Peirce 1930: at 41.5 degrees of the chord the bending length is half the overhang, Gamma = (L/c)^3 = 8.
    const HeavyCantilever shape = heavy_cantilever(8.0);
    EXPECT_NEAR(std::atan2(shape.drop, shape.reach) * 180.0 / std::numbers::pi, 41.5, 0.05);
}

TEST(Catenary, HasItsLengthAndSatisfiesTheTextbook) {
    const Catenary shape = catenary(1.2, 1.0);
    const double a = shape.parameter;
    EXPECT_NEAR(2.0 * a * std::sinh(0.5 / a), 1.2, 1e-12);
    EXPECT_NEAR(shape.sag, a * (std::cosh(0.5 / a) - 1.0), 1e-12);
    // Length of the curve by summing chords.
    double length = 0.0;
    constexpr int kChords = 4000;
    for (int k = 0; k < kChords; ++k) {
        const double x0 = -0.5 + 1.0 * k / kChords, x1 = -0.5 + 1.0 * (k + 1) / kChords;
        length += std::hypot(x1 - x0, a * (std::cosh(x1 / a) - std::cosh(x0 / a)));
    }
    EXPECT_NEAR(length, 1.2, 1e-6);
    // The ends carry the weight: twice the vertical part, tension sin(slope), is 1.
    EXPECT_NEAR(2.0 * shape.tension * std::tanh(0.5 / a), 1.0, 1e-12);
    // Nearly straight: sag = sqrt(3/8 span (length - span)).
    EXPECT_NEAR(catenary(1.0001, 1.0).sag, std::sqrt(3.0 / 8.0 * 1e-4), 1e-6);
}

TEST(Buckling, HappensAtTheTextbooksLoads) {
    // Greenhill 1881: 7.837; Timoshenko and Gere, Theory of Elastic Stability, 6.3: 12.85.
    EXPECT_NEAR(self_buckling_gamma(), 7.837, 5e-4);
    EXPECT_NEAR(lateral_buckling_load(), 12.85, 5e-3);
    // 9/4 j^2 with J_{-1/3}(j) = 0, the Bessel function from its own series: J_{-1/3}(z) is proportional to
    // sum (-z^2/4)^k / (k! (2/3)(5/3)...(k - 1/3)).
    const double j = std::sqrt(self_buckling_gamma() * 4.0 / 9.0);
    double term = 1.0, sum = 1.0;
    for (int k = 1; k < 60; ++k) {
        term *= -j * j / 4.0 / (k * (k - 1.0 / 3.0));
        sum += term;
    }
    EXPECT_NEAR(sum, 0.0, 1e-12);
}

TEST(Buckling, IsAnnouncedByLeaning) {
    // Small loads: theta'' = -Gamma u tilt: a cantilever under Gamma tilt, tip moved by Gamma/8.
    EXPECT_NEAR(standing_strip_deflection(1e-3), 1e-3 / 8.0, 1e-7);
    EXPECT_GT(standing_strip_deflection(0.99 * self_buckling_gamma()), 50.0);
    EXPECT_LT(standing_strip_deflection(1.01 * self_buckling_gamma()), -50.0);
    // Small loads: turn'' = -(load/2)^2 u^4 tilt, turn = load^2/120 at the tip.
    EXPECT_NEAR(deep_strip_turn(0.1), 0.01 / 120.0, 1e-7);
    EXPECT_GT(deep_strip_turn(0.99 * lateral_buckling_load()), 20.0);
}

TEST(StripInWind, BalancesItsWeight) {
    for (const double speed : {1.0, 3.0, 8.0}) {
        const double a = strip_angle_in_wind(0.15, 1.2, 1.3, speed, 9.81);
        EXPECT_NEAR(0.15 * 9.81 * std::cos(a), 0.5 * 1.2 * 1.3 * speed * speed * std::sin(a) * std::sin(a), 1e-12);
    }
    EXPECT_NEAR(strip_angle_in_wind(0.15, 1.2, 1.3, 1e-3, 9.81), 0.5 * std::numbers::pi,
                1e-5); // no wind: straight down
}

TEST(Bessel, ZerosAreTheTables) {
    // Abramowitz and Stegun, table 9.5.
    EXPECT_NEAR(bessel_zero(1), 2.4048255577, 1e-9);
    EXPECT_NEAR(bessel_zero(2), 5.5200781103, 1e-9);
    EXPECT_NEAR(bessel_zero(3), 8.6537279129, 1e-9);
}

} // namespace
} // namespace selvage
