#pragma once

#include <numbers>

namespace selvage {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kDegree = kPi / 180.0; ///< [rad]

} // namespace selvage
