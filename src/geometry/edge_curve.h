#pragma once

#include "math/vec.h"

namespace selvage {

/// The curve above one edge of a coarse mesh: a cubic with a wrinkle on top, or two half as long on opposite sides,
///   C(t) = sum of Bernstein_k(t) p[k] + bump(t) rise + twin_bump(t) sway.
/// Both are flat at the ends, so that a wrinkle leaves the surface tangent to the normals there.
struct EdgeCurve {
    Vec3 p[4];
    Vec3 rise; ///< Where the middle of the wrinkle is, seen from the plain curve's [m].
    Vec3 sway; ///< The same for the top of the first of two opposite wrinkles [m].
};

/// 16 t^2 (1 - t)^2 is 1 in the middle; times this and (1 - 2 t) it has tops of 1 and -1, at (1 -+ 1/sqrt 5) / 2.
inline constexpr double kTwinBump = 3.4938562148434216; // 25 sqrt(5) / 16

Vec3 curve_point(const EdgeCurve& curve, double t);
/// Of the curve as drawn: by `segments` chords over equal steps of t.
double drawn_length(const EdgeCurve& curve, int segments);

inline constexpr int kMostSegments = 64;

enum class WrinkleShape { single, twin };

/// How far along the unit vector `direction` a wrinkle must rise for the curve, which has none of that shape so far, to
/// be drawn `length` long in `segments` (2 to kMostSegments) chords. There is exactly one such height > 0 when it is
/// shorter than that, and it depends continuously on everything; otherwise 0. Twins in two segments do not show: 0.
double wrinkle_height(const EdgeCurve& curve, const Vec3& direction, double length, int segments,
                      WrinkleShape shape = WrinkleShape::single);

} // namespace selvage
