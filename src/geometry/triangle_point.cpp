#include "geometry/triangle_point.h"

#include <algorithm>
#include <limits>

#include "geometry/triangle_mesh.h"

namespace selvage {

TrianglePoint nearest_on_triangle(const std::array<Vec3, 3>& corner, const Vec3& p) {
    const Vec3 n = doubled_area_normal(corner[0], corner[1], corner[2]);
    const double squared = length_squared(n);
    // side[k]: on which side of the edge from k to k + 1 the foot of p on the plane lies, as the weight of the third
    // corner.
    std::array<double, 3> side{-1.0, -1.0, -1.0}; // without area there is no foot: all edges are looked at
    if (squared > 0.0)
        for (int k = 0; k < 3; ++k)
            side[k] = dot(cross(corner[(k + 1) % 3] - corner[k], p - corner[k]), n) / squared;
    if (side[0] > 0.0 && side[1] > 0.0 && side[2] > 0.0) {
        const Vec3 weight{side[1], side[2], side[0]};
        return {weight.x * corner[0] + weight.y * corner[1] + weight.z * corner[2], weight,
                TrianglePoint::Feature::face, 0};
    }
    TrianglePoint best;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
        if (side[k] > 0.0) continue;
        const int next = (k + 1) % 3;
        const Vec3 d = corner[next] - corner[k];
        const double size = length_squared(d);
        const double along = size > 0.0 ? std::clamp(dot(p - corner[k], d) / size, 0.0, 1.0) : 0.0;
        const Vec3 q = along < 1.0 ? corner[k] + along * d : corner[next];
        const double distance = length_squared(p - q);
        if (!(distance < least)) continue;
        least = distance;
        std::array<double, 3> weight{};
        weight[k] = 1.0 - along;
        weight[next] = along;
        best = {q, {weight[0], weight[1], weight[2]}, TrianglePoint::Feature::edge, k};
        if (along == 0.0 || along == 1.0) best.feature = TrianglePoint::Feature::corner;
        if (along == 1.0) best.k = next;
    }
    return best;
}

} // namespace selvage
