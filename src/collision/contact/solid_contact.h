#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/contact/contact_view.h"
#include "collision/search/surface_patches.h"
#include "collision/shapes/collider.h"

namespace selvage {

/// A solid in a step of the contact stage, or in a piece of one.
struct MovingSolid {
    const ColliderShape* shape = nullptr;
    Pose before, now;
    double friction = 0.0, thickness = 0.0; // as in Collider

    /// The k-th of `pieces` equal parts of what a collider does in its step.
    static MovingSolid make(const Collider& collider, int k, int pieces);
    /// How far its point that is now at `world` has moved [m].
    Vec3 displacement(const Vec3& world) const { return world - before.to_world(now.to_local(world)); }
};

/// A vertex that a solid must push in this step.
struct SolidPoint {
    int vertex = 0, solid = 0;
    Vec3 normal;           ///< Out of the solid.
    double least = 0.0;    ///< How far along the normal the vertex must go at least [m].
    Vec3 carried;          ///< How far the solid goes there in the step [m].
    double friction = 0.0; ///< Coulomb.
    double pushed = 0.0;   ///< So far in this step [m].
    Vec3 dragged;          ///< By friction, likewise.
};

/// Finds where the vertices, edges and faces of a surface meet solids given by distance functions. A patch far from a solid is
/// not looked at again until it may have come near.
class SolidContact {
public:
    explicit SolidContact(const SurfacePatches& patches);

    /// Vertices that may come near a solid in a step from x by about the patches' motion, and edges and faces near solids with
    /// edges of their own; by chunk of patches.
    void list_near(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                   std::span<const SurfacePatches::Motion> patch_motion, std::span<const std::uint8_t> is_held,
                   std::vector<std::vector<NearSolid>>& near, std::vector<std::vector<ContactRecord>>& records);
    /// For a step from x by `motion`. Held vertices are left alone.
    void find(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
              std::span<const Vec3> motion, std::span<const SurfacePatches::Motion> patch_motion,
              std::span<const std::uint8_t> is_held);
    /// Adds vertices that a motion changed since then takes to solids where the first one did not.
    void find_missed(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                     std::span<const Vec3> motion, std::span<const SurfacePatches::Motion> patch_motion,
                     std::span<const std::uint8_t> is_held);
    /// Keeps the found vertices out, with plastic contact and Coulomb friction; changes `motion` and `mended`, the part of the
    /// motion that is no velocity. May be called again after `motion` has changed, for the vertices that are flagged if any flags are given.
    void push(ThreadPool& pool, std::span<Vec3> motion, std::span<Vec3> mended,
              std::span<const std::uint8_t> flags = {});
    /// Books the motion that was really made.
    void finish_step(ThreadPool& pool, std::span<const MovingSolid> solids, std::span<const Vec3> x,
                     std::span<const SurfacePatches::Motion> patch_motion);

    /// By chunk of patches; a vertex's points lie together.
    std::span<const std::vector<SolidPoint>> points() const { return points_; }
    /// Edges and faces, by chunk of patches.
    std::span<std::vector<ContactRecord>> records() { return records_; }
    bool any_points() const;
    /// After an edit of the state: look at everything again.
    void forget();

private:
    struct Account {         // of a patch with a solid
        double left = -1.0;  // motion until they could meet [m]
        double radius = 0.0; // of the patch about its first vertex [m]
    };
    struct SolidMotion;
    struct Step;

    void fit_accounts(std::size_t solid_count);
    /// Edges and faces of a patch nearer than `reach` to a convex solid; `at` are the vertices' nearest points, `longest` its
    /// longest edge.
    void find_edges(std::span<const Vec3> x, const SolidMotion& motion, const MovingSolid& collider, int solid,
                    int patch, std::span<const SurfacePoint> at, double longest, double reach,
                    std::vector<ContactRecord>& records) const;
    static bool needs_edges(const MovingSolid& collider, double longest);
    void find_in_patch(const Step& step, const MovingSolid& collider, int solid, int patch, Account& account,
                       std::vector<SolidPoint>& points, std::vector<ContactRecord>& records) const;

    double longest_edge(int patch, std::span<const Vec3> x) const;
    static void add_point(const Step& step, const MovingSolid& collider, int solid, int v, double distance,
                          double reserve, std::vector<SolidPoint>& points);

    const SurfacePatches& patches_;
    std::vector<Vec3> sought_; // motions that solids were looked for with
    std::size_t solid_count_ = 0;
    std::vector<Account> account_; // by patch, then solid
    std::vector<std::vector<SolidPoint>> points_;
    std::vector<std::vector<ContactRecord>> records_;
};

} // namespace selvage
