#include "geometry/edge_curve.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// Straight from the origin along x.
EdgeCurve straight(double length) {
    return {{{0, 0, 0}, {length / 3, 0, 0}, {2 * length / 3, 0, 0}, {length, 0, 0}}, {}};
}

/// By ten thousand chords: short by less than 1e-6 for a curve like these.
double length_by_chords(const EdgeCurve& curve, int count = 10000) {
    double sum = 0.0;
    for (int k = 0; k < count; ++k)
        sum += length(curve_point(curve, (k + 1.0) / count) - curve_point(curve, static_cast<double>(k) / count));
    return sum;
}

TEST(EdgeCurve, LengthIsThatOfItsChords) {
    EdgeCurve curve = straight(1.0);
    EXPECT_NEAR(curve_length(curve), 1.0, 1e-14);
    for (const double height : {0.01, 0.1, 0.3, 0.6}) {
        curve.rise = {0, height, 0};
        EXPECT_NEAR(curve_length(curve), length_by_chords(curve), 1e-4) << height;
    }
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
    // The length of y = h bump(x) is 1 + h^2/2 * integral of bump'^2 = 1 + 256/105 h^2, to fourth order in h.
    const double extra = 1e-4, expected = std::sqrt(extra * 105.0 / 256.0);
    EXPECT_NEAR(wrinkle_height(straight(1.0), {0, 1, 0}, 1.0 + extra), expected, 1e-3 * expected);
}

TEST(EdgeCurve, AWrinkleMakesTheLengthAskedFor) {
    for (const double chord : {0.999, 0.99, 0.9, 0.8, 0.7, 0.4, 0.1, 1e-9}) {
        EdgeCurve curve = straight(chord);
        curve.rise = wrinkle_height(curve, {0, 0, 1}, 1.0) * Vec3{0, 0, 1};
        EXPECT_NEAR(length_by_chords(curve), 1.0, 1e-3) << chord; // the quadrature's, worst where it turns back
    }
    // With a bulge of its own, towards the wrinkle and against it.
    for (const double bulge : {0.2, -0.2}) {
        EdgeCurve curve = straight(0.8);
        curve.p[1].y = curve.p[2].y = bulge;
        const double height = wrinkle_height(curve, {0, 1, 0}, 1.0);
        EXPECT_GT(height, 0.0);
        curve.rise = {0, height, 0};
        EXPECT_NEAR(length_by_chords(curve), 1.0, 1e-3) << bulge;
        EXPECT_GT(curve_point(curve, 0.5).y, 0.1);
    }
}

TEST(EdgeCurve, NoWrinkleWhereTheCurveIsLongEnoughOrNotANumber) {
    EXPECT_EQ(wrinkle_height(straight(1.0), {0, 1, 0}, 1.0 - 1e-9), 0.0);
    EXPECT_EQ(wrinkle_height(straight(1.0), {0, 1, 0}, 0.5), 0.0);
    EXPECT_EQ(wrinkle_height(straight(std::nan("")), {0, 1, 0}, 1.0), 0.0);
    // All points in one place: up and back, half the length each way.
    EXPECT_NEAR(wrinkle_height(straight(0.0), {0, 1, 0}, 1.0), 0.5, 1e-3);
}

} // namespace
} // namespace selvage
