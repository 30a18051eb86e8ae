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
double curve_length(const EdgeCurve& curve); ///< To about 1e-4 of itself for any wrinkle of use.

/// How far along the unit vector `direction` the wrinkle must rise for the curve, without one so far, to be `length`
/// long. There is exactly one such height >= 0 when the curve is shorter than that, and it depends continuously on
/// everything; otherwise 0.
double wrinkle_height(const EdgeCurve& curve, const Vec3& direction, double length);

} // namespace selvage
