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

/// What a scene chooses of a cloth's vertices for its skin.
struct SkinSelection {
    std::vector<int> attached;                    ///< Counted from the cloth's first vertex.
    std::vector<double> max_distances, backstops; ///< Painted, one per vertex; empty: not painted.
};

/// The rigid motion of a body over a step.
struct BodyFrame {
    Vec3 from, to; ///< Means of its points before and now.
    Quaternion turn;
    double seconds = 0.0; ///< Length of the step; 0: not known.
};

/// A cloth that belongs to a body: every vertex has a place on the moving skin, from where the cloth starts.
class SkinnedCloth {
public:
    /// Ties the vertices [begin, begin + count) of `positions` to the collider's surface as it is now. Fails where the
    /// collider has no triangles.
    static Result<SkinnedCloth> make(const SkinnedDesc& desc, const Collider& collider, std::span<const Vec3> positions,
                                     int begin, int count, const SkinSelection& chosen);

    int collider() const { return desc_.collider; }
    bool has_limits() const { return !reach_.empty() || !backstop_.empty(); }
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
    void carry(const BodyJump& jump, ClothState& state);

    bool goes_along() const { return desc_.local_space > 0.0; }
    /// Gives the cloth its fraction of how the body moves as a whole over the coming step: its velocities change as the
    /// body's do. Before the step, once the collider has moved. Allocates nothing.
    void go_along(const Collider& collider, double dt, std::span<const std::uint8_t> is_held, ClothState& state);
    /// The collider's last step, of dt, is the one before the coming one: where a run goes on.
    void set_frame(const Collider& collider, double dt);
    void forget_frame() { frame_.seconds = 0.0; } ///< The cloth moves with its body as it is.

private:
    SkinnedDesc desc_;
    int begin_ = 0;
    std::vector<SkinTie> ties_;
    std::vector<int> attached_;        // model's vertices
    std::vector<double> reach_;        // largest distance per vertex; empty: any
    std::vector<double> backstop_;     // per vertex; empty: any
    BodyFrame frame_;                  // of the step before, where the cloth goes along with its body
    bool has_jumped_ = false;          // in this step
    std::vector<Vec3> place_, normal_; // per vertex
};

} // namespace selvage
