#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "model/cloth_state.h"

namespace selvage {

/// One recorded frame: enough to go on from it.
struct RecordedFrame {
    ClothState state;
    std::vector<Vec3> shift; ///< How far the user has moved colliders [m].
};

/// The last seconds of a run, frame by frame. When they would take too much memory, only every k-th frame is stored.
class Timeline {
public:
    explicit Timeline(double seconds = 30.0, std::size_t most_bytes = std::size_t{256} << 20)
        : seconds_(seconds), most_bytes_(most_bytes) {}

    /// Starts anew for cloth of so many vertices and frames of `dt` seconds.
    void start(std::size_t vertex_count, double dt);
    /// Adds a frame after the one it stands at; what was later is forgotten.
    void add(const RecordedFrame& frame);
    /// Stands at frame `index` from now on, counted from the oldest; clamped.
    const RecordedFrame& go_to(int index);

    int count() const { return static_cast<int>(frames_.size()); }
    int at() const { return at_; }       ///< The frame it stands at; -1 when there is none.
    int every() const { return every_; } ///< One of so many frames is stored.
    double time(int index) const { return frames_[static_cast<std::size_t>(index)].state.time; }

private:
    double seconds_;
    std::size_t most_bytes_, capacity_ = 1;
    int every_ = 1, skipped_ = 0, at_ = -1;
    std::deque<RecordedFrame> frames_;
};

} // namespace selvage
