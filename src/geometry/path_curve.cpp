// Centripetal Catmull-Rom: each point is passed in a direction given by its two neighbours, with parameter steps that
// go with the root of the distances. It passes through all points and, unlike the uniform kind, makes no loops or cusps
// between points that lie unevenly. The curve is sampled once; everything afterwards works on the samples.
//
// The frame is carried from sample to sample by two reflections (Wang, Juettler, Zheng and Liu 2008): in the plane
// halfway between the points, then in the one that brings the reflected tangent onto the next. Together they turn the
// frame from one tangent to the other and, to fourth order in the spacing, not at all about them.

#include "geometry/path_curve.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"

namespace selvage {

namespace {

constexpr int kSamples = 64;           // between two points: a quarter turn then has corners of less than two degrees
constexpr std::size_t kMost = 100'000; // points; more is no path, and would not fit the memory as samples
constexpr double kSame = 1e-9;         // distance of points that coincide, as a fraction of the path's length
constexpr double kAcross = 1e-6;       // sine of the least angle between normal and curve

Status check_points(const std::vector<Vec3>& points) {
    if (points.size() < 2) return Error{concat("path has ", points.size(), " points; expected at least 2")};
    if (points.size() > kMost) return Error{concat("path has ", points.size(), " points; expected at most ", kMost)};
    double path_length = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!is_finite(points[i])) return Error{concat("path point ", i, " is not finite; expected three numbers")};
        if (i > 0) path_length += length(points[i] - points[i - 1]);
    }
    for (std::size_t i = 1; i < points.size(); ++i)
        if (!(length(points[i] - points[i - 1]) > kSame * path_length))
            return Error{concat("path points ", i - 1, " and ", i, " coincide; expected them apart")};
    return Done{};
}

std::vector<Vec3> sample_curve(const std::vector<Vec3>& points) {
    const auto n = static_cast<std::ptrdiff_t>(points.size());
    // Beyond the ends the path goes straight on.
    const auto point = [&](std::ptrdiff_t i) {
        if (i < 0) return 2.0 * points[0] - points[1];
        if (i >= n) return 2.0 * points[n - 1] - points[n - 2];
        return points[i];
    };
    std::vector<Vec3> samples = {points[0]};
    samples.reserve(kSamples * (points.size() - 1) + 1);
    for (std::ptrdiff_t i = 0; i + 1 < n; ++i) {
        const Vec3 p0 = point(i - 1), p1 = point(i), p2 = point(i + 1), p3 = point(i + 2);
        const double d1 = std::sqrt(length(p1 - p0)), d2 = std::sqrt(length(p2 - p1)), d3 = std::sqrt(length(p3 - p2));
        // Derivatives at both ends, for a parameter that runs from 0 to 1.
        const Vec3 m1 = (p2 - p1) + d2 * ((p1 - p0) / d1 - (p2 - p0) / (d1 + d2));
        const Vec3 m2 = (p2 - p1) + d2 * ((p3 - p2) / d3 - (p3 - p1) / (d2 + d3));
        for (int k = 1; k <= kSamples; ++k) {
            const double u = static_cast<double>(k) / kSamples, v = 1.0 - u;
            samples.push_back((1.0 + 2.0 * u) * v * v * p1 + u * v * v * m1 + u * u * (1.0 + 2.0 * v) * p2 -
                              u * u * v * m2);
        }
    }
    return samples;
}

/// `v` mirrored in the plane through the origin at right angles to `axis`.
Vec3 reflect(const Vec3& v, const Vec3& axis) {
    const double size = length_squared(axis);
    return size > 1e-30 ? v - (2.0 * dot(axis, v) / size) * axis : v; // no axis: nothing to bring together
}

} // namespace

Result<PathCurve> PathCurve::make(const std::vector<Vec3>& points, const Vec3& normal) {
    if (const Status ok = check_points(points); !ok) return ok.error();
    const std::vector<Vec3> x = sample_curve(points);
    PathCurve curve;
    curve.distance_.assign(1, 0.0);
    for (std::size_t i = 1; i < x.size(); ++i)
        curve.distance_.push_back(curve.distance_.back() + selvage::length(x[i] - x[i - 1]));

    const Vec3 first = normalized(x[1] - x[0]);
    const Vec3 across = normal - dot(normal, first) * first;
    if (!(selvage::length(across) > kAcross * selvage::length(normal)))
        return Error{concat("normal (", normal.x, ", ", normal.y, ", ", normal.z,
                            ") does not look across the path where it starts; expected a direction that does")};
    curve.frames_.push_back({x[0], first, normalized(across)});
    for (std::size_t i = 1; i < x.size(); ++i) {
        const CurveFrame& last = curve.frames_.back();
        const Vec3 ahead = i + 1 < x.size() ? x[i + 1] - x[i - 1] : x[i] - x[i - 1];
        const Vec3 tangent = normalized(ahead, last.tangent);
        const Vec3 step = x[i] - x[i - 1];
        const Vec3 bring = tangent - reflect(last.tangent, step);
        const Vec3 turned = reflect(reflect(last.normal, step), bring);
        // At right angles but for rounding, which would add up.
        curve.frames_.push_back({x[i], tangent, normalized(turned - dot(turned, tangent) * tangent, last.normal)});
    }
    return curve;
}

CurveFrame PathCurve::at(double distance) const {
    const auto after = std::upper_bound(distance_.begin() + 1, distance_.end() - 1, distance);
    const auto k = static_cast<std::size_t>(after - distance_.begin());
    const CurveFrame &a = frames_[k - 1], &b = frames_[k];
    const double span = distance_[k] - distance_[k - 1];
    const double s = span > 0.0 ? (distance - distance_[k - 1]) / span : 0.0, in = std::clamp(s, 0.0, 1.0);
    const Vec3 tangent = normalized((1.0 - in) * a.tangent + in * b.tangent, a.tangent);
    const Vec3 mixed = (1.0 - in) * a.normal + in * b.normal;
    return {(1.0 - s) * a.point + s * b.point, tangent, normalized(mixed - dot(mixed, tangent) * tangent, a.normal)};
}

} // namespace selvage
