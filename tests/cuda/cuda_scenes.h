#pragma once

#include <gtest/gtest.h>

#include "cuda/cuda_backend.h"
#include "emulator.h"
#include "solvers/irregular_square.h"
#include "solvers/scenes.h"

namespace selvage {

/// A test with a device of its own, in which no kernel may do anything wrong.
class OnEmulatedDevice : public ::testing::Test {
protected:
    void SetUp() override { emulated::reset_machine(); }
    void TearDown() override { EXPECT_EQ(emulated::fault(), ""); }
};

inline Simulation on_device(const SceneDesc& scene) {
    Simulation sim = make_simulation(scene);
    Result<std::unique_ptr<StepBackend>> backend = cuda::make_cuda_backend(sim);
    EXPECT_TRUE(backend) << (backend ? "" : backend.error().text());
    if (backend) sim.set_backend(std::move(*backend));
    return sim;
}

/// Why a scene cannot run on the device.
inline std::string refusal(const SceneDesc& scene) {
    const Simulation sim = make_simulation(scene);
    const Result<std::unique_ptr<StepBackend>> backend = cuda::make_cuda_backend(sim);
    return backend ? "" : backend.error().text();
}

constexpr int kSide = 8; // vertices: two levels of multilevel

/// A square metre that hangs by two corners of its edge.
inline SceneDesc hanging_grid(const SolverSettings& solver, int side = kSide) {
    SceneDesc scene = free_sheet(solver, side);
    pin_corners(scene);
    return scene;
}

/// The same of irregular triangles, held along an edge.
inline SceneDesc hanging_irregular(const SolverSettings& solver, int side = kSide) {
    SceneDesc scene = free_sheet(solver, side);
    scene.cloths[0].given_mesh = std::make_shared<const GeneratedMesh>(irregular_square(side, 0.25));
    PinDesc pin;
    std::vector<int> edge;
    for (int i = 0; i < side; ++i)
        edge.push_back(i);
    pin.select = edge;
    scene.cloths[0].pins.push_back(pin);
    return scene;
}

inline double farthest_apart(const ClothState& a, const ClothState& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.position.size(); ++i)
        most = std::max(most, length(a.position[i] - b.position[i]));
    return most;
}

} // namespace selvage
