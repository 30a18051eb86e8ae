#pragma once

#include "math/vec.h"

namespace selvage {

/// The curve above one edge of a coarse mesh: a cubic with a wrinkle on top,
///   C(t) = sum of Bernstein_k(t) p[k] + bump(t) rise,   bump(t) = 16 t^2 (1 - t)^2.
/// The bump is flat at both ends, so that a wrinkle leaves the surface tangent to the normals there.
struct EdgeCurve {
    Vec3 p[4];
    Vec3 rise; ///< Where the middle of the wrinkle is, seen from the plain curve's [m].
};

Vec3 curve_point(const EdgeCurve& curve, double t);
/// Of the curve as drawn: by `segments` chords over equal steps of t.
double drawn_length(const EdgeCurve& curve, int segments);

inline constexpr int kMostSegments = 64;

/// How far along the unit vector `direction` the wrinkle must rise for the curve, which has none so far, to be drawn
/// `length` long in `segments` (2 to kMostSegments) chords. There is exactly one such height > 0 when it is shorter than
/// that, and it depends continuously on everything; otherwise 0.
double wrinkle_height(const EdgeCurve& curve, const Vec3& direction, double length, int segments);

} // namespace selvage
