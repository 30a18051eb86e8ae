#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "collision/shapes/solid_shapes.h"
#include "math/pi.h"

namespace selvage {

/// Points of a box about the origin that reaches to `reach`.
inline std::vector<Vec3> random_points(int count, const Vec3& reach, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(-1.0, 1.0);
    std::vector<Vec3> points;
    for (int k = 0; k < count; ++k)
        points.emplace_back(reach.x * place(random), reach.y * place(random), reach.z * place(random));
    return points;
}

inline std::vector<Vec3> random_points(int count, double reach, unsigned seed) {
    return random_points(count, Vec3{reach, reach, reach}, seed);
}

/// Is the point in the solid? By what the solid is, without distances.
inline bool is_inside(const ColliderShape& shape, const Vec3& p) {
    const auto in_ball = [&](double y, double r) { return length(p - Vec3{0, y, 0}) < r; };
    if (const auto* sphere = std::get_if<Sphere>(&shape)) return in_ball(0, sphere->radius);
    if (const auto* box = std::get_if<Box>(&shape))
        return 2 * std::abs(p.x) < box->size[0] && 2 * std::abs(p.y) < box->size[1] && 2 * std::abs(p.z) < box->size[2];
    if (const auto* can = std::get_if<Cylinder>(&shape))
        return p.x * p.x + p.z * p.z < can->radius * can->radius && 2 * std::abs(p.y) < can->height;
    if (const auto* limb = std::get_if<Capsule>(&shape)) {
        // In a ball at t along the axis: rr + (y - t)^2 - r(t)^2 < 0, a parabola in t that is least at `best` or an
        // end.
        const double slope = (limb->top_radius - limb->radius) / limb->length;
        const double up = p.y + 0.5 * limb->length, opening = 1.0 - slope * slope;
        const double best = opening > 0.0 ? (up + limb->radius * slope) / opening : 0.0;
        for (const double t : {0.0, limb->length, std::min(std::max(best, 0.0), limb->length)})
            if (in_ball(t - 0.5 * limb->length, limb->radius + slope * t)) return true;
    }
    return false;
}

/// Points at most `spacing` apart along each of two crossing directions, from low to high.
template <class At>
void sample_patch(double width, double height, double spacing, const At& at, std::vector<Vec3>& points) {
    const int rows = static_cast<int>(height / spacing) + 1, columns = static_cast<int>(width / spacing) + 1;
    for (int r = 0; r <= rows; ++r)
        for (int c = 0; c <= columns; ++c)
            points.push_back(at(width * c / columns, height * r / rows));
}

/// Points of the surface of a solid, at most `spacing` apart, so that every point of it has one within 0.71 of that.
/// Balls and capsules by rays from their inside, halved until they end on the surface.
inline std::vector<Vec3> sample_surface(const ColliderShape& shape, double spacing) {
    std::vector<Vec3> points;
    if (const auto* box = std::get_if<Box>(&shape)) {
        for (int axis = 0; axis < 3; ++axis)
            for (const double side : {-0.5, 0.5}) {
                const double w = box->size[(axis + 1) % 3], h = box->size[(axis + 2) % 3];
                const auto at = [&](double u, double v) {
                    Triple p{};
                    p[axis] = side * box->size[axis];
                    p[(axis + 1) % 3] = u - 0.5 * w;
                    p[(axis + 2) % 3] = v - 0.5 * h;
                    return Vec3{p[0], p[1], p[2]};
                };
                sample_patch(w, h, spacing, at, points);
            }
        return points;
    }
    if (const auto* can = std::get_if<Cylinder>(&shape)) {
        const double r = can->radius, half = 0.5 * can->height;
        const auto on_circle = [](double radius, double angle, double y) {
            return Vec3{radius * std::cos(angle), y, radius * std::sin(angle)};
        };
        const auto on_side = [&](double u, double v) { return on_circle(r, u / r, v - half); };
        const auto on_top = [&](double u, double v) { return on_circle(v, u / r, half); };
        const auto on_bottom = [&](double u, double v) { return on_circle(v, u / r, -half); };
        sample_patch(2 * kPi * r, can->height, spacing, on_side, points);
        sample_patch(2 * kPi * r, r, spacing, on_top, points);
        sample_patch(2 * kPi * r, r, spacing, on_bottom, points);
        return points;
    }
    const int rows = static_cast<int>(2.0 / spacing); // the ray meets none of the tests' surfaces at a grazing angle
    Vec3 inside{0, 0, 0};
    for (double y = -0.5; !is_inside(shape, inside) && y < 0.5; y += 0.01) // the small end may not hold the origin
        inside = {0, y, 0};
    for (int r = 0; r <= rows; ++r) {
        const double polar = kPi * r / rows;
        const int columns = std::max(1, static_cast<int>(2 * rows * std::sin(polar)));
        for (int c = 0; c < columns; ++c) {
            const double around = 2 * kPi * c / columns;
            const Vec3 ray{std::sin(polar) * std::cos(around), std::cos(polar), std::sin(polar) * std::sin(around)};
            double near = 0.0, far = 2.0;
            for (int k = 0; k < 50; ++k) {
                const double middle = 0.5 * (near + far);
                (is_inside(shape, inside + middle * ray) ? near : far) = middle;
            }
            points.push_back(inside + near * ray);
        }
    }
    return points;
}

} // namespace selvage
