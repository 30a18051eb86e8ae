#include <gtest/gtest.h>

#include "sim/separate_memory.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

/// A sheet that hangs by two corners and folds onto itself, in frames of 20 steps.
SceneDesc hanging_sheet(const SolverSettings& solver) {
    SceneDesc scene = free_sheet(solver);
    pin_corners(scene);
    scene.dt = 1.0 / 30.0;
    scene.substeps = 20;
    scene.cloths[0].self_collision = true;
    scene.cloths[0].contact_distance = 0.002;
    return scene;
}

constexpr int kBackendFrames = 10, kBackendSubsteps = 20;

TEST(StepBackend, CopiesTheStateOnceInAndNeverOutWhileNobodyReadsIt) {
    CopyCounts counts;
    Simulation sim = make_simulation(hanging_sheet(XpbdSettings{}));
    sim.set_backend(std::make_unique<SeparateMemory>(sim, counts));
    for (int frame = 0; frame < kBackendFrames; ++frame)
        sim.step_frame();
    EXPECT_EQ(counts.steps, kBackendFrames * kBackendSubsteps);
    EXPECT_EQ(counts.uploads, 1);
    EXPECT_EQ(counts.downloads, 0);
}

TEST(StepBackend, CopiesTheStateOutOncePerFrameHoweverOftenItIsRead) {
    CopyCounts counts;
    Simulation sim = make_simulation(hanging_sheet(XpbdSettings{}));
    sim.set_backend(std::make_unique<SeparateMemory>(sim, counts));
    for (int frame = 0; frame < kBackendFrames; ++frame) {
        sim.step_frame();
        EXPECT_NEAR(sim.state().time, (frame + 1) / 30.0, 1e-12);
        EXPECT_GT(sim.energy().kinetic, 0.0);
    }
    EXPECT_EQ(counts.uploads, 1);
    EXPECT_EQ(counts.downloads, kBackendFrames);
}

TEST(StepBackend, EndsInTheSameBitsAsTheHost) {
    for (const SolverSettings& solver :
         std::vector<SolverSettings>{XpbdSettings{}, MultilevelSettings{}, VerletSettings{}}) {
        SCOPED_TRACE(solver_name(solver));
        CopyCounts counts;
        Simulation host = make_simulation(hanging_sheet(solver)), sim = make_simulation(hanging_sheet(solver));
        sim.set_backend(std::make_unique<SeparateMemory>(sim, counts));
        for (int frame = 0; frame < kBackendFrames; ++frame) {
            host.step_frame();
            sim.step_frame();
        }
        EXPECT_EQ(state_hash(sim.state()), state_hash(host.state()));
        EXPECT_EQ(counts.downloads, 1);
        sim.set_backend(nullptr); // nothing has changed since it was read
        EXPECT_EQ(counts.downloads, 1);
        EXPECT_EQ(state_hash(sim.state()), state_hash(host.state()));
    }
}

TEST(StepBackend, TakesOverAStateThatTheCallerSets) {
    CopyCounts counts;
    Simulation sim = make_simulation(hanging_sheet(XpbdSettings{}));
    sim.set_backend(std::make_unique<SeparateMemory>(sim, counts));
    const ClothState start = sim.state();
    sim.step_frame();
    const std::uint64_t first = state_hash(sim.state());
    sim.set_state(start, 0);
    EXPECT_EQ(state_hash(sim.state()), state_hash(start));
    sim.step_frame();
    EXPECT_EQ(state_hash(sim.state()), first);
    EXPECT_EQ(counts.uploads, 2);
}

TEST(StepBackend, GoesBackToTheLastGoodFrameInItsOwnMemoryAfterADivergence) {
    // Explicit steps of 1/60 s: h omega is far above 2 for springs of this stiffness.
    SceneDesc scene = hanging_sheet(ExplicitSettings{});
    scene.substeps = 2;
    scene.cloths[0].material.stretch_warp = scene.cloths[0].material.stretch_weft = 2e4;
    CopyCounts counts;
    Simulation host = make_simulation(scene), sim = make_simulation(scene);
    sim.set_backend(std::make_unique<SeparateMemory>(sim, counts));
    for (int frame = 0; frame < 60 && !host.divergence(); ++frame) {
        host.step_frame();
        sim.step_frame();
    }
    ASSERT_TRUE(host.divergence() && sim.divergence());
    EXPECT_EQ(sim.divergence()->text(), host.divergence()->text());
    EXPECT_EQ(state_hash(sim.state()), state_hash(host.state()));
    EXPECT_EQ(counts.uploads, 1);
}

} // namespace
} // namespace selvage
