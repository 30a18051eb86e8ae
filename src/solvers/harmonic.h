#pragma once

#include <optional>

#include "base/fields.h"
#include "model/solver.h"
#include "solvers/parts/strain_limit.h"
#include "solvers/solver_info.h"

namespace selvage {

struct HarmonicSettings {
    double strain_limit = 0.0; ///< Largest stretch allowed after a step; 0 is no limit.
    int strain_passes = 10;    ///< Rounds of correction per step when there is a limit.
};

struct HarmonicPublishedSettings {};

const Fields<HarmonicSettings>& settings_fields(const HarmonicSettings&);
const Fields<HarmonicPublishedSettings>& settings_fields(const HarmonicPublishedSettings&);

/// Explicit step whose spring forces are those of a harmonic oscillation, filtered so that no step is too long (after
/// Kang and Cho 2012). Per-vertex gathers only. Soft at large steps: many cheap ones, or a strain limit.
class HarmonicSolver final : public Solver {
public:
    using Settings = HarmonicSettings;
    static SolverInfo info();

    HarmonicSolver(const ClothModel& model, const HarmonicSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    void fit_to_step(double h);

    const ClothModel& model_;
    HarmonicSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    std::optional<StrainLimiter> limiter_;
    std::vector<double> stiffness_sum_;   // of the springs at each point [N/m]
    std::vector<double> stable_fraction_; // of the stiffness, at each point, for fitted_step_
    std::vector<double> damping_room_;    // fraction of the velocity that damping may still remove, for fitted_step_
    double fitted_step_ = 0.0;
    std::vector<Vec3> spring_impulse_; // on end a
};

/// The same idea as printed: the exact impulse of each spring on its own. For study: it diverges at omega h > 1.72,
/// earlier than plain symplectic Euler, whose limit is 2.
class HarmonicPublishedSolver final : public Solver {
public:
    using Settings = HarmonicPublishedSettings;
    static SolverInfo info();

    HarmonicPublishedSolver(const ClothModel& model, const HarmonicPublishedSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    const ClothModel& model_;
    ThreadPool& pool_;
    ExternalForces external_;
    std::vector<Vec3> spring_impulse_; // on end a
};

} // namespace selvage
