#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/search/surface_tree.h"
#include "collision/shapes/solid_shapes.h"

namespace selvage {

/// From a collider's own frame to the world.
struct Pose {
    Vec3 centre;
    Rotation turn;

    Vec3 to_world(const Vec3& local) const { return centre + turn * local; }
    Vec3 to_local(const Vec3& world) const { return turn.transposed(world - centre); }
    friend bool operator==(const Pose&, const Pose&) = default;
};

/// A collider during one step. Its shape, where the code is about shapes, is called a solid.
struct Collider {
    ColliderShape shape;
    Pose before, now;         ///< At the start and the end of the step.
    double friction = 0.4;    ///< Coulomb, against any cloth.
    double thickness = 0.002; ///< Minimum distance of the cloth from its surface [m].
    /// Where the vertices of mesh() are in the world at the start and the end of the step; empty for other shapes.
    std::vector<Vec3> points_before = {}, points_now = {};
    /// Fitted to points_now when the mesh is not a rigid one; empty otherwise, and the poses say where it is.
    SurfaceTree moved_tree = {};
    bool is_tree_stale = false; ///< Points have moved since: fit_tree() before a distance is asked for.
    /// What moves it gives another number with every change of its points; 0: who knows. Points that rest are the same
    /// before and now.
    std::uint64_t points_number = 0;
    bool rests = false;
    bool is_posed = false; ///< points_now are those of mesh() at the pose.

    /// The triangles of a shape whose surface is made of them, of ground without what lies around its grid; none for
    /// others.
    const SolidMesh* mesh() const;
    bool is_deforming() const { return !moved_tree.is_empty(); }

    void fit_tree(); ///< Where it is stale.

    /// False only for points farther away than the thickness; quick, where nearest() may have to search a mesh.
    bool may_touch(const Vec3& world) const;
    SurfacePoint nearest(const Vec3& world) const;
    /// How far the collider's point that is now at `world` has moved in the step [m]; of a deforming mesh, the nearest
    /// one.
    Vec3 displacement(const Vec3& world) const;
    /// Around the collider as it is now, in the world; reaches to infinity for a plane and for ground.
    Aabb bounds() const;
};

/// What is drawn for a collider, in the world, as it is now.
TriangleMesh drawn_mesh(const Collider& collider);

/// How deep the deepest point lies inside a collider [m]; 0 when none does.
double deepest_penetration(ThreadPool& pool, std::span<const Collider> colliders, const std::vector<Vec3>& positions);

} // namespace selvage
