#include "cuda/hull.h"

#include <algorithm>
#include <cmath>

#include "math/functions.h"
#include "math/pi.h"

namespace selvage::cuda {

namespace {

constexpr int kFewestSides = 8, kMostSides = 192;
// In thicknesses: a polygon's depth in its circle, and how far a hull's corners lie outside the collider. Faces are deeper
// than corners by twice the depth and some, and so still outside.
constexpr double kDepth = 0.25, kOutside = 0.75;

/// A point of a profile: distance from the axis, and height.
struct ProfilePoint {
    double radius, height;
};

/// Sides of a polygon in a circle that is nowhere deeper in it than allowed.
int sides_for(double radius, double thickness) {
    const double depth = std::max(kDepth * thickness, 1e-4 * radius);
    return std::clamp(static_cast<int>(std::ceil(kPi / std::sqrt(2.0 * depth / radius))), kFewestSides, kMostSides);
}

/// Turned about the y axis; both ends are on it.
void turn(const std::vector<ProfilePoint>& profile, int sides, Hull& hull) {
    const int rings = static_cast<int>(profile.size()) - 2, top = 1 + rings * sides;
    hull.points.push_back({0, profile.front().height, 0});
    for (int r = 1; r <= rings; ++r)
        for (int k = 0; k < sides; ++k) {
            const auto [s, c] = maths::sincos(2.0 * kPi * k / sides);
            hull.points.push_back({profile[r].radius * c, profile[r].height, profile[r].radius * s});
        }
    hull.points.push_back({0, profile.back().height, 0});
    for (int k = 0; k < sides; ++k) {
        const int next = (k + 1) % sides, last = 1 + (rings - 1) * sides;
        hull.triangles.push_back({0, 1 + k, 1 + next});
        hull.triangles.push_back({top, last + next, last + k});
        for (int r = 0; r + 1 < rings; ++r) {
            const int low = 1 + r * sides, high = low + sides;
            hull.triangles.push_back({low + k, high + k, low + next});
            hull.triangles.push_back({low + next, high + k, high + next});
        }
    }
}

/// From the lowest point of a ball to its highest, or a part of it.
void add_arc(double radius, double centre, double from, double to, int count, std::vector<ProfilePoint>& profile) {
    for (int k = 0; k <= count; ++k) {
        const auto [s, c] = maths::sincos(from + (to - from) * k / count);
        profile.push_back({radius * c, centre + radius * s});
    }
}

void make_points(const Box& box, double outside, Hull& hull) {
    const double half[3] = {0.5 * box.size[0] + outside, 0.5 * box.size[1] + outside, 0.5 * box.size[2] + outside};
    for (int k = 0; k < 8; ++k)
        hull.points.push_back({k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]});
    hull.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
}

void make_points(const Capsule& capsule, double thickness, Hull& hull) {
    RoundCone cone = round_cone(capsule);
    for (Ball* ball : {&cone.lower, &cone.upper})
        ball->radius += kOutside * thickness;
    const int sides = sides_for(std::max(capsule.radius, capsule.top_radius), thickness);
    std::vector<ProfilePoint> profile;
    if (cone.single) {
        add_arc(cone.lower.radius, cone.lower.centre.y, -0.5 * kPi, 0.5 * kPi, sides / 2, profile);
    } else {
        const double slope = maths::atan2(cone.sine, cone.cosine); // the side's normal, above the horizontal
        add_arc(cone.lower.radius, cone.lower.centre.y, -0.5 * kPi, slope, std::max(sides / 4, 2), profile);
        add_arc(cone.upper.radius, cone.upper.centre.y, slope, 0.5 * kPi, std::max(sides / 4, 2), profile);
    }
    turn(profile, sides, hull);
}

void make_points(const Cylinder& cylinder, double thickness, Hull& hull) {
    const double outside = kOutside * thickness, r = cylinder.radius + outside, top = 0.5 * cylinder.height + outside;
    turn({{0, -top}, {r, -top}, {r, top}, {0, top}}, sides_for(r, thickness), hull);
}

Hull make_hull(const Collider& collider) {
    Hull hull;
    if (const auto* box = std::get_if<Box>(&collider.shape)) make_points(*box, kOutside * collider.thickness, hull);
    if (const auto* sphere = std::get_if<Sphere>(&collider.shape))
        make_points(Capsule{sphere->radius, sphere->radius, 0.0}, collider.thickness, hull);
    if (const auto* capsule = std::get_if<Capsule>(&collider.shape)) make_points(*capsule, collider.thickness, hull);
    if (const auto* cylinder = std::get_if<Cylinder>(&collider.shape)) make_points(*cylinder, collider.thickness, hull);
    return hull;
}

} // namespace

void Hull::add_to(ContactSurface& surface, const Collider& of) const {
    const int first = static_cast<int>(surface.rest.size());
    surface.bodies.push_back({first, static_cast<int>(points.size()), static_cast<int>(surface.triangles.size()),
                              static_cast<int>(triangles.size()), of.thickness, of.friction, false, true});
    for (const Vec3& point : points)
        surface.rest.push_back(of.now.to_world(point));
    for (const Triangle& t : triangles)
        surface.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

std::vector<Hull> make_hulls(std::span<const Collider> colliders, std::span<const Vec3> cloth) {
    std::vector<Hull> hulls;
    for (std::size_t c = 0; c < colliders.size(); ++c) {
        const Collider& collider = colliders[c];
        if (collider.mesh()) continue;
        Hull hull = make_hull(collider);
        hull.collider = static_cast<int>(c);
        const auto is_near = [&](const Vec3& p) { return collider.nearest(p).distance < collider.thickness; };
        if (!hull.points.empty() && std::none_of(cloth.begin(), cloth.end(), is_near)) hulls.push_back(std::move(hull));
    }
    return hulls;
}

} // namespace selvage::cuda
