#include "view/timeline.h"

#include <algorithm>
#include <cmath>

namespace selvage {

void Timeline::start(std::size_t vertex_count, double dt) {
    frames_.clear();
    at_ = -1;
    skipped_ = 0;
    const double wanted = std::max(1.0, std::ceil(seconds_ / dt));
    const double bytes = wanted * static_cast<double>(std::max<std::size_t>(1, vertex_count) * 2 * sizeof(Vec3));
    every_ = static_cast<int>(std::clamp(std::ceil(bytes / static_cast<double>(most_bytes_)), 1.0, wanted));
    capacity_ = static_cast<std::size_t>(std::ceil(wanted / every_)) + 1; // both ends of the time span
}

void Timeline::add(const RecordedFrame& frame) {
    if (at_ + 1 < count()) {
        frames_.resize(static_cast<std::size_t>(at_) + 1);
        skipped_ = 0;
    }
    if (!frames_.empty() && ++skipped_ < every_) return;
    skipped_ = 0;
    if (frames_.size() >= capacity_) frames_.pop_front();
    frames_.push_back(frame);
    at_ = count() - 1;
}

const RecordedFrame& Timeline::go_to(int index) {
    at_ = std::clamp(index, 0, count() - 1);
    return frames_[static_cast<std::size_t>(at_)];
}

} // namespace selvage
