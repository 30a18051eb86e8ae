#pragma once

#include "math/mat.h"
#include "math/vec.h"

namespace selvage {

struct Spring {
    int a, b;          ///< Mass points, a < b.
    float rest_length; ///< [m].
    float stiffness;   ///< [N/m].
};

enum class SpringKind : unsigned char { structural, shear, bend };

/// How a spring resists motion of its ends against each other.
struct SpringDamping {
    double axial_time = 0.0; ///< Damping along the spring, per stiffness [s].
    double relative = 0.0;   ///< Damping of any relative velocity [N s/m].
};

/// A spring linearised over a step of h seconds, seen from end a:
///   impulse on a = push t + A (v_b - v_a),   A = isotropic I + axial t t^T = h^2 J + h C.
/// Five numbers hold the block that the paper stores as six, and the product with a vector costs less.
template <class T>
struct SpringBlock {
    Vec3T<T> t;  ///< Unit vector from a to b.
    T isotropic; ///< [kg].
    T axial;     ///< [kg].
    T push;      ///< h times the elastic force [N s].

    SELVAGE_HD Vec3T<T> apply(const Vec3T<T>& v) const { return isotropic * v + (axial * dot(t, v)) * t; }
};

/// u = x_b - x_a. `exact` keeps the true derivative of a compressed spring, which is indefinite; otherwise its
/// transverse part is dropped when L <= l0 (eq. 22 of Kang and Cho), which keeps every block positive semidefinite.
template <class T>
SELVAGE_HD inline SpringBlock<T> linearise(const Spring& spring, const SpringDamping& damping, const Vec3& u, double h,
                                           bool exact) {
    const double length_now = length(u);
    const double k = spring.stiffness, l0 = spring.rest_length;
    const double c_axial = damping.axial_time * k;
    SpringBlock<T> block{{}, static_cast<T>(h * damping.relative), T(0), T(0)};
    if (!(length_now > 1e-12)) return block; // ends in one point: no direction, no force
    const double inverse_length = 1.0 / length_now;
    const bool stretched = length_now > l0;
    const double relative = (length_now - l0) * inverse_length; // J = k (relative I + (1 - relative) t t^T)
    const double transverse = stretched || exact ? relative : 0.0;
    block.t = Vec3T<T>(u * inverse_length);
    block.isotropic = static_cast<T>(h * (h * k * transverse + damping.relative));
    block.axial = static_cast<T>(h * (h * k * (1.0 - transverse) + c_axial));
    block.push = static_cast<T>(h * k * (length_now - l0));
    return block;
}

} // namespace selvage
