#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/shapes/collider.h"
#include "cuda/hull.h"
#include "cuda/step_parameters.h"

namespace selvage::cuda {

/// Where colliders are in the steps of a frame, for the device.
class ContactInput {
public:
    void set_hulls(std::vector<Hull> hulls) { hulls_ = std::move(hulls); }
    /// A step that is taken in so many small ones.
    void add_step(std::span<const Collider> colliders, int small_steps, StepParameters& step);
    void clear();  ///< The frame is over, or forgotten.
    void forget(); ///< The device knows no places any more.

    const std::vector<SolidPose>& poses() const { return poses_; }
    const std::vector<Vec3>& points() const { return points_; }

private:
    bool rest_as_before(std::span<const Collider> colliders);
    void add_points(std::span<const Collider> colliders, bool is_end);

    std::vector<Hull> hulls_;
    std::vector<SolidPose> poses_;
    std::vector<Vec3> points_;
    std::vector<std::uint64_t> resting_; // numbers of the meshes that rest where the device has them,
    std::vector<Pose> standing_;         // and where the others stand
};

} // namespace selvage::cuda
