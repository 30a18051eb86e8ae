#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "math/vec.h"

namespace selvage {

inline constexpr double kTestPi = std::numbers::pi;

/// Unit vector `from_normal_deg` off the normal, turned by `turn_deg`.
inline Vec3 direction(double from_normal_deg, double turn_deg = 0.0) {
    const double t = from_normal_deg * kTestPi / 180, p = turn_deg * kTestPi / 180;
    return {std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t)};
}

inline Vec3 random_direction(std::mt19937& random, double lowest_z = 0.02) {
    std::uniform_real_distribution<double> fraction(0.0, 1.0);
    const double z = lowest_z + (1 - lowest_z) * fraction(random), turn = 2 * kTestPi * fraction(random);
    const double r = std::sqrt(1 - z * z);
    return {r * std::cos(turn), r * std::sin(turn), z};
}

/// Midpoint rule over the unit hemisphere (or the sphere), in the angle from the normal and the turn.
template <class F>
double integrate_directions(F&& f, int rings, int spokes, double largest_deg = 90.0) {
    double sum = 0.0;
    const double step = largest_deg * kTestPi / 180 / rings, turn = 2 * kTestPi / spokes;
    for (int i = 0; i < rings; ++i) {
        const double t = (i + 0.5) * step;
        double ring = 0.0;
        for (int k = 0; k < spokes; ++k) {
            const double p = (k + 0.5) * turn;
            ring += f(Vec3{std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t)});
        }
        sum += ring * std::sin(t);
    }
    return sum * step * turn;
}

} // namespace selvage
