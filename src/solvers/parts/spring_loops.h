#pragma once

#include "model/solver.h"

namespace selvage {

/// body(index, spring, damping) for every spring, part by part, so that damping is a constant of the inner loop.
template <class Body>
void for_each_spring(ThreadPool& pool, const ClothModel& model, const Body& body) {
    for (const ClothPart& part : model.parts)
        pool.for_each(part.spring_count, [&](int local) {
            const int s = part.spring_begin + local;
            body(s, model.springs[s], part.damping);
        });
}

/// body(vertex, damping) for every vertex. No spring joins two parts.
template <class Body>
void for_each_vertex(ThreadPool& pool, const ClothModel& model, const Body& body) {
    for (const ClothPart& part : model.parts)
        pool.for_each(part.vertex_count, [&](int local) { body(part.vertex_begin + local, part.damping); });
}

/// The end of an explicit step: every free point takes the impulses of its springs (given for their end a), then
/// gravity and air, and moves by its new velocity; held points go to their targets.
void apply_spring_impulses(ThreadPool& pool, const ClothModel& model, ExternalForces& external,
                           const std::vector<Vec3>& spring_impulse, ClothState& state, const StepInput& input);

} // namespace selvage
