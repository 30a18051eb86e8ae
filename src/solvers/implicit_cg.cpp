// A stage of step a h from a base (x^, v^):  V = v^ + a h M^-1 f(X, V),  X = x^ + a h V.
// Newton on V with A = M - (a h)^2 J - a h C:
//   first linearisation, at x^:    A dV = a h (f(x^, v^) + a h J v^)          (Baraff and Witkin's step)
//   further ones, at X_k:          A dV = M (v^ - V_k) + a h f(X_k, V_k)
// Backward Euler is one stage with a = 1 from the state itself. The SDIRK methods of Alexander (1977) use the same
// diagonal entry in every stage and end on the last one, so they are L-stable; stage i starts from
//   x^ = x + h sum_{j<i} a_ij x'_j,   v^ = v + h sum_{j<i} a_ij v'_j,
// with the derivatives x'_j = V_j and v'_j = (V_j - v^_j) / (a h) left by earlier stages.
// Held points are filtered out: their rows return zero, their velocity is given.
// Cost per CG iteration: one pass over springs by gathering, three over points, two dots.

#include "solvers/implicit_cg.h"

#include <array>
#include <cmath>

#include "base/stopwatch.h"
#include "solvers/parts/spring_loops.h"

namespace selvage {

SolverInfo ImplicitCgSolver::info() {
    return {"implicit-cg",
            "full backward Euler by conjugate gradients; the reference, with second- and third-order variants"};
}

const Fields<ImplicitCgSettings>& settings_fields(const ImplicitCgSettings&) {
    using S = ImplicitCgSettings;
    static const Fields<S> fields = {
        choice_field("integrator", &S::integrator, {"backward-euler", "sdirk2", "sdirk3"},
                     "Order one, two or three; one, two or three implicit solves per step."),
        choice_field("derivative", &S::derivative, {"stabilised", "exact"},
                     "stabilised drops the indefinite part of compressed springs; exact keeps it."),
        {"newton",
         &S::newton,
         {0.0, 100.0, false},
         "",
         "Linearisations per solve at most, fewer once converged; 0 is one for backward-euler (the classic step) and "
         "ten for sdirk2 and sdirk3, which need them for their order."},
        {"tolerance", &S::tolerance, {1e-15, 1.0, true}, "", "Relative residual at which a linear solve stops."},
        {"max_iterations", &S::max_iterations, {1.0, 1e6, false}, "", "Cap on the iterations of a linear solve."},
    };
    return fields;
}

struct ImplicitCgSolver::Stage {
    double h;   // a times the step
    double end; // fraction of the step at which the stage stands
};

namespace {

constexpr int kMostStages = 3;

struct Tableau {
    int stages;
    double diagonal;
    std::array<std::array<double, kMostStages>, kMostStages> below; // a_ij, j < i
};

Tableau tableau(Integrator integrator) {
    switch (integrator) {
    case Integrator::sdirk2: {
        const double g = 1.0 - std::sqrt(0.5);
        return {2, g, {{{}, {1.0 - g}, {}}}};
    }
    case Integrator::sdirk3: {
        const double g = 0.43586652150845899942; // root of g^3 - 3 g^2 + 3/2 g - 1/6 that makes the method L-stable
        const double b1 = -1.5 * g * g + 4.0 * g - 0.25, b2 = 1.5 * g * g - 5.0 * g + 1.25;
        return {3, g, {{{}, {0.5 * (1.0 - g)}, {b1, b2}}}};
    }
    case Integrator::backward_euler:
        break;
    }
    return {1, 1.0, {}};
}

} // namespace

ImplicitCgSolver::ImplicitCgSolver(const ClothModel& model, const ImplicitCgSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), block_(model.springs.size()) {
    const std::size_t n = model.mass.size();
    diagonal_.resize(n);
    inverse_.resize(n);
    load_.resize(n);
    for (std::vector<Vec3>* buffer : {&right_, &delta_v_, &base_v_, &base_x_})
        buffer->resize(n);
    buffers_.resize(n);
    const int stages = tableau(settings.integrator).stages;
    if (stages > 1) {
        start_x_.resize(n);
        start_v_.resize(n);
        rate_x_.assign(stages - 1, std::vector<Vec3>(n));
        rate_v_.assign(stages - 1, std::vector<Vec3>(n));
    }
}

StepStats ImplicitCgSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const Tableau method = tableau(settings_.integrator);
    const int n = model_.vertex_count();
    const double h = input.dt;
    StepStats stats;
    start_held(state, input);
    if (method.stages > 1) {
        start_x_ = state.position;
        start_v_ = state.velocity;
    }
    for (int i = 0; i < method.stages; ++i) {
        Stage stage{method.diagonal * h, method.diagonal};
        for (int j = 0; j < i; ++j)
            stage.end += method.below[i][j];
        if (i > 0)
            pool_.for_each(n, [&](int p) {
                if (input.is_held[p]) { // moves to its target at constant velocity
                    state.position[p] = start_x_[p] + (stage.end * h - stage.h) * start_v_[p];
                    return;
                }
                Vec3 x = start_x_[p], v = start_v_[p];
                for (int j = 0; j < i; ++j) {
                    x += h * method.below[i][j] * rate_x_[j][p];
                    v += h * method.below[i][j] * rate_v_[j][p];
                }
                state.position[p] = x;
                state.velocity[p] = v;
            });
        pool_.for_each(n, [&](int p) {
            base_x_[p] = state.position[p];
            base_v_[p] = state.velocity[p];
        });
        solve_stage(stage, input, state, stats);
        if (i + 1 < method.stages)
            pool_.for_each(n, [&](int p) {
                rate_x_[i][p] = state.velocity[p];
                rate_v_[i][p] = (state.velocity[p] - base_v_[p]) / stage.h;
            });
    }
    finish_held(state, input);
    stats.ms = clock.ms();
    return stats;
}

