#pragma once

#include "base/fields.h"
#include "model/solver.h"
#include "solvers/solver_info.h"

namespace selvage {

struct ExplicitSettings {};

const Fields<ExplicitSettings>& settings_fields(const ExplicitSettings&);

/// Symplectic Euler: v += h f/m, x += h v. For study: it keeps energy well and diverges as soon as h exceeds 2/omega of
/// the stiffest spring, which for cloth is far below a millisecond.
class ExplicitSolver final : public Solver {
public:
    using Settings = ExplicitSettings;
    static SolverInfo info();

    ExplicitSolver(const ClothModel& model, const ExplicitSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    const ClothModel& model_;
    ThreadPool& pool_;
    ExternalForces external_;
    std::vector<Vec3> spring_impulse_; // on end a
};

} // namespace selvage
