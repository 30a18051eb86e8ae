#pragma once

#include <span>
#include <vector>

#include "collision/contact/contact_record.h"
#include "collision/shapes/collider.h"

namespace selvage {

/// A vertex that may come near a collider, its shape called a solid, within a step.
struct NearSolid {
    int vertex, solid;
};

/// What may meet within a step, seen from where it starts: for solvers that take contact into their own step. A look
/// ahead, not a promise: what moves otherwise than foreseen is left to the contact stage after the solver.
struct ContactView {
    std::span<const std::vector<ContactRecord>> pairs; ///< Of features; only those that `may_push` are to be pushed.
    /// A vertex's entries lie together, solids ascending. No mesh among them.
    std::span<const std::vector<NearSolid>> near_solid;
    std::span<const std::vector<ContactRecord>> solid_pairs; ///< Edges and faces before solids with edges of their own.
    std::span<const Collider> colliders;
    std::span<const Vec3> points;       ///< Vertices of the cloths, then those of meshes, where the step starts [m].
    std::span<const Vec3> displacement; ///< Of the meshes' vertices in the step [m]; of no meaning for cloth.
};

} // namespace selvage
