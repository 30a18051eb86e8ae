#pragma once

#include <array>
#include <vector>

#include "sim/simulation.h"
#include "view/picking.h"

namespace selvage {

/// A point of the cloth held by the mouse, or pinned where the mouse left it. The triangle it lies on is held like a stiff
/// patch, so that the point itself is exactly where it is wanted, with any solver.
struct Hand {
    int id = 0;
    int triangle = -1;
    Vec3 weight;
    Vec3 target; ///< Where the point is to be.
    Vec3 from;   ///< Where it was at the end of the last frame.
    Vec3 goal;   ///< Where it will be at the end of this one: the target, or as near as a hand gets in a frame.
    bool pinned = false;
};

/// No hand is faster [m/s]; a mouse that jumps across the window is followed over a few frames.
inline constexpr double kFastestHand = 10.0;

/// Stretch of the threads next to a hand from which on it slows down, and at which it can pull no farther.
inline constexpr double kTaut = 0.2, kTautest = 0.4;

/// `from`, moved towards `to` by what a hand can do in `seconds`.
Vec3 within_reach(const Vec3& from, const Vec3& to, double seconds);

/// Point of a triangle.
Vec3 point_on(const ClothModel& model, const std::vector<Vec3>& positions, int triangle, const Vec3& weight);

/// All hands on one simulation.
class Hands {
public:
    /// Takes hold of the point where it is now. `hit` is of `sim`'s cloth.
    int take(const ClothHit& hit, Simulation& sim);
    /// A target that is not finite leaves things as they are.
    void move(int id, const Vec3& target);
    void set_pinned(int id, bool pinned);
    void let_go(int id, Simulation& sim);
    void let_go_of_all(Simulation& sim);
    /// Takes hold of the same points of another simulation of the same mesh, or again after the state was replaced.
    void take_again(Simulation& sim);
    /// Sets the goals of a frame of this length. A hand whose cloth is taut goes no farther, and gives way.
    void start_frame(const Simulation& sim, double seconds);
    /// Moves the held points of `sim` on, to where they should be after this share of the frame.
    void carry(Simulation& sim, double share) const;
    void finish_frame(); ///< The goals have been reached.

    const std::vector<Hand>& all() const { return hands_; }
    const Hand* find(int id) const;

private:
    std::vector<Hand> hands_;
    std::vector<std::array<Vec3, 3>> offset_; // of each hand's corners from its point
    int next_id_ = 1;
};

} // namespace selvage
