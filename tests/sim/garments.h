#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "geometry/triangle_mesh.h"

namespace selvage {

/// A garment as files have them: panels side by side whose borders coincide in space, each with vertices of its own and a
/// flat piece of the pattern for uv, in metres.
struct Garment {
    std::string name;
    TriangleMesh mesh;
    std::vector<int> held; ///< Vertices that it hangs by.
};

/// One panel: where its point (s, t) of the unit square lies in space, and where in the pattern before that is turned.
struct Panel {
    int columns, rows;
    std::function<Vec3(double, double)> space;
    std::function<Vec2(double, double)> pattern;
    double grain_deg = 0.0; ///< How far the warp is turned from the panel's own u.
    bool face_down = false; ///< Mirrored in the pattern.
    std::function<bool(double, double)> is_held = [](double, double) { return false; };
};

/// Inner points are shaken and cells cut at random: no edges along the threads. Numbers are the same from every library.
inline void add_panel(const Panel& panel, Garment& garment, std::mt19937& random) {
    const auto uniform = [&] { return 2.0 * static_cast<double>(random() % 1000003) / 1000003.0 - 1.0; };
    TriangleMesh& mesh = garment.mesh;
    const int first = mesh.vertex_count();
    const double angle = panel.grain_deg * std::numbers::pi / 180.0, c = std::cos(angle), d = std::sin(angle);
    const double island = 2.0 * static_cast<double>(first); // panels lie apart in the pattern
    for (int j = 0; j < panel.rows; ++j)
        for (int i = 0; i < panel.columns; ++i) {
            const bool inside = i > 0 && j > 0 && i < panel.columns - 1 && j < panel.rows - 1;
            const double s = (i + (inside ? 0.25 * uniform() : 0.0)) / (panel.columns - 1);
            const double t = (j + (inside ? 0.25 * uniform() : 0.0)) / (panel.rows - 1);
            if (panel.is_held(s, t)) garment.held.push_back(mesh.vertex_count());
            mesh.positions.push_back(panel.space(s, t));
            const Vec2 p = panel.pattern(s, t);
            const Vec2 turned{c * p.x + d * p.y + 0.01 * island, -d * p.x + c * p.y};
            mesh.uv.push_back(panel.face_down ? Vec2{turned.x, -turned.y} : turned);
        }
    for (int j = 0; j + 1 < panel.rows; ++j)
        for (int i = 0; i + 1 < panel.columns; ++i) {
            const int a = first + j * panel.columns + i, b = a + 1, e = a + panel.columns, f = e + 1;
            if (random() % 2 == 0)
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, f}, {a, f, e}});
            else
                mesh.triangles.insert(mesh.triangles.end(), {{a, b, e}, {b, f, e}});
        }
}

/// A skirt of six gores, cut at grains from 0 to 75 degrees, sewn to a pyramid: 0.6 m long, hanging by its waist.
inline Garment gored_skirt() {
    Garment garment{"gored skirt", {}, {}};
    std::mt19937 random(3);
    constexpr int kGores = 6;
    constexpr double kWaist = 0.13, kHem = 0.33, kHeight = 0.55;
    for (int g = 0; g < kGores; ++g) {
        const auto corner = [](int k, double radius, double y) {
            const double a = 2.0 * std::numbers::pi * (k % kGores) / kGores;
            return Vec3{radius * std::cos(a), y, radius * std::sin(a)};
        };
        const Vec3 a = corner(g + 1, kWaist, 0.0), b = corner(g, kWaist, 0.0);
        const Vec3 p = corner(g + 1, kHem, -kHeight), q = corner(g, kHem, -kHeight);
        const auto space = [=](double s, double t) {
            return (1.0 - t) * ((1.0 - s) * a + s * b) + t * ((1.0 - s) * p + s * q);
        };
        // The gore lies in a plane: its pattern is the same trapezoid.
        const Vec3 right = normalized(b - a), down = normalized((p + q) - (a + b));
        const auto pattern = [=](double s, double t) {
            const Vec3 d = space(s, t) - a;
            return Vec2{dot(d, right), dot(d, down)};
        };
        add_panel({9, 21, space, pattern, 15.0 * g, g % 2 == 1, [](double, double t) { return t == 0.0; }}, garment,
                  random);
    }
    return garment;
}

/// A tunic of a front and a back, wider below, sewn along both sides, hanging by its shoulders; the back is cut on the
/// bias. Modelled as a tube `ease` times as wide as its pattern.
inline Garment tunic(double ease = 1.0) {
    Garment garment{"tunic", {}, {}};
    std::mt19937 random(5);
    constexpr double kTop = 0.42, kBottom = 0.6, kLength = 0.8; // widths of a panel [m]
    for (int side = 0; side < 2; ++side) {
        const auto width = [](double t) { return kTop + (kBottom - kTop) * t; };
        const auto space = [=](double s, double t) {
            const double a = std::numbers::pi * (side + s), r = ease * width(t) / std::numbers::pi;
            return Vec3{r * std::cos(a), -kLength * t, r * std::sin(a)};
        };
        const auto pattern = [=](double s, double t) { return Vec2{width(t) * (s - 0.5), kLength * t}; };
        const auto shoulder = [](double s, double t) { return t == 0.0 && (s < 0.3 || s > 0.7); };
        add_panel({21, 33, space, pattern, side == 0 ? 0.0 : 45.0, side == 1, shoulder}, garment, random);
    }
    return garment;
}

/// A trouser leg of one panel, sewn to itself, its warp along a spiral of 45 degrees; it hangs by its upper end.
inline Garment bias_leg() {
    Garment garment{"bias leg", {}, {}};
    std::mt19937 random(9);
    constexpr double kRadius = 0.1, kLength = 0.8, kRound = 2.0 * std::numbers::pi * kRadius;
    const auto space = [](double s, double t) {
        const double a = 2.0 * std::numbers::pi * (s == 1.0 ? 0.0 : s);
        return Vec3{kRadius * std::cos(a), -kLength * t, kRadius * std::sin(a)};
    };
    const auto pattern = [](double s, double t) { return Vec2{kRound * s, kLength * t}; };
    add_panel({25, 33, space, pattern, 45.0, false, [](double, double t) { return t == 0.0; }}, garment, random);
    return garment;
}

} // namespace selvage
