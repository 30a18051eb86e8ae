// v+ = v + h (f(x, v)/m + a_ext),   x+ = x + h v+.
// Steps: 1 impulse of every spring at the old state, 2 gather per point, add gravity and air, move.
// Cost: one pass over springs, one over points. Stable for h < 2/omega_max only, omega^2 <= 2 sum k / m at a point.

#include "solvers/explicit.h"

#include "base/stopwatch.h"
#include "solvers/parts/spring_loops.h"

namespace selvage {

SolverInfo ExplicitSolver::info() {
    return {"explicit", "symplectic Euler, for study; diverges at large steps", {.can_diverge = true}};
}

const Fields<ExplicitSettings>& settings_fields(const ExplicitSettings&) {
    static const Fields<ExplicitSettings> fields;
    return fields;
}

ExplicitSolver::ExplicitSolver(const ClothModel& model, const ExplicitSettings&, ThreadPool& pool)
    : model_(model), pool_(pool), external_(model), spring_impulse_(model.springs.size()) {}

StepStats ExplicitSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const double h = input.dt;
    start_held(state, input);
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        const Vec3 u = state.position[spring.b] - state.position[spring.a];
        const Vec3 dv = state.velocity[spring.b] - state.velocity[spring.a];
        const double l = length(u);
        if (!(l > 1e-12)) { // both ends in one point: no direction
            spring_impulse_[s] = h * damping.relative * dv;
            return;
        }
        const Vec3 t = u / l;
        const double k = spring.stiffness;
        const double along = k * (l - spring.rest_length) + damping.axial_time * k * dot(t, dv);
        spring_impulse_[s] = h * (along * t + damping.relative * dv);
    });
    apply_spring_impulses(pool_, model_, external_, spring_impulse_, state, input);
    return {clock.ms(), 0, 0.0};
}

} // namespace selvage
