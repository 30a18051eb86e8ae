// Each spring force is split into k u, linear in the positions of the ends, and k l0 t of constant size. The first is
// integrated implicitly, the rotation of the second during the step is neglected, so the matrix never changes:
//   A = M + h^2 K + h C,   K and C the Laplacians of the springs' k and damping,
//   b_i = h sum_j [ k (L - l0) t + h k (v_j - v_i) + damping force ],   dv = A^-1 b
// (W = A^-1 M is the paper's filter; its rows sum to 1). Fabric damping acts along the spring but enters A in all
// directions, which only overestimates it there, so it cannot overshoot and W stays constant.
// A free piece gets no momentum from its own springs: b sums to zero and A 1 = M 1 conserve the linear part, but the
// filter leaves a torque. The rigid motion that carries it is removed from dv; positions then move along the corrected
// velocity with the same lever arms, so that both momenta are conserved to round-off.
//   v += dv;  v += h external;  x += h v;  strain limit
// External forces stay outside the filter: near a held point it would remove most of gravity, and stiff cloth would
// fall in slow motion. The price is that springs at a held point balance h^2 k g more than the weight. `filter_gravity`
// puts gravity inside instead, where blocks on a fixed base rest exactly.
// Steps: 1 impulse of every spring, 2 gather, 3 solve, 4 balance free pieces, 5 external forces and move, 6 limit.
// Cost: one pass over springs, one solve with a fixed factor. Gives up: springs resist turning with their full k, and
// the artificial viscosity h k is large; both vanish with h.

#include "solvers/filter.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "solvers/parts/rigid_motion.h"
#include "solvers/parts/spring_loops.h"

namespace selvage {

SolverInfo FilterSolver::info() {
    return {"filter",
            "implicit step by a matrix factored once, for any net under any hand (Desbrun, Schroeder, Barr 1999)",
            {.damps_swings = true}};
}

const Fields<FilterSettings>& settings_fields(const FilterSettings&) {
    using S = FilterSettings;
    static const Fields<S> fields = {
        choice_field(
            "solve", &S::solve, {"dense", "cholesky"},
            "cholesky: a sparse factor, for nets of any size; dense: the whole inverse, up to 3000 free points "
            "and cholesky beyond."),
        choice_field("angular", &S::angular, {"inertia", "printed", "none"},
                     "What conserves the angular momentum of pieces that nothing holds: the rigid rotation that "
                     "cancels the filter's torque; the paper's formula, for study; nothing."),
        {"stiffness_scale",
         &S::stiffness_scale,
         {0.0, 1e6, false},
         "",
         "Factor on the stiffness of all springs; 0 with a strain limit makes chain mail."},
        {"filter_gravity", &S::filter_gravity, kAny, "",
         "Gravity inside the filter for pieces that are held: blocks then rest exactly where they should at any step, "
         "while cloth falls in slow motion."},
        {"strain_limit", &S::strain_limit, {0.0, 10.0, false}, "", "Largest stretch left after a step; 0 is no limit."},
        {"strain_passes",
         &S::strain_passes,
         {1.0, 10000.0, false},
         "",
         "Rounds of correction per step under a strain limit at most."},
        {"strain_error",
         &S::strain_error,
         {0.0, 10.0, false},
         "",
         "The rounds end when no spring is stretched further than this beyond the limit."},
        {"strain_budget_ms",
         &S::strain_budget_ms,
         {0.0, 1e6, false},
         "ms",
         "The rounds end after this time; 0 is no bound. With a bound results depend on the machine."},
    };
    return fields;
}

FilterSolver::FilterSolver(const ClothModel& model, const FilterSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), factor_(model, settings.solve),
      pieces_(spring_components(model)), piece_of_(model.mass.size()),
      piece_is_held_(static_cast<std::size_t>(pieces_.row_count())), spring_impulse_(model.springs.size()),
      impulse_(model.mass.size()), delta_v_(model.mass.size()) {
    if (settings.strain_limit > 0.0) limiter_.emplace(model);
    for (int p = 0; p < pieces_.row_count(); ++p)
        for (const int i : pieces_[p])
            piece_of_[i] = p;
}

void FilterSolver::prepare(const StepInput& first) {
    fit_to_step(first);
}

void FilterSolver::fit_to_step(const StepInput& input) {
    const double h = input.dt;
    if (h == factored_step_) {
        factor_.hold(input.is_held);
        return;
    }
    std::vector<double> weight(model_.springs.size());
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        const double k = settings_.stiffness_scale * spring.stiffness;
        weight[s] = h * (h * k + damping.axial_time * k + damping.relative);
    });
    factor_.factor(weight, input.is_held);
    factored_step_ = h;
}

