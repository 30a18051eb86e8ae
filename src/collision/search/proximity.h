#pragma once

#include <algorithm>
#include <array>

#include "math/vec.h"

namespace selvage {

/// The closest points of a point and a triangle: the triangle's as weights of its corners.
struct PointTriangle {
    std::array<double, 3> weight{};
    double distance_squared = 0.0; ///< [m2].
};

/// The closest points of two segments, as fractions of the segments from their first to their second ends.
struct SegmentSegment {
    double s = 0.0, t = 0.0;
    double distance_squared = 0.0; ///< [m2].
};

/// The point of the segment ab nearest to p, as a fraction of it; 0 when a and b are one.
inline double nearest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 d = b - a;
    const double l2 = length_squared(d);
    return l2 > 0.0 ? std::clamp(dot(p - a, d) / l2, 0.0, 1.0) : 0.0;
}

/// Walks the regions of the triangle's plane (Ericson 2005, 5.1.5). A triangle without area is treated as its borders.
inline PointTriangle closest_points(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const auto with = [&](double u, double v, double w) {
        const Vec3 off = ap - v * ab - w * ac;
        return PointTriangle{{u, v, w}, length_squared(off)};
    };
    const Vec3 n =
        cross(ab, ac); // areas come from it: differences of products of lengths lose too many digits in slivers
    const double area2 = length_squared(n);
    if (!(area2 > 1e-16 * length_squared(ab) * length_squared(ac))) {
        const double s = nearest_on_segment(p, a, b), t = nearest_on_segment(p, b, c), r = nearest_on_segment(p, c, a);
        PointTriangle best = with(1.0 - s, s, 0.0);
        for (const PointTriangle& other : {with(0.0, 1.0 - t, t), with(r, 0.0, 1.0 - r)})
            if (other.distance_squared < best.distance_squared) best = other;
        return best;
    }
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return with(1.0, 0.0, 0.0);
    const Vec3 bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return with(0.0, 1.0, 0.0);
    const double vc = dot(n, cross(ap, bp));
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        const double v = d1 / (d1 - d3);
        return with(1.0 - v, v, 0.0);
    }
    const Vec3 cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return with(0.0, 0.0, 1.0);
    const double vb = dot(n, cross(cp, ap));
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        const double w = d2 / (d2 - d6);
        return with(1.0 - w, 0.0, w);
    }
    const double va = dot(n, cross(bp, cp));
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return with(0.0, 1.0 - w, w);
    }
    const double sum = va + vb + vc;
    if (!(sum > 0.0)) return with(1.0, 0.0, 0.0);
    return with(va / sum, vb / sum, vc / sum);
}

/// Segments pq and ab; either may be a point (Ericson 2005, 5.1.9).
inline SegmentSegment closest_points_of_segments(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
    const Vec3 d1 = q - p, d2 = b - a, r = p - a;
    const double l1 = length_squared(d1), l2 = length_squared(d2), f = dot(d2, r);
    double s = 0.0, t = 0.0;
    if (!(l1 > 0.0)) {
        t = l2 > 0.0 ? std::clamp(f / l2, 0.0, 1.0) : 0.0;
    } else if (const double c = dot(d1, r); !(l2 > 0.0)) {
        s = std::clamp(-c / l1, 0.0, 1.0);
    } else {
        const double mixed = dot(d1, d2), det = l1 * l2 - mixed * mixed;
        // Parallel segments have many closest points; any will do.
        if (det > 1e-14 * l1 * l2) s = std::clamp((mixed * f - c * l2) / det, 0.0, 1.0);
        t = (mixed * s + f) / l2;
        if (t < 0.0 || t > 1.0) {
            t = std::clamp(t, 0.0, 1.0);
            s = std::clamp((mixed * t - c) / l1, 0.0, 1.0);
        }
    }
    const Vec3 off = r + s * d1 - t * d2;
    return {s, t, length_squared(off)};
}

} // namespace selvage
