#include "solvers/parts/spring_loops.h"

namespace selvage {

void apply_spring_impulses(ThreadPool& pool, const ClothModel& model, ExternalForces& external,
                           const std::vector<Vec3>& spring_impulse, ClothState& state, const StepInput& input) {
    external.prepare(pool, state, input);
    pool.for_each(model.vertex_count(), [&](int i) {
        if (input.is_held[i]) return;
        Vec3 impulse;
        for (const SpringEnd& end : model.ends_of(i))
            impulse += end.other > i ? spring_impulse[end.spring] : -spring_impulse[end.spring];
        // Other points see this one only through the normals that prepare() stored.
        const ExternalForces::Load load = external.at(i, state, input);
        state.velocity[i] = load.advance(state.velocity[i] + impulse / model.mass[i], input.dt);
        state.position[i] += input.dt * state.velocity[i];
    });
    finish_held(state, input);
}

} // namespace selvage
