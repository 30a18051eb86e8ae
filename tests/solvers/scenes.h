#pragma once

#include <gtest/gtest.h>

#include "scene/scene_desc.h"
#include "sim/simulation.h"

namespace selvage {

/// As it comes, but one small step per step: tests count the steps, and the laws they check hold for those.
inline SolverSettings stepping_once(SolverSettings settings) {
    if (auto* multilevel = std::get_if<MultilevelSettings>(&settings)) multilevel->substeps = 1;
    if (auto* xpbd = std::get_if<XpbdSettings>(&settings)) xpbd->substeps = 1;
    return settings;
}

inline bool all_finite(const ClothState& state) {
    for (std::size_t i = 0; i < state.position.size(); ++i)
        if (!is_finite(state.position[i]) || !is_finite(state.velocity[i])) return false;
    return true;
}

/// A square metre, soft enough for the explicit methods at these steps, with nothing holding it.
inline SceneDesc free_sheet(const SolverSettings& solver, int vertices = 11) {
    SceneDesc scene;
    scene.name = "free-sheet";
    scene.solver = stepping_once(solver);
    scene.dt = 1.0 / 240.0;
    scene.substeps = 1;
    ClothDesc cloth;
    cloth.name = "sheet";
    cloth.mesh = GridDesc{{1, 1}, {vertices, vertices}, Diagonals::alternating};
    cloth.material.density = 0.2;
    cloth.material.stretch_warp = cloth.material.stretch_weft = 20;
    cloth.material.shear = 4;
    cloth.self_collision = false; // methods are looked at by themselves; tests of contact have their own scenes
    scene.cloths.push_back(cloth);
    return scene;
}

inline void pin_corners(SceneDesc& scene) {
    for (const char* corner : {"top-left", "top-right"}) {
        PinDesc pin;
        pin.select = CornerName{corner};
        scene.cloths[0].pins.push_back(pin);
    }
}

inline Simulation make_simulation(const SceneDesc& scene, int threads = 1) {
    Result<Simulation> sim = Simulation::make(scene, threads);
    EXPECT_TRUE(sim) << (sim ? "" : sim.error().text());
    return std::move(*sim);
}

inline void run_steps(Simulation& sim, int count) {
    for (int k = 0; k < count; ++k)
        sim.step();
    EXPECT_FALSE(sim.divergence()) << sim.divergence()->text();
}

} // namespace selvage
