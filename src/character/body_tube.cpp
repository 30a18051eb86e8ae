#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "character/body_field.h"

namespace selvage {

BodyTube::BodyTube(const Vec3& origin, const Vec3& along, const Vec3& u, const Vec3& v, std::vector<BodyRing> rings,
                   double boxy)
    : origin_(origin), along_(along), u_(u), v_(v), boxy_(boxy) {
    SELVAGE_ASSERT(rings.size() >= 2);
    double widest = 0.0;
    for (const BodyRing& r : rings) {
        at_.push_back(r.at);
        value_.push_back({r.u, r.v, r.u_more, r.u_less, r.v_more, r.v_less});
        widest = std::max(
            {widest, std::abs(r.u) + std::max(r.u_more, r.u_less), std::abs(r.v) + std::max(r.v_more, r.v_less)});
    }
    // Monotone cubics (Fritsch and Carlson, 1980): no ring bulges beyond its neighbours.
    const std::size_t n = at_.size();
    slope_.assign(n, {});
    for (int c = 0; c < kChannels; ++c) {
        const auto rise = [&](std::size_t i) { return (value_[i + 1][c] - value_[i][c]) / (at_[i + 1] - at_[i]); };
        slope_[0][c] = rise(0);
        slope_[n - 1][c] = rise(n - 2);
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const double before = rise(i - 1), after = rise(i);
            const double left = at_[i] - at_[i - 1], right = at_[i + 1] - at_[i];
            const double a = 2.0 * right + left, b = right + 2.0 * left;
            slope_[i][c] = before * after > 0.0 ? (a + b) / (a / before + b / after) : 0.0;
        }
    }
    const double middle = 0.5 * (at_.front() + at_.back()), half = 0.5 * (at_.back() - at_.front());
    ball_centre_ = origin_ + middle * along_;
    ball_radius_ = std::sqrt(half * half + 2.0 * widest * widest);
}

BodyRing BodyTube::ring(double at) const {
    const double s = std::clamp(at, at_.front(), at_.back());
    std::size_t i = 0;
    while (i + 2 < at_.size() && s > at_[i + 1])
        ++i;
    const double step = at_[i + 1] - at_[i], t = (s - at_[i]) / step;
    const double t2 = t * t, t3 = t2 * t;
    const double h00 = 2 * t3 - 3 * t2 + 1, h10 = t3 - 2 * t2 + t, h01 = -2 * t3 + 3 * t2, h11 = t3 - t2;
    Channels c;
    for (int k = 0; k < kChannels; ++k)
        c[k] = h00 * value_[i][k] + h01 * value_[i + 1][k] + step * (h10 * slope_[i][k] + h11 * slope_[i + 1][k]);
    return {s, c[0], c[1], c[2], c[3], c[4], c[5]};
}

double BodyTube::distance(const Vec3& p) const {
    constexpr double kFar = 0.15; // wider than any two parts melt into each other
    if (const double away = length(p - ball_centre_) - ball_radius_; away > kFar) return away;
    const Vec3 d = p - origin_;
    const double s = dot(d, along_);
    const BodyRing r = ring(s);
    const double u = dot(d, u_) - r.u, v = dot(d, v_) - r.v;
    const double qu = u / (u > 0.0 ? r.u_more : r.u_less), qv = v / (v > 0.0 ? r.v_more : r.v_less);
    const double q2 = qu * qu + qv * qv;
    const double round = std::sqrt(q2);
    const double square = std::sqrt(std::sqrt(qu * qu * qu * qu + qv * qv * qv * qv));
    const double gauge = (1.0 - boxy_) * round + boxy_ * square;
    const double radius = std::sqrt(u * u + v * v);
    const double radial = gauge > 1e-6 ? radius - radius / gauge : -std::min(r.u_more, r.v_more);
    const double beyond = std::max(at_.front() - s, s - at_.back());
    const double out_r = std::max(radial, 0.0), out_b = std::max(beyond, 0.0);
    return std::min(std::max(radial, beyond), 0.0) + std::sqrt(out_r * out_r + out_b * out_b);
}

double BodyEllipsoid::distance(const Vec3& p) const {
    const Vec3 d = p - centre;
    const Vec3 q{d.x / radii.x, d.y / radii.y, d.z / radii.z};
    const Vec3 g{q.x / radii.x, q.y / radii.y, q.z / radii.z};
    const double size = length(q), slope = length(g);
    return slope > 1e-12 ? size * (size - 1.0) / slope : -std::min({radii.x, radii.y, radii.z});
}

double hull_length(std::vector<Vec2> points) {
    std::sort(points.begin(), points.end(),
              [](const Vec2& a, const Vec2& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return 0.0;
    std::vector<Vec2> hull;
    const auto turns_left = [](const Vec2& a, const Vec2& b, const Vec2& c) {
        return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0;
    };
    for (int pass = 0; pass < 2; ++pass) {
        const std::size_t start = hull.size();
        for (const Vec2& p : points) {
            while (hull.size() >= start + 2 && !turns_left(hull[hull.size() - 2], hull.back(), p))
                hull.pop_back();
            hull.push_back(p);
        }
        hull.pop_back();
        std::reverse(points.begin(), points.end());
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < hull.size(); ++i) {
        const Vec2 &a = hull[i], &b = hull[(i + 1) % hull.size()];
        sum += std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    }
    return sum;
}

} // namespace selvage
