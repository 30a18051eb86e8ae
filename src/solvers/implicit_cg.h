#pragma once

#include "base/fields.h"
#include "math/conjugate_gradient.h"
#include "model/solver.h"
#include "solvers/solver_info.h"

namespace selvage {

enum class Integrator { backward_euler, sdirk2, sdirk3 };
enum class Derivative { stabilised, exact };

struct ImplicitCgSettings {
    Integrator integrator = Integrator::backward_euler;
    Derivative derivative = Derivative::stabilised; ///< exact: indefinite when springs are compressed.
    int newton = 0; ///< Linearisations per solve at most; 0: one for backward-euler, ten for sdirk2 and sdirk3.
    double tolerance = 1e-6;  ///< Of each linear solve: factor by which the preconditioned residual must shrink.
    int max_iterations = 500; ///< Cap of each linear solve.
};

const Fields<ImplicitCgSettings>& settings_fields(const ImplicitCgSettings&);

/// Backward Euler on springs solved by preconditioned conjugate gradients, all in double: the reference.
/// sdirk2 and sdirk3 chain two or three such solves into an L-stable step of second or third order.
class ImplicitCgSolver final : public Solver {
public:
    using Settings = ImplicitCgSettings;
    static SolverInfo info();

    ImplicitCgSolver(const ClothModel& model, const ImplicitCgSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    struct Stage; // one implicit solve inside a step

    void solve_stage(const Stage& stage, const StepInput& input, ClothState& state, StepStats& stats);
    void linearise_at(const ClothState& state, double h);
    void form_system(const Stage& stage, const StepInput& input, const ClothState& state, bool first);

    const ClothModel& model_;
    ImplicitCgSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    std::vector<SpringBlock<double>> block_;
    std::vector<SymMat3> diagonal_, inverse_;
    std::vector<Vec3> right_, delta_v_;
    std::vector<ExternalForces::Load> load_;
    std::vector<Vec3> start_x_, start_v_, base_x_, base_v_;
    std::vector<std::vector<Vec3>> rate_x_, rate_v_; // stage derivatives
    CgBuffers buffers_;
};

} // namespace selvage
