#pragma once

#include <array>

#include "math/vec.h"

namespace selvage {

/// A point of a triangle, and what it lies on: corner k, the edge from corner k to k + 1, or the face.
struct TrianglePoint {
    enum class Feature { corner, edge, face };
    Vec3 point, weight; ///< Weights of the corners.
    Feature feature = Feature::face;
    int k = 0;
};

/// The point of a triangle that is nearest to p; of one without area as well.
TrianglePoint nearest_on_triangle(const std::array<Vec3, 3>& corner, const Vec3& p);

} // namespace selvage
