#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "model/measures.h"
#include "sim/simulation.h"

namespace selvage {

/// Positions at each check point, the start first.
struct Motion {
    std::vector<std::vector<Vec3>> positions;
    double step_ms = 0.0;    ///< Mean time of a solver step.
    double iterations = 0.0; ///< Mean linear-solver iterations per step.
};

struct ComparePlan {
    double check = 1.0 / 30.0; ///< Time between check points [s].
    int count = 18;            ///< Check points.
    int threads = 0;
    std::function<void(double fraction)> progress = {}; ///< Called now and then with the fraction done.
};

/// Runs `scene` with steps of `dt` (a whole number of which must fit between check points) and keeps the check points.
Result<Motion> record_motion(SceneDesc scene, double dt, const ComparePlan& plan);

/// E and S at each check point after the first position.
std::vector<MotionError> compare_motions(const Motion& reference, const Motion& motion);

} // namespace selvage
