#pragma once

#include <memory>

#include "cuda/contact_layout.h"
#include "cuda/method.h"
#include "cuda/spring_kernels.h"
#include "model/cloth_model.h"
#include "solvers/catalog.h"

namespace selvage::cuda {

/// harmonic, harmonic-published and implicit-jacobi. Fails where the settings ask for what is on the host only.
Result<std::unique_ptr<DeviceMethod>> make_spring_method(const ClothModel& model, const SolverSettings& settings,
                                                         const ContactSource* contact);

} // namespace selvage::cuda
