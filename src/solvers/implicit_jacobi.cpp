// (M - h^2 J - h C) dv = h (f + h J v + C v), one linearisation per step. With A_ij = h^2 J_ij + h C_ij per spring,
//   D_i = m_i I + sum_j A_ij,   b_i = h f_i + sum_j A_ij (v_j - v_i),
//   dv_i <- D_i^-1 b_i,  then `sweeps` times  dv_i <- D_i^-1 (b_i + sum_j A_ij dv_j).
// v += dv;  v += h * external;  x += h v.
// Steps: 1 block of every spring, 2 gather b and D per point, 3 sweeps, 4 external forces and move, 5 strain limit.
// Cost: two passes over springs and points, one more per sweep; nothing global. After k sweeps the error is R^(k+1) of
// the solution, R = D^-1 (off-diagonal) with spectrum in (-1, 1): odd k leaves every mode under-solved (stable), even
// k over-solves modes near -1 by up to 2x. Gives up: stiffness across more than k + 1 neighbours per step, and with it
// angular momentum (the net linear drift is removed from free pieces). External forces stay outside the approximate
// inverse, or gravity would fade as k h^2/m grows.
// State in double, blocks and increments in float: increments are small against the state.

#include "solvers/implicit_jacobi.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "solvers/parts/spring_loops.h"

namespace selvage {

namespace {

// Trace of D over mass up to which its inverse in float is good to 1e-3 in every direction.
constexpr float kMostForFloat = 1e4F;
// Least mass, relative to the trace of the springs: ten times what rounding to float leaves uncertain.
constexpr double kLeastMass = 1e-6;

} // namespace

SolverInfo ImplicitJacobiSolver::info() {
    return {"implicit-jacobi", "approximate implicit step by a few block-Jacobi sweeps, linear time (Kang and Cho)"};
}

const Fields<ImplicitJacobiSettings>& settings_fields(const ImplicitJacobiSettings&) {
    using S = ImplicitJacobiSettings;
    static const Fields<S> fields = {
        {"sweeps", &S::sweeps, {0.0, 1000.0, false}, "", "Block-Jacobi sweeps per step; odd when small."},
        choice_field("position_update", &S::position_update, {"new", "mean"},
                     "Move by the new velocity, or by the mean of old and new (second order in free fall)."),
        {"filter_gravity", &S::filter_gravity, kAny, "", "For study: gravity inside the approximate inverse."},
        {"keep_momentum", &S::keep_momentum, kAny, "",
         "Remove the net momentum that the unfinished solve gives to a piece nothing holds."},
        {"strain_limit",
         &S::strain_limit,
         {0.0, 10.0, false},
         "",
         "Springs stretched beyond this are pulled back to it after a step, as far as the passes reach; 0: none."},
        {"strain_passes",
         &S::strain_passes,
         {1.0, 10000.0, false},
         "",
         "Rounds of pulling per step under a strain limit."},
    };
    return fields;
}

ImplicitJacobiSolver::ImplicitJacobiSolver(const ClothModel& model, const ImplicitJacobiSettings& settings,
                                           ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), block_(model.springs.size()),
      inverse_(model.vertex_count()), right_(model.vertex_count()), delta_v_(model.vertex_count()),
      previous_(settings.sweeps > 0 ? model.vertex_count() : 0) {
    if (settings.strain_limit > 0.0) limiter_.emplace(model);
    if (settings.keep_momentum) components_ = spring_components(model);
}

StepStats ImplicitJacobiSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const double h = input.dt;
    start_held(state, input);
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        block_[s] = linearise<float>(spring, damping, state.position[spring.b] - state.position[spring.a], h, false);
    });
    gather_system(state, input);
    for (int k = 0; k < settings_.sweeps; ++k)
        sweep(input);
    if (settings_.keep_momentum) remove_drift(input);

    external_.prepare(pool_, state, input);
    const bool mean = settings_.position_update == PositionUpdate::mean_velocity;
    pool_.for_each(model_.vertex_count(), [&](int i) {
        if (input.is_held[i]) return;
        ExternalForces::Load load = external_.at(i, state, input);
        if (settings_.filter_gravity) load.acceleration -= input.gravity; // already inside dv
        const Vec3 before = state.velocity[i];
        const Vec3 after = load.advance(before + Vec3(delta_v_[i]), h);
        // The loads of other points read this point's normal and velocity only through what prepare() stored.
        state.velocity[i] = after;
        state.position[i] += mean ? 0.5 * h * (before + after) : h * after;
    });
    finish_held(state, input);
    if (limiter_) limiter_->apply(pool_, state, input, settings_.strain_limit, settings_.strain_passes);
    return {clock.ms(), settings_.sweeps, 0.0};
}

