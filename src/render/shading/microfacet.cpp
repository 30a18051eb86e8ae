#include "render/shading/microfacet.h"
#include "math/pi.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

/// cos^e with e = (n_u cos^2 phi + n_v sin^2 phi): the power over which Ashikhmin and Shirley's lobe falls.
double elliptic_power(const Vec3& h, double exponent_u, double exponent_v) {
    const double sin2 = h.x * h.x + h.y * h.y;
    // log(h.z) / sin^2 tends to -1/2 at the pole, where it is 0/0.
    const double rate = sin2 < 1e-6 ? -0.5 : std::log(std::max(h.z, 1e-8)) / sin2;
    return std::exp((exponent_u * h.x * h.x + exponent_v * h.y * h.y) * rate);
}
} // namespace

ShadingFrame frame_of_normal(const Vec3& n) {
    ShadingFrame frame;
    frame.w = n;
    frame.u = normalized(Vec3{n.z, 0, -n.x}, Vec3{1, 0, 0}); // (0,1,0) x n
    frame.v = cross(frame.w, frame.u);
    return frame;
}

double ward_distribution(const Vec3& h, double alpha_u, double alpha_v) {
    if (h.z <= 1e-4) return 0.0; // the Gaussian of the slope is gone long before
    const double z2 = h.z * h.z;
    const double slope = (h.x * h.x / (alpha_u * alpha_u) + h.y * h.y / (alpha_v * alpha_v)) / z2;
    return std::exp(-slope) / (kPi * alpha_u * alpha_v * z2 * z2);
}

double ashikhmin_distribution(const Vec3& h, double exponent_u, double exponent_v) {
    if (h.z <= 0.0) return 0.0;
    // The 2s make the integral of D cos one; with 1s, as in the BRDF below, it is the integral of D that is one.
    return std::sqrt((exponent_u + 2) * (exponent_v + 2)) / (2 * kPi) * elliptic_power(h, exponent_u, exponent_v);
}

double ashikhmin_half_density(const Vec3& h, double exponent_u, double exponent_v) {
    if (h.z <= 0.0) return 0.0;
    return std::sqrt((exponent_u + 1) * (exponent_v + 1)) / (2 * kPi) * elliptic_power(h, exponent_u, exponent_v);
}

double schlick_fresnel(double reflectance, double cosine) {
    const double rest = std::clamp(1.0 - cosine, 0.0, 1.0), squared = rest * rest;
    return reflectance + (1.0 - reflectance) * squared * squared * rest;
}

double ward_specular(const Vec3& view, const Vec3& light, double alpha_u, double alpha_v) {
    if (view.z <= 0.0 || light.z <= 0.0) return 0.0;
    const Vec3 h = normalized(view + light);
    const double view_dot_h = dot(view, h);
    return ward_distribution(h, alpha_u, alpha_v) / (4 * view_dot_h * view_dot_h);
}

double ashikhmin_specular(const Vec3& view, const Vec3& light, double exponent_u, double exponent_v) {
    if (view.z <= 0.0 || light.z <= 0.0) return 0.0;
    const Vec3 h = normalized(view + light);
    return ashikhmin_half_density(h, exponent_u, exponent_v) / (4 * dot(view, h) * std::max(view.z, light.z));
}

double layered_diffuse(double n_dot_view, double n_dot_light, double reflectance) {
    if (n_dot_view <= 0.0 || n_dot_light <= 0.0) return 0.0;
    const auto through = [](double cosine) {
        const double x = 1.0 - 0.5 * std::min(cosine, 1.0), x2 = x * x;
        return 1.0 - x2 * x2 * x;
    };
    return 28.0 / (23.0 * kPi) * (1.0 - reflectance) * through(n_dot_view) * through(n_dot_light);
}

} // namespace selvage
