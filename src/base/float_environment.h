#pragma once

#include "base/processor.h"

namespace selvage {

/// While it lives, this thread rounds to nearest, keeps numbers too small to be normal and traps nothing, whatever the host
/// program has set (games and audio like to flush small numbers to zero). The host's mode, and the flags that past
/// operations have left, come back at the end.
class FloatEnvironment {
public:
    FloatEnvironment();
    ~FloatEnvironment();
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

private:
    FloatControl before_;
    int rounding_; // as <cfenv> has it; x86 has a second unit, which C libraries ask for it
};

} // namespace selvage
