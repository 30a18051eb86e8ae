#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace selvage {

/// Pixels as read back or shown: 8 bits, sRGB, row by row from the top.
struct Image8 {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb; ///< 3 * width * height.

    std::array<std::uint8_t, 3> at(int x, int y) const {
        const std::size_t i = 3 * (static_cast<std::size_t>(y) * width + x);
        return {rgb[i], rgb[i + 1], rgb[i + 2]};
    }
};

/// Pixels in linear light, row by row from the top.
struct ImageF {
    int width = 0, height = 0;
    std::vector<std::array<float, 4>> rgba;

    const std::array<float, 4>& at(int x, int y) const { return rgba[static_cast<std::size_t>(y) * width + x]; }
};

} // namespace selvage
