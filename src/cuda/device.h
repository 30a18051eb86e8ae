#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace selvage::cuda {

struct DeviceInfo {
    std::string name;
    int multiprocessors = 0;
    int major = 0, minor = 0;    ///< Compute capability.
    std::size_t total_bytes = 0; ///< Memory.
    std::string text() const;
};

/// The device that would be used, or why there is none: no driver, none that is new enough, no device, or one that this
/// build has no code for.
Result<DeviceInfo> find_device();

/// Whether it lets a kernel start while the one before still runs; see after_last_kernel().
bool starts_early();

} // namespace selvage::cuda
