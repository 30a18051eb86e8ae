#pragma once

#include <array>

#include "math/mat.h"
#include "math/simd.h"
#include "math/vec.h"

namespace selvage {

/// A triangle of woven cloth with constant strain (Baraff and Witkin 1998, as finite elements). x(u, v) is linear, with
/// derivatives f_u along the warp and f_v along the weft, both of unit length and perpendicular at rest:
///   E = area/2 [k_u (|f_u| - 1)^2 + k_v (|f_v| - 1)^2 + G (f_u . f_v)^2].
/// Yarns that are pushed rather than pulled buckle: below |f| = 1 the stretch stiffness is `compression` times k.
struct MembraneTriangle {
    double u1 = 0, v1 = 0, u2 = 0, v2 = 0; ///< f_u = u1 e1 + u2 e2, f_v = v1 e1 + v2 e2, e_k = x_k - x_0 [1/m].
    double stretch_u = 0, stretch_v = 0, shear = 0; ///< Stiffness times area [N m].
};

/// `e1`, `e2`: the rest edges from corner 0 in the cloth's own axes, x along the warp [m]. A triangle without area gets
/// no stiffness. Stiffnesses per width [N/m].
MembraneTriangle make_membrane_triangle(const Vec2& e1, const Vec2& e2, double stretch_u, double stretch_v,
                                        double shear);

struct MembraneStrain {
    double u = 0, v = 0, shear = 0; ///< |f_u| - 1, |f_v| - 1, f_u . f_v.
};

/// How the material answers beyond the linear law.
struct MembraneLaw {
    double compression = 1.0;  ///< Fraction of the stretch stiffness left under compression, in (0, 1].
    double damping_rate = 0.0; ///< Kelvin-Voigt time over the step [-].
};

/// The triangle at one instant. Strains do not feel rigid motions, so neither does their damping:
///   tension = k strain + k damping_rate (strain - strain before).
struct MembraneResponse {
    Vec3 warp, weft; ///< f_u and f_v, made unit.
    double length_u = 0, length_v = 0;
    MembraneStrain strain;
    double tension_u = 0, tension_v = 0, tension_shear = 0;       ///< dE/d strain, damping included [N m].
    double stiffness_u = 0, stiffness_v = 0, stiffness_shear = 0; ///< d tension / d strain [N m].
    Vec3 force1, force2; ///< On corners 1 and 2 [N]; corner 0 gets minus their sum.
};

inline constexpr double kLeastStretch = 1e-6; ///< Below this length f has no direction.

/// The formula itself, for one triangle (T a double) or several side by side (T a register of them): components spelled
/// out and everything by reference, since registers passed by value would tie the calls to one kind of machine.
template <class T>
struct MembraneLanes {
    T u1, v1, u2, v2, stretch_u, stretch_v, shear; // MembraneTriangle
    T x1, y1, z1, x2, y2, z2;                      // e1, e2
    T compression, damping_rate, before_u, before_v, before_shear;
    // Out, as in MembraneResponse; f = length times unit vector.
    T warp_x, warp_y, warp_z, weft_x, weft_y, weft_z, length_u, length_v, inverse_u, inverse_v;
    T strain_u, strain_v, strain_shear, tension_u, tension_v, tension_shear;
    T stiffness_u, stiffness_v, stiffness_shear;
    T force1_x, force1_y, force1_z, force2_x, force2_y, force2_z;
};

template <class T>
SELVAGE_INLINE void respond(MembraneLanes<T>& t) {
    const T zero = t.u1 - t.u1, one = zero + 1.0, least = zero + kLeastStretch;
    const T fux = t.u1 * t.x1 + t.u2 * t.x2, fuy = t.u1 * t.y1 + t.u2 * t.y2, fuz = t.u1 * t.z1 + t.u2 * t.z2;
    const T fvx = t.v1 * t.x1 + t.v2 * t.x2, fvy = t.v1 * t.y1 + t.v2 * t.y2, fvz = t.v1 * t.z1 + t.v2 * t.z2;
    take_root(fux * fux + fuy * fuy + fuz * fuz, t.length_u);
    take_root(fvx * fvx + fvy * fvy + fvz * fvz, t.length_v);
    t.inverse_u = one / SELVAGE_SELECT(t.length_u > least, t.length_u, least);
    t.inverse_v = one / SELVAGE_SELECT(t.length_v > least, t.length_v, least);
    t.warp_x = t.inverse_u * fux;
    t.warp_y = t.inverse_u * fuy;
    t.warp_z = t.inverse_u * fuz;
    t.weft_x = t.inverse_v * fvx;
    t.weft_y = t.inverse_v * fvy;
    t.weft_z = t.inverse_v * fvz;
    t.strain_u = t.length_u - one;
    t.strain_v = t.length_v - one;
    t.strain_shear = fux * fvx + fuy * fvy + fuz * fvz;
    const T ku = t.stretch_u * SELVAGE_SELECT(t.strain_u < zero, t.compression, one);
    const T kv = t.stretch_v * SELVAGE_SELECT(t.strain_v < zero, t.compression, one);
    const T more = one + t.damping_rate;
    t.stiffness_u = ku * more;
    t.stiffness_v = kv * more;
    t.stiffness_shear = t.shear * more;
    t.tension_u = ku * (t.strain_u + t.damping_rate * (t.strain_u - t.before_u));
    t.tension_v = kv * (t.strain_v + t.damping_rate * (t.strain_v - t.before_v));
    t.tension_shear = t.shear * (t.strain_shear + t.damping_rate * (t.strain_shear - t.before_shear));
    const T pux = t.tension_u * t.warp_x + t.tension_shear * fvx, puy = t.tension_u * t.warp_y + t.tension_shear * fvy,
            puz = t.tension_u * t.warp_z + t.tension_shear * fvz; // dE/df_u
    const T pvx = t.tension_v * t.weft_x + t.tension_shear * fux, pvy = t.tension_v * t.weft_y + t.tension_shear * fuy,
            pvz = t.tension_v * t.weft_z + t.tension_shear * fuz;
    t.force1_x = -(t.u1 * pux + t.v1 * pvx);
    t.force1_y = -(t.u1 * puy + t.v1 * pvy);
    t.force1_z = -(t.u1 * puz + t.v1 * pvz);
    t.force2_x = -(t.u2 * pux + t.v2 * pvx);
    t.force2_y = -(t.u2 * puy + t.v2 * pvy);
    t.force2_z = -(t.u2 * puz + t.v2 * pvz);
}

/// `e1`, `e2`: the edges x_1 - x_0 and x_2 - x_0 now.
inline MembraneResponse respond(const MembraneTriangle& t, const Vec3& e1, const Vec3& e2, const MembraneLaw& law,
                                const MembraneStrain& before) {
    MembraneLanes<double> l{};
    l.u1 = t.u1;
    l.v1 = t.v1;
    l.u2 = t.u2;
    l.v2 = t.v2;
    l.stretch_u = t.stretch_u;
    l.stretch_v = t.stretch_v;
    l.shear = t.shear;
    l.x1 = e1.x;
    l.y1 = e1.y;
    l.z1 = e1.z;
    l.x2 = e2.x;
    l.y2 = e2.y;
    l.z2 = e2.z;
    l.compression = law.compression;
    l.damping_rate = law.damping_rate;
    l.before_u = before.u;
    l.before_v = before.v;
    l.before_shear = before.shear;
    respond(l);
    return {{l.warp_x, l.warp_y, l.warp_z},
            {l.weft_x, l.weft_y, l.weft_z},
            l.length_u,
            l.length_v,
            {l.strain_u, l.strain_v, l.strain_shear},
            l.tension_u,
            l.tension_v,
            l.tension_shear,
            l.stiffness_u,
            l.stiffness_v,
            l.stiffness_shear,
            {l.force1_x, l.force1_y, l.force1_z},
            {l.force2_x, l.force2_y, l.force2_z}};
}

/// [J]; without damping.
double membrane_energy(const MembraneTriangle& t, const Vec3& e1, const Vec3& e2, const MembraneLaw& law);

/// exact: the second derivative; definite: without its negative parts, so that no vector makes it negative. Those are
/// the transverse part of a yarn under pressure and the negative half of what the shear tension adds.
enum class MembraneHessian { exact, definite };

/// d2E / dx_a dx_b for the nine coordinates of the corners, rows one after another [N/m].
std::array<double, 81> membrane_hessian(const MembraneTriangle& t, const Vec3& e1, const Vec3& e2,
                                        const MembraneLaw& law, MembraneHessian kind);

} // namespace selvage
