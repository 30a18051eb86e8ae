#include "model/bending.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

double cotangent(const Vec3& at, const Vec3& p, const Vec3& q) {
    const Vec3 e = p - at, f = q - at;
    return dot(e, f) / std::max(length(cross(e, f)), 1e-20);
}

} // namespace

double angle_of(double sine, double cosine) {
    const double size = std::sqrt(sine * sine + cosine * cosine);
    if (!(size > 0.0)) return 0.0;
    const double c = std::sqrt(std::max(0.0, 0.5 * (1.0 + cosine / size))); // cosine of half the angle
    // Its sine likewise, but for small angles, where the difference of numbers close to 1 would lose digits.
    const double s = cosine > 0.0 ? 0.5 * sine / (size * c)
                                  : std::copysign(std::sqrt(std::max(0.0, 0.5 * (1.0 - cosine / size))), sine);
    double t = s / (1.0 + c); // tan(angle/4), then an eighth and a sixteenth
    t = t / (1.0 + std::sqrt(1.0 + t * t));
    t = t / (1.0 + std::sqrt(1.0 + t * t));
    const double t2 = t * t; // at most tan^2(pi/16) = 0.04: the first term left out is 1e-12 of the sum
    const double tail = t2 * (1.0 / 9 + t2 * (-1.0 / 11 + t2 * (1.0 / 13 - t2 / 15)));
    return 16.0 * t * (1.0 + t2 * (-1.0 / 3 + t2 * (1.0 / 5 + t2 * (-1.0 / 7 + tail))));
}

HingeAngle hinge_angle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 e = b - a;
    const Vec3 n1 = cross(c - a, c - b), n2 = cross(d - b, d - a);
    const double l2 = length_squared(e), s1 = length_squared(n1), s2 = length_squared(n2);
    if (!(l2 > kNoHinge && s1 > kNoHinge && s2 > kNoHinge)) return {};
    const double l = std::sqrt(l2);
    HingeAngle hinge;
    hinge.angle = angle_of(dot(cross(n1, n2), e) / l, dot(n1, n2));
    const Vec3 m1 = n1 / s1, m2 = n2 / s2;
    hinge.slope[2] = -l * m1;
    hinge.slope[3] = -l * m2;
    hinge.slope[0] = -((dot(c - b, e) / l) * m1 + (dot(d - b, e) / l) * m2);
    hinge.slope[1] = (dot(c - a, e) / l) * m1 + (dot(d - a, e) / l) * m2;
    return hinge;
}

double bend_rigidity(const Material& material, double cosine_squared) {
    if (material.bend_bias > 0.0) {
        // Bu c^4 + Bv s^4 + 2 Bs s^2 c^2 of an orthotropic plate; at 45 degrees that is (Bu + Bv + 2 Bs) / 4. A bias
        // far below both threads' would make it negative in between.
        const double c = cosine_squared, s = 1.0 - cosine_squared;
        const double cross = 0.5 * (4.0 * material.bend_bias - material.bend_warp - material.bend_weft);
        return std::max(0.0, material.bend_warp * c * c + material.bend_weft * s * s + 2.0 * cross * s * c);
    }
    const double root =
        std::sqrt(material.bend_warp) * cosine_squared + std::sqrt(material.bend_weft) * (1.0 - cosine_squared);
    return root * root;
}

std::array<double, 4> flat_stencil(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const double a1 = cotangent(a, b, c), a2 = cotangent(a, b, d), b1 = cotangent(b, a, c), b2 = cotangent(b, a, d);
    return {b1 + b2, a1 + a2, -a1 - b1, -a2 - b2};
}

} // namespace selvage
