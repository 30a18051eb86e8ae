#include "geometry/edge_curve.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// Straight from the origin along x.
EdgeCurve straight(double length) {
    return {{{0, 0, 0}, {length / 3, 0, 0}, {2 * length / 3, 0, 0}, {length, 0, 0}}, {}, {}};
}

TEST(EdgeCurve, IsDrawnInChords) {
    EdgeCurve curve = straight(1.0);
    EXPECT_NEAR(drawn_length(curve, 1), 1.0, 1e-15);
    EXPECT_NEAR(drawn_length(curve, 7), 1.0, 1e-15);
    curve.rise = {0, 0.5, 0};
    EXPECT_EQ(drawn_length(curve, 1), 1.0);                     // ends only
    EXPECT_NEAR(drawn_length(curve, 2), std::sqrt(2.0), 1e-15); // a tent: half a metre along, half a metre up
    EXPECT_NEAR(drawn_length(curve, 64), drawn_length(curve, 10000), 2e-3);
}

TEST(EdgeCurve, StandsAsHighAsItsRiseAndLeavesItsEndsFlat) {
    EdgeCurve curve = straight(1.0);
    curve.rise = {0, 0.3, 0};
    EXPECT_NEAR(curve_point(curve, 0.5).y, 0.3, 1e-15);
    // 16 t^2 (1 - t)^2 0.3 at t = 1e-6
    EXPECT_LT(curve_point(curve, 1e-6).y, 5e-12);
    EXPECT_LT(curve_point(curve, 1.0 - 1e-6).y, 5e-12);
}

TEST(EdgeCurve, AShallowWrinkleHasTheHeightOfTheSeries) {
    // The length of y = h bump(x) is 1 + h^2/2 * integral of bump'^2 = 1 + 256/105 h^2, to fourth order in h; 64 chords
    // miss a part of 1e-3 of that.
    const double extra = 1e-4, expected = std::sqrt(extra * 105.0 / 256.0);
    EXPECT_NEAR(wrinkle_height(straight(1.0), {0, 1, 0}, 1.0 + extra, 64), expected, 2e-3 * expected);
    // Two chords: a tent of height h is 1 + 2 h^2 long, to fourth order.
    EXPECT_NEAR(wrinkle_height(straight(1.0), {0, 1, 0}, 1.0 + extra, 2), std::sqrt(extra / 2.0), 1e-5);
}

TEST(EdgeCurve, AWrinkleMakesTheLengthAskedFor) {
    for (const int segments : {2, 3, 4, 5, 8, 64}) {
        for (const double chord : {0.9999999, 0.999, 0.99, 0.9, 0.8, 0.7, 0.4, 0.1, 1e-9, 0.0}) {
            EdgeCurve curve = straight(chord);
            curve.rise = wrinkle_height(curve, {0, 0, 1}, 1.0, segments) * Vec3{0, 0, 1};
            EXPECT_NEAR(drawn_length(curve, segments), 1.0, 1e-8) << chord;
        }
        // With a bulge of its own, towards the wrinkle and against it, and with one of each.
        for (const auto& [first, second] : {std::pair{0.2, 0.2}, {-0.2, -0.2}, {0.3, -0.3}, {-0.3, 0.3}}) {
            EdgeCurve curve = straight(0.7);
            curve.p[1].y = first;
            curve.p[2].y = second;
            curve.rise = {0, wrinkle_height(curve, {0, 1, 0}, 1.0, segments), 0};
            EXPECT_GT(curve.rise.y, 0.0);
            EXPECT_NEAR(drawn_length(curve, segments), 1.0, 1e-8) << first;
        }
    }
}

TEST(EdgeCurve, TwoOppositeWrinklesMakeTheLengthAskedFor) {
    EdgeCurve curve = straight(1.0);
    curve.sway = {0, 0.3, 0};
    // Tops where (1 - x^2)^2 x, x = 1 - 2 t, has no slope: at x^2 = 1/5.
    const double top = 0.5 * (1.0 - 1.0 / std::sqrt(5.0));
    EXPECT_NEAR(curve_point(curve, top).y, 0.3, 1e-12);
    EXPECT_NEAR(curve_point(curve, 1.0 - top).y, -0.3, 1e-12);
    EXPECT_NEAR(curve_point(curve, 0.5).y, 0.0, 1e-15);
    // By the same series: half the integral of the squared slope, (25 sqrt(5) / 16)^2 * 256/315 = 625/63.
    const double extra = 1e-4, expected = std::sqrt(extra * 63.0 / 625.0);
    EXPECT_NEAR(wrinkle_height(straight(1.0), {0, 1, 0}, 1.0 + extra, 64, WrinkleShape::twin), expected,
                3e-3 * expected);
    for (const int segments : {3, 4, 5, 8, 64})
        for (const double rise : {0.0, 0.1, -0.1}) { // on top of a single one
            curve = straight(0.8);
            curve.p[1].y = curve.p[2].y = 0.05;
            curve.rise = {0, rise, 0};
            curve.sway = {0, wrinkle_height(curve, {0, 1, 0}, 1.0, segments, WrinkleShape::twin), 0};
            EXPECT_GT(curve.sway.y, 0.0);
            EXPECT_NEAR(drawn_length(curve, segments), 1.0, 1e-8) << rise;
        }
    // Two segments end where the double wrinkle crosses the curve: it changes nothing.
    EXPECT_EQ(wrinkle_height(straight(0.8), {0, 1, 0}, 1.0, 2, WrinkleShape::twin), 0.0);
}

TEST(EdgeCurve, NoWrinkleWhereTheCurveIsLongEnoughOrNotANumber) {
    EXPECT_EQ(wrinkle_height(straight(1.0), {0, 1, 0}, 1.0 - 1e-9, 8), 0.0);
    EXPECT_EQ(wrinkle_height(straight(1.0), {0, 1, 0}, 0.5, 8), 0.0);
    EXPECT_EQ(wrinkle_height(straight(std::nan("")), {0, 1, 0}, 1.0, 8), 0.0);
}

} // namespace
} // namespace selvage
