#pragma once

#include <vector>

namespace selvage {

// Shapes and limits that are known without simulating: solutions of ordinary differential equations and series, each
// solved here to more digits than any check asks for. Sources in docs/explanation/validation.md.

/// An inextensible strip held level at one end, bent down by its own weight (the heavy elastica of Peirce's test):
///   theta'' = -Gamma (1 - s) cos theta, theta(0) = 0, theta'(1) = 0, Gamma = density g L^3 / B.
struct HeavyCantilever {
    double reach = 0.0, drop = 0.0; ///< Of the free end, in lengths.
    double tip_angle = 0.0;         ///< Below the horizontal [rad].
    std::vector<double> x, y;       ///< The strip from the clamp to the tip, in lengths; y downwards.
};
/// gamma from 0 to 100. A strip that rests as an arc curves up by `rest_curvature` over its length [rad], up to 1.5; then
/// theta'(1) = -rest_curvature.
HeavyCantilever heavy_cantilever(double gamma, double rest_curvature = 0.0);

/// A limp, inextensible strip of `length` between two points at the same height, `span` apart; span < length.
struct Catenary {
    double parameter = 0.0; ///< a in y = a cosh(x/a) [m].
    double sag = 0.0;       ///< [m].
    double tension = 0.0;   ///< At the ends, over the strip's weight.
};
Catenary catenary(double length, double span);

/// Gamma at which a standing strip buckles under its own weight (Greenhill 1881): 9/4 j^2, j the first zero of
/// J_{-1/3}.
double self_buckling_gamma();
/// Sideways displacement of its tip over its length when gravity is tilted by a small angle, per that angle. Grows
/// without bound towards self_buckling_gamma().
double standing_strip_deflection(double gamma);

/// q L^3 / sqrt(EI C) at which a clamped deep strip under its own weight twists out of its plane (Prandtl, Michell
/// 1899): 12.85. EI and C: weak bending and twisting stiffness.
double lateral_buckling_load();
/// Rotation of the tip of such a strip when gravity is tilted out of its plane by a small angle, per that angle.
double deep_strip_turn(double load);

/// Angle below the wind's direction at which a limp strip of areal `density` hangs in a steady horizontal wind [rad]:
/// density g cos a = 1/2 air C U^2 sin^2 a, drag across the strip alone.
double strip_angle_in_wind(double density, double air_density, double drag, double speed, double gravity);

/// n-th zero of the Bessel function J0, n = 1, 2, 3: a limp sheet hung by an edge swings at (j/2) sqrt(g/L).
double bessel_zero(int n);

/// Area over rest area of a neo-Hookean strip pulled to `stretch` with free sides; shear modulus mu, area modulus
/// lambda.
double neo_hookean_area(double stretch, double mu, double lambda);

} // namespace selvage
