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

/// `t`: unit vector from a to b, `length_now` apart. `exact` keeps the true derivative of a compressed spring, which is
/// indefinite; otherwise its transverse part is dropped when L <= l0 (eq. 22 of Kang and Cho), which keeps every block
/// positive semidefinite. Formed in U, kept in T: in double on the CPU, whose positions are.
template <class T, class U>
SELVAGE_HD inline SpringBlock<T> linearise_along(U k, U l0, U axial_time, U relative_damping, const Vec3T<T>& t,
                                                 U length_now, U inverse_length, U h, bool exact) {
    const U c_axial = axial_time * k;
    const bool stretched = length_now > l0;
    const U relative = (length_now - l0) * inverse_length; // J = k (relative I + (1 - relative) t t^T)
    const U transverse = stretched || exact ? relative : U(0);
    SpringBlock<T> block;
    block.t = t;
    block.isotropic = static_cast<T>(h * (h * k * transverse + relative_damping));
    block.axial = static_cast<T>(h * (h * k * (U(1) - transverse) + c_axial));
    block.push = static_cast<T>(h * k * (length_now - l0));
    return block;
}

/// The same for u = x_b - x_a.
template <class T, class U>
SELVAGE_HD inline SpringBlock<T> linearise(U k, U l0, U axial_time, U relative_damping, const Vec3T<U>& u, U h,
                                           bool exact) {
    const U length_now = length(u);
    if (!(length_now > U(1e-12))) // ends in one point: no direction, no force
        return {{}, static_cast<T>(h * relative_damping), T(0), T(0)};
    const U inverse_length = U(1) / length_now;
    return linearise_along<T, U>(k, l0, axial_time, relative_damping, Vec3T<T>(u * inverse_length), length_now,
                                 inverse_length, h, exact);
}

template <class T>
inline SpringBlock<T> linearise(const Spring& spring, const SpringDamping& damping, const Vec3& u, double h,
                                bool exact) {
    return linearise<T, double>(spring.stiffness, spring.rest_length, damping.axial_time, damping.relative, u, h,
                                exact);
}

} // namespace selvage
