#include "sim/step_backend.h"

namespace selvage {

namespace {

// Light cloth between hands that yank a metre within 1/2000 s was seen at 27 km/s in a run that
// stayed finite to its end. A motion that diverges grows many times in every step and is soon faster than this [m/s].
constexpr double kImpossibleSpeed = 1e5;
// From the origin [m]. Beyond it the boxes of searches for pairs, in float, could no longer tell places apart from none.
constexpr double kImpossiblePlace = 1e24;

/// What may come into contact if every vertex goes on as it does now.
const ContactView* look_ahead(const HostStep& parts, const ClothState& state, const StepInput& input,
                              ContactStats& stats) {
    const double h = input.dt;
    const Vec3 fall = h * h * input.gravity;
    std::vector<Vec3>& motion = parts.expected_motion;
    parts.pool.for_each(parts.model.vertex_count(), [&](int i) { motion[i] = h * state.velocity[i] + fall; });
    for (const HeldPoint& held : input.held)
        motion[held.vertex] = held.target - state.position[held.vertex];
    return parts.contact.look_ahead(parts.pool, {h, input.is_held, input.colliders}, motion, stats);
}

int find_diverged(ThreadPool& pool, const ClothState& state, const StepInput& input) {
    // A held point may be as fast as it likes; one that cloth has held up catches up at any speed.
    const auto has_diverged = [&](int i) {
        if (!(length_squared(state.position[i]) < kImpossiblePlace * kImpossiblePlace)) return true;
        if (input.is_held[i]) return false;
        return !(length_squared(state.velocity[i]) < kImpossibleSpeed * kImpossibleSpeed);
    };
    const int n = static_cast<int>(state.position.size());
    if (pool.sum<int>(n, [&](int i) { return has_diverged(i) ? 1 : 0; }) == 0) return -1;
    int vertex = 0;
    while (!has_diverged(vertex))
        ++vertex;
    return vertex;
}

} // namespace

StepOutcome step_on_host(const HostStep& parts, ClothState& state, StepInput input, double end_time, bool ends_frame) {
    StepOutcome outcome;
    parts.contact.start(state.position);
    if (parts.solver.wants_contact(input.dt)) input.contact = look_ahead(parts, state, input, outcome.contact);
    outcome.solver = parts.solver.step(state, input);
    outcome.contact.solver_ms = outcome.solver.ms;
    state.time = end_time;
    outcome.diverged_vertex = find_diverged(parts.pool, state, input);
    if (outcome.diverged_vertex < 0) {
        for (const SkinnedCloth& cloth : parts.skinned)
            cloth.limit(input.dt, input.is_held, state);
        outcome.contact += parts.contact.resolve(parts.pool, {input.dt, input.is_held, input.colliders}, state.position,
                                                 state.velocity);
        if (ends_frame && parts.contact.is_tangled())
            parts.contact.find_tangles(parts.pool, state.position, input.colliders);
    }
    outcome.is_tangled = parts.contact.is_tangled();
    return outcome;
}

} // namespace selvage
