// The length of C = C_0 + bump h d is the integral of |C_0' + h bump' d|. The integrand is the norm of something linear
// in h, so the length is convex in h, and so is every quadrature of it with positive weights. A curve that is too short
// at h = 0 therefore reaches a given length at exactly one h > 0, and Newton's method from any larger h falls towards
// it without ever passing it: no bracketing, no case where it fails.

#include "geometry/edge_curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace selvage {

namespace {

/// Gauss-Legendre, eight nodes on each half of [0, 1]: a wrinkle's two flanks.
constexpr int kNodes = 16;
struct Quadrature {
    std::array<double, kNodes> t, weight, bump_slope;
};

const Quadrature& quadrature() {
    static const Quadrature table = [] {
        constexpr std::array<double, 4> kAt = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                               0.9602898564975363};
        constexpr std::array<double, 4> kWeight = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                                   0.1012285362903763};
        Quadrature q{};
        int next = 0;
        for (const double middle : {0.25, 0.75})
            for (std::size_t k = 0; k < 4; ++k)
                for (const double sign : {-1.0, 1.0}) {
                    const double t = middle + 0.25 * sign * kAt[k];
                    q.t[next] = t;
                    q.weight[next] = 0.25 * kWeight[k];
                    q.bump_slope[next] = 32.0 * t * (1.0 - t) * (1.0 - 2.0 * t);
                    ++next;
                }
        return q;
    }();
    return table;
}

Vec3 cubic_slope(const EdgeCurve& c, double t) {
    const double s = 1.0 - t;
    return 3.0 * (s * s * (c.p[1] - c.p[0]) + 2.0 * s * t * (c.p[2] - c.p[1]) + t * t * (c.p[3] - c.p[2]));
}

} // namespace

Vec3 curve_point(const EdgeCurve& c, double t) {
    const double s = 1.0 - t;
    return s * s * s * c.p[0] + 3.0 * s * s * t * c.p[1] + 3.0 * s * t * t * c.p[2] + t * t * t * c.p[3] +
           16.0 * s * s * t * t * c.rise;
}

double curve_length(const EdgeCurve& curve) {
    const Quadrature& q = quadrature();
    double sum = 0.0;
    for (int k = 0; k < kNodes; ++k)
        sum += q.weight[k] * length(cubic_slope(curve, q.t[k]) + q.bump_slope[k] * curve.rise);
    return sum;
}

double wrinkle_height(const EdgeCurve& curve, const Vec3& direction, double target) {
    // |C_0' + h bump' d|^2 = a + 2 b h + c h^2 at each node.
    const Quadrature& q = quadrature();
    std::array<double, kNodes> a, b, c;
    double start = 0.0;
    for (int k = 0; k < kNodes; ++k) {
        const Vec3 slope = cubic_slope(curve, q.t[k]);
        a[k] = length_squared(slope);
        b[k] = q.bump_slope[k] * dot(slope, direction);
        c[k] = q.bump_slope[k] * q.bump_slope[k];
        start += q.weight[k] * std::sqrt(a[k]);
    }
    if (!(start < target)) return 0.0;
    const auto evaluate = [&](double h, double& slope) {
        double sum = 0.0;
        slope = 0.0;
        for (int k = 0; k < kNodes; ++k) {
            const double size = std::sqrt(std::max(0.0, a[k] + h * (2.0 * b[k] + h * c[k])));
            sum += q.weight[k] * size;
            if (size > 0.0) slope += q.weight[k] * (b[k] + h * c[k]) / size;
        }
        return sum;
    };
    // A wrinkle of height h makes the curve at least 2 (h - bulge) long: beyond this h it is too long.
    const Vec3 middle = curve_point({{curve.p[0], curve.p[1], curve.p[2], curve.p[3]}, {}}, 0.5);
    const double bulge = std::abs(dot(middle - 0.5 * (curve.p[0] + curve.p[3]), direction));
    double h = 0.55 * target + bulge;
    // A shallow wrinkle adds (256/105) h^2 / chord: start near it where that is lower.
    const double estimate = 1.5 * std::sqrt((target - start) * start * 105.0 / 256.0) + 2.0 * bulge;
    double slope = 0.0;
    if (estimate < h && evaluate(estimate, slope) > target) h = estimate;
    constexpr int kMostSteps = 24; // near a double root each step only halves the distance
    for (int step = 0; step < kMostSteps; ++step) {
        const double excess = evaluate(h, slope) - target;
        if (!(excess > 1e-9 * target) || !(slope > 0.0)) break;
        h -= excess / slope;
    }
    return std::max(0.0, h);
}

} // namespace selvage
