#pragma once

#include <vector>

#include "base/result.h"
#include "math/vec.h"

namespace selvage {

/// Where a curve is, where it goes, and a direction across it. Unit vectors at right angles to each other.
struct CurveFrame {
    Vec3 point; ///< [m].
    Vec3 tangent, normal;
};

/// A smooth curve through given points, straight at its ends and measured by its length, with a frame that never turns
/// about the curve itself: what is swept along it bends with the curve and does not twist.
class PathCurve {
public:
    /// `normal` is where the frame's normal looks at the first point; its part across the curve counts. Fails when the
    /// points are fewer than two, not finite, or coincide with the one before, or the normal runs along the curve.
    static Result<PathCurve> make(const std::vector<Vec3>& points, const Vec3& normal);

    double length() const { return distance_.back(); } ///< [m].
    CurveFrame at(double distance) const;              ///< Along the curve [m]; beyond its ends, straight on.

private:
    PathCurve() = default;
    std::vector<double> distance_; // of each frame from the start
    std::vector<CurveFrame> frames_;
};

} // namespace selvage
