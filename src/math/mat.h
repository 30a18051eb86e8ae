#pragma once

#include "math/functions.h"
#include "math/vec.h"

namespace selvage {

/// Symmetric 3x3 matrix, six numbers.
template <class T>
struct SymMat3T {
    T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

    SELVAGE_HD static constexpr SymMat3T diagonal(T d) { return {d, T(0), T(0), d, T(0), d}; }

    /// Adds a I + b t t^T, the shape of every spring derivative.
    SELVAGE_HD constexpr void add_scaled(T a, T b, const Vec3T<T>& t) {
        const Vec3T<T> bt = b * t;
        xx += a + bt.x * t.x;
        xy += bt.x * t.y;
        xz += bt.x * t.z;
        yy += a + bt.y * t.y;
        yz += bt.y * t.z;
        zz += a + bt.z * t.z;
    }

    SELVAGE_HD friend constexpr Vec3T<T> operator*(const SymMat3T& m, const Vec3T<T>& v) {
        return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                m.xz * v.x + m.yz * v.y + m.zz * v.z};
    }
};

using SymMat3 = SymMat3T<double>;
using SymMat3f = SymMat3T<float>;

/// Inverse by cofactors; zero for a singular matrix, so that a massless point stays where it is.
template <class T>
SELVAGE_HD constexpr SymMat3T<T> inverse(const SymMat3T<T>& m) {
    const T a = m.yy * m.zz - m.yz * m.yz;
    const T b = m.xz * m.yz - m.xy * m.zz;
    const T c = m.xy * m.yz - m.xz * m.yy;
    const T det = m.xx * a + m.xy * b + m.xz * c;
    if (det == T(0)) return {};
    const T s = T(1) / det;
    return {s * a,
            s * b,
            s * c,
            s * (m.xx * m.zz - m.xz * m.xz),
            s * (m.xy * m.xz - m.xx * m.yz),
            s * (m.xx * m.yy - m.xy * m.xy)};
}

/// Rotation by Euler angles in degrees: about x first, then y, then z (fixed axes).
struct Rotation {
    friend bool operator==(const Rotation&, const Rotation&) = default;
    Vec3 row_x{1, 0, 0}, row_y{0, 1, 0}, row_z{0, 0, 1};

    friend Vec3 operator*(const Rotation& r, const Vec3& v) {
        return {dot(r.row_x, v), dot(r.row_y, v), dot(r.row_z, v)};
    }
    friend Rotation operator*(const Rotation& r, const Rotation& s) {
        const auto row = [&](const Vec3& v) { return s.transposed(v); };
        return {row(r.row_x), row(r.row_y), row(r.row_z)};
    }
    /// The transpose, which turns back, times v.
    Vec3 transposed(const Vec3& v) const { return v.x * row_x + v.y * row_y + v.z * row_z; }
};

/// Rotation about the direction of `axis` by its length [rad].
inline Rotation rotation_about(const Vec3& axis) {
    const double angle = length(axis);
    if (!(angle > 0.0)) return {};
    const Vec3 n = axis / angle;
    const auto [s, c] = maths::sincos(angle);
    const Vec3 d = (1.0 - c) * n;
    return {{c + d.x * n.x, d.x * n.y - s * n.z, d.x * n.z + s * n.y},
            {d.y * n.x + s * n.z, c + d.y * n.y, d.y * n.z - s * n.x},
            {d.z * n.x - s * n.y, d.z * n.y + s * n.x, c + d.z * n.z}};
}

/// The axis of a rotation with its angle as length, at most pi [rad]: the inverse of rotation_about.
inline Vec3 rotation_vector(const Rotation& r) {
    const Vec3 twice_sine{r.row_z.y - r.row_y.z, r.row_x.z - r.row_z.x, r.row_y.x - r.row_x.y};
    const double cosine = 0.5 * (r.row_x.x + r.row_y.y + r.row_z.z - 1.0), sine = 0.5 * length(twice_sine);
    const double angle = maths::atan2(sine, cosine);
    if (sine > 1e-6) return (0.5 * angle / sine) * twice_sine;
    if (cosine > 0.0) return 0.5 * twice_sine;
    // Half a turn: R + I is twice the axis times itself, and its longest row the best to take the axis from.
    Vec3 axis = r.row_x + Vec3{1, 0, 0};
    const Vec3 second = r.row_y + Vec3{0, 1, 0}, third = r.row_z + Vec3{0, 0, 1};
    if (length_squared(second) > length_squared(axis)) axis = second;
    if (length_squared(third) > length_squared(axis)) axis = third;
    return (angle / length(axis)) * axis;
}

inline Rotation rotation_from_degrees(const Vec3& angles_deg) {
    constexpr double kRadians = 3.14159265358979323846 / 180.0;
    const auto exact = [](double (*f)(double), double degrees, double shift) {
        // Quarter turns are what scenes mostly use: keep them exact.
        const double quarters = (degrees + shift) / 90.0;
        if (quarters == std::floor(quarters)) {
            const int q = static_cast<int>(quarters - 4.0 * std::floor(0.25 * quarters));
            constexpr double kSines[4] = {0.0, 1.0, 0.0, -1.0};
            return kSines[q];
        }
        return f(degrees * kRadians);
    };
    const auto sine = [&](double d) { return exact(maths::sin, d, 0.0); };
    const auto cosine = [&](double d) { return exact(maths::cos, d, 90.0); };
    const double sx = sine(angles_deg.x), cx = cosine(angles_deg.x);
    const double sy = sine(angles_deg.y), cy = cosine(angles_deg.y);
    const double sz = sine(angles_deg.z), cz = cosine(angles_deg.z);
    return {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
            {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
            {-sy, cy * sx, cy * cx}};
}

} // namespace selvage
