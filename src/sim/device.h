#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/simulation.h"

namespace selvage {

/// Where the user wants simulations to be stepped. automatic: on the device where it can.
enum class DeviceChoice { cpu, cuda, automatic };

/// A backend that steps a simulation as it is now, or why there can be none.
using MakeBackend = std::function<Result<std::unique_ptr<StepBackend>>(const Simulation& sim)>;

/// The choice, and what it takes to follow it. Who owns simulations is given one and knows nothing of CUDA.
struct Device {
    DeviceChoice choice = DeviceChoice::cpu;
    MakeBackend make = {};        ///< For all choices but cpu.
    std::string description = {}; ///< Of the device, for reports.
};

/// Moves `sim`, where it is not on the CPU alone by choice, to the device. Fails where that cannot be: `sim` stays on
/// the CPU then, and who asked decides what comes of it. Only between frames.
Status move_to(const Device& device, Simulation& sim);

/// "cuda" or "cpu": where it is stepped now.
std::string device_of(const Simulation& sim);

} // namespace selvage
