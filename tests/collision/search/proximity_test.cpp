#include "collision/search/proximity.h"

#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// The smallest value of a convex function on [0, 1], by thirds.
template <class F>
double convex_minimum(const F& f) {
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 64; ++k) { // (2/3)^64 = 5e-12
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (f(a) < f(b))
            high = b;
        else
            low = a;
    }
    return std::min({f(0.0), f(1.0), f(0.5 * (low + high))});
}

/// Over two fractions by two searches: a distance is convex in both, so the inner minimum is convex in the outer
/// fraction.
double brute_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    return convex_minimum([&](double v) {
        const Vec3 from = a + v * (b - a), to = a + v * (c - a);
        return convex_minimum([&](double w) { return length(p - from - w * (to - from)); });
    });
}
double brute_distance_of_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
    return convex_minimum([&](double s) {
        const Vec3 here = p + s * (q - p);
        return convex_minimum([&](double t) { return length(here - a - t * (b - a)); });
    });
}

class Points {
public:
    explicit Points(unsigned seed) : random_(seed) {}
    double number(double size = 1.0) { return size * (2.0 * static_cast<double>(random_()) * 0x1p-32 - 1.0); }
    Vec3 point(double size = 1.0) { return {number(size), number(size), number(size)}; }

private:
    std::mt19937 random_;
};

/// The weights are of a point of the triangle, that point is as far as was said, and none is nearer. A point of the
/// triangle cannot be nearer than the nearest, so an error can only be on one side.
void check_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, double tolerance) {
    const PointTriangle near = closest_points(p, a, b, c);
    double sum = 0.0;
    for (const double w : near.weight) {
        EXPECT_GE(w, 0.0);
        sum += w;
    }
    EXPECT_NEAR(sum, 1.0, 1e-14);
    const Vec3 there = near.weight[0] * (a - p) + near.weight[1] * (b - p) + near.weight[2] * (c - p);
    EXPECT_NEAR(std::sqrt(near.distance_squared), length(there), tolerance);
    EXPECT_LE(std::sqrt(near.distance_squared), brute_distance(p, a, b, c) + tolerance);
}

void check_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, double tolerance) {
    const SegmentSegment near = closest_points_of_segments(p, q, a, b);
    EXPECT_TRUE(near.s >= 0.0 && near.s <= 1.0 && near.t >= 0.0 && near.t <= 1.0) << near.s << " " << near.t;
    const Vec3 off = p - a + near.s * (q - p) - near.t * (b - a);
    EXPECT_NEAR(std::sqrt(near.distance_squared), length(off), tolerance);
    EXPECT_LE(std::sqrt(near.distance_squared), brute_distance_of_segments(p, q, a, b) + tolerance);
}

// Tolerance: lengths of about 2 m round at 4e-16, and the searches end within 5e-12 of the best fraction.
TEST(Proximity, FindsThePointOfATriangle) {
    Points random(1);
    for (int k = 0; k < 120; ++k) {
        SCOPED_TRACE(k);
        const Vec3 a = random.point(), b = random.point(), c = random.point();
        check_triangle(random.point(2.0), a, b, c, 1e-11);
        check_triangle(a + 0.3 * (b - a) + 0.2 * (c - a) + random.point(1e-4), a, b, c, 1e-11); // just off its inside
    }
}

TEST(Proximity, FindsThePointsOfSegments) {
    Points random(2);
    for (int k = 0; k < 120; ++k) {
        SCOPED_TRACE(k);
        const Vec3 p = random.point(), q = random.point(), a = random.point(), b = random.point();
        check_segments(p, q, a, b, 1e-11);
        const Vec3 on = p + 0.4 * (q - p); // almost met
        check_segments(p, q, on - 0.3 * (b - a) + random.point(1e-4), on + 0.7 * (b - a), 1e-11);
    }
}

TEST(Proximity, CountsTrianglesWithoutAreaAsSegmentsOrPoints) {
    Points random(3);
    for (int k = 0; k < 30; ++k) {
        SCOPED_TRACE(k);
        const Vec3 p = random.point(), a = random.point(), b = random.point(), off = random.point(2.0);
        for (const double fraction :
             {0.0, 0.5, 1.0, -0.75, 1.75, random.number(3.0)}) { // c on the line through a and b
            const Vec3 c = a + fraction * (b - a);
            check_triangle(p, a, b, c, 1e-7);
            check_triangle(off, c, a, b, 1e-7);
            check_triangle(off, b, c, a, 1e-7);
        }
        check_triangle(p, a, a, a, 1e-11);
        check_triangle(a, a, a, b, 1e-11);
    }
}

// Almost without area: the worst that rounding can do is to take another point of a triangle that is 1e-8 wide.
TEST(Proximity, HoldsForSlivers) {
    Points random(4);
    for (int k = 0; k < 40; ++k) {
        SCOPED_TRACE(k);
        const Vec3 a = random.point(), b = random.point();
        for (const double width : {1e-4, 1e-6, 1e-9, 1e-12, 1e-15}) {
            const Vec3 c = a + random.number(2.0) * (b - a) + random.point(width);
            check_triangle(random.point(), a, b, c, 1e-7);
            check_triangle(a + 0.5 * (c - a) + random.point(width), a, b, c, 1e-7);
        }
    }
}

TEST(Proximity, HoldsForParallelAndCollinearSegmentsAndPoints) {
    Points random(5);
    for (int k = 0; k < 20; ++k) {
        SCOPED_TRACE(k);
        const Vec3 p = random.point(), q = random.point(), along = q - p, to = random.point();
        for (const double size : {1.0, -0.3, 2.5}) {
            check_segments(p, q, to, to + size * along, 1e-7); // parallel
            const Vec3 on = p + random.number(3.0) * along;    // on one line
            check_segments(p, q, on, on + size * along, 1e-7);
            for (const double tilt : {1e-3, 1e-5, 1e-7, 1e-9}) // almost parallel
                check_segments(p, q, to, to + size * along + random.point(tilt), 1e-6);
        }
        check_segments(p, p, to, to + along, 1e-11);
        check_segments(to, to + along, p, p, 1e-11);
        check_segments(p, p, to, to, 1e-11);
        check_segments(p, p, p, p, 0.0);
        check_segments(p, q, p, q, 1e-11);
    }
}

// A kilometre out, a micrometre wide: only differences of places may count. Places themselves round at 1e-13 m there.
TEST(Proximity, HoldsFarFromTheOriginAndForTinyAndHugeThings) {
    Points random(6);
    for (const double size : {1e-6, 1e-3, 1e3})
        for (int k = 0; k < 40; ++k) {
            SCOPED_TRACE(k);
            const Vec3 far{1000, -2000, 500};
            const auto place = [&] { return far + random.point(size); };
            const Vec3 a = place(), b = place(), c = place();
            check_triangle(place(), a, b, c, 1e-11 * size + 1e-12);
            check_segments(place(), place(), a, b, 1e-11 * size + 1e-12);
        }
}

TEST(Proximity, FindsTheShareOfASegment) {
    EXPECT_EQ(nearest_on_segment({0, 1, 0}, {-1, 0, 0}, {1, 0, 0}), 0.5);
    EXPECT_EQ(nearest_on_segment({9, 1, 0}, {-1, 0, 0}, {1, 0, 0}), 1.0);
    EXPECT_EQ(nearest_on_segment({-9, 1, 0}, {-1, 0, 0}, {1, 0, 0}), 0.0);
    EXPECT_EQ(nearest_on_segment({1, 2, 3}, {4, 5, 6}, {4, 5, 6}), 0.0);
}

} // namespace
} // namespace selvage