void ImplicitCgSolver::solve_stage(const Stage& stage, const StepInput& input, ClothState& state, StepStats& stats) {
    const int n = model_.vertex_count();
    external_.prepare(pool_, state, input);
    pool_.for_each(n, [&](int i) { load_[i] = external_.at(i, state, input); });

    const CgSettings cg{settings_.tolerance, settings_.max_iterations};
    double first_change = 0.0;
    const int automatic = settings_.integrator == Integrator::backward_euler ? 1 : 10;
    const int linearisations = settings_.newton > 0 ? settings_.newton : automatic;
    for (int k = 0; k < linearisations; ++k) {
        linearise_at(state, stage.h);
        form_system(stage, input, state, k == 0);
        const CgResult result = solve_cg(
            pool_, cg,
            [&](int i, const std::vector<Vec3>& p) {
                if (input.is_held[i]) return Vec3{};
                Vec3 row = diagonal_[i] * p[i];
                for (const SpringEnd& end : model_.ends_of(i))
                    row -= block_[end.spring].apply(p[end.other]);
                return row;
            },
            [&](int i, const Vec3& r) { return input.is_held[i] ? Vec3{} : inverse_[i] * r; }, right_, delta_v_,
            buffers_);
        stats.iterations += result.iterations;
        stats.residual = result.residual;
        pool_.for_each(n, [&](int i) {
            state.velocity[i] += delta_v_[i];
            state.position[i] = base_x_[i] + stage.h * state.velocity[i];
        });
        // Newton has converged when the correction is lost in the solve's own tolerance.
        const double change = pool_.sum<double>(n, [&](int i) { return model_.mass[i] * length_squared(delta_v_[i]); });
        if (k == 0)
            first_change = change;
        else if (change <= settings_.tolerance * settings_.tolerance * first_change)
            break;
    }
}

void ImplicitCgSolver::linearise_at(const ClothState& state, double h) {
    const bool exact = settings_.derivative == Derivative::exact;
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        block_[s] = linearise<double>(spring, damping, state.position[spring.b] - state.position[spring.a], h, exact);
    });
}

void ImplicitCgSolver::form_system(const Stage& stage, const StepInput& input, const ClothState& state, bool first) {
    const double h = stage.h;
    for_each_vertex(pool_, model_, [&](int i, const SpringDamping& damping) {
        right_[i] = {};
        if (input.is_held[i]) return;
        const ExternalForces::Load& load = load_[i];
        const Vec3& v = state.velocity[i];
        Vec3 right = (model_.mass[i] * h) * (load.acceleration - load.drag_rate * (v - load.wind));
        if (!first) right += model_.mass[i] * (base_v_[i] - v);
        SymMat3 diagonal = SymMat3::diagonal(model_.mass[i] * load.inertia_factor(h));
        for (const SpringEnd& end : model_.ends_of(i)) {
            const SpringBlock<double>& block = block_[end.spring];
            const Vec3 dv = state.velocity[end.other] - v;
            right += (end.other > i ? block.push : -block.push) * block.t;
            if (first) {
                right += block.apply(dv); // h (h J + C) dv
            } else {                      // the springs are at X already: the damping force alone
                const double c_axial = damping.axial_time * model_.springs[end.spring].stiffness;
                right += h * (damping.relative * dv + (c_axial * dot(block.t, dv)) * block.t);
            }
            diagonal.add_scaled(block.isotropic, block.axial, block.t);
        }
        diagonal_[i] = diagonal;
        inverse_[i] = inverse(diagonal);
        right_[i] = right;
    });
}

} // namespace selvage
