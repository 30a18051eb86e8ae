#pragma once

#include <array>
#include <cmath>

#include "math/orientation.h"
#include "math/vec.h"

namespace selvage {

/// Arithmetic of points in the pattern's plane.
constexpr Vec2 operator+(const Vec2& a, const Vec2& b) {
    return {a.x + b.x, a.y + b.y};
}
constexpr Vec2 operator-(const Vec2& a, const Vec2& b) {
    return {a.x - b.x, a.y - b.y};
}
constexpr Vec2 operator*(double s, const Vec2& a) {
    return {s * a.x, s * a.y};
}
constexpr double dot(const Vec2& a, const Vec2& b) {
    return a.x * b.x + a.y * b.y;
}
/// Twice the signed area between a and b.
constexpr double cross(const Vec2& a, const Vec2& b) {
    return a.x * b.y - a.y * b.x;
}
inline double length(const Vec2& a) {
    return std::sqrt(dot(a, a));
}
constexpr Vec2 mix(const Vec2& a, const Vec2& b, double t) {
    return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}
inline bool is_finite(const Vec2& a) {
    return a.x * 0.0 + a.y * 0.0 == 0.0;
}

/// 1 where a, b, c turn to the left, -1 to the right, 0 on one line; exact.
inline int turn(const Vec2& a, const Vec2& b, const Vec2& c) {
    return orientation({a.x, a.y, 0.0}, {b.x, b.y, 0.0}, {c.x, c.y, 0.0}, {c.x, c.y, -1.0});
}

/// The segments a-b and c-d have a point in common, ends included; exact.
bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d);

/// Centre of the circle through three points. They must not lie on one line.
Vec2 circumcentre(const Vec2& a, const Vec2& b, const Vec2& c);

/// Smallest angle of a triangle [rad]; 0 for one without area.
double smallest_angle(const Vec2& a, const Vec2& b, const Vec2& c);

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b);

} // namespace selvage
