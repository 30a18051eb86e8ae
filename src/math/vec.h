#pragma once

#include <cmath>

#include "math/hd.h"

namespace selvage {

template <class T>
struct Vec3T {
    T x{}, y{}, z{};

    constexpr Vec3T() = default;
    SELVAGE_HD constexpr Vec3T(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
    /// Between float and double only by name: a rounding should be visible in the source.
    template <class U>
    SELVAGE_HD constexpr explicit Vec3T(const Vec3T<U>& v)
        : x(static_cast<T>(v.x)), y(static_cast<T>(v.y)), z(static_cast<T>(v.z)) {}

    SELVAGE_HD constexpr Vec3T& operator+=(const Vec3T& b) { return *this = *this + b; }
    SELVAGE_HD constexpr Vec3T& operator-=(const Vec3T& b) { return *this = *this - b; }
    SELVAGE_HD constexpr Vec3T& operator*=(T s) { return *this = *this * s; }

    SELVAGE_HD friend constexpr Vec3T operator+(const Vec3T& a, const Vec3T& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    SELVAGE_HD friend constexpr Vec3T operator-(const Vec3T& a, const Vec3T& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    SELVAGE_HD friend constexpr Vec3T operator-(const Vec3T& a) { return {-a.x, -a.y, -a.z}; }
    SELVAGE_HD friend constexpr Vec3T operator*(const Vec3T& a, T s) { return {a.x * s, a.y * s, a.z * s}; }
    SELVAGE_HD friend constexpr Vec3T operator*(T s, const Vec3T& a) { return a * s; }
    SELVAGE_HD friend constexpr Vec3T operator/(const Vec3T& a, T s) { return {a.x / s, a.y / s, a.z / s}; }
    SELVAGE_HD friend constexpr bool operator==(const Vec3T&, const Vec3T&) = default;
};

using Vec3 = Vec3T<double>; ///< State and geometry: small steps must not round away (1/30000 s moves 1e-8 m).
using Vec3f = Vec3T<float>; ///< Blocks and increments of the real-time methods.

struct Vec2 {
    double x = 0.0, y = 0.0;
    friend constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

template <class T>
SELVAGE_HD constexpr T dot(const Vec3T<T>& a, const Vec3T<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
SELVAGE_HD constexpr Vec3T<T> cross(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
SELVAGE_HD constexpr T length_squared(const Vec3T<T>& a) {
    return dot(a, a);
}
template <class T>
SELVAGE_HD T length(const Vec3T<T>& a) {
    return std::sqrt(length_squared(a));
}
/// Unit vector, or `fallback` for one too short to have a direction.
template <class T>
SELVAGE_HD Vec3T<T> normalized(const Vec3T<T>& a, const Vec3T<T>& fallback = {}) {
    const T size = length(a);
    return size > T(1e-30) ? a / size : fallback;
}
template <class T>
SELVAGE_HD bool is_finite(const Vec3T<T>& a) {
    // One test for three: any infinity or NaN survives the products with zero as NaN.
    return (a.x * T(0) + a.y * T(0) + a.z * T(0)) == T(0);
}

} // namespace selvage
