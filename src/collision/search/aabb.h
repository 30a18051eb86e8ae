#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "math/vec.h"

namespace selvage {

/// Axis-aligned box; starts empty.
struct Aabb {
    Vec3 low{kNothing, kNothing, kNothing}, high{-kNothing, -kNothing, -kNothing};

    void include(const Aabb& box) {
        low = {std::min(low.x, box.low.x), std::min(low.y, box.low.y), std::min(low.z, box.low.z)};
        high = {std::max(high.x, box.high.x), std::max(high.y, box.high.y), std::max(high.z, box.high.z)};
    }
    void include(const Vec3& p) { include(Aabb{p, p}); }
    bool touches(const Aabb& other) const {
        return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y &&
               low.z <= other.high.z && other.low.z <= high.z;
    }
    /// Squared distance of a point [m2]; 0 inside.
    double distance_squared(const Vec3& p) const {
        const auto gap = [](double lowest, double v, double highest) {
            return std::max({lowest - v, v - highest, 0.0});
        };
        return length_squared(Vec3{gap(low.x, p.x, high.x), gap(low.y, p.y, high.y), gap(low.z, p.z, high.z)});
    }
    std::array<Vec3, 8> corners() const {
        std::array<Vec3, 8> all;
        for (int k = 0; k < 8; ++k)
            all[k] = {(k & 1 ? high : low).x, (k & 2 ? high : low).y, (k & 4 ? high : low).z};
        return all;
    }

private:
    static constexpr double kNothing = std::numeric_limits<double>::infinity();
};

} // namespace selvage
