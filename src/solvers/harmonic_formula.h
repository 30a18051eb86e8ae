#pragma once

#include <cmath>

#include "math/functions.h"
#include "math/hd.h"

namespace selvage {

/// Impulse over h seconds of a spring that oscillates freely: the integral of k delta(t) with delta'' = -omega^2 delta,
/// delta(0) = delta, delta'(0) = rate. Eqs. 4-12 of Kang and Cho 2012 with their misprints corrected; needs no arcsine.
SELVAGE_HD inline double oscillation_impulse(double k, double omega, double delta, double rate, double h) {
    const double x = omega * h;
    // Both quotients are 0/0 for a slack spring: take their series there.
    const double sine = x < 1e-3 ? h * (1.0 - x * x / 6.0) : maths::sin(x) / omega;
    const double versine = x < 1e-3 ? h * h * (0.5 - x * x / 24.0) : (1.0 - maths::cos(x)) / (omega * omega);
    return k * (delta * sine + rate * versine);
}

/// Sine of half the angle a point's stiffest motion turns in a step, cut at 0.8. `omega` bounds the point's
/// frequencies: omega^2 = 2 sum k / m (Gershgorin), which springs along one line reach.
/// The cut: with s = sin^2 a motion takes v+ = (1 - s) v - (4 s/h) x, x+ = x + h v+, whose matrix has trace 2 - 5 s and
/// determinant 1 - s. Beyond s = 2/3 it grows; at 0.64 its two eigenvalues meet at -0.6, where it dies out fastest.
SELVAGE_HD inline double half_angle_sine(double omega, double h) {
    constexpr double kMost = 0.8, kMostAngle = 0.92729521800161219; // asin(0.8)
    const double z = 0.5 * omega * h;
    return z < kMostAngle ? maths::sin(z) : kMost;
}

/// Fraction psi = (min(sin z, 0.8)/z)^2, z = omega h/2, of the stiffness at which the step is stable: psi omega^2 never
/// exceeds 2.56/h^2. Tends to 1 for small steps.
SELVAGE_HD inline double stable_fraction(double omega, double h) {
    const double z = 0.5 * omega * h;
    if (z < 1e-4) return 1.0 - z * z / 3.0;
    const double s = half_angle_sine(omega, h) / z;
    return s * s;
}

/// Fraction of the relative velocity that damping may remove in a step as well: none where the cut begins. A fraction d
/// lowers the trace and the determinant by d, and stays stable for d <= 2 - 3 s.
SELVAGE_HD inline double room_for_damping(double omega, double h) {
    const double sine = half_angle_sine(omega, h);
    return 1.0 - sine * sine / 0.64;
}

} // namespace selvage
