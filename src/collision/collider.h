#pragma once

#include <span>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "base/thread_pool.h"
#include "geometry/triangle_mesh.h"
#include "math/mat.h"

namespace selvage {

struct Sphere {
    double radius = 0.25; ///< [m].
};

struct Box {
    Triple size{0.5, 0.5, 0.5}; ///< Edge lengths [m].
};

/// All below local y = 0 is solid.
struct Plane {};

/// A solid, centred on the origin of its own frame.
using ColliderShape = std::variant<Sphere, Box, Plane>;

/// From a solid's own frame to the world.
struct Pose {
    Vec3 centre;
    Rotation turn;

    Vec3 to_world(const Vec3& local) const { return centre + turn * local; }
    Vec3 to_local(const Vec3& world) const { return turn.transposed(world - centre); }
};

/// Signed distance of a point from a solid's surface, negative inside, and the way out.
struct SurfacePoint {
    double distance = 0.0; ///< [m].
    Vec3 normal;           ///< Unit, pointing out.
};

SurfacePoint nearest_surface(const ColliderShape& shape, const Vec3& local);

/// A solid during one step.
struct Collider {
    ColliderShape shape;
    Pose before, now;         ///< At the start and the end of the step.
    double friction = 0.4;    ///< Coulomb, against any cloth.
    double thickness = 0.002; ///< Distance kept between its surface and the cloth's points [m].

    SurfacePoint nearest(const Vec3& world) const {
        SurfacePoint point = nearest_surface(shape, now.to_local(world));
        point.normal = now.turn * point.normal;
        return point;
    }
    /// How far the solid's point that is now at `world` has moved in the step [m].
    Vec3 displacement(const Vec3& world) const { return world - before.to_world(now.to_local(world)); }
};

/// What is drawn for a solid, in its own frame; a plane shows as a square of 12 m.
TriangleMesh collider_mesh(const ColliderShape& shape);

/// How deep the deepest point lies inside a solid [m]; 0 when none does.
double deepest_penetration(ThreadPool& pool, std::span<const Collider> colliders, const std::vector<Vec3>& positions);

} // namespace selvage
