#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "sim/simulation.h"

namespace selvage::cuda {

/// Whether this build has CUDA at all, and which device it would use.
std::string describe_device();

/// A backend that steps `sim`, as it is now, on the device. Fails where there is no device that can, or where the scene
/// asks for what is on the host only; says so either way.
Result<std::unique_ptr<StepBackend>> make_cuda_backend(const Simulation& sim);

} // namespace selvage::cuda
