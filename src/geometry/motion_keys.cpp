// The swing filter. From a key at x0, a line of slope s per frame passes frame k within d where
//
//   (x_k - x0 - d) / k  <=  s  <=  (x_k - x0 + d) / k
//
// per coordinate. The intersection of these ranges over the frames since the key is all that must be remembered: a line
// to frame n keeps to all of them where its slope (x_n - x0) / n lies in it.

#include "geometry/motion_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace selvage {

namespace {

bool within(const Vec3& v, const Vec3& least, const Vec3& most) {
    return v.x >= least.x && v.x <= most.x && v.y >= least.y && v.y <= most.y && v.z >= least.z && v.z <= most.z;
}

} // namespace

MotionKeys::MotionKeys(double tolerance) : half_width_(tolerance / std::sqrt(3.0)) {}

void MotionKeys::restart(std::span<const Vec3f> key) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    frames_ = 0;
    key_.assign(key.begin(), key.end());
    least_.assign(key.size(), {-kAny, -kAny, -kAny});
    most_.assign(key.size(), {kAny, kAny, kAny});
}

bool MotionKeys::accept(std::span<const Vec3f> frame) {
    const double n = frames_ + 1;
    if (half_width_ <= 0.0 && frames_ > 0) return false;
    for (std::size_t i = 0; i < frame.size(); ++i)
        if (!within((Vec3(frame[i]) - Vec3(key_[i])) / n, least_[i], most_[i])) return false;
    ++frames_;
    const double width = half_width_ / n;
    for (std::size_t i = 0; i < frame.size(); ++i) {
        const Vec3 slope = (Vec3(frame[i]) - Vec3(key_[i])) / n;
        Vec3 &least = least_[i], &most = most_[i];
        least = {std::max(least.x, slope.x - width), std::max(least.y, slope.y - width),
                 std::max(least.z, slope.z - width)};
        most = {std::min(most.x, slope.x + width), std::min(most.y, slope.y + width),
                std::min(most.z, slope.z + width)};
    }
    return true;
}

} // namespace selvage
