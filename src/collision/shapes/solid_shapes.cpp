#include "collision/shapes/solid_shapes.h"

#include <algorithm>
#include <cmath>

#include "collision/shapes/height_grid.h"
#include "collision/shapes/solid_mesh.h"
#include "math/functions.h"

namespace selvage {

namespace {

double sign(double v) {
    return v < 0.0 ? -1.0 : 1.0;
}

/// Away from the y axis; any direction on the axis itself.
Vec3 outwards(const Vec3& p) {
    return normalized(Vec3{p.x, 0.0, p.z}, {1, 0, 0});
}

SurfacePoint nearest_on(const Sphere& sphere, const Vec3& p) {
    return {length(p) - sphere.radius, normalized(p, {0, 1, 0})};
}

SurfacePoint nearest_on(const Box& box, const Vec3& p) {
    // q is how far p lies outside each pair of faces; all negative inside.
    const Vec3 q{std::abs(p.x) - 0.5 * box.size[0], std::abs(p.y) - 0.5 * box.size[1],
                 std::abs(p.z) - 0.5 * box.size[2]};
    const double inside = std::max({q.x, q.y, q.z});
    if (inside <= 0.0) { // out through the nearest face
        if (inside == q.y) return {inside, {0, sign(p.y), 0}};
        if (inside == q.x) return {inside, {sign(p.x), 0, 0}};
        return {inside, {0, 0, sign(p.z)}};
    }
    const Vec3 out{sign(p.x) * std::max(q.x, 0.0), sign(p.y) * std::max(q.y, 0.0), sign(p.z) * std::max(q.z, 0.0)};
    return {length(out), normalized(out, {0, 1, 0})};
}

SurfacePoint nearest_on(const Plane&, const Vec3& p) {
    return {p.y, {0, 1, 0}};
}

SurfacePoint nearest_on(const Ball& ball, const Vec3& p) {
    const Vec3 out = p - ball.centre;
    return {length(out) - ball.radius, normalized(out, {0, sign(ball.centre.y), 0})};
}

SurfacePoint nearest_on(const Capsule& capsule, const Vec3& p) {
    const RoundCone cone = round_cone(capsule);
    if (cone.single) return nearest_on(cone.lower, p);
    // In the half-plane of p and the axis the side is a straight line with the normal (cosine, sine). Balls along the
    // axis touch it, so a point whose path out along this normal starts between the centres is nearest to the side,
    // inside too.
    const double from_axis = maths::hypot(p.x, p.z), up = p.y - cone.lower.centre.y;
    const double along = cone.cosine * up - cone.sine * from_axis;
    if (along < 0.0) return nearest_on(cone.lower, p);
    if (along > cone.cosine * capsule.length) return nearest_on(cone.upper, p);
    return {cone.cosine * from_axis + cone.sine * up - capsule.radius,
            cone.cosine * outwards(p) + Vec3{0, cone.sine, 0}};
}

SurfacePoint nearest_on(const Cylinder& cylinder, const Vec3& p) {
    const double side = maths::hypot(p.x, p.z) - cylinder.radius, cap = std::abs(p.y) - 0.5 * cylinder.height;
    if (std::max(side, cap) <= 0.0)
        return cap >= side ? SurfacePoint{cap, {0, sign(p.y), 0}} : SurfacePoint{side, outwards(p)};
    const Vec3 out = std::max(side, 0.0) * outwards(p) + Vec3{0, sign(p.y) * std::max(cap, 0.0), 0};
    return {length(out), normalized(out, {0, 1, 0})};
}

SurfacePoint nearest_on(const HeightField& field, const Vec3& p) {
    return field.grid->nearest(p);
}

SurfacePoint nearest_on(const MeshSolid& mesh, const Vec3& p) {
    const SolidMesh& solid = *mesh.surface;
    return solid.nearest(solid.tree, solid.mesh.positions, p).surface;
}

using Support = std::optional<Vec3>;

Support support_of(const Sphere& sphere, const Vec3& d) {
    return sphere.radius * normalized(d, {0, 1, 0});
}
Support support_of(const Box& box, const Vec3& d) {
    return Vec3{0.5 * sign(d.x) * box.size[0], 0.5 * sign(d.y) * box.size[1], 0.5 * sign(d.z) * box.size[2]};
}
Support support_of(const Capsule& capsule, const Vec3& d) {
    const RoundCone cone = round_cone(capsule);
    const Vec3 n = normalized(d, {0, 1, 0});
    const Vec3 low = cone.lower.centre + cone.lower.radius * n, high = cone.upper.centre + cone.upper.radius * n;
    return dot(low, n) > dot(high, n) ? low : high;
}
Support support_of(const Cylinder& cylinder, const Vec3& d) {
    return cylinder.radius * outwards(d) + Vec3{0, 0.5 * sign(d.y) * cylinder.height, 0};
}
Support support_of(const Plane&, const Vec3&) {
    return std::nullopt;
}
Support support_of(const HeightField&, const Vec3&) {
    return std::nullopt;
}
Support support_of(const MeshSolid&, const Vec3&) {
    return std::nullopt;
}

} // namespace

RoundCone round_cone(const Capsule& capsule) {
    const double half = 0.5 * capsule.length, taper = capsule.radius - capsule.top_radius;
    RoundCone cone{{{0, -half, 0}, capsule.radius}, {{0, half, 0}, capsule.top_radius}, 0.0, 1.0, false};
    if (std::abs(taper) >= capsule.length) {
        cone.single = true;
        (taper > 0.0 ? cone.upper : cone.lower) = taper > 0.0 ? cone.lower : cone.upper;
        return cone;
    }
    cone.sine = taper / capsule.length;
    cone.cosine = std::sqrt(1.0 - cone.sine * cone.sine);
    return cone;
}

SurfacePoint nearest_surface(const ColliderShape& shape, const Vec3& local) {
    return std::visit([&](const auto& solid) { return nearest_on(solid, local); }, shape);
}

std::optional<Vec3> support_point(const ColliderShape& shape, const Vec3& local_direction) {
    return std::visit([&](const auto& solid) { return support_of(solid, local_direction); }, shape);
}

} // namespace selvage
