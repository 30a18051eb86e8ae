// What a simulation on the device does around its steps: frames, copies, input that changes, and going back.

#include "cuda/cuda_scenes.h"
#include "sim/report.h"

namespace selvage {
namespace {

class CudaBackend : public OnEmulatedDevice {};

std::vector<SolverSettings> device_solvers() {
    return {HarmonicSettings{}, HarmonicPublishedSettings{}, ImplicitJacobiSettings{}, MultilevelSettings{}};
}

/// Everything at once: wind, damping, pins that move, frames of several steps.
SceneDesc busy_scene(const SolverSettings& solver) {
    SceneDesc scene = hanging_irregular(solver);
    scene.dt = 1.0 / 60.0;
    scene.substeps = 4;
    scene.air.density = 1.2;
    scene.air.wind = {1, 0, 3};
    scene.air.gust = 0.3;
    scene.velocity_damping = 0.5;
    scene.cloths[0].material.damping = 0.002;
    scene.cloths[0].pins[0].keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.3, {0.2, 0.1, 0}, {0, 0, 0}}};
    return scene;
}

std::uint64_t hash_after(const SceneDesc& scene, int frames) {
    Simulation sim = on_device(scene);
    for (int k = 0; k < frames; ++k)
        sim.step_frame();
    EXPECT_FALSE(sim.divergence());
    return state_hash(sim.state());
}

void expect_same_bits(const SceneDesc& scene, int frames) {
    emulated::machine().descending = false;
    const std::uint64_t first = hash_after(scene, frames);
    EXPECT_EQ(hash_after(scene, frames), first);
    emulated::machine().descending = true;
    EXPECT_EQ(hash_after(scene, frames), first);
}

TEST_F(CudaBackend, GivesTheSameBitsTwiceAndInAnyOrderOfThreads) {
    for (const SolverSettings& solver : device_solvers()) {
        SCOPED_TRACE(solver_name(solver));
        expect_same_bits(busy_scene(solver), 4);
        expect_same_bits(free_sheet(solver, kSide), 4);
    }
}

// 1,600 points have three levels, of which two run in one block.
TEST_F(CudaBackend, GivesTheSameBitsOnManyLevels) {
    expect_same_bits(hanging_irregular(MultilevelSettings{}, 40), 1);
}

TEST_F(CudaBackend, StepsSimulationsOfDifferentSizesSideBySide) {
    MultilevelSettings solver;
    const SceneDesc small = hanging_grid(solver, 6), large = hanging_grid(solver, 20);
    const std::uint64_t alone[2] = {hash_after(large, 2), hash_after(small, 2)};
    Simulation first = on_device(large), second = on_device(small);
    for (int k = 0; k < 2; ++k) {
        first.step_frame();
        second.step_frame();
    }
    EXPECT_EQ(state_hash(first.state()), alone[0]);
    EXPECT_EQ(state_hash(second.state()), alone[1]);
}

// 400 points have three levels. They agree with the CPU whether the coarse ones run in one block,
// only the last ones do, or none: with 12 iterations nothing is left but rounding, for which the bound is as in
// cuda_agreement_test.cpp.
TEST_F(CudaBackend, SolvesTheSameWithMuchAndLittleSharedMemory) {
    MultilevelSettings solver;
    solver.iterations = 12;
    const SceneDesc scene = hanging_irregular(solver, 20);
    Simulation host = make_simulation(scene);
    host.step_frame();
    host.step_frame();
    std::vector<int> kernels;
    for (const int bytes : {100 * 1024, 24 * 1024, 1024}) {
        emulated::reset_machine();
        emulated::machine().shared_bytes = bytes;
        Simulation device = on_device(scene);
        device.step_frame();
        device.step_frame();
        EXPECT_LT(farthest_apart(host.state(), device.state()), 1e-6) << bytes;
        EXPECT_EQ(emulated::fault(), "");
        kernels.push_back(emulated::machine().kernels_run);
    }
    EXPECT_LT(kernels[0], kernels[1]); // more levels have kernels of their own
    EXPECT_LT(kernels[1], kernels[2]);
}

