#pragma once

#include <optional>

#include "base/fields.h"
#include "model/solver.h"
#include "solvers/parts/strain_limit.h"
#include "solvers/solver_info.h"

namespace selvage {

enum class PositionUpdate { new_velocity, mean_velocity };

struct ImplicitJacobiSettings {
    int sweeps = 1; ///< Block-Jacobi sweeps after the diagonal solution; odd when small (docs/explanation/solvers).
    PositionUpdate position_update = PositionUpdate::new_velocity; ///< x += h v+, or x += h (v + v+)/2.
    bool filter_gravity = false; ///< Study only: gravity inside the approximate inverse, where it fades with stiffness.
    bool keep_momentum = true;   ///< Remove the drift that the unfinished solve gives to pieces that nothing holds.
    double strain_limit = 0.0;   ///< Stretch beyond which springs are pulled back after a step; 0: none.
    int strain_passes = 10;      ///< Rounds of pulling per step; few rounds leave some springs above the limit.
};

const Fields<ImplicitJacobiSettings>& settings_fields(const ImplicitJacobiSettings&);

/// Backward Euler on springs, solved by a few block-Jacobi sweeps from the diagonal solution (Kang and Cho).
/// Linear time, stable at any dt with an odd number of sweeps; stretches under load when the sweeps run out.
class ImplicitJacobiSolver final : public Solver {
public:
    using Settings = ImplicitJacobiSettings;
    static SolverInfo info();

    ImplicitJacobiSolver(const ClothModel& model, const ImplicitJacobiSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    void gather_system(const ClothState& state, const StepInput& input);
    SymMat3f stiff_inverse(int vertex) const;
    void sweep(const StepInput& input);
    void remove_drift(const StepInput& input);

    const ClothModel& model_;
    ImplicitJacobiSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    std::optional<StrainLimiter> limiter_;
    IndexLists components_; // pieces joined by springs; empty unless keep_momentum
    std::vector<SpringBlock<float>> block_;
    std::vector<SymMat3f> inverse_; // D_i^-1
    std::vector<Vec3f> right_, delta_v_, previous_;
};

} // namespace selvage
