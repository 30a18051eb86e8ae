#pragma once

#include <cstdint>
#include <string>

#include "collision/contact/crossings.h"
#include "math/functions.h"
#include "sim/contact_fuzz.h"

// Random scenes that are valid: any mesh, solver, fabric and size from 10 micrometres to 10 kilometres, with hands. What must
// hold of all of them: no place that is not finite, no crossing of cloth that started free, the same bits on 1 and 3
// threads. Only a solver's own divergence, which it reports, is no failure; it is counted.

namespace selvage {

/// A size from 10^low to 10^high metres, all decades alike.
inline double any_size(FuzzDice& dice, double low, double high) {
    return maths::pow(10.0, dice.between(low, high));
}

inline MeshDesc any_mesh(FuzzDice& dice, double size) {
    const int n = 2 + dice.below(9), m = 2 + dice.below(9);
    switch (dice.below(4)) {
    case 0: {
        DiscDesc disc;
        disc.radius = 0.5 * size;
        disc.rings = 1 + dice.below(6);
        return disc;
    }
    case 1: {
        TubeDesc tube;
        tube.radius = 0.3 * size;
        tube.top_radius = 0.3 * size * dice.between(0.5, 1.5);
        tube.height = size * dice.between(0.3, 1.5);
        tube.vertices = {3 + n, m};
        return tube;
    }
    default:
        return GridDesc{{size, size * dice.between(0.1, 3.0)}, {n, m}, static_cast<Diagonals>(dice.below(2))};
    }
}

inline SceneDesc any_valid_scene(FuzzDice& dice) {
    const std::vector<BuiltinFile>& fabrics = builtin_fabrics();
    const std::vector<SolverEntry>& solvers = solver_catalog();
    SceneDesc scene;
    scene.name = "any";
    scene.solver = solvers[static_cast<std::size_t>(dice.below(static_cast<int>(solvers.size())))].defaults;
    scene.substeps = 1 + dice.below(8);
    scene.dt = dice.chance(0.8) ? 1.0 / 60.0 : any_size(dice, -4.0, -1.0);
    if (dice.chance(0.3)) scene.gravity = dice.place(20.0);
    if (dice.chance(0.3)) {
        scene.air.density = 1.2;
        scene.air.wind = dice.place(10.0);
    }
    // Most people's cloth is a metre wide; the others are why this exists.
    const double size = dice.chance(0.3) ? dice.between(0.2, 2.0) : any_size(dice, -5.0, 4.0);
    const int cloths = 1 + dice.below(3);
    for (int k = 0; k < cloths; ++k) {
        ClothDesc cloth;
        cloth.name = "cloth" + std::to_string(k);
        cloth.mesh = any_mesh(dice, size);
        cloth.place = {{0.0, 2.0 * k * size, 0.0}, dice.chance(0.5) ? Triple{-90, 0, 0} : dice.place(180.0), 1.0};
        const BuiltinFile& fabric = fabrics[static_cast<std::size_t>(dice.below(static_cast<int>(fabrics.size())))];
        cloth.fabric = fabric.name;
        cloth.material = load_fabric(fabric.name)->material;
        cloth.self_collision = dice.chance(0.8);
        if (dice.chance(0.4)) cloth.pins.push_back({std::vector<int>{0}, {}, true, dice.chance(0.3) ? 0.1 : -1.0});
        if (dice.chance(0.2)) cloth.velocity = dice.place(5.0 * size);
        scene.cloths.push_back(cloth);
    }
    const int solids = dice.below(3);
    for (int k = 0; k < solids; ++k) {
        ColliderDesc solid;
        solid.shape = shape_of_kind(dice, dice.below(kShapeKinds));
        solid.friction = dice.between(0.0, 1.0);
        // Below all cloth. Shapes are about a fifth of a metre large.
        solid.place = {{dice.between(-0.5, 0.5) * size, -2.0 * size, dice.between(-0.5, 0.5) * size},
                       dice.place(std::holds_alternative<Plane>(solid.shape) ? 20.0 : 180.0),
                       2.0 * size};
        if (dice.chance(0.3)) solid.spin = dice.place(4.0);
        scene.colliders.push_back(solid);
    }
    return scene;
}

struct SceneOutcome {
    std::string broken; ///< The promise that was not held; empty: none.
    bool diverged = false;
    std::uint64_t hash = 0;
};

/// Runs some frames with a hand that takes a point and lets it go.
inline SceneOutcome run_scene(const SceneDesc& scene, unsigned seed, int threads) {
    Result<Simulation> sim = Simulation::make(scene, threads);
    if (!sim) return {"refused: " + sim.error().text(), false, 0};
    FuzzDice dice(seed);
    CrossingCounter counter;
    const ClothModel& model = sim->model();
    const auto crossings = [&] {
        return counter.count(sim->pool(), model.edges, model.mesh.triangles, sim->state().position).count;
    };
    const bool keeps_apart = [&] {
        for (const ClothDesc& cloth : scene.cloths)
            if (!cloth.self_collision) return false;
        return crossings() == 0;
    }();
    const int hand = dice.chance(0.5) ? dice.below(model.vertex_count()) : -1;
    const double reach = length(sim->state().position.front() - sim->state().position.back());
    SceneOutcome outcome;
    for (int frame = 0; frame < 12 && !sim->divergence(); ++frame) {
        if (hand >= 0 && frame >= 2 && frame < 8)
            sim->grab(hand, sim->state().position[hand] + 0.1 * reach * Vec3{dice.between(-1, 1), 1.0, 0.0});
        if (hand >= 0 && frame == 8) sim->release(hand);
        sim->step_frame();
        for (const Vec3& p : sim->state().position)
            if (!is_finite(p)) outcome.broken = "not finite in frame " + std::to_string(frame);
        if (keeps_apart && outcome.broken.empty() && !sim->divergence() && crossings() > 0)
            outcome.broken = std::to_string(crossings()) + " crossings in frame " + std::to_string(frame);
        if (!outcome.broken.empty()) break;
    }
    outcome.diverged = sim->divergence().has_value();
    outcome.hash = state_hash(sim->state());
    return outcome;
}

} // namespace selvage
