#include "cuda/contact_input.h"

#include <algorithm>
#include <cmath>

#include "collision/contact/moving_solid.h"

namespace selvage::cuda {

namespace {

SolidPose pose_of(const Pose& pose) {
    return {pose.centre, {Vec3f(pose.turn.row_x), Vec3f(pose.turn.row_y), Vec3f(pose.turn.row_z)}};
}

} // namespace

void ContactInput::clear() {
    poses_.clear();
    points_.clear();
}

void ContactInput::forget() {
    resting_.clear();
    standing_.clear();
}

/// Whether all colliders rest where they did when their places were last sent.
bool ContactInput::rest_as_before(std::span<const Collider> colliders) {
    std::vector<std::uint64_t> numbers;
    std::vector<Pose> poses;
    bool rest = true;
    for (const Collider& collider : colliders)
        if (collider.mesh()) {
            rest = rest && collider.rests && collider.points_number != 0;
            numbers.push_back(collider.points_number);
        }
    for (const Hull& hull : hulls_) {
        rest = rest && colliders[hull.collider].before == colliders[hull.collider].now;
        poses.push_back(colliders[hull.collider].now);
    }
    const bool is_known = rest && numbers == resting_ && poses == standing_;
    resting_ = rest ? std::move(numbers) : std::vector<std::uint64_t>{};
    standing_ = rest ? std::move(poses) : std::vector<Pose>{};
    return is_known && !(resting_.empty() && standing_.empty());
}

/// Vertices of all meshes, then of hulls.
void ContactInput::add_points(std::span<const Collider> colliders, bool is_end) {
    for (const Collider& collider : colliders)
        if (collider.mesh()) {
            const std::vector<Vec3>& points = is_end ? collider.points_now : collider.points_before;
            points_.insert(points_.end(), points.begin(), points.end());
        }
    for (const Hull& hull : hulls_) {
        const Pose& pose = is_end ? colliders[hull.collider].now : colliders[hull.collider].before;
        for (const Vec3& point : hull.points)
            points_.push_back(pose.to_world(point));
    }
}

void ContactInput::add_step(std::span<const Collider> colliders, int small_steps, StepParameters& step) {
    step.first_pose = static_cast<int>(poses_.size());
    for (int k = 0; k <= small_steps; ++k)
        for (const Collider& collider : colliders) {
            if (collider.mesh()) continue;
            const MovingSolid part = MovingSolid::make(collider, std::max(k - 1, 0), small_steps);
            poses_.push_back(pose_of(k == 0 ? part.before : part.now));
        }
    step.first_point = -1;
    step.solid_motion = 0.0F;
    step.frame = {};
    if (rest_as_before(colliders)) return;
    const std::size_t first = points_.size();
    step.first_point = static_cast<int>(first);
    add_points(colliders, false);
    const std::size_t count = points_.size() - first;
    add_points(colliders, true);
    if (count == 0) return;
    const auto motion = [&](std::size_t k) { return points_[k + count] - points_[k]; };
    constexpr double kAlike = 1e-9; // [m]
    Vec3 frame = motion(first);
    double farthest = 0.0, apart = 0.0; // squared
    for (std::size_t k = first; k < first + count; ++k) {
        farthest = std::max(farthest, length_squared(motion(k)));
        apart = std::max(apart, length_squared(motion(k) - frame));
    }
    if (apart > kAlike * kAlike)
        frame = {};
    else
        farthest = apart;
    step.frame = frame / small_steps;
    step.solid_motion = static_cast<float>(std::sqrt(farthest) / small_steps);
}

} // namespace selvage::cuda
