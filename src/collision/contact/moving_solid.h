#pragma once

#include <optional>

#include "collision/shapes/collider.h"

namespace selvage {

/// A collider in a step of the contact stage, or in a piece of one.
struct MovingSolid {
    const ColliderShape* shape = nullptr;
    Pose before, now;
    double friction = 0.0, thickness = 0.0; // as in Collider

    /// The k-th of `pieces` equal parts of what a collider does in its step.
    static MovingSolid make(const Collider& collider, int k, int pieces);
    /// How far its point that is now at `world` has moved [m].
    Vec3 displacement(const Vec3& world) const { return world - before.to_world(now.to_local(world)); }
    /// The nearest point of its surface where the step starts, to a place in the world.
    SurfacePoint nearest_before(const Vec3& world) const {
        SurfacePoint point = nearest_surface(*shape, before.to_local(world));
        point.normal = before.turn * point.normal;
        return point;
    }
    /// Where on the path from p to q, in its own frame, a point first comes nearer than `touching` [m]; none when it
    /// does not, as far as points on the path tell that are apart by the distance to the surface.
    std::optional<Vec3> first_hit(const Vec3& p, const Vec3& q, double touching) const;
};

/// The displacement of a solid's points in a step, with what does not depend on the point done once.
struct SolidMotion {
    bool turns = false;
    Vec3 shift;         ///< When it does not turn [m].
    double angle = 0.0; ///< At least the angle it turns by [rad].

    explicit SolidMotion(const MovingSolid& solid);
    /// Of the point that the step starts with at `world` [m].
    Vec3 at(const MovingSolid& solid, const Vec3& world) const {
        return turns ? solid.now.to_world(solid.before.to_local(world)) - world : shift;
    }
};

/// Has a distance function. Meshes are met triangle by triangle instead.
bool is_distance_solid(const ColliderShape& shape);
bool is_convex(const ColliderShape& shape);
/// The smallest radius of curvature of its surface [m].
double smallest_radius(const ColliderShape& shape);

} // namespace selvage
