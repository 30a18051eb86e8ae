#pragma once

#include "math/functions.h"
#include "math/mat.h"
#include "math/vec.h"

namespace selvage {

/// p -> x p.x + y p.y + z p.z + origin.
template <class T>
struct AffineT {
    Vec3T<T> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}, origin;

    constexpr AffineT() = default;
    constexpr AffineT(const Vec3T<T>& x_, const Vec3T<T>& y_, const Vec3T<T>& z_, const Vec3T<T>& origin_)
        : x(x_), y(y_), z(z_), origin(origin_) {}
    template <class U>
    constexpr explicit AffineT(const AffineT<U>& a) : x(a.x), y(a.y), z(a.z), origin(a.origin) {}

    Vec3T<T> direction(const Vec3T<T>& d) const { return x * d.x + y * d.y + z * d.z; }
    Vec3T<T> point(const Vec3T<T>& p) const { return direction(p) + origin; }
    T determinant() const { return dot(cross(x, y), z); }
    bool mirrors() const { return determinant() < T(0); }
    friend AffineT operator*(const AffineT& a, const AffineT& b) {
        return {a.direction(b.x), a.direction(b.y), a.direction(b.z), a.point(b.origin)};
    }
    friend bool operator==(const AffineT&, const AffineT&) = default;
};
using Affine = AffineT<double>;
using Affinef = AffineT<float>;

/// The determinant must not be zero.
inline Affine inverse(const Affine& a) {
    const double s = 1.0 / a.determinant();
    const Vec3 r0 = s * cross(a.y, a.z), r1 = s * cross(a.z, a.x), r2 = s * cross(a.x, a.y);
    const Affine turn{{r0.x, r1.x, r2.x}, {r0.y, r1.y, r2.y}, {r0.z, r1.z, r2.z}, {}};
    return {turn.x, turn.y, turn.z, -turn.direction(a.origin)};
}

/// A rotation as glTF writes it, of unit length.
struct Quaternion {
    double x = 0.0, y = 0.0, z = 0.0, w = 1.0;

    /// First b, then a.
    friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
        return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    }
    friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

inline double dot(const Quaternion& a, const Quaternion& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// The identity where it has no length.
inline Quaternion normalized(const Quaternion& q) {
    const double size = std::sqrt(dot(q, q));
    return size > 1e-30 ? Quaternion{q.x / size, q.y / size, q.z / size, q.w / size} : Quaternion{};
}

/// About the direction of `axis` by its length [rad].
inline Quaternion quaternion_about(const Vec3& axis) {
    const double angle = length(axis);
    if (!(angle > 0.0)) return {};
    const auto [s, c] = maths::sincos(0.5 * angle);
    const Vec3 v = (s / angle) * axis;
    return {v.x, v.y, v.z, c};
}

/// The shorter arc between two rotations, at an even pace; exactly one of them at 0 and at 1.
inline Quaternion slerp(const Quaternion& a, const Quaternion& b, double t) {
    if (t <= 0.0) return a;
    if (t >= 1.0) return b;
    const double cosine = dot(a, b), sign = cosine < 0.0 ? -1.0 : 1.0;
    double from = 1.0 - t, to = t;
    if (sign * cosine < 0.9995) { // nearer ones are as good as straight
        const double angle = maths::acos(sign * cosine), sine = maths::sin(angle);
        from = maths::sin((1.0 - t) * angle) / sine;
        to = maths::sin(t * angle) / sine;
    }
    to *= sign;
    return normalized(
        Quaternion{from * a.x + to * b.x, from * a.y + to * b.y, from * a.z + to * b.z, from * a.w + to * b.w});
}

/// Translation after rotation after scale, as nodes of glTF have it.
inline Affine affine_from(const Vec3& translation, const Quaternion& q, const Vec3& scale) {
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    return {scale.x * Vec3{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
            scale.y * Vec3{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
            scale.z * Vec3{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}, translation};
}

} // namespace selvage
