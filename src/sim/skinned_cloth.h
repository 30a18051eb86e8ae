#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "collision/shapes/collider.h"
#include "math/affine.h"
#include "model/cloth_state.h"
#include "model/solver.h"
#include "scene/scene_desc.h"
#include "sim/skin_tie.h"

namespace selvage {

/// The rigid motion nearest to that of a body which is somewhere else all of a sudden.
struct BodyJump {
    Vec3 from, to; ///< Means of its points before and now.
    Affine turn;

    Vec3 carried(const Vec3& p) const { return to + turn.direction(p - from); }
};

/// A cloth that belongs to a body: every vertex has a place on the moving skin, from where the cloth starts.
class SkinnedCloth {
public:
    /// Ties the vertices [begin, begin + count) of `positions` to the collider's surface as it is now. `attached` are held
    /// at their places, counted from `begin`. Fails where the collider has no triangles.
    static Result<SkinnedCloth> make(const SkinnedDesc& desc, const Collider& collider, std::span<const Vec3> positions,
                                     int begin, int count, std::vector<int> attached);

    int collider() const { return desc_.collider; }
    bool has_limits() const { return !reach_.empty() || desc_.backstop >= 0.0; }
    std::size_t attached_count() const { return attached_.size(); }

    /// Follows the collider to where it is now. Allocates nothing.
    void follow(const Collider& collider);
    /// Attached vertices at their places, those that nobody holds yet.
    void hold(std::vector<HeldPoint>& held, std::vector<std::uint8_t>& is_held) const;
    /// Takes vertices back to within their largest distance from their places, and in front of the back-stop; velocities
    /// follow. To be called between solver and contact.
    void limit(double dt, std::span<const std::uint8_t> is_held, ClothState& state) const;

    /// A jump of the collider in this step, when it is farther than the cloth is to be dragged along.
    std::optional<BodyJump> jump_of(const Collider& collider) const;
    /// Goes along with a jump as if it were stiff.
    void carry(const BodyJump& jump, ClothState& state) const;

private:
    SkinnedDesc desc_;
    int begin_ = 0;
    std::vector<SkinTie> ties_;
    std::vector<int> attached_;        // model's vertices
    std::vector<double> reach_;        // largest distance per vertex; empty: any
    std::vector<Vec3> place_, normal_; // per vertex
};

} // namespace selvage
