#pragma once

#include <algorithm>
#include <cmath>

#include "math/functions.h"
#include "math/hd.h"
#include "math/vec.h"

namespace selvage {

/// Impulse over h seconds of a spring that oscillates freely: the integral of k delta(t) with delta'' = -omega^2 delta,
/// delta(0) = delta, delta'(0) = rate; sine and cosine of omega h are the caller's. Eqs. 4-12 of Kang and Cho 2012 with their misprints corrected; needs no arcsine.
template <class T>
SELVAGE_HD inline T oscillation_impulse(T k, T omega, T delta, T rate, T h, T sine_of_turn, T cosine_of_turn) {
    const T x = omega * h;
    // Both quotients are 0/0 for a slack spring: take their series there.
    const T sine = x < T(1e-3) ? h * (T(1) - x * x / T(6)) : sine_of_turn / omega;
    const T versine = x < T(1e-3) ? h * h * (T(0.5) - x * x / T(24)) : (T(1) - cosine_of_turn) / (omega * omega);
    return k * (delta * sine + rate * versine);
}
inline double oscillation_impulse(double k, double omega, double delta, double rate, double h) {
    return oscillation_impulse(k, omega, delta, rate, h, maths::sin(omega * h), maths::cos(omega * h));
}

/// Sine of half the angle a point's stiffest motion turns in a step, cut at 0.8. `omega` bounds the point's
/// frequencies: omega^2 = 2 sum k / m (Gershgorin), which springs along one line reach.
/// The cut: with s = sin^2 a motion takes v+ = (1 - s) v - (4 s/h) x, x+ = x + h v+, whose matrix has trace 2 - 5 s and
/// determinant 1 - s. Beyond s = 2/3 it grows; at 0.64 its two eigenvalues meet at -0.6, where it dies out fastest.
inline double half_angle_sine(double omega, double h) {
    constexpr double kMost = 0.8, kMostAngle = 0.92729521800161219; // asin(0.8)
    const double z = 0.5 * omega * h;
    return z < kMostAngle ? maths::sin(z) : kMost;
}

/// Fraction psi = (min(sin z, 0.8)/z)^2, z = omega h/2, of the stiffness at which the step is stable: psi omega^2 never
/// exceeds 2.56/h^2. Tends to 1 for small steps.
inline double stable_fraction(double omega, double h) {
    const double z = 0.5 * omega * h;
    if (z < 1e-4) return 1.0 - z * z / 3.0;
    const double s = half_angle_sine(omega, h) / z;
    return s * s;
}

/// Fraction of the relative velocity that damping may remove in a step as well: none where the cut begins. A fraction d
/// lowers the trace and the determinant by d, and stays stable for d <= 2 - 3 s.
inline double room_for_damping(double omega, double h) {
    const double sine = half_angle_sine(omega, h);
    return 1.0 - sine * sine / 0.64;
}

/// The filtered impulse of a spring of length l on the end from which the unit vector t leads to the other, `dv` being that
/// one's velocity against its own; t is zero for a spring with both ends in one point, which has no direction.
/// `fraction`: the smaller stable fraction of its free ends. `room`: what damping may remove at most [kg]. Without
/// kDamped the numbers of damping do not matter.
template <bool kDamped, class T>
SELVAGE_HD Vec3T<T> filtered_impulse(T k, T rest_length, T fraction, T room, T axial_time, T relative_damping, T l,
                                     const Vec3T<T>& t, const Vec3T<T>& dv, T h) {
    T axial = T(0.25) * h * h * fraction * k;
    if constexpr (!kDamped) return (h * fraction * k * (l - rest_length) + axial * dot(t, dv)) * t;
    const T relative = std::min(h * relative_damping, room);
    axial += std::min(h * axial_time * k, room - relative);
    return relative * dv + (h * fraction * k * (l - rest_length) + axial * dot(t, dv)) * t;
}

} // namespace selvage
