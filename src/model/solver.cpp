#include "model/solver.h"

namespace selvage {

void start_held(ClothState& state, const StepInput& input) {
    for (const HeldPoint& held : input.held)
        state.velocity[held.vertex] = (held.target - state.position[held.vertex]) / input.dt;
}

void finish_held(ClothState& state, const StepInput& input) {
    for (const HeldPoint& held : input.held)
        state.position[held.vertex] = held.target;
}

void ExternalForces::prepare(ThreadPool& pool, const ClothState& state, const StepInput& input) {
    if (!input.air || !input.air->present()) return;
    triangle_normal_.resize(model_.mesh.triangles.size());
    pool.for_each(model_.mesh.triangle_count(), [&](int t) {
        const Triangle& v = model_.mesh.triangles[t];
        triangle_normal_[t] =
            Vec3f(doubled_area_normal(state.position[v[0]], state.position[v[1]], state.position[v[2]]));
    });
}

ExternalForces::Load ExternalForces::in_air(int vertex, const ClothState& state, const StepInput& input) const {
    Vec3f sum;
    for (const int t : model_.vertex_triangles[vertex])
        sum += triangle_normal_[t];
    const Vec3 normal = normalized(Vec3(sum));
    const Vec3 wind = input.air->wind(state.position[vertex], state.time);
    const AirLoad load = air_load(input.air->desc(), state.velocity[vertex] - wind, normal, model_.area[vertex],
                                  model_.mass[vertex], input.dt);
    return {input.gravity + load.lift, load.drag_rate, wind};
}

} // namespace selvage
