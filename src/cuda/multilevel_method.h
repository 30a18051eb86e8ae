#pragma once

#include <memory>

#include "cuda/contact_layout.h"
#include "cuda/method.h"
#include "model/cloth_model.h"
#include "solvers/multilevel/settings.h"

namespace selvage::cuda {

/// multilevel; `contact`: with what may touch, or null. Fails where the cloth has elements that are on the host only.
Result<std::unique_ptr<DeviceMethod>>
make_multilevel_method(const ClothModel& model, const MultilevelSettings& settings, const ContactSource* contact);

} // namespace selvage::cuda
