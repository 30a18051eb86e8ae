#pragma once

#include <algorithm>
#include <vector>

#include "model/solver.h"

namespace selvage {

/// A net spelled out: points, masses and springs (sorted by their ends).
inline ClothModel make_net(std::vector<Vec3> x, std::vector<double> mass, std::vector<Spring> springs) {
    ClothModel model;
    model.mesh.positions = std::move(x);
    model.mass = std::move(mass);
    const int n = model.vertex_count();
    model.area.assign(n, 0.0f);
    model.springs = std::move(springs);
    model.spring_kind.assign(model.springs.size(), SpringKind::structural);
    std::vector<std::vector<SpringEnd>> ends(n);
    for (int s = 0; s < model.spring_count(); ++s) {
        ends[model.springs[s].a].push_back({model.springs[s].b, s});
        ends[model.springs[s].b].push_back({model.springs[s].a, s});
    }
    model.spring_end_start = {0};
    for (const auto& list : ends) {
        model.spring_ends.insert(model.spring_ends.end(), list.begin(), list.end());
        model.spring_end_start.push_back(static_cast<int>(model.spring_ends.size()));
    }
    model.vertex_triangles.start.assign(n + 1, 0);
    ClothPart part;
    part.vertex_count = n;
    part.spring_count = model.spring_count();
    model.parts = {part};
    return model;
}

inline ClothState at_rest(const ClothModel& model) {
    return {model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
}

/// Held points as StepInput wants them, each at a target.
struct Hands {
    std::vector<HeldPoint> held;
    std::vector<std::uint8_t> is_held;
    explicit Hands(int n) : is_held(n, 0) {}
    void grab(int vertex, const Vec3& target) {
        release(vertex);
        held.push_back({vertex, target});
        is_held[vertex] = 1;
    }
    void release(int vertex) {
        std::erase_if(held, [&](const HeldPoint& h) { return h.vertex == vertex; });
        is_held[vertex] = 0;
    }
    StepInput input(double dt, const Vec3& gravity = {}) const { return {dt, gravity, nullptr, held, is_held}; }
};

} // namespace selvage
