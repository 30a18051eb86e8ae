#include "lab/validate/reference_shapes.h"

#include <cmath>
#include <numbers>

#include "base/assert.h"

namespace selvage {

namespace {

constexpr int kRootHalvings = 80; // to the last digit

/// Where f changes sign between low and high.
template <class Function>
double root_between(double low, double high, const Function& f) {
    const bool low_is_positive = f(low) > 0.0;
    for (int k = 0; k < kRootHalvings; ++k) {
        const double middle = 0.5 * (low + high);
        ((f(middle) > 0.0) == low_is_positive ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// sum of (-x)^k / prod (p j)(p j - 1): the solution of y'' = -x u^(p-2) y with y'(0) = 0, y(0) = 1, at u = 1. p = 3 is
/// the standing strip, p = 6 the deep one.
double power_solution(double x, double p) {
    double term = 1.0, sum = 1.0;
    for (int k = 1; k < 200 && std::abs(term) > 1e-18 * std::abs(sum); ++k) {
        term *= -x / ((p * k) * (p * k - 1.0));
        sum += term;
    }
    return sum;
}

constexpr int kElasticaSteps = 2000; // of the elastica; RK4 leaves 1e-12

/// Integrates from the tip (angle `tip`, no moment: curved as at rest) to the clamp; u runs from the tip.
template <class Visit>
double angle_at_clamp(double gamma, double rest_curvature, double tip, const Visit& visit) {
    const double h = 1.0 / kElasticaSteps;
    double theta = tip, slope = rest_curvature;
    const auto curvature = [&](double u, double angle) { return -gamma * u * std::cos(angle); };
    for (int k = 0; k < kElasticaSteps; ++k) {
        const double u = k * h;
        const double a1 = curvature(u, theta), v1 = slope;
        const double a2 = curvature(u + 0.5 * h, theta + 0.5 * h * v1), v2 = slope + 0.5 * h * a1;
        const double a3 = curvature(u + 0.5 * h, theta + 0.5 * h * v2), v3 = slope + 0.5 * h * a2;
        const double a4 = curvature(u + h, theta + h * v3), v4 = slope + h * a3;
        const double next = theta + h / 6.0 * (v1 + 2 * v2 + 2 * v3 + v4);
        // Simpson's rule needs the middle of the step; a cubic through both ends gives it.
        const double next_slope = slope + h / 6.0 * (a1 + 2 * a2 + 2 * a3 + a4);
        visit(theta, 0.5 * (theta + next) + h / 8.0 * (slope - next_slope), next, h);
        theta = next;
        slope = next_slope;
    }
    return theta;
}

} // namespace

HeavyCantilever heavy_cantilever(double gamma, double rest_curvature) {
    SELVAGE_ASSERT(gamma >= 0.0 && gamma <= 100.0); // beyond it, shooting finds other branches
    SELVAGE_ASSERT(rest_curvature >= 0.0 && rest_curvature <= 1.5);
    const auto nothing = [](double, double, double, double) {};
    HeavyCantilever shape;
    shape.tip_angle = root_between(-rest_curvature, 0.5 * std::numbers::pi,
                                   [&](double tip) { return angle_at_clamp(gamma, rest_curvature, tip, nothing); });
    std::vector<double> dx, dy; // from the tip
    angle_at_clamp(gamma, rest_curvature, shape.tip_angle, [&](double a, double m, double b, double h) {
        dx.push_back(h / 6.0 * (std::cos(a) + 4.0 * std::cos(m) + std::cos(b)));
        dy.push_back(h / 6.0 * (std::sin(a) + 4.0 * std::sin(m) + std::sin(b)));
    });
    shape.x = shape.y = {0.0};
    for (std::size_t k = dx.size(); k-- > 0;) {
        shape.x.push_back(shape.x.back() + dx[k]);
        shape.y.push_back(shape.y.back() + dy[k]);
    }
    shape.reach = shape.x.back();
    shape.drop = shape.y.back();
    return shape;
}

Catenary catenary(double length, double span) {
    SELVAGE_ASSERT(length > span && span > 0.0);
    // length / span = sinh(q)/q with q = span / (2 a).
    const double q = root_between(1e-6, 50.0, [&](double x) { return std::sinh(x) / x - length / span; });
    Catenary shape;
    shape.parameter = span / (2.0 * q);
    shape.sag = shape.parameter * (std::cosh(q) - 1.0);
    shape.tension = shape.parameter * std::cosh(q) / length;
    return shape;
}

double self_buckling_gamma() {
    return root_between(1.0, 10.0, [](double gamma) { return power_solution(gamma, 3.0); });
}

double standing_strip_deflection(double gamma) {
    // phi = theta + tilt obeys phi'' = -gamma u phi, u from the tip, phi = tilt at the clamp; the tip moves by the
    // integral of theta.
    const double at_clamp = power_solution(gamma, 3.0);
    constexpr int kPieces = 400;
    double sum = 0.0;
    for (int k = 0; k <= kPieces; ++k) {
        const double u = static_cast<double>(k) / kPieces, weight = k == 0 || k == kPieces ? 1.0 : k % 2 ? 4.0 : 2.0;
        sum += weight / (3.0 * kPieces) * (power_solution(gamma * u * u * u, 3.0) / at_clamp - 1.0);
    }
    return sum;
}

double lateral_buckling_load() {
    return 2.0 * std::sqrt(root_between(1.0, 80.0, [](double x) { return power_solution(x, 6.0); }));
}

double deep_strip_turn(double load) {
    // psi = turn + tilt obeys psi'' = -(load/2)^2 u^4 psi, u from the tip, psi = tilt at the clamp.
    return 1.0 / power_solution(0.25 * load * load, 6.0) - 1.0;
}

double strip_angle_in_wind(double density, double air_density, double drag, double speed, double gravity) {
    // c = k (1 - c^2) for c = cos a.
    const double k = 0.5 * air_density * drag * speed * speed / (density * gravity);
    return std::acos((std::sqrt(1.0 + 4.0 * k * k) - 1.0) / (2.0 * k));
}

double bessel_zero(int n) {
    const double near = (n - 0.25) * std::numbers::pi; // McMahon's first term
    return root_between(near - 0.5, near + 0.5, [](double x) { return std::cyl_bessel_j(0.0, x); });
}

double neo_hookean_area(double stretch, double mu, double lambda) {
    const double l2 = stretch * stretch;
    return (lambda + mu) * l2 / (mu + lambda * l2);
}

} // namespace selvage