TEST_F(CudaBackend, TakesAStateInAndGivesItBack) {
    for (const SolverSettings& solver : device_solvers()) {
        SCOPED_TRACE(solver_name(solver));
        Simulation sim = make_simulation(hanging_irregular(solver));
        ClothState state = sim.state();
        for (std::size_t i = 0; i < state.position.size(); ++i) {
            state.position[i] += Vec3{1e-9 * static_cast<double>(i), 1.0 / 3.0, -2.0 / 7.0};
            state.velocity[i] = {0.1 * static_cast<double>(i), -1.0 / 3.0, 1e-5};
        }
        state.time = 1.25;
        Result<std::unique_ptr<StepBackend>> backend = cuda::make_cuda_backend(sim);
        ASSERT_TRUE(backend);
        (*backend)->upload(state);
        ClothState back = sim.state();
        (*backend)->download(back);
        EXPECT_EQ(back.time, 1.25);
        for (std::size_t i = 0; i < state.position.size(); ++i) {
            // A thousandth of a float's last digit, 1.2e-7 for numbers from 1 to 2.
            EXPECT_LT(length(back.position[i] - state.position[i]), 2e-10) << i;
            EXPECT_LT(length(back.velocity[i] - state.velocity[i]), 1e-7 * length(state.velocity[i])) << i;
        }
    }
}

TEST_F(CudaBackend, GoesBackToTheStateThatWasSaved) {
    for (const SolverSettings& solver : device_solvers()) {
        SCOPED_TRACE(solver_name(solver));
        const SceneDesc scene = busy_scene(solver);
        Simulation sim = on_device(scene), again = on_device(scene);
        for (Simulation* s : {&sim, &again})
            s->step_frame();
        const std::uint64_t saved = state_hash(sim.state());
        sim.step_frame();
        const std::uint64_t next = state_hash(sim.state());
        EXPECT_NE(next, saved);
        again.set_state(ClothState(again.state()), again.step_count());
        again.step_frame();
        EXPECT_LT(farthest_apart(sim.state(), again.state()),
                  1e-6); // but for held points, whose velocity is found anew
    }
}

TEST_F(CudaBackend, TakesInputThatChangesWithinAFrame) {
    for (const SolverSettings& solver : device_solvers()) {
        SCOPED_TRACE(solver_name(solver));
        SceneDesc scene = hanging_irregular(solver);
        scene.dt = 1.0 / 60.0;
        scene.substeps = 8;
        Simulation host = make_simulation(scene), device = on_device(scene);
        const Vec3 start = host.state().position[40];
        AirDesc air;
        air.density = 1.2;
        air.wind = {0, 0, 2};
        for (Simulation* sim : {&host, &device})
            for (int frame = 0; frame < 3; ++frame)
                sim->step_frame([&](double fraction) {
                    sim->set_gravity(fraction < 0.4 ? Vec3{0, -9.81, 0} : Vec3{0, -5, 1});
                    sim->set_air(fraction < 0.6 ? AirDesc{} : air);
                    if (fraction > 0.2) sim->grab(40, start + Vec3{0, 0.001 * (frame + fraction), 0});
                    if (fraction > 0.8) sim->release(40);
                });
        EXPECT_FALSE(device.divergence());
        // 24 steps: see cuda_agreement_test.cpp for what methods differ by. Steps that miss a change are apart by
        // (10 m/s2) h^2 = 4e-5 m at once.
        EXPECT_LT(farthest_apart(host.state(), device.state()), 1e-5);
    }
}

