#pragma once

#include <vector>

#include "sim/skinned_cloth.h"

namespace selvage {

/// A body that jumps into another pose takes its cloth along to the new place; but in the new pose its skin is on the other
/// side of the cloth here and there. So for contact it stands in its old pose first, and moves into the new one in a
/// quarter of a second, as fast as arms are swung.
class BodyLag {
public:
    static constexpr double kCatchUp = 0.25; ///< [s]

    BodyLag(int collider, std::size_t point_count) : collider_(collider), offset_(point_count) {}

    int collider() const { return collider_; }
    bool is_on() const { return left_ > 0.0; }
    void end() { left_ = 0.0; }
    /// Puts the body's points, which are where it really is, between there and where it stood. Allocates nothing.
    void hold_back(double time, Collider& collider);
    /// After hold_back(), in the step of a jump. A jump without a new pose ends what lags.
    void begin(const BodyJump& jump, double time, Collider& collider);
    /// Tells a collider that its points are held back, not those of its own motion.
    static void mark_held_back(Collider& collider);

private:
    int collider_;
    double since_ = 0.0;       // [s]
    double left_ = 0.0;        // of the offsets, now
    std::vector<Vec3> offset_; // per point, at first: from where the body is to where it stands
};

} // namespace selvage
