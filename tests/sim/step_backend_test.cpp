#include <gtest/gtest.h>

#include "sim/simulation.h"
#include "sim/step_backend.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

struct CopyCounts {
    int uploads = 0, downloads = 0, steps = 0;
};

/// Stands in for a device: a state of its own that nothing else can reach, with a solver and a contact of its own. Counts
/// how often the state crosses between the two memories.
class SeparateMemory final : public StepBackend {
public:
    SeparateMemory(const Simulation& sim, CopyCounts& counts)
        : model_(sim.shared_model()), counts_(counts), pool_(1),
          solver_(make_solver(*model_, sim.scene().solver, pool_)), contact_(surface_of(sim), model_->mass),
          motion_(model_->mass.size()) {}

    void upload(const ClothState& state) override {
        ++counts_.uploads;
        state_ = saved_ = state;
        solver_->reset(state_);
        contact_.forget();
        contact_.find_tangles(pool_, state_.position);
    }
    void download(ClothState& state) override {
        ++counts_.downloads;
        state = state_;
    }
    StepOutcome step(const StepInput& input, double end_time, bool ends_frame) override {
        ++counts_.steps;
        return step_on_host({*model_, pool_, *solver_, contact_, motion_}, state_, input, end_time, ends_frame);
    }
    void save() override { saved_ = state_; }
    void restore() override { state_ = saved_; }

private:
    static ContactSurface surface_of(const Simulation& sim) {
        const ClothModel& model = sim.model();
        ContactSurface surface{model.mesh.positions, model.mesh.triangles, {}};
        for (std::size_t c = 0; c < model.parts.size(); ++c) {
            const ClothPart& part = model.parts[c];
            surface.bodies.push_back({part.vertex_begin, part.vertex_count, part.triangle_begin, part.triangle_count,
                                      sim.scene().cloths[c].contact_distance, part.material.friction,
                                      sim.scene().cloths[c].self_collision});
        }
        return surface;
    }

    std::shared_ptr<const ClothModel> model_;
    CopyCounts& counts_;
    ThreadPool pool_;
    std::unique_ptr<Solver> solver_;
    ContactStage contact_;
    std::vector<Vec3> motion_;
    ClothState state_, saved_;
};

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
