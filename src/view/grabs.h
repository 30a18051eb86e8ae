#pragma once

#include <array>
#include <vector>

#include "sim/picking.h"
#include "sim/simulation.h"

namespace selvage {

/// A point of the cloth that the mouse holds, or that is pinned where the mouse left it. The triangle around it is held
/// like a stiff patch, so that the point itself is exactly where it should be, with any solver.
struct Grab {
    int id = 0;
    int triangle = -1;
    Vec3 weight; ///< Of the triangle's corners, as in ClothHit.
    Vec3 target; ///< Where the user wants the point.
    Vec3 at;     ///< Where the grab holds it now.
    Vec3 goal; ///< Where it should be at the end of this frame: the target, or as near to it as the speed limit allows.
    bool pinned = false;
};

/// Speed limit of grabs and of colliders that the mouse moves [m/s]; a mouse that jumps across the window is followed
/// over a few frames.
inline constexpr double kGrabSpeed = 6.0;

/// Stretch of the threads next to a grab from which on it slows down, and at which it can pull no farther.
inline constexpr double kSlowingStretch = 0.05, kStoppingStretch = 0.15;
/// Stretch anywhere in the cloth, beyond what there was when it was grabbed, at which grabs yield: where a corner is
/// pinned the cloth tears there first.
inline constexpr double kYieldingStretch = 0.2;

/// `from`, moved towards `to` by at most kGrabSpeed times `seconds`.
Vec3 moved_towards(const Vec3& from, const Vec3& to, double seconds);

/// Point of a triangle.
Vec3 point_on(const ClothModel& model, const std::vector<Vec3>& positions, int triangle, const Vec3& weight);

/// How the threads that leave a grabbed triangle pull at it.
struct ThreadPull {
    double stretch = 0.0; ///< The largest.
    Vec3 direction;       ///< Towards the cloth; unit, or zero when nothing pulls.
};

/// All grabs of one simulation.
class Grabs {
public:
    /// Grabs the point where it is now and returns the grab's id. `hit` is of `sim`'s cloth.
    int grab(const ClothHit& hit, Simulation& sim);
    /// A target that is not finite is ignored.
    void move(int id, const Vec3& target);
    void set_pinned(int id, bool pinned);
    void release(int id, Simulation& sim);
    void release_all(Simulation& sim);
    /// Grabs the same points of another simulation of the same mesh, or again after the state was replaced.
    void grab_again(Simulation& sim);
    void start_frame(Simulation& sim, double seconds); ///< Sets the goals of a frame of this length.
    /// Moves the grabbed points of `sim` before a solver step of `seconds` that ends at `fraction` of the frame. A grab
    /// whose cloth is taut goes no farther, and yields. It looks at the cloth before each step; where a device steps, before
    /// each frame.
    void advance(Simulation& sim, double fraction, double seconds);

    const std::vector<Grab>& all() const { return grabs_; }
    const Grab* find(int id) const;

private:
    struct Sight { // what a grab has seen of the cloth
        Vec3 point;
        bool is_blocked = false; // the cloth does not let it through
        ThreadPull pull;
    };
    void look(const Simulation& sim);
    void hold_corners(Simulation& sim) const;
    std::vector<Grab> grabs_;
    std::vector<Sight> seen_;                 // by each of them, when last looked
    std::vector<std::array<Vec3, 3>> offset_; // of each grab's corners from its point
    double first_stretch_ = 0.0;              // largest in the cloth when the first grab was made
    double excess_stretch_ = 0.0;             // largest in the cloth now, beyond what grabs may cause
    double fraction_ = 0.0;                   // of the frame that is done
    int next_id_ = 1;
};

} // namespace selvage
