#pragma once

#include <array>
#include <vector>

#include "sim/picking.h"
#include "sim/simulation.h"

namespace selvage {

/// A point of the cloth held by the mouse, or pinned where the mouse left it. The triangle it lies on is held like a stiff
/// patch, so that the point itself is exactly where it is wanted, with any solver.
struct Hand {
    int id = 0;
    int triangle = -1;
    Vec3 weight;
    Vec3 target; ///< Where the point is to be.
    Vec3 at;     ///< Where it is.
    Vec3 goal;   ///< Where it would be at the end of this frame: the target, or as near as a hand gets in a frame.
    bool pinned = false;
};

/// No hand is faster [m/s]; a mouse that jumps across the window is followed over a few frames.
inline constexpr double kFastestHand = 6.0;

/// Stretch of the threads next to a hand from which on it slows down, and at which it can pull no farther.
inline constexpr double kTaut = 0.05, kTautest = 0.15;
/// Stretch anywhere in the cloth, beyond what there was when it was taken, at which hands give way: where a corner is pinned
/// it tears there first.
inline constexpr double kOverstretched = 0.2;

/// `from`, moved towards `to` by what a hand can do in `seconds`.
Vec3 within_reach(const Vec3& from, const Vec3& to, double seconds);

/// Point of a triangle.
Vec3 point_on(const ClothModel& model, const std::vector<Vec3>& positions, int triangle, const Vec3& weight);

/// All hands on one simulation.
class HandsOnCloth {
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
    void start_frame(Simulation& sim, double seconds); ///< Sets the goals of a frame of this length.
    /// Moves the held points of `sim` on before a solver step that ends at `share` of the frame, `seconds` long. A hand whose
    /// cloth is taut goes no farther, and gives way.
    void carry(Simulation& sim, double share, double seconds);

    const std::vector<Hand>& all() const { return hands_; }
    const Hand* find(int id) const;

private:
    void hold(Simulation& sim) const;
    std::vector<Hand> hands_;
    std::vector<std::array<Vec3, 3>> offset_; // of each hand's corners from its point
    double calm_ = 0.0;                       // largest stretch when the first hand took hold
    double over_ = 0.0;                       // how far beyond that the cloth is stretched now
    double share_ = 0.0;                      // of the frame that is done
    int next_id_ = 1;
};

} // namespace selvage
