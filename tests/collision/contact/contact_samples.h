#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "collision/search/contact_surface.h"

namespace selvage {

/// The same numbers from every standard library.
class Dice {
public:
    explicit Dice(unsigned seed) : random_(seed) {}
    double number(double size = 1.0) { return size * (2.0 * static_cast<double>(random_()) * 0x1p-32 - 1.0); }
    Vec3 vector(double size) { return {number(size), number(size), number(size)}; }
    int below(int count) { return static_cast<int>(static_cast<double>(random_()) * 0x1p-32 * count); }

private:
    std::mt19937 random_;
};

/// A square sheet of n x n vertices in the x-y plane about `centre`, diagonals alternating, as the next body.
inline void add_sheet(ContactSurface& surface, int n, double size, const Vec3& centre) {
    ContactBody body;
    body.vertex_begin = static_cast<int>(surface.rest.size());
    body.triangle_begin = static_cast<int>(surface.triangles.size());
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            surface.rest.push_back(centre + size * Vec3{i / (n - 1.0) - 0.5, j / (n - 1.0) - 0.5, 0});
    for (int j = 0; j + 1 < n; ++j)
        for (int i = 0; i + 1 < n; ++i) {
            const int a = body.vertex_begin + j * n + i, b = a + 1, c = a + n, d = c + 1;
            if ((i + j) % 2 == 0) {
                surface.triangles.push_back({a, b, d});
                surface.triangles.push_back({a, d, c});
            } else {
                surface.triangles.push_back({a, b, c});
                surface.triangles.push_back({b, d, c});
            }
        }
    body.vertex_count = static_cast<int>(surface.rest.size()) - body.vertex_begin;
    body.triangle_count = static_cast<int>(surface.triangles.size()) - body.triangle_begin;
    surface.bodies.push_back(body);
}

/// Points without triangles, as the next body.
inline void add_loose(ContactSurface& surface, const std::vector<Vec3>& points) {
    ContactBody body;
    body.vertex_begin = static_cast<int>(surface.rest.size());
    body.vertex_count = static_cast<int>(points.size());
    body.triangle_begin = static_cast<int>(surface.triangles.size());
    surface.rest.insert(surface.rest.end(), points.begin(), points.end());
    surface.bodies.push_back(body);
}

} // namespace selvage
