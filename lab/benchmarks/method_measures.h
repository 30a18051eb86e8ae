#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/compare/compare.h"
#include "model/measures.h"

namespace selvage {

/// The same scene under another method alone, cloth free to pass through cloth: `substeps` solver steps a frame.
SceneDesc with_solver(SceneDesc scene, const SolverSettings& solver, int substeps);

/// One scene under one method, on one thread.
struct MethodRun {
    double ms = 0.0;         ///< Median over the frames, CPU time [ms].
    double strain_max = 0.0; ///< Largest over the last second.
    double strain_rms = 0.0; ///< At the end.
    Motion motion;           ///< Check points, as long as the plan asks.
    std::string failure;     ///< How it diverged; empty when it did not, and the numbers above hold.
};

/// Runs `seconds` of `scene`. Check points must fall on frames.
Result<MethodRun> run_method(const SceneDesc& scene, double seconds, const ComparePlan& plan);

/// How far a motion is from the reference, over the check points.
struct MotionScore {
    double error = 0.0;      ///< E, mean; of the points that move more than kResting in the reference.
    double similarity = 0.0; ///< S, mean, of the same points.
    double distance = 0.0;   ///< Root mean square distance of all points, mean over the check points [m].
};
/// A point that moves less between two check points rests: a relative difference would divide by nothing [m].
constexpr double kResting = 1e-3;
MotionScore score_motion(const Motion& reference, const Motion& motion);

/// Takes away what dissipates on purpose: air and the fabric's damping.
SceneDesc in_vacuum(SceneDesc scene);

/// What the potential energy that a scene lost since its start has become, as fractions of it, averaged over the last
/// second of `seconds`; none when it diverged. Without losses they add up to 1.
struct EnergyFractions {
    double motion = 0.0;
    double stretch = 0.0; ///< By the fabric's stiffness; 0 for a method that does not read it.
};
std::optional<EnergyFractions> energy_fractions(const SceneDesc& scene, double seconds);

/// Change of the momenta of a scene without forces after `seconds`, relative to the start; none when it diverged.
struct MomentumDrift {
    double linear = 0.0, angular = 0.0;
};
std::optional<MomentumDrift> momentum_drift(const SceneDesc& scene, double seconds);

/// The sheet of `scene` set free in empty space, moving and tumbling.
SceneDesc tumbling(SceneDesc scene);

/// Of the steps 1/30, 1/60, 1/120, ... 1/30720 s the largest that keeps a scene finite for `seconds`, and the largest
/// that also keeps its strain below `strain_bound`; 0 where none does.
struct StepLimits {
    double finite = 0.0, tight = 0.0; ///< [s].
};
Result<StepLimits> find_step_limits(const SceneDesc& scene, double seconds, double strain_bound);

} // namespace selvage
