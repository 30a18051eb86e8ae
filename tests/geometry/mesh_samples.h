#pragma once

#include <string>
#include <string_view>

#include "geometry/triangle_mesh.h"

namespace selvage {

inline double total_area(const TriangleMesh& mesh) {
    double area = 0.0;
    for (int t = 0; t < mesh.triangle_count(); ++t)
        area += triangle_area(mesh, t);
    return area;
}

inline bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace selvage
