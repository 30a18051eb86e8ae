#pragma once

#include <vector>

#include "model/solver.h"

namespace selvage {

/// A net spelled out: points, masses and springs (sorted by their ends), without triangles or fabric. For checks and
/// studies that drive a solver by hand.
ClothModel make_net(std::vector<Vec3> positions, std::vector<double> mass, std::vector<Spring> springs);

ClothState at_rest(const ClothModel& model);

/// Held points as StepInput wants them, each at a target.
struct Hands {
    std::vector<HeldPoint> held;
    std::vector<std::uint8_t> is_held;

    explicit Hands(int vertex_count) : is_held(vertex_count, 0) {}
    void grab(int vertex, const Vec3& target);
    void release(int vertex);
    StepInput input(double dt, const Vec3& gravity = {}) const { return {dt, gravity, nullptr, held, is_held}; }
};

} // namespace selvage
