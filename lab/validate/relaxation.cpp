#include "lab/validate/relaxation.h"

#include <algorithm>

namespace selvage {

std::optional<double> Relaxation::after_step(Simulation& sim) {
    const double kinetic = kinetic_energy(sim.model(), sim.state());
    if (kinetic >= kinetic_before_) {
        kinetic_before_ = kinetic;
        return std::nullopt;
    }
    kinetic_before_ = 0.0;
    ClothState state = sim.state();
    std::fill(state.velocity.begin(), state.velocity.end(), Vec3{});
    double moved = 0.0;
    for (std::size_t i = 0; i < at_last_peak_.size(); ++i)
        moved = std::max(moved, length(state.position[i] - at_last_peak_[i]));
    at_last_peak_ = state.position;
    sim.set_state(std::move(state), sim.step_count());
    return moved;
}

} // namespace selvage
