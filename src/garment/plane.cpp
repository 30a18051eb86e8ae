#include "garment/plane.h"

#include <algorithm>

#include "math/functions.h"

namespace selvage {

namespace {

bool within_box(const Vec2& a, const Vec2& b, const Vec2& p) {
    return p.x >= std::min(a.x, b.x) && p.x <= std::max(a.x, b.x) && p.y >= std::min(a.y, b.y) &&
           p.y <= std::max(a.y, b.y);
}

} // namespace

bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
    if (std::max(a.x, b.x) < std::min(c.x, d.x) || std::max(c.x, d.x) < std::min(a.x, b.x) ||
        std::max(a.y, b.y) < std::min(c.y, d.y) || std::max(c.y, d.y) < std::min(a.y, b.y))
        return false;
    const int abc = turn(a, b, c), abd = turn(a, b, d), cda = turn(c, d, a), cdb = turn(c, d, b);
    if (abc * abd < 0 && cda * cdb < 0) return true;
    return (abc == 0 && within_box(a, b, c)) || (abd == 0 && within_box(a, b, d)) ||
           (cda == 0 && within_box(c, d, a)) || (cdb == 0 && within_box(c, d, b));
}

Vec2 circumcentre(const Vec2& a, const Vec2& b, const Vec2& c) {
    const Vec2 ab = b - a, ac = c - a;
    const double d = 2.0 * cross(ab, ac), bb = dot(ab, ab), cc = dot(ac, ac);
    return {a.x + (ac.y * bb - ab.y * cc) / d, a.y + (ab.x * cc - ac.x * bb) / d};
}

double smallest_angle(const Vec2& a, const Vec2& b, const Vec2& c) {
    const double area2 = std::abs(cross(b - a, c - a));
    if (!(area2 > 0.0)) return 0.0;
    // tan of an angle is the doubled area over the product of its sides' directions.
    const double at_a = maths::atan2(area2, dot(b - a, c - a));
    const double at_b = maths::atan2(area2, dot(a - b, c - b));
    const double at_c = maths::atan2(area2, dot(a - c, b - c));
    return std::min({at_a, at_b, at_c});
}

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
    const Vec2 ab = b - a;
    const double size = dot(ab, ab);
    const double t = size > 0.0 ? std::clamp(dot(p - a, ab) / size, 0.0, 1.0) : 0.0;
    return length(p - mix(a, b, t));
}

} // namespace selvage
