#include "sim/frame_budget.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr double kRaiseBelow = 0.8; // fraction of the budget that the next level up must stay within
constexpr int kMostPatience = 480;  // [frames]; eight seconds between attempts that fail
constexpr int kTrial = 120;         // [frames]; a rise that lasted this long was none by mistake
// A frame much slower than those around it was held up by something else on the machine: dropping many frames for it
// would be seen, and it says nothing about the next.
constexpr double kHiccup = 4.0;       // times the mean
constexpr double kMeanWeight = 0.125; // of the newest frame

/// The level from which on less work saves nothing.
int cheapest_level(const FrameBudget::Times& times) {
    int level = FrameBudget::kWorkLevels - 1;
    while (level > 0 && !(times[level] < times[level - 1]))
        --level;
    return level;
}

} // namespace

bool FrameBudget::drops_frame() {
    is_dropped_ = is_on() && debt_ >= budget_;
    if (!is_dropped_) return false;
    debt_ -= budget_;
    lowest_level_ = kDropping;
    return true;
}

void FrameBudget::add_frame(const Times& times) {
    frame_level_ = work_level_;
    lowest_level_ = std::max(lowest_level_, work_level_);
    if (!is_on()) return;
    for (const double time : times)
        if (!(time >= 0.0) || !std::isfinite(time)) return;
    if (trial_frames_ > 0 && --trial_frames_ == 0) patience_ = kLeastPatience;
    const double ms = times[work_level_];
    if (ms < budget_ || work_level_ >= cheapest_level(times)) charge(ms);
    if (ms > budget_)
        lower(times);
    else
        consider_raising(times);
}

/// To the first level that is expected to fit, or to the cheapest.
void FrameBudget::lower(const Times& times) {
    const int cheapest = cheapest_level(times);
    int level = work_level_;
    while (level < cheapest && times[level] > budget_)
        ++level;
    fitting_frames_ = 0;
    if (level == work_level_) return;
    if (trial_frames_ > 0) patience_ = std::min(2 * patience_, kMostPatience);
    trial_frames_ = 0;
    work_level_ = level;
}

void FrameBudget::consider_raising(const Times& times) {
    int higher = work_level_ - 1;
    while (higher > 0 && times[higher] == times[higher - 1]) // the same work
        --higher;
    if (higher < 0 || debt_ > 0.0 || times[higher] > kRaiseBelow * budget_) {
        fitting_frames_ = 0;
        return;
    }
    if (++fitting_frames_ < patience_) return;
    work_level_ = higher;
    fitting_frames_ = 0;
    trial_frames_ = kTrial;
}

/// Where no level is cheaper, time beyond the budget is paid for by frames that are left out.
void FrameBudget::charge(double ms) {
    const double most = kHiccup * std::max(mean_ms_, budget_);
    mean_ms_ += kMeanWeight * (ms - mean_ms_);
    debt_ = std::max(0.0, debt_ + std::min(ms, most) - budget_);
}

void LevelTimes::add(double solver_ms, double contact_ms, const SmallSteps& small_steps) {
    total_ += solver_ms + contact_ms;
    const double now = small_steps[level_];
    for (int level = 0; level < FrameBudget::kWorkLevels; ++level)
        at_level_[level] += contact_ms + solver_ms * (now > 0.0 ? small_steps[level] / now : 1.0);
}

FrameBudget::Times LevelTimes::of_frame(double ms) const {
    FrameBudget::Times times;
    for (int level = 0; level < FrameBudget::kWorkLevels; ++level) {
        times[level] = total_ > 0.0 && level != level_ ? ms * (at_level_[level] / total_) : ms;
        if (level > 0) times[level] = std::min(times[level], times[level - 1]);
    }
    return times;
}

} // namespace selvage
