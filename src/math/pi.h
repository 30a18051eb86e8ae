#pragma once

#include <numbers>

namespace selvage {

inline constexpr double kPi = std::numbers::pi;

} // namespace selvage
