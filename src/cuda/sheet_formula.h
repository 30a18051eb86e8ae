#pragma once

#include <cmath>

#include "math/hd.h"
#include "math/mat.h"
#include "math/vec.h"

// What kernels of multilevel work out for one element, as plain functions: tests compare them on the host with the engine's
// own, which takes eight elements at a time.

namespace selvage::cuda {

/// Of a triangle: |f_u| - 1, |f_v| - 1, f_u . f_v.
struct MembraneStrain {
    float u, v, shear;
};

/// What rows read of a triangle besides f_u and f_v; see solvers/multilevel/sheet_system.cpp.
struct MembraneRecord {
    float tension_u, tension_v;       ///< Over length.
    float shear, axial_u, axial_v, g; ///< Shear tension; coefficients of f_u f_u^T, f_v f_v^T and of shear.
};

/// `stiffness_*` times its part's scale; `rate`: damping time over the step.
SELVAGE_HD inline MembraneRecord membrane_record(const MembraneStrain& now, float length_u, float length_v,
                                                 const MembraneStrain& before, float stiffness_u, float stiffness_v,
                                                 float g, float compression, float rate) {
    constexpr float kLeast = 1e-6F; // below this length f has no direction
    const float per_u = 1.0F / (length_u > kLeast ? length_u : kLeast);
    const float per_v = 1.0F / (length_v > kLeast ? length_v : kLeast);
    const float ku = stiffness_u * (now.u < 0.0F ? compression : 1.0F);
    const float kv = stiffness_v * (now.v < 0.0F ? compression : 1.0F);
    const float u = now.u + rate * (now.u - before.u), v = now.v + rate * (now.v - before.v);
    const float shear = now.shear + rate * (now.shear - before.shear), more = 1.0F + rate;
    const float tension_u = ku * u * per_u, tension_v = kv * v * per_v;
    const float across_u = tension_u > 0.0F ? tension_u : 0.0F, across_v = tension_v > 0.0F ? tension_v : 0.0F;
    return {
        tension_u, tension_v, g * shear, (ku * more - across_u) * per_u * per_u, (kv * more - across_v) * per_v * per_v,
        g * more};
}

/// A triangle as one of its rows sees it: its record, and the weights of the row's own point.
struct Corner {
    Vec3f fu, fv;
    MembraneRecord record;
    float ua, va;
};

/// The block with the neighbour whose weights are u and v, row by row. Its sums are in such an order that the neighbour
/// finds the transposed one bit by bit, where products are not fused with sums.
SELVAGE_HD inline void corner_block(const Corner& c, float u, float v, float (&block)[9]) {
    const MembraneRecord& m = c.record;
    const float across_u = m.tension_u > 0.0F ? m.tension_u : 0.0F, across_v = m.tension_v > 0.0F ? m.tension_v : 0.0F;
    const float half = 0.5F * m.shear, size = half < 0.0F ? -half : half;
    const float uu = c.ua * u, vv = c.va * v, uv = c.ua * v, vu = c.va * u;
    const float on_u = m.axial_u * uu + m.g * vv, on_v = m.axial_v * vv + m.g * uu;
    const float cross_uv = m.g * uv, cross_vu = m.g * vu;
    const float equal = across_u * uu + across_v * vv + size * (uu + vv) + half * (uv + vu);
    const float fu[3] = {c.fu.x, c.fu.y, c.fu.z}, fv[3] = {c.fv.x, c.fv.y, c.fv.z};
    for (int col = 0; col < 3; ++col)
        for (int row = col; row < 3; ++row) {
            const float both = on_u * (fu[row] * fu[col]) + on_v * (fv[row] * fv[col]);
            const float below = fu[row] * fv[col], above = fu[col] * fv[row]; // of f_u f_v^T
            if (row == col) {
                block[4 * col] = both + (cross_uv * below + cross_vu * below) + equal;
            } else {
                block[3 * row + col] = both + (cross_uv * above + cross_vu * below);
                block[3 * col + row] = both + (cross_uv * below + cross_vu * above);
            }
        }
}

/// Inverse of a symmetric positive block. One that is hardly positive (one direction carries nothing) becomes a multiple of
/// the identity, and one that carries nothing at all zero: its row is out of the system.
SELVAGE_HD inline SymMat3f inverse_of_block(const float (&m)[9]) {
    const float mean = (m[0] + m[4] + m[8]) / 3.0F;
    if (!(mean > 0.0F)) return {};
    const float s = 1.0F / mean; // so that no product leaves a float's range
    const float a = m[0] * s, b = 0.5F * (m[1] + m[3]) * s, c = 0.5F * (m[2] + m[6]) * s, d = m[4] * s,
                e = 0.5F * (m[5] + m[7]) * s, f = m[8] * s;
    const float p = d * f - e * e, q = c * e - b * f, r = b * e - c * d;
    const float determinant = a * p + b * q + c * r;
    if (!(determinant > 1e-6F)) return SymMat3f::diagonal(s);
    const float scale = s / determinant;
    return {p * scale, q * scale, r * scale, (a * f - c * c) * scale, (b * c - a * e) * scale, (a * d - b * b) * scale};
}

/// Angle of a hinge and its slopes; see model/bending.h.
struct HingeFold {
    double angle = 0.0;
    Vec3 slope[4];
};
SELVAGE_HD inline HingeFold fold(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    constexpr double kNothing = 1e-40;
    HingeFold out;
    const Vec3 e = b - a, ca = c - a, cb = c - b, da = d - a, db = d - b;
    const Vec3 n1 = cross(ca, cb), n2 = cross(db, da);
    const double l2 = dot(e, e), s1 = dot(n1, n1), s2 = dot(n2, n2);
    if (!(l2 > kNothing && s1 > kNothing && s2 > kNothing)) return out;
    const double l = std::sqrt(l2), w1 = l / s1, w2 = l / s2;
    out.angle = std::atan2(dot(cross(n1, n2), e) / l, dot(n1, n2));
    out.slope[0] = (-dot(cb, e) / l2 * w1) * n1 + (-dot(db, e) / l2 * w2) * n2;
    out.slope[1] = (dot(ca, e) / l2 * w1) * n1 + (dot(da, e) / l2 * w2) * n2;
    out.slope[2] = -w1 * n1;
    out.slope[3] = -w2 * n2;
    return out;
}

} // namespace selvage::cuda
