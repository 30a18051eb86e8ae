// What is said where a scene cannot run on the device, or cannot go on.

#include <cuda_runtime_api.h>

#include "cuda/cuda_scenes.h"

namespace selvage {
namespace {

class CudaErrors : public OnEmulatedDevice {};

TEST_F(CudaErrors, TellTheDevice) {
    EXPECT_EQ(cuda::describe_device(), "Emulated GPU, compute capability 9.0, 2 multiprocessors, 2048 MiB");
}

TEST_F(CudaErrors, SayThatThereIsNoDevice) {
    const SceneDesc scene = hanging_grid(HarmonicSettings{});
    emulated::machine().no_device = cudaErrorNoDevice;
    EXPECT_EQ(cuda::describe_device(), "none: no device found; expected an NVIDIA GPU");
    EXPECT_EQ(refusal(scene), "device cuda: no device found; expected an NVIDIA GPU");
    emulated::machine().no_device = cudaErrorInsufficientDriver;
    EXPECT_EQ(refusal(scene),
              "device cuda: no NVIDIA driver, or one older than the CUDA that this build was made with");
    emulated::machine().no_device = 0;
    emulated::machine().has_code = false;
    EXPECT_EQ(
        refusal(scene),
        "device cuda: Emulated GPU, compute capability 9.0, 2 multiprocessors, 2048 MiB: this build has no code for "
        "it (no kernel image is available for execution on the device); expected compute capability 7.5 or later");
    emulated::machine().has_code = true;
    EXPECT_EQ(refusal(scene), "");
}

TEST_F(CudaErrors, RefuseWhatIsOnTheCpuOnly) {
    ImplicitJacobiSettings by_mean;
    by_mean.position_update = PositionUpdate::mean_velocity;
    SceneDesc collides = hanging_grid(by_mean);
    EXPECT_EQ(refusal(collides), "");
    collides.cloths[0].self_collision = true;
    EXPECT_NE(refusal(collides).find("found \"position_update\": \"mean\"; expected \"new\""), std::string::npos)
        << refusal(collides);
    EXPECT_NE(
        refusal(hanging_grid(XpbdSettings{})).find("found xpbd; expected multilevel, implicit-jacobi, harmonic or"),
        std::string::npos);
    HarmonicSettings limited;
    limited.strain_limit = 0.1;
    EXPECT_NE(refusal(hanging_grid(limited)).find("/solver/strain_limit"), std::string::npos);
    ImplicitJacobiSettings also;
    also.strain_limit = 0.1;
    EXPECT_NE(refusal(hanging_grid(also)).find("/solver/strain_limit"), std::string::npos);
}

TEST_F(CudaErrors, RefuseWhatDoesNotFitBeforeAnythingRuns) {
    for (const SolverSettings& solver : std::vector<SolverSettings>{HarmonicSettings{}, MultilevelSettings{}}) {
        emulated::machine().memory_free = std::size_t{64} << 20;
        const std::string text = refusal(hanging_grid(solver));
        // 64 MiB are left to the driver, and there is something to hold besides.
        EXPECT_TRUE(text.find("device memory: needs 65 MiB on the device; 64 MiB of 2048 MiB are free") == 0) << text;
        EXPECT_EQ(emulated::machine().kernels_run, 0);
        emulated::machine().memory_free = std::size_t{80} << 20;
        EXPECT_EQ(refusal(hanging_grid(solver)), ""); // no error is left behind
    }
}

// Wherever the device is lost, the run ends with a clear text and the state that was read last.
TEST_F(CudaErrors, KeepTheLastStateThatWasReadWhenTheDeviceIsLost) {
    for (const SolverSettings& solver : std::vector<SolverSettings>{ImplicitJacobiSettings{}, MultilevelSettings{}})
        for (const int kernels : {0, 1, 3, 10, 30}) {
            SCOPED_TRACE(solver_name(solver) + " " + std::to_string(kernels));
            emulated::reset_machine();
            SceneDesc scene = hanging_irregular(solver);
            scene.substeps = 3;
            Simulation sim = on_device(scene);
            sim.step_frame();
            const std::uint64_t read = state_hash(sim.state());
            const double time = sim.state().time;
            emulated::machine().kernels_until_lost = kernels;
            for (int frame = 0; frame < 40 && !sim.divergence(); ++frame)
                sim.step_frame();
            ASSERT_TRUE(sim.divergence());
            EXPECT_NE(sim.divergence()->text().find("CUDA: an illegal memory access was encountered"),
                      std::string::npos)
                << sim.divergence()->text();
            EXPECT_NE(sim.divergence()->text().find("the last state that was read is kept"), std::string::npos);
            EXPECT_EQ(state_hash(sim.state()), read);
            EXPECT_EQ(sim.state().time, time);
            EXPECT_EQ(sim.step_count(), 3); // of that state, for whoever writes a checkpoint
            sim.step_frame();
            EXPECT_EQ(state_hash(sim.state()), read);
        }
}

TEST_F(CudaErrors, LeaveTheSimulationToTheCpuAfterADeviceIsLost) {
    Simulation sim = on_device(hanging_irregular(HarmonicSettings{}));
    sim.step_frame();
    const ClothState last = sim.state();
    emulated::machine().kernels_until_lost = 0;
    sim.step_frame();
    ASSERT_TRUE(sim.divergence());
    sim.set_backend(nullptr);
    sim.set_state(last, 1);
    sim.step_frame();
    EXPECT_FALSE(sim.divergence());
    EXPECT_EQ(sim.step_count(), 2);
}

} // namespace
} // namespace selvage
