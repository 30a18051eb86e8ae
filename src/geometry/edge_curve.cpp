// A chord of C = C_0 + bump h d over one step of t is  D_0 + h D_bump d,  D the differences over the step. Its length
// is the norm of something linear in h, so the whole drawn length is convex in h. A curve that is too short at h = 0
// therefore reaches a given length at exactly one h > 0, and Newton's method from any larger h falls towards it without
// ever passing it: no bracketing, no case where it fails.

#include "geometry/edge_curve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.h"

namespace selvage {

namespace {

double bump(double t) {
    const double both = t * (1.0 - t);
    return 16.0 * both * both;
}

double twin_bump(double t) {
    return kTwinBump * (1.0 - 2.0 * t) * bump(t);
}

} // namespace

Vec3 curve_point(const EdgeCurve& c, double t) {
    const double s = 1.0 - t;
    return s * s * s * c.p[0] + 3.0 * s * s * t * c.p[1] + 3.0 * s * t * t * c.p[2] + t * t * t * c.p[3] +
           bump(t) * c.rise + twin_bump(t) * c.sway;
}

double drawn_length(const EdgeCurve& curve, int segments) {
    double sum = 0.0;
    Vec3 last = curve.p[0];
    for (int k = 1; k <= segments; ++k) {
        const Vec3 next = curve_point(curve, static_cast<double>(k) / segments);
        sum += length(next - last);
        last = next;
    }
    return sum;
}

double wrinkle_height(const EdgeCurve& curve, const Vec3& direction, double target, int segments, WrinkleShape shape) {
    SELVAGE_ASSERT(segments >= 2 && segments <= kMostSegments);
    // |chord|^2 = a + 2 b h + c h^2 for each.
    std::array<double, kMostSegments> a, b, c;
    double start = 0.0, most_bump = 0.0;
    Vec3 last = curve.p[0];
    double last_bump = 0.0;
    for (int k = 0; k < segments; ++k) {
        const double t = (k + 1.0) / segments, next_bump = shape == WrinkleShape::single ? bump(t) : twin_bump(t);
        const Vec3 next = curve_point(curve, t), chord = next - last;
        const double rise = next_bump - last_bump;
        a[k] = length_squared(chord);
        b[k] = rise * dot(chord, direction);
        c[k] = rise * rise;
        start += std::sqrt(a[k]);
        most_bump = std::max(most_bump, std::abs(next_bump));
        last = next;
        last_bump = next_bump;
    }
    if (!(start < target) || !(most_bump > 0.0)) return 0.0;
    const auto evaluate = [&](double h, double& slope) {
        double sum = 0.0;
        slope = 0.0;
        for (int k = 0; k < segments; ++k) {
            const double size = std::sqrt(std::max(0.0, a[k] + h * (2.0 * b[k] + h * c[k])));
            sum += size;
            if (size > 0.0) slope += (b[k] + h * c[k]) / size;
        }
        return sum;
    };
    // From the ends up to the highest point and back is a distance of at least 2 (h most_bump - bulge): beyond this h
    // the curve is too long.
    const double bulge =
        std::max(std::abs(dot(curve.p[1] - curve.p[0], direction)), std::abs(dot(curve.p[2] - curve.p[0], direction))) +
        std::abs(dot(curve.rise, direction));
    double h = (0.5 * target + bulge) / most_bump, slope = 0.0;
    // A shallow wrinkle adds about 2 h^2 / chord: start near it where that is lower.
    const double estimate = std::sqrt((target - start) * start) + 2.0 * bulge;
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
