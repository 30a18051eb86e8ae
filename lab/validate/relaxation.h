#pragma once

#include <optional>
#include <vector>

#include "sim/simulation.h"

namespace selvage {

/// Dynamic relaxation: brings a simulation to rest by dropping all speeds whenever the kinetic energy is past a peak.
class Relaxation {
public:
    explicit Relaxation(const Simulation& sim) : at_last_peak_(sim.state().position) {}

    /// To be called after each step, or each frame. Past a peak it drops the speeds and gives the farthest that a point
    /// has moved since the peak before [m]; nothing otherwise.
    std::optional<double> after_step(Simulation& sim);

private:
    std::vector<Vec3> at_last_peak_;
    double kinetic_before_ = 0.0;
};

} // namespace selvage
