#pragma once

#include <string>

#include "emulator.h"

namespace emulated {

/// Runs all threads of a kernel, block after block. Returns what went wrong; empty: nothing.
std::string run_kernel(const Kernel& kernel, bool descending);

} // namespace emulated
