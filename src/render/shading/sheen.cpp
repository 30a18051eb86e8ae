#include "render/shading/sheen.h"

#include <algorithm>
#include <cmath>

#include "math/pi.h"
#include "math/vec.h"

namespace selvage {

namespace {

/// The published fit of the shadowing exponent: constants for roughness 0 and 1, mixed by (1 - roughness)^2.
double lambda_exponent(double x, double roughness) {
    const double t = (1 - roughness) * (1 - roughness);
    const auto mix = [t](double rough, double smooth) { return rough + t * (smooth - rough); };
    const double a = mix(21.5473, 25.3245), b = mix(3.82987, 3.32435), c = mix(0.19823, 0.16801);
    const double d = mix(-1.97760, -1.27393), e = mix(-4.32054, -4.85967);
    return a / (1 + b * std::pow(x, c)) + d * x + e;
}

double lambda(double cosine, double roughness) {
    if (cosine < 0.5) return std::exp(lambda_exponent(cosine, roughness));
    return std::exp(2 * lambda_exponent(0.5, roughness) - lambda_exponent(1 - cosine, roughness));
}
} // namespace

double charlie_distribution(double n_dot_h, double roughness) {
    const double sine = std::sqrt(std::max(1 - n_dot_h * n_dot_h, 0.0));
    return (2 + 1 / roughness) * std::pow(sine, 1 / roughness) / (2 * kPi);
}

double charlie_visibility(double n_dot_view, double n_dot_light, double roughness) {
    return 1 / ((1 + lambda(n_dot_view, roughness) + lambda(n_dot_light, roughness)) * 4 * n_dot_view * n_dot_light);
}

double charlie_sheen(double n_dot_view, double n_dot_light, double n_dot_h, double roughness) {
    if (n_dot_view <= 0 || n_dot_light <= 0) return 0;
    return charlie_distribution(n_dot_h, roughness) * charlie_visibility(n_dot_view, n_dot_light, roughness);
}

double charlie_albedo(double cosine, double roughness) {
    constexpr int kRings = 64, kSpokes = 32;
    const Vec3 view{std::sqrt(std::max(1 - cosine * cosine, 0.0)), 0, cosine};
    double sum = 0;
    for (int i = 0; i < kRings; ++i) {
        const double z = (i + 0.5) / kRings, r = std::sqrt(1 - z * z);
        for (int k = 0; k < kSpokes; ++k) {
            const double phi = kPi * (k + 0.5) / kSpokes; // the other half is its mirror image
            const Vec3 light{r * std::cos(phi), r * std::sin(phi), z};
            sum += z * charlie_sheen(cosine, z, normalized(view + light).z, roughness);
        }
    }
    return sum * 2 * kPi / (kRings * kSpokes);
}

} // namespace selvage
