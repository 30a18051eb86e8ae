#include "geometry/path_curve.h"
#include "math/pi.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::string message(const std::vector<Vec3>& points, const Vec3& normal = {0, 1, 0}) {
    const Result<PathCurve> curve = PathCurve::make(points, normal);
    return curve ? "made" : curve.error().text();
}

/// Points of a helix about z, `per_turn` a turn.
std::vector<Vec3> helix(double radius, double pitch, int turns, int per_turn) {
    std::vector<Vec3> points;
    for (int k = 0; k <= turns * per_turn; ++k) {
        const double turn = static_cast<double>(k) / per_turn;
        points.emplace_back(radius * std::cos(2.0 * kPi * turn), radius * std::sin(2.0 * kPi * turn), pitch * turn);
    }
    return points;
}

TEST(PathCurve, ThroughTwoPointsIsTheLineBetweenThem) {
    const Result<PathCurve> curve = PathCurve::make({{1, 0, 0}, {1, 0, 4}}, {2, 0, 7});
    ASSERT_TRUE(curve) << curve.error().text();
    EXPECT_NEAR(curve->length(), 4.0, 1e-14);
    for (const double s : {-0.5, 0.0, 1.3, 4.0, 5.0}) { // straight on beyond its ends
        const CurveFrame frame = curve->at(s);
        EXPECT_LT(length(frame.point - Vec3(1, 0, s)), 1e-14);
        EXPECT_LT(length(frame.tangent - Vec3(0, 0, 1)), 1e-14);
        EXPECT_LT(length(frame.normal - Vec3(1, 0, 0)), 1e-14); // only the part across the line counts
    }
}

TEST(PathCurve, PassesThroughUnevenPointsWithoutABreakInDirection) {
    const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {1.1, 0.1, 0}, {1.1, 1, 0.5}, {0, 1, 0.5}};
    const Result<PathCurve> curve = PathCurve::make(points, {0, 0, 1});
    ASSERT_TRUE(curve);
    constexpr int kSteps = 4000;
    std::vector<double> nearest(points.size(), 1e9);
    for (int i = 0; i <= kSteps; ++i) {
        const double s = curve->length() * i / kSteps;
        const CurveFrame frame = curve->at(s);
        for (std::size_t k = 0; k < points.size(); ++k)
            nearest[k] = std::min(nearest[k], length(frame.point - points[k]));
        EXPECT_NEAR(length(frame.tangent), 1.0, 1e-12);
        EXPECT_NEAR(length(frame.normal), 1.0, 1e-12);
        EXPECT_NEAR(dot(frame.tangent, frame.normal), 0.0, 1e-12);
        // The sharpest bend is a quarter turn in about 0.14 m, so a step of 0.0008 m turns less than a tenth of a
        // radian by far; a corner at a point would show as one.
        const Vec3 before = curve->at(std::max(0.0, s - curve->length() / kSteps)).tangent;
        EXPECT_GT(dot(frame.tangent, before), std::cos(0.1));
    }
    for (const double distance : nearest)
        EXPECT_LT(distance, curve->length() / kSteps);
}

TEST(PathCurve, MeasuresACircle) {
    const Result<PathCurve> curve = PathCurve::make(helix(0.5, 0.0, 1, 48), {1, 0, 0});
    ASSERT_TRUE(curve);
    // 2 pi r. The first and the last of 48 pieces have straight ends, which cut their corners a little.
    EXPECT_NEAR(curve->length(), kPi, 2e-4 * kPi);
    // A flat curve keeps what looks across its plane, and turns what lies in it once round.
    for (int quarter = 1; quarter < 4; ++quarter) {
        const CurveFrame frame = curve->at(curve->length() * quarter / 4.0);
        EXPECT_GT(dot(frame.normal, normalized(frame.point)), 0.9999);
    }
    const Result<PathCurve> flat = PathCurve::make(helix(0.5, 0.0, 1, 48), {0, 0, 1});
    ASSERT_TRUE(flat);
    for (const double s : {0.3, 1.1, 2.9})
        EXPECT_NEAR(flat->at(s).normal.z, 1.0, 1e-12);
}

TEST(PathCurve, TurnsItsFrameAgainstTheTorsionOfAHelix) {
    // A frame that does not turn about the curve falls behind the curve's own (tangent, principal normal) by the
    // torsion times the length: tau = c / (r^2 + c^2), c = pitch / (2 pi); one turn is 2 pi sqrt(r^2 + c^2) long.
    constexpr double kRadius = 0.2, kPitch = 0.3, kC = kPitch / (2.0 * kPi);
    const double root = std::sqrt(kRadius * kRadius + kC * kC);
    const double behind = kC / (root * root) * 2.0 * kPi * root;
    const Result<PathCurve> curve = PathCurve::make(helix(kRadius, kPitch, 3, 48), {-1, 0, 0});
    ASSERT_TRUE(curve);
    // From the end of the first turn to the end of the second, away from the straight ends.
    const auto angle = [&](double turn) { // of the normal in the curve's own frame; there at (r, 0, .), looking at -x
        const CurveFrame frame = curve->at(curve->length() * turn / 3.0);
        return std::atan2(dot(cross(frame.tangent, Vec3(-1, 0, 0)), frame.normal), dot(Vec3(-1, 0, 0), frame.normal));
    };
    EXPECT_NEAR(std::remainder(angle(1.0) - angle(2.0) - behind, 2.0 * kPi), 0.0, 0.01);
    EXPECT_GT(std::abs(std::remainder(behind, 2.0 * kPi)), 1.0); // so that a frame that follows the curve would fail
}

TEST(PathCurve, SurvivesAWayThatTurnsBackOnItself) {
    const Result<PathCurve> curve = PathCurve::make({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, {0, 1, 0});
    ASSERT_TRUE(curve);
    EXPECT_NEAR(curve->length(), 2.0, 1e-9);
    for (int i = 0; i <= 100; ++i) {
        const CurveFrame frame = curve->at(curve->length() * i / 100.0);
        EXPECT_TRUE(is_finite(frame.point) && is_finite(frame.tangent) && is_finite(frame.normal));
        EXPECT_NEAR(length(frame.normal), 1.0, 1e-9);
    }
}

TEST(PathCurve, RefusesWhatIsNoPath) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(message({}), "path has 0 points; expected at least 2");
    EXPECT_EQ(message({{1, 2, 3}}), "path has 1 points; expected at least 2");
    EXPECT_EQ(message({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}), "path points 1 and 2 coincide; expected them apart");
    EXPECT_EQ(message({{5, 5, 5}, {5, 5, 5}}), "path points 0 and 1 coincide; expected them apart");
    EXPECT_EQ(message({{0, 0, 0}, {1, kNan, 0}}), "path point 1 is not finite; expected three numbers");
    EXPECT_EQ(message({{0, 0, kInfinity}, {1, 0, 0}}), "path point 0 is not finite; expected three numbers");
    EXPECT_NE(message(std::vector<Vec3>(100'001)).find("expected at most 100000"), std::string::npos);
    for (const Vec3& along : {Vec3{3, 0, 0}, Vec3{0, 0, 0}, Vec3{kNan, 0, 0}})
        EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}}, along).find("does not look across the path"), std::string::npos);
    EXPECT_EQ(message({{0, 0, 0}, {1, 0, 0}}), "made");
}

} // namespace
} // namespace selvage
