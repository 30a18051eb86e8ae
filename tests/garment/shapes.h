#pragma once

#include <string>
#include <vector>

#include "garment/pattern.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

/// Points on a closed polygon, about `edge` apart, corners included.
inline std::vector<Vec2> sampled(const std::vector<Vec2>& polygon, double edge) {
    std::vector<Vec2> points;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vec2 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const int count = std::max(1, static_cast<int>(length(b - a) / edge + 0.5));
        for (int k = 0; k < count; ++k)
            points.push_back(mix(a, b, static_cast<double>(k) / count));
    }
    return points;
}

inline double polygon_area(const std::vector<Vec2>& polygon) {
    double doubled = 0.0;
    for (std::size_t i = 0; i < polygon.size(); ++i)
        doubled += cross(polygon[i], polygon[(i + 1) % polygon.size()]);
    return 0.5 * doubled;
}

/// Straight edges named e0, e1, ...
inline PatternOutline polygon_outline(const std::vector<Vec2>& corners) {
    PatternOutline outline{corners.front(), {}};
    for (std::size_t i = 0; i < corners.size(); ++i)
        outline.edges.push_back({"e" + std::to_string(i), corners[(i + 1) % corners.size()], false, {}});
    return outline;
}

inline PatternPanel rectangle_panel(const std::string& name, double width, double height) {
    PatternPanel panel;
    panel.name = name;
    panel.outline = polygon_outline({{0, 0}, {width, 0}, {width, height}, {0, height}});
    const char* names[] = {"bottom", "right", "top", "left"};
    for (int e = 0; e < 4; ++e)
        panel.outline.edges[static_cast<std::size_t>(e)].name = names[e];
    return panel;
}

/// A tube of two rectangles.
inline Pattern tube_pattern(double front_height = 0.6, double back_height = 0.6) {
    Pattern pattern;
    pattern.name = "tube";
    pattern.panels = {rectangle_panel("front", 0.5, front_height), rectangle_panel("back", 0.5, back_height)};
    pattern.seams = {{{"front", "right"}, {"back", "left"}, true}, {{"back", "right"}, {"front", "left"}, true}};
    return pattern;
}

} // namespace selvage