void ImplicitJacobiSolver::gather_system(const ClothState& state, const StepInput& input) {
    const Vec3f gravity_step = settings_.filter_gravity ? Vec3f(input.dt * input.gravity) : Vec3f{};
    pool_.for_each(model_.vertex_count(), [&](int i) {
        delta_v_[i] = {};
        if (input.is_held[i]) return;
        const float mass = static_cast<float>(model_.mass[i]);
        SymMat3f diagonal = SymMat3f::diagonal(mass);
        Vec3f right = mass * gravity_step;
        for (const SpringEnd& end : model_.ends_of(i)) {
            const SpringBlock<float>& block = block_[end.spring];
            const Vec3f dv(state.velocity[end.other] - state.velocity[i]);
            right += (end.other > i ? block.push : -block.push) * block.t + block.apply(dv);
            diagonal.add_scaled(block.isotropic, block.axial, block.t);
        }
        const bool stiff = diagonal.xx + diagonal.yy + diagonal.zz > kMostForFloat * mass;
        inverse_[i] = stiff ? stiff_inverse(i) : inverse(diagonal);
        right_[i] = right;
        delta_v_[i] = inverse_[i] * right;
    });
}

/// D^-1 of a point whose springs are far stiffer than its inertia: across the springs D is lost in the rounding of
/// floats.
SymMat3f ImplicitJacobiSolver::stiff_inverse(int vertex) const {
    SymMat3 springs;
    for (const SpringEnd& end : model_.ends_of(vertex)) {
        const SpringBlock<float>& block = block_[end.spring];
        springs.add_scaled(block.isotropic, block.axial, Vec3(block.t));
    }
    // b is rounded as well: where that alone would move the point across its springs, its mass is raised.
    const double least = kLeastMass * (springs.xx + springs.yy + springs.zz);
    SymMat3 diagonal = SymMat3::diagonal(std::max(model_.mass[vertex], least));
    diagonal.xx += springs.xx, diagonal.xy += springs.xy, diagonal.xz += springs.xz;
    diagonal.yy += springs.yy, diagonal.yz += springs.yz, diagonal.zz += springs.zz;
    const SymMat3 d = inverse(diagonal);
    const auto rounded = [](double value) { return static_cast<float>(value); };
    return {rounded(d.xx), rounded(d.xy), rounded(d.xz), rounded(d.yy), rounded(d.yz), rounded(d.zz)};
}

void ImplicitJacobiSolver::sweep(const StepInput& input) {
    std::swap(delta_v_, previous_);
    pool_.for_each(model_.vertex_count(), [&](int i) {
        delta_v_[i] = {};
        if (input.is_held[i]) return;
        Vec3f sum = right_[i];
        for (const SpringEnd& end : model_.ends_of(i))
            sum += block_[end.spring].apply(previous_[end.other]);
        delta_v_[i] = inverse_[i] * sum;
    });
}

// Spring forces come in opposite pairs, so sum m dv = 0 for the exact solution; k sweeps leave a remainder. A uniform
// shift removes it without changing any spring. Pieces with held points exchange an unknown momentum with them and are
// left out.
void ImplicitJacobiSolver::remove_drift(const StepInput& input) {
    if (settings_.filter_gravity) return; // then dv holds gravity's momentum as well
    for (int c = 0; c < components_.row_count(); ++c) {
        const std::span<const int> vertices = components_[c];
        const int n = static_cast<int>(vertices.size());
        if (n < 2 || pool_.sum<int>(n, [&](int k) { return int{input.is_held[vertices[k]]}; }) > 0) continue;
        struct Total {
            Vec3 momentum;
            double mass = 0.0;
            Total& operator+=(const Total& other) {
                momentum += other.momentum;
                mass += other.mass;
                return *this;
            }
        };
        const Total total = pool_.sum<Total>(n, [&](int k) {
            const double m = model_.mass[vertices[k]];
            return Total{m * Vec3(delta_v_[vertices[k]]), m};
        });
        const Vec3f drift(total.momentum / total.mass);
        pool_.for_each(n, [&](int k) { delta_v_[vertices[k]] -= drift; });
    }
}

} // namespace selvage
