#pragma once

#include <selvage/selvage.hpp>
#include <vector>

namespace selvage_test {

/// Turns the x-y plane of generated meshes to lie flat, front up.
inline const selvage::Quaternion kFlat{-0.70710678118654757, 0, 0, 0.70710678118654757};

inline selvage::World make_world() {
    return selvage::World::make().value();
}
inline selvage::ClothDesc hanging_cloth() {
    return selvage::ClothDesc::grid(0.5, 0.5, 9, 9).pin("top-left,top-right");
}
inline selvage::ClothDesc lying_cloth(double height) {
    return selvage::ClothDesc::grid(0.4, 0.4, 9, 9).at({0, height, 0}, kFlat);
}

/// A square of 1 m at y = 0, facing up.
inline void make_floor_mesh(std::vector<selvage::Vec3>& points, std::vector<selvage::Triangle>& faces) {
    constexpr int n = 9;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            points.push_back({i / 8.0 - 0.5, 0.0, j / 8.0 - 0.5});
    for (int j = 0; j + 1 < n; ++j)
        for (int i = 0; i + 1 < n; ++i) {
            const int a = j * n + i;
            faces.push_back({a, a + n, a + 1});
            faces.push_back({a + 1, a + n, a + n + 1});
        }
}

} // namespace selvage_test
