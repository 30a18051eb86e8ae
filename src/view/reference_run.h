#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "model/measures.h"
#include "scene/scene_desc.h"

namespace selvage {

/// The same scene by the reference solver in steps a quarter as long, from the start, on a thread of its own. It knows
/// of no grabs.
class ReferenceRun {
public:
    /// Keeps the positions after every `frames_per_check` frames, up to kMost times.
    ReferenceRun(SceneDesc scene, int frames_per_check);
    ~ReferenceRun();
    ReferenceRun(const ReferenceRun&) = delete;
    ReferenceRun& operator=(const ReferenceRun&) = delete;

    static constexpr int kMost = 600;
    int count() const; ///< Check points so far; the start is the first.
    std::vector<Vec3> positions(int check) const;
    bool has_failed() const { return failed_.load(); } ///< It could not be made, or diverged.

private:
    void main(const SceneDesc& scene, int frames_per_check);
    mutable std::mutex mutex_;
    std::vector<std::vector<Vec3>> checks_;
    std::atomic<bool> stopping_{false}, failed_{false};
    std::thread thread_;
};

/// E and S (eqs. 35-37 of Kang and Cho) of a run against the reference, check point by check point, as both go on.
class LiveComparison {
public:
    /// `scene` as it is simulated, from its start; check points are a thirtieth of a second apart, or a frame.
    explicit LiveComparison(const SceneDesc& scene, const std::vector<Vec3>& start);
    /// After every frame.
    void add_frame(const std::vector<Vec3>& positions);
    const std::vector<MotionError>& errors() const { return errors_; } ///< One per check point that both have reached.
    bool has_failed() const { return reference_.has_failed(); }

private:
    int frames_per_check_, frames_ = 0;
    std::vector<std::vector<Vec3>> own_;
    std::vector<MotionError> errors_;
    ReferenceRun reference_;
};

} // namespace selvage
