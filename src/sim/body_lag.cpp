#include "sim/body_lag.h"

#include <algorithm>

namespace selvage {

namespace {

/// Skin that moves by more than this (rms) against the rest of the body would get through cloth beside it [m].
constexpr double kNewPose = 0.01;

} // namespace

void BodyLag::mark_held_back(Collider& collider) {
    collider.points_number = 0;
    collider.rests = false;
    collider.is_posed = false;
    collider.is_tree_stale = collider.is_deforming();
}

void BodyLag::hold_back(double time, Collider& collider) {
    if (!is_on()) return;
    const double t = std::clamp((time - since_) / kCatchUp, 0.0, 1.0);
    left_ = 1.0 - t * t * (3.0 - 2.0 * t);
    for (std::size_t i = 0; i < offset_.size(); ++i)
        collider.points_now[i] += left_ * offset_[i];
    mark_held_back(collider);
}

void BodyLag::begin(const BodyJump& jump, double time, Collider& collider) {
    if (is_on()) mark_held_back(collider);
    double bent = 0.0; // what no rigid motion takes along
    for (std::size_t i = 0; i < offset_.size(); ++i) {
        Vec3& p = collider.points_now[i];
        p -= left_ * offset_[i]; // where it really is
        offset_[i] = jump.carried(collider.points_before[i]) - p;
        bent += length_squared(offset_[i]);
    }
    left_ = bent > kNewPose * kNewPose * static_cast<double>(offset_.size()) ? 1.0 : 0.0;
    since_ = time;
    if (!is_on()) return;
    for (std::size_t i = 0; i < offset_.size(); ++i)
        collider.points_now[i] += offset_[i];
    mark_held_back(collider);
}

} // namespace selvage