StepStats FilterSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const double h = input.dt;
    start_held(state, input);
    fit_to_step(input);
    find_held_pieces(input);
    gather_impulses(state, input);
    factor_.solve(pool_, impulse_, delta_v_);
    balance_momentum(state);

    external_.prepare(pool_, state, input);
    pool_.for_each(model_.vertex_count(), [&](int i) {
        if (input.is_held[i]) return;
        ExternalForces::Load load = external_.at(i, state, input);
        if (gravity_is_inside(i)) load.acceleration -= input.gravity; // already in dv
        // Other points see this one only through the normals that prepare() stored.
        state.velocity[i] = load.advance(state.velocity[i] + delta_v_[i], h);
        state.position[i] += h * state.velocity[i];
    });
    finish_held(state, input);
    if (limiter_)
        limiter_->apply(pool_, state, input, settings_.strain_limit,
                        {settings_.strain_passes, settings_.strain_error, settings_.strain_budget_ms});
    return {clock.ms(), 0, 0.0};
}

void FilterSolver::find_held_pieces(const StepInput& input) {
    std::fill(piece_is_held_.begin(), piece_is_held_.end(), std::uint8_t{0});
    for (const HeldPoint& held : input.held)
        piece_is_held_[piece_of_[held.vertex]] = 1;
}

void FilterSolver::gather_impulses(const ClothState& state, const StepInput& input) {
    const double h = input.dt;
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        const double k = settings_.stiffness_scale * spring.stiffness;
        const Vec3 u = state.position[spring.b] - state.position[spring.a];
        const Vec3 dv = state.velocity[spring.b] - state.velocity[spring.a];
        Vec3 impulse = h * (h * k + damping.relative) * dv;
        const double l = length(u);
        if (l > 1e-12) { // a spring with both ends in one point has no direction
            const Vec3 t = u / l;
            impulse += h * k * (l - spring.rest_length + damping.axial_time * dot(t, dv)) * t;
        }
        spring_impulse_[s] = impulse;
    });
    pool_.for_each(model_.vertex_count(), [&](int i) {
        Vec3 sum = gravity_is_inside(i) ? (h * model_.mass[i]) * input.gravity : Vec3{};
        for (const SpringEnd& end : model_.ends_of(i))
            sum += end.other > i ? spring_impulse_[end.spring] : -spring_impulse_[end.spring];
        impulse_[i] = sum;
    });
}

void FilterSolver::balance_momentum(const ClothState& state) {
    if (settings_.angular == AngularCorrection::none) return;
    for (int p = 0; p < pieces_.row_count(); ++p) {
        const std::span<const int> piece = pieces_[p];
        // Held points exchange an unknown momentum with the rest of the world.
        if (piece.size() < 2 || piece_is_held_[p]) continue;
        if (settings_.angular == AngularCorrection::inertia)
            remove_rigid_motion(pool_, model_.mass, state.position, piece, delta_v_);
        else
            add_printed_correction(state, piece);
    }
}

/// R_i = (x_G - x_i) x dT h^2/m on the position, dT = sum F~_i x x_i with F~ = m dv/h: no inertia in it, so its size
/// depends on the unit of length. Here as a velocity, R/h, with the mean mass, which conserves the linear momentum.
void FilterSolver::add_printed_correction(const ClothState& state, std::span<const int> piece) {
    struct Total {
        double mass = 0.0;
        Vec3 moment, torque; // sum m x, sum m dv x x
        Total& operator+=(const Total& other) {
            mass += other.mass;
            moment += other.moment;
            torque += other.torque;
            return *this;
        }
    };
    const int n = static_cast<int>(piece.size());
    const Total total = pool_.sum<Total>(n, [&](int k) {
        const int i = piece[k];
        const double m = model_.mass[i];
        return Total{m, m * state.position[i], cross(m * delta_v_[i], state.position[i])};
    });
    if (!(total.mass > 0.0)) return;
    const Vec3 centre = total.moment / total.mass, turn = total.torque * (n / total.mass);
    pool_.for_each(n, [&](int k) { delta_v_[piece[k]] += cross(centre - state.position[piece[k]], turn); });
}

} // namespace selvage
