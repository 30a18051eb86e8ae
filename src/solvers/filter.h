#pragma once

#include <optional>

#include "base/fields.h"
#include "model/solver.h"
#include "solvers/parts/held_factor.h"
#include "solvers/parts/strain_limit.h"
#include "solvers/solver_info.h"

namespace selvage {

enum class AngularCorrection { inertia, printed, none };

struct FilterSettings {
    FactorKind solve = FactorKind::cholesky;                ///< dense: the whole inverse, as the paper has it.
    AngularCorrection angular = AngularCorrection::inertia; ///< Of pieces that nothing holds; others for study.
    double stiffness_scale = 1.0;                           ///< 0: no spring forces; with a limit, chain mail.
    bool filter_gravity = false;   ///< Gravity inside the filter for pieces that are held somewhere.
    double strain_limit = 0.0;     ///< Largest stretch allowed after a step; 0: no limit.
    int strain_passes = 10;        ///< Rounds of correction per step at most.
    double strain_error = 1e-3;    ///< Stretch above the limit at which the rounds end.
    double strain_budget_ms = 0.0; ///< Time after which the rounds end [ms]; 0: no bound.
};

const Fields<FilterSettings>& settings_fields(const FilterSettings&);

/// Implicit step with a constant matrix that is factored once: spring forces are filtered by its inverse instead of
/// solving a new system every step (Desbrun, Schroeder and Barr 1999). Stable at any step and stiffness, and every step
/// takes the same time. Springs resist rotation as if they were stretched, so stiff cloth that is held swings as if
/// through oil.
class FilterSolver final : public Solver {
public:
    using Settings = FilterSettings;
    static SolverInfo info();

    FilterSolver(const ClothModel& model, const FilterSettings& settings, ThreadPool& pool);
    void prepare(const StepInput& first) override;
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    void fit_to_step(const StepInput& input);
    bool gravity_is_inside(int vertex) const { return settings_.filter_gravity && piece_is_held_[piece_of_[vertex]]; }
    void find_held_pieces(const StepInput& input);
    void gather_impulses(const ClothState& state, const StepInput& input);
    void balance_momentum(const ClothState& state);
    void add_printed_correction(const ClothState& state, std::span<const int> piece);

    const ClothModel& model_;
    FilterSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    HeldFactor factor_;
    double factored_step_ = 0.0;
    std::optional<StrainLimiter> limiter_;
    IndexLists pieces_; // held together by springs
    std::vector<int> piece_of_;
    std::vector<std::uint8_t> piece_is_held_; // at any point, in this step
    std::vector<Vec3> spring_impulse_;        // on end a
    std::vector<Vec3> impulse_, delta_v_;
};

} // namespace selvage
