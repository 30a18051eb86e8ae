#include "sim/frame_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "collision/contact/crossings.h"
#include "model/measures.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/simulation.h"

namespace selvage {
namespace {

constexpr double kBudget = 4.0;
constexpr int kLowest = FrameBudget::kWorkLevels - 1;

/// A machine on which a frame of all the work takes `full` ms, of which the part `fixed` is the same at all levels.
FrameBudget::Times times(double full, double fixed) {
    constexpr double kLeast = 0.2; // what solvers do at no effort
    FrameBudget::Times out;
    for (int level = 0; level < FrameBudget::kWorkLevels; ++level)
        out[level] = fixed + (full - fixed) * std::max(kLeast, FrameBudget::kWork[level]);
    return out;
}

/// Runs frames of which each takes as long as `wanted(frame)` says, and returns the mean time of a frame.
template <class Wanted>
double run(FrameBudget& budget, int frames, const Wanted& wanted) {
    double sum = 0.0;
    for (int frame = 0; frame < frames; ++frame) {
        if (budget.drops_frame()) continue;
        const FrameBudget::Times now = wanted(frame);
        sum += now[budget.work_level()];
        budget.add_frame(now);
    }
    return sum / frames;
}
double run(FrameBudget& budget, int frames, const FrameBudget::Times& wanted) {
    return run(budget, frames, [&](int) { return wanted; });
}

TEST(FrameBudget, DoesAllTheWorkWithoutOne) {
    for (const double ms : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        FrameBudget budget(ms);
        run(budget, 100, times(1000.0, 0.0));
        EXPECT_FALSE(budget.is_on());
        EXPECT_EQ(budget.lowest_level(), 0);
    }
}

TEST(FrameBudget, DoesAllTheWorkWhileThereIsTime) {
    FrameBudget budget(kBudget);
    run(budget, 1000, times(3.9, 1.0));
    EXPECT_EQ(budget.lowest_level(), 0);
}

TEST(FrameBudget, GoesDownInOneFrameAsFarAsIsNeeded) {
    FrameBudget budget(kBudget);
    run(budget, 1, times(7.0, 0.0)); // 7 * 0.5 fits, 7 * 0.7 does not
    EXPECT_EQ(budget.level(), 0);    // that frame did all its work
    EXPECT_EQ(budget.work_level(), 2);
    EXPECT_EQ(budget.effort(), 0.5);
    run(budget, 1000, times(7.0, 0.0));
    EXPECT_EQ(budget.work_level(), 2); // and stays: the level above would take 4.9 ms
    EXPECT_EQ(budget.lowest_level(), 2);
}

TEST(FrameBudget, GoesUpLevelByLevelOnceThereIsTimeAgain) {
    FrameBudget budget(kBudget);
    run(budget, 10, times(15.0, 0.0));
    EXPECT_EQ(budget.work_level(), kLowest);
    run(budget, 29, times(3.0, 0.0));
    EXPECT_EQ(budget.work_level(), kLowest); // patience is 30 frames
    run(budget, 1, times(3.0, 0.0));
    EXPECT_EQ(budget.work_level(), kLowest - 1);
    run(budget, 90, times(3.0, 0.0));
    EXPECT_EQ(budget.work_level(), 0);
    EXPECT_EQ(budget.lowest_level(), kLowest);
}

TEST(FrameBudget, DoesNotSwingBetweenLevels) {
    // What is expected of the level above is wrong: it seems to fit and does not.
    FrameBudget budget(kBudget);
    int changes = 0, last = 0, over = 0;
    for (int frame = 0; frame < 3600; ++frame) {
        if (budget.drops_frame()) continue;
        FrameBudget::Times now = times(6.0, 0.0);
        if (budget.work_level() > 0) now[budget.work_level() - 1] = now[budget.work_level()];
        over += now[budget.work_level()] > kBudget ? 1 : 0;
        budget.add_frame(now);
        changes += budget.work_level() != last ? 1 : 0;
        last = budget.work_level();
    }
    // Waits of 30, 60, 120, 240 and 480 frames, then 480 each: 5 + (3600 - 930) / 480 attempts in a minute, up and down.
    EXPECT_LE(changes, 2 * 11 + 1);
    EXPECT_LE(over, 12);
}

TEST(FrameBudget, TakesNoiseWithoutSwinging) {
    FrameBudget budget(kBudget);
    int changes = 0, last = 0;
    run(budget, 3600, [&](int frame) {
        changes += budget.work_level() != last ? 1 : 0;
        last = budget.work_level();
        return times(6.0 + 0.6 * std::sin(7.3 * frame) + 0.4 * std::sin(0.11 * frame), 0.0);
    });
    EXPECT_LE(changes, 6);
    EXPECT_LE(budget.lowest_level(), 2);
}

TEST(FrameBudget, ForgetsASingleSlowFrame) {
    FrameBudget budget(kBudget);
    run(budget, 300, [&](int frame) { return times(frame == 100 ? 200.0 : 3.0, 0.5); });
    EXPECT_EQ(budget.work_level(), 0);
    EXPECT_EQ(budget.lowest_level(), kLowest); // lowered at once, but no frame was left out
}

TEST(FrameBudget, LeavesFewFramesOutForASingleSlowOneAtTheLowestLevel) {
    FrameBudget budget(kBudget);
    int dropped = 0;
    for (int frame = 0; frame < 300; ++frame) {
        if (budget.drops_frame()) {
            ++dropped;
            continue;
        }
        budget.add_frame(times(frame == 100 ? 2000.0 : 3.9, 3.9)); // no level is cheaper
    }
    EXPECT_LE(dropped, 3); // counts as four budgets at most
}

TEST(FrameBudget, KeepsToItOnAverageWhateverAFrameTakes) {
    for (const double least : {4.1, 6.0, 17.0, 400.0}) {
        SCOPED_TRACE(least);
        FrameBudget budget(kBudget);
        run(budget, 500, times(least, least));
        const double mean = run(budget, 10000, times(least, least));
        EXPECT_LE(mean, 1.01 * kBudget + least / 10000);
        EXPECT_GE(mean, 0.9 * kBudget - least / 10000); // and leaves no more out than that takes
        EXPECT_EQ(budget.lowest_level(), FrameBudget::kDropping);
        EXPECT_EQ(budget.work_level(), 0); // doing less would not help
    }
}

TEST(FrameBudget, DoesTheLeastWorkBeforeItLeavesFramesOut) {
    FrameBudget budget(kBudget);
    run(budget, 1, times(40.0, 2.0)); // 9.6 ms at the lowest level
    EXPECT_EQ(budget.work_level(), kLowest);
    EXPECT_FALSE(budget.drops_frame());
    EXPECT_LE(run(budget, 10000, times(40.0, 2.0)), 1.01 * kBudget);
    run(budget, 300, times(3.0, 0.5)); // and back to all of it
    EXPECT_EQ(budget.level(), 0);
}

TEST(FrameBudget, LearnsNothingFromTimesThatAreNone) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double ms : {-1.0, -kInfinity, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
        FrameBudget budget(kBudget);
        FrameBudget::Times none;
        none.fill(ms);
        run(budget, 100, none);
        EXPECT_EQ(budget.lowest_level(), 0);
        run(budget, 1, times(7.0, 0.0));
        run(budget, 100, none);
        EXPECT_EQ(budget.work_level(), 2);
    }
    FrameBudget budget(kBudget);
    run(budget, 1, times(7.0, 0.0));
    run(budget, 100, times(0.0, 0.0)); // a clock that is too coarse
    EXPECT_EQ(budget.work_level(), 0);
}

TEST(LevelTimes, ScalesTheSolverBySmallStepsAndLeavesContact) {
    LevelTimes estimate(0);
    estimate.add(6.0, 2.0, {20, 14, 10, 7, 4});
    estimate.add(2.0, 0.0, {0, 0, 0, 0, 0});                // a solver that cannot do less
    const FrameBudget::Times now = estimate.of_frame(20.0); // twice the 10 ms above: half of it was something else
    EXPECT_DOUBLE_EQ(now[0], 20.0);
    EXPECT_DOUBLE_EQ(now[2], 2.0 * (6.0 * 0.5 + 2.0 + 2.0));
    EXPECT_DOUBLE_EQ(now[4], 2.0 * (6.0 * 0.2 + 2.0 + 2.0));
    EXPECT_DOUBLE_EQ(LevelTimes(3).of_frame(5.0)[0], 5.0); // nothing is known
}

SceneDesc drape(const char* solver) {
    std::vector<std::string> overrides{"/cloths/0/mesh/grid/vertices=[17,17]", solver};
    return *load_scene("yard-drape", overrides);
}

TEST(SimulationBudget, TakesFewerSmallStepsAtLessEffortButNeverTooFew) {
    struct Case {
        const char* solver;
        int substeps, half, least; // steps of a frame
    };
    for (const Case& c :
         {Case{R"(/solver={"type":"multilevel"})", 10, 5, 4},
          Case{R"(/solver={"type":"multilevel","quality":"low"})", 4, 4, 4},
          Case{R"(/solver={"type":"multilevel","quality":"high"})", 20, 10, 4},
          Case{R"(/solver={"type":"xpbd"})", 4, 4, 4}, Case{R"(/solver={"type":"verlet"})", 20, 20, 20}}) {
        SCOPED_TRACE(c.solver);
        SceneDesc scene = drape(c.solver);
        scene.substeps = c.substeps;
        Result<Simulation> sim = Simulation::make(scene, 1);
        ASSERT_TRUE(sim);
        EXPECT_EQ(sim->steps_per_frame(), c.substeps);
        sim->set_effort(0.5);
        EXPECT_EQ(sim->steps_per_frame(), c.half);
        sim->set_effort(0.0);
        EXPECT_EQ(sim->steps_per_frame(), c.least);
        sim->step_frame();
        EXPECT_EQ(sim->step_count(), c.substeps); // counted as ever
        EXPECT_DOUBLE_EQ(sim->state().time, scene.dt);
        sim->set_effort(1.0);
        sim->step_frame();
        EXPECT_DOUBLE_EQ(sim->state().time, 2.0 * scene.dt);
    }
}

TEST(SimulationBudget, KeepsClothApartAtEveryEffortAndWhileItChanges) {
    for (const char* solver : {R"(/solver={"type":"multilevel"})", R"(/solver={"type":"xpbd"})"}) {
        SCOPED_TRACE(solver);
        Result<Simulation> sim = Simulation::make(drape(solver), 1);
        ASSERT_TRUE(sim);
        CrossingCounter counter;
        for (int frame = 0; frame < 90; ++frame) {
            sim->set_effort(FrameBudget::kWork[frame < 60 ? kLowest : frame % FrameBudget::kWorkLevels]);
            sim->step_frame();
            ASSERT_FALSE(sim->divergence());
            ASSERT_EQ(first_crossing(*sim, counter).value_or(""), "");
        }
        EXPECT_LT(measure_strain(sim->model(), sim->state()).max, 0.3); // stretch may grow, within limits
    }
}

TEST(SimulationBudget, ChangesNothingWhileThereIsTime) {
    SceneDesc scene = drape(R"(/solver={"type":"multilevel"})");
    Result<Simulation> plain = Simulation::make(scene, 1);
    scene.budget_ms = 1e6;
    Result<Simulation> timed = Simulation::make(scene, 1);
    for (int frame = 0; frame < 30; ++frame) {
        plain->step_frame();
        timed->step_frame();
    }
    EXPECT_EQ(state_hash(plain->state()), state_hash(timed->state()));
    EXPECT_EQ(timed->budget().lowest_level(), 0);
}

TEST(SimulationBudget, LosesTimeRatherThanTakeLonger) {
    SceneDesc scene = drape(R"(/solver={"type":"multilevel"})");
    scene.budget_ms = 1e-3; // no machine is so fast
    Result<Simulation> sim = Simulation::make(scene, 1);
    RunRecorder recorder(*sim);
    constexpr int kTaken = 200;
    for (int frame = 0; frame < kTaken; ++frame)
        sim->step_frame();
    EXPECT_EQ(sim->budget().lowest_level(), FrameBudget::kDropping);
    EXPECT_GT(sim->dropped_seconds(), 0.5 * kTaken * scene.dt);
    EXPECT_NEAR(sim->dropped_seconds() + sim->state().time, kTaken * scene.dt, 1e-9);
    const Json report = recorder.report();
    EXPECT_EQ(report["budget"]["lowest_level"], FrameBudget::kDropping);
    EXPECT_EQ(report["budget"]["ms"], 1e-3);
    EXPECT_EQ(report["budget"]["dropped_s"], sim->dropped_seconds());
}

} // namespace
} // namespace selvage
