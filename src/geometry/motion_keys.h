#pragma once

#include <span>
#include <vector>

#include "math/vec.h"

namespace selvage {

/// Says which frames of a moving mesh must be stored so that straight motion between them keeps every vertex within a
/// tolerance of where it was. Frames come one by one; nothing but the last key is remembered.
class MotionKeys {
public:
    explicit MotionKeys(double tolerance); ///< [m]. 0: every frame is a key.

    /// The key that the frames to come are measured from.
    void restart(std::span<const Vec3f> key);
    /// Takes the next frame. False where a straight line to it would leave the tolerance at a frame since the key: the
    /// frame before it must be a key then. Nothing is taken in that case.
    bool accept(std::span<const Vec3f> frame);

private:
    double half_width_; // per coordinate; a box of it lies within the sphere of the tolerance
    int frames_ = 0;    // since the key
    std::vector<Vec3f> key_;
    std::vector<Vec3> least_, most_; // displacement per frame that all frames since the key allow
};

} // namespace selvage
