#include "collision/contact/moving_solid.h"

#include <algorithm>
#include <cmath>

namespace selvage {

MovingSolid MovingSolid::make(const Collider& collider, int k, int pieces) {
    MovingSolid solid{&collider.shape, collider.before, collider.now, collider.friction, collider.thickness};
    if (pieces == 1) return solid;
    const Rotation &from = collider.before.turn, &to = collider.now.turn;
    const Rotation back{{from.row_x.x, from.row_y.x, from.row_z.x},
                        {from.row_x.y, from.row_y.y, from.row_z.y},
                        {from.row_x.z, from.row_y.z, from.row_z.z}};
    const Vec3 turn = rotation_vector(to * back), shift = collider.now.centre - collider.before.centre;
    const auto pose = [&](int at) {
        const double fraction = static_cast<double>(at) / pieces;
        return Pose{collider.before.centre + fraction * shift, rotation_about(fraction * turn) * from};
    };
    if (k > 0) solid.before = pose(k);
    if (k + 1 < pieces) solid.now = pose(k + 1);
    return solid;
}

std::optional<Vec3> MovingSolid::first_hit(const Vec3& p, const Vec3& q, double touching) const {
    const Vec3 path = q - p;
    const double size = length(path);
    double done = 0.0;
    constexpr int kMostSteps = 64; // along a surface it goes in steps of the thickness; then the end must tell
    for (int k = 0; k < kMostSteps && done < size; ++k) {
        const Vec3 here = p + (done / size) * path;
        const SurfacePoint surface = nearest_surface(*shape, here);
        if (surface.distance < touching && dot(surface.normal, path) < 0.0) return here;
        done += std::max(surface.distance - 0.5 * touching, 0.5 * touching);
    }
    return std::nullopt;
}

SolidMotion::SolidMotion(const MovingSolid& solid) {
    const Rotation &a = solid.before.turn, &b = solid.now.turn;
    // The largest displacement of the three unit vectors is at least the chord of the angle over the square root of
    // 1.5, and a chord is no shorter than 2/pi of its arc.
    const double chord = std::sqrt(std::max(
        {length_squared(a.row_x - b.row_x), length_squared(a.row_y - b.row_y), length_squared(a.row_z - b.row_z)}));
    turns = chord > 0.0;
    angle = 2.0 * chord;
    shift = solid.now.centre - solid.before.centre;
}

bool is_distance_solid(const ColliderShape& shape) {
    return !std::holds_alternative<MeshSolid>(shape);
}

bool is_convex(const ColliderShape& shape) {
    return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Box>(shape) ||
           std::holds_alternative<Capsule>(shape) || std::holds_alternative<Cylinder>(shape);
}

double smallest_radius(const ColliderShape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&shape)) return std::min(capsule->radius, capsule->top_radius);
    return 0.0;
}

} // namespace selvage
