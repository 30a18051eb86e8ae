#pragma once

#include <array>

namespace selvage {

/// Decides how much work frames may do so that they keep to a time. It knows nothing of clocks: what it decides follows
/// from the times it is told alone.
///   level 0        all the work that the settings ask for
///   levels 1 to 4  a smaller fraction of it: kWork
///   level 5        not even the least work fits: some frames are left out, and their time is lost
/// It goes down at once, as far as is expected to be enough, and up a level at a time after a while in which the higher
/// one would have fitted. A rise that was a mistake makes the next one wait longer.
class FrameBudget {
public:
    static constexpr int kWorkLevels = 5, kDropping = kWorkLevels;
    /// Fraction of the work at each level; solvers have a least that they do at any (StepInput::effort).
    static constexpr std::array<double, kWorkLevels> kWork{1.0, 0.7, 0.5, 0.35, 0.0};
    using Times = std::array<double, kWorkLevels>; ///< One per level [ms].

    FrameBudget() = default;
    explicit FrameBudget(double ms) : budget_(ms > 0.0 ? ms : 0.0) {}

    bool is_on() const { return budget_ > 0.0; }
    double ms() const { return budget_; }
    /// To be asked before every frame: whether it is to be left out.
    bool drops_frame();
    /// What a frame took at work_level(), and is expected to take at the others, never more at a lower level. A time that
    /// is negative or not finite says nothing.
    void add_frame(const Times& times);

    int work_level() const { return work_level_; }
    double effort() const { return kWork[work_level_]; }
    /// Of the last frame: kDropping when it was left out.
    int level() const { return is_dropped_ ? kDropping : frame_level_; }
    int lowest_level() const { return lowest_level_; } ///< The largest number so far.

private:
    static constexpr int kLeastPatience = 30; // [frames]
    void lower(const Times& times);
    void consider_raising(const Times& times);
    void charge(double ms);

    double budget_ = 0.0; // [ms]; 0: none
    int work_level_ = 0;  // of the next frame
    int frame_level_ = 0; // of the last frame that was not left out
    int lowest_level_ = 0;
    bool is_dropped_ = false;       // the last frame
    double debt_ = 0.0;             // time taken beyond the budget where no level is cheaper [ms]
    double mean_ms_ = 0.0;          // of frames, the last ones counting most
    int fitting_frames_ = 0;        // in a row, in which the next level up would have fitted
    int patience_ = kLeastPatience; // fitting frames that a rise takes
    int trial_frames_ = 0;          // left until a rise has proved right
};

/// Estimates what a frame would have taken at every level from what it took at one. Solvers cost in proportion to their
/// small steps; contact costs the same at all levels.
class LevelTimes {
public:
    using SmallSteps = std::array<int, FrameBudget::kWorkLevels>;

    explicit LevelTimes(int level) : level_(level) {}
    /// Adds a simulation's times [ms] and the small steps of its solver at each level, 0 where they do not depend on it.
    void add(double solver_ms, double contact_ms, const SmallSteps& small_steps);
    /// Of a frame that took this long in all.
    FrameBudget::Times of_frame(double ms) const;

private:
    int level_;
    double total_ = 0.0;            // of all that was added [ms]
    FrameBudget::Times at_level_{}; // and at each level
};

} // namespace selvage
