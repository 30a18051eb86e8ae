#pragma once

#include "solvers/multilevel/settings.h"
#include "solvers/multilevel/sheet_system.h"

namespace selvage {

/// What a step of multilevel takes.
struct StepWork {
    int substeps = 1;       ///< Small steps.
    int linearisations = 2; ///< Per small step.
    int iterations = 2;     ///< Of conjugate gradients, per linearisation.
    bool operator==(const StepWork&) const = default;
};

/// Small steps for dt seconds at this effort; see Solver::small_steps().
int multilevel_small_steps(const MultilevelSettings& settings, double dt, double effort);

/// `farthest_hand`: how far the held point that moves most goes in the step [m].
StepWork step_work(const MultilevelSettings& settings, const SheetSystem& system, double dt, double effort,
                   double farthest_hand);

} // namespace selvage