// A cloth of 10 cm that is yanked: in the middle its pins move by 15 cm a step, more than 2.5 edge lengths for each of
// the two small steps that low quality takes otherwise.
TEST_F(CudaBackend, TakesMoreSmallStepsWhileHandsAreFast) {
    MultilevelSettings solver;
    solver.iterations = 8;
    solver.quality = Quality::low;
    SceneDesc scene = hanging_grid(solver);
    std::get<MultilevelSettings>(scene.solver).substeps = 0; // as many as it takes
    std::get<GridDesc>(scene.cloths[0].mesh).size = {0.1, 0.1};
    scene.dt = 1.0 / 60.0;
    scene.substeps = 2;
    for (PinDesc& pin : scene.cloths[0].pins)
        pin.keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.05, {0, 0.6, 0}, {0, 0, 0}}};
    Simulation host = make_simulation(scene), device = on_device(scene);
    std::vector<int> iterations;
    for (int frame = 0; frame < 4; ++frame) {
        const int expected = host.step_frame().iterations;
        iterations.push_back(device.step_frame().iterations);
        EXPECT_EQ(iterations.back(), expected);
        EXPECT_LT(farthest_apart(host.state(), device.state()), 1e-4) << frame; // a thousandth of the cloth
    }
    EXPECT_GT(*std::max_element(iterations.begin(), iterations.end()), iterations[3]);
}

TEST_F(CudaBackend, ReportsDivergenceWithTheVertexThatTheCpuReports) {
    for (const SolverSettings& solver : device_solvers()) {
        SCOPED_TRACE(solver_name(solver));
        const SceneDesc scene = hanging_irregular(solver);
        Simulation host = make_simulation(scene), device = on_device(scene);
        for (Simulation* sim : {&host, &device}) {
            sim->step_frame();
            sim->edit_state().velocity[37] = {std::numeric_limits<double>::quiet_NaN(), 0, 0};
            sim->restart();
            sim->step_frame();
        }
        ASSERT_TRUE(host.divergence());
        ASSERT_TRUE(device.divergence());
        EXPECT_EQ(device.divergence()->text(), host.divergence()->text());
        EXPECT_EQ(device.step_count(), 1);
        EXPECT_DOUBLE_EQ(device.state().time, host.state().time);
    }
}

// A frame that begins after one single step ends one step after the scene's frame does: that step must be saved too.
TEST_F(CudaBackend, SavesStepsThatAreStillToBeLaunched) {
    for (const SolverSettings& solver : std::vector<SolverSettings>{HarmonicSettings{}, ImplicitJacobiSettings{}}) {
        SCOPED_TRACE(solver_name(solver));
        SceneDesc scene = hanging_irregular(solver);
        scene.substeps = 4;
        Simulation sim = on_device(scene);
        sim.step();
        sim.step_frame(); // to step 5
        const std::int64_t good = sim.step_count();
        sim.set_gravity({std::numeric_limits<double>::infinity(), 0, 0});
        sim.step_frame();
        ASSERT_TRUE(sim.divergence());
        EXPECT_EQ(sim.step_count(), good);
        EXPECT_DOUBLE_EQ(sim.state().time, 5 * sim.step_size());
        Simulation host = make_simulation(scene);
        host.step();
        host.step_frame();
        EXPECT_LT(farthest_apart(host.state(), sim.state()), 1e-5);
    }
}

// Patches follow the number of multiprocessors; 24 x 24 vertices are cut into 2, 4 and 9.
TEST_F(CudaBackend, PatchesOfSpringsAreOfAnySizeWithTheSameBits) {
    for (const SolverSettings& solver : std::vector<SolverSettings>{HarmonicSettings{}, ImplicitJacobiSettings{}})
        for (const bool is_grid : {true, false}) {
            std::vector<std::uint64_t> hashes;
            for (const int multiprocessors : {2, 4, 9}) {
                emulated::machine().multiprocessors = multiprocessors;
                Simulation sim = on_device(is_grid ? hanging_grid(solver, 24) : hanging_irregular(solver, 24));
                for (int f = 0; f < 3; ++f)
                    sim.step();
                hashes.push_back(state_hash(sim.state()));
            }
            EXPECT_EQ(hashes[1], hashes[0]);
            EXPECT_EQ(hashes[2], hashes[0]);
        }
}

} // namespace
} // namespace selvage
