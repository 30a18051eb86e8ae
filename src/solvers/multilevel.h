#pragma once

#include <algorithm>
#include <memory>

#include "model/solver.h"
#include "solvers/multilevel/block_multigrid.h"
#include "solvers/multilevel/settings.h"
#include "solvers/multilevel/sheet_system.h"
#include "solvers/solver_info.h"

namespace selvage {

class ContactForces;

/// What the last step did, beyond StepStats.
struct MultilevelStats {
    int substeps = 0, linearisations = 0, iterations = 0; ///< Per step, per small step, per linearisation.
    double least_first_alpha = 0.0; ///< Smallest first step length of the conjugate gradients: 1 is a perfect V-cycle.
    double largest_first_alpha = 0.0;
    int fallbacks = 0;         ///< Solves that broke down or went too far and were cut short.
    std::int64_t contacts = 0; ///< Active contacts in the last linearisation of each small step, summed over them.
    double assemble_ms = 0.0, coarsen_ms = 0.0, cycle_ms = 0.0, cg_ms = 0.0, rest_ms = 0.0;
};

/// Backward Euler in small steps on elastic triangles and hinges: a few Newton linearisations, each solved by a few
/// conjugate gradient iterations with one algebraic multigrid V-cycle as preconditioner. Stretch does not grow with the
/// number of points, and the cost per point stays the same.
class MultilevelSolver final : public Solver {
public:
    using Settings = MultilevelSettings;
    static SolverInfo info();

    MultilevelSolver(const ClothModel& model, const MultilevelSettings& settings, ThreadPool& pool);
    ~MultilevelSolver() override;
    void prepare(const StepInput& first) override;
    StepStats step(ClothState& state, const StepInput& input) override;
    bool wants_contact(double /*dt*/) const override { return settings_.contact; }
    int small_steps(double dt, double effort) const override;
    std::optional<double> elastic_energy(const ClothState& state) const override {
        const double yarn = state.yarn.empty() ? 0.0 : system_.yarn().energy(state.yarn, system_.order());
        return system_.elastic_energy(state.position) + yarn;
    }
    bool remembers_bending() const override { return system_.yarn().is_present(); }

    const MultilevelStats& stats() const { return stats_; }
    const BlockMultigrid& hierarchy() const { return multigrid_; }
    std::size_t bytes() const override;
    double bytes_per_point() const { return static_cast<double>(bytes()) / std::max(1, model_.vertex_count()); }

private:
    void choose_work(const ClothState& state, const StepInput& input);
    void fit_to_step(const StepInput& input, double h);
    void find_falling();
    void predict(ClothState& state, const StepInput& input);
    void small_step(ClothState& state, const StepInput& input, int number);
    double solve_linear();
    double precondition();
    void limit_correction(double farthest_squared);
    void keep_momentum();
    void use_large_pages() const;

    const ClothModel& model_;
    MultilevelSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    SheetSystem system_;
    BlockMultigrid multigrid_;
    std::unique_ptr<ContactForces> contact_;
    Inertia inertia_;
    Points x_;
    std::vector<std::uint8_t> falls_; // by point; see find_falling
    std::vector<Floats4> residual_, direction_, correction_;
    std::vector<Floats4> shared_; // the preconditioned residual, and from there to the next one A times the direction
    double measured_step_ = 0.0;  // for which the sweeps' damping was found
    std::vector<std::uint8_t> fitted_held_;
    MultilevelStats stats_;
    StepStats step_stats_;
};

} // namespace selvage
