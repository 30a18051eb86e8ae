// Balance of a piece of the strip on the bend, r dtheta long, theta counted from the near side towards the far side
// that is about to move down, psi = theta + pi - turn the angle from the near horizontal (psi = pi/2 on top). T is the
// tension over the weight per length, r the radius, mu the friction:
//   across:  N = T dtheta + r sin(psi) dtheta             the turning tension and the weight press on the solid
//   along:   dT = mu N + r cos(psi) dtheta                friction and the climb are carried from the far side
//   =>  T' = mu (T + r sin psi) + r cos psi,
//   T = C e^(mu theta) + a sin psi + b cos psi,  a = r (1 - mu^2)/(1 + mu^2),  b = -2 mu r/(1 + mu^2),
// C from T at theta = 0. With r = 0 this is the capstan equation T = C e^(mu theta) of Euler and Eytelwein.

#include "lab/validate/strip_over_bend.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace selvage {

namespace {

constexpr int kHalvings = 60; // down to the last digit

/// Where the sign of a falling function changes.
template <class Function>
double falling_root(double low, double high, const Function& f) {
    for (int k = 0; k < kHalvings; ++k) {
        const double middle = 0.5 * (low + high);
        (f(middle) > 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// Far length minus what balances it: positive when the strip slips.
double overweight(const StripOverBend& strip, double near_length) {
    return strip.far_length(near_length) - strip.pull_on_bend(near_length, strip.turn);
}

/// The point `s` along the path, s = 0 where the bend begins.
Vec3 path_point(const StripOverBend& strip, double s) {
    const double r = strip.radius, end = strip.turn * r;
    const double psi = std::clamp(s / r, 0.0, strip.turn) + std::numbers::pi - strip.turn;
    const Vec3 bend{-r * std::cos(psi), r * std::sin(psi), 0};
    if (s < 0.0) return strip.lies_on_table() ? bend + Vec3{s, 0, 0} : bend + Vec3{0, s, 0};
    return s > end ? bend - Vec3{0, s - end, 0} : bend;
}

} // namespace

double StripOverBend::near_pull(double near_length) const {
    return lies_on_table() ? table_friction * near_length : near_length;
}

double StripOverBend::pull_on_bend(double near_length, double angle) const {
    const double mu = bend_friction, start = std::numbers::pi - turn, psi = start + angle;
    const double a = radius * (1.0 - mu * mu) / (1.0 + mu * mu), b = -2.0 * mu * radius / (1.0 + mu * mu);
    const double c = near_pull(near_length) - a * std::sin(start) - b * std::cos(start);
    return c * std::exp(mu * angle) + a * std::sin(psi) + b * std::cos(psi);
}

double StripOverBend::near_length_at_slip() const {
    return falling_root(0.0, length - radius * turn, [&](double near) { return overweight(*this, near); });
}

std::vector<Vec3> resting_strip(StripOverBend strip, double near_length, int rows, double stretch_length) {
    const double table = strip.table_friction, bend = strip.bend_friction;
    const double scale = falling_root(0.0, 10.0, [&](double trial) {
        strip.table_friction = trial * table;
        strip.bend_friction = trial * bend;
        return overweight(strip, near_length);
    });
    strip.table_friction = scale * table;
    strip.bend_friction = scale * bend;

    const double end = near_length + strip.radius * strip.turn;
    const auto pull = [&](double at) { // at rest length `at` from the near end
        if (at < near_length) return strip.near_pull(at);
        if (at > end) return strip.length - at;
        return strip.pull_on_bend(near_length, (at - near_length) / strip.radius);
    };
    std::vector<Vec3> points;
    double s = -near_length;
    for (double at = 0.0; at < near_length; at += 1e-3 * strip.length) // what stretches before the bend is pulled back
        s -= pull(at) / stretch_length * std::min(1e-3 * strip.length, near_length - at);
    const double spacing = strip.length / (rows - 1);
    for (int row = 0; row < rows; ++row) {
        points.push_back(path_point(strip, s));
        const double chord = spacing * (1.0 + pull((row + 0.5) * spacing) / stretch_length);
        double step = chord;
        for (int k = 0; k < 4; ++k) // an arc is longer than its chord, by less each time
            step *= chord / length(path_point(strip, s + step) - points.back());
        s += step;
    }
    return points;
}

} // namespace selvage
