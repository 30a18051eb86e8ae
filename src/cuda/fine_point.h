#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "math/hd.h"
#include "math/vec.h"

namespace selvage::cuda {

/// A position in sixteen bytes: three floats, which neighbours read, and in 30 bits what their rounding left, which only
/// the point itself needs. Small steps are not rounded away then: places differ down to a thousandth of a float's last
/// digit.
struct alignas(16) FinePoint {
    float x, y, z;
    std::uint32_t rest; ///< Ten bits each.

    SELVAGE_HD Vec3f rounded() const { return {x, y, z}; }
};

namespace detail {

/// The power of two below a float's size, between 2^-100 and 2^100; or its inverse.
SELVAGE_HD inline float power_below(float value, bool inverse) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    std::uint32_t exponent = bits >> 23 & 255U;
    exponent = exponent < 27U ? 27U : exponent > 227U ? 227U : exponent;
    bits = (inverse ? 254U - exponent : exponent) << 23;
    float power = 0.0F;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}
constexpr float kStepsPerDigit = 1000.0F; // in which the last digit of a float is divided

SELVAGE_HD inline std::uint32_t rest_of(double value, float rounded) {
    // The difference has few digits, and all factors but one are powers of two.
    const float left = static_cast<float>(value - static_cast<double>(rounded));
    const float steps = left * power_below(rounded, true) * (0x1p23F * kStepsPerDigit);
    const float within = steps > 500.0F ? 500.0F : steps >= -500.0F ? steps : -500.0F; // also where it is not a number
    return static_cast<std::uint32_t>(static_cast<int>(std::floor(within + 0.5F)) + 512);
}
SELVAGE_HD inline double with_rest(float rounded, std::uint32_t rest) {
    const float steps = static_cast<float>(static_cast<int>(rest & 1023U) - 512);
    return static_cast<double>(rounded) +
           static_cast<double>(steps * (0x1p-23F / kStepsPerDigit) * power_below(rounded, false));
}

} // namespace detail

SELVAGE_HD inline FinePoint to_fine(const Vec3& p) {
    FinePoint out{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0};
    out.rest = detail::rest_of(p.x, out.x) | detail::rest_of(p.y, out.y) << 10 | detail::rest_of(p.z, out.z) << 20;
    return out;
}
SELVAGE_HD inline Vec3 exact(const FinePoint& p) {
    return {detail::with_rest(p.x, p.rest), detail::with_rest(p.y, p.rest >> 10), detail::with_rest(p.z, p.rest >> 20)};
}

} // namespace selvage::cuda
