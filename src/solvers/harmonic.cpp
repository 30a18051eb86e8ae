// Filtered form. With delta = L - l0, rate r = t.(v_b - v_a), Omega_i^2 = 2 sum_j k_ij / m_i (a bound on the
// frequencies at point i) and z = h Omega/2:
//   psi_ij = min over the free ends of (min(sin z, 0.8)/z)^2
//   impulse along t = h psi k delta + (h^2/4) psi k r
// The same on both ends, so momentum is conserved. The filtered stiffness stays below 2.56/h^2 in the mass-weighted
// norm, where the rate term still damps (harmonic_formula.h): every step and every stiffness is stable, and psi -> 1
// for small h. Damping removes at most the velocity that the filter leaves (1 - sin^2/0.64), divided among a point's
// springs by stiffness, so it cannot overshoot either.
// Published form: impulse along t = k [delta sin(omega h)/omega + r (1 - cos(omega h))/omega^2] with
// omega^2 = k (1/m_a + 1/m_b), damping explicit.
// Steps: 1 impulse of every spring at the old state, 2 gather per point, add gravity and air, move, 3 strain limit.
// Cost: one pass over springs, one over points. Gives up: stiffness beyond 2.56 m/h^2.

#include "solvers/harmonic.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "solvers/harmonic_formula.h"
#include "solvers/parts/spring_loops.h"

namespace selvage {

SolverInfo HarmonicSolver::info() {
    return {"harmonic", "explicit harmonic oscillation, filtered to be stable at any step (after Kang and Cho 2012)"};
}

const Fields<HarmonicSettings>& settings_fields(const HarmonicSettings&) {
    using S = HarmonicSettings;
    static const Fields<S> fields = {
        {"strain_limit", &S::strain_limit, {0.0, 10.0, false}, "", "Largest stretch left after a step; 0 is no limit."},
        {"strain_passes",
         &S::strain_passes,
         {1.0, 10000.0, false},
         "",
         "Rounds of correction per step under a strain limit."},
    };
    return fields;
}

SolverInfo HarmonicPublishedSolver::info() {
    return {"harmonic-published",
            "the same as printed, for study; diverges before symplectic Euler does",
            {.can_diverge = true}};
}

const Fields<HarmonicPublishedSettings>& settings_fields(const HarmonicPublishedSettings&) {
    static const Fields<HarmonicPublishedSettings> fields;
    return fields;
}

HarmonicSolver::HarmonicSolver(const ClothModel& model, const HarmonicSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), stiffness_sum_(model.mass.size(), 0.0),
      stable_fraction_(model.mass.size(), 1.0), damping_room_(model.mass.size(), 1.0),
      spring_impulse_(model.springs.size()) {
    for (const Spring& s : model.springs) {
        stiffness_sum_[s.a] += s.stiffness;
        stiffness_sum_[s.b] += s.stiffness;
    }
    if (settings.strain_limit > 0.0) limiter_.emplace(model);
}

void HarmonicSolver::fit_to_step(double h) {
    if (h == fitted_step_) return;
    fitted_step_ = h;
    pool_.for_each(model_.vertex_count(), [&](int i) {
        const double omega = std::sqrt(2.0 * stiffness_sum_[i] / model_.mass[i]);
        stable_fraction_[i] = stable_fraction(omega, h);
        damping_room_[i] = room_for_damping(omega, h);
    });
}

StepStats HarmonicSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const double h = input.dt;
    start_held(state, input);
    fit_to_step(h);
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        const double k = spring.stiffness;
        double fraction = 2.0, room = 1e300; // until a free end gives a smaller one
        for (const int end : {spring.a, spring.b}) {
            if (input.is_held[end]) continue;
            fraction = std::min(fraction, stable_fraction_[end]);
            room = std::min(room, damping_room_[end] * model_.mass[end] * k / (2.0 * stiffness_sum_[end]));
        }
        spring_impulse_[s] = {};
        if (fraction > 1.0) return; // both ends held
        const Vec3 u = state.position[spring.b] - state.position[spring.a];
        const Vec3 dv = state.velocity[spring.b] - state.velocity[spring.a];
        const double l = length(u);
        const Vec3 t = l > 1e-12 ? u / l : Vec3{};
        spring_impulse_[s] = filtered_impulse<true, double>(k, spring.rest_length, fraction, room, damping.axial_time,
                                                            damping.relative, l, t, dv, h);
    });
    apply_spring_impulses(pool_, model_, external_, spring_impulse_, state, input);
    if (limiter_) limiter_->apply(pool_, state, input, settings_.strain_limit, settings_.strain_passes);
    return {clock.ms(), 0, 0.0};
}

HarmonicPublishedSolver::HarmonicPublishedSolver(const ClothModel& model, const HarmonicPublishedSettings&,
                                                 ThreadPool& pool)
    : model_(model), pool_(pool), external_(model), spring_impulse_(model.springs.size()) {}

StepStats HarmonicPublishedSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const double h = input.dt;
    start_held(state, input);
    for_each_spring(pool_, model_, [&](int s, const Spring& spring, const SpringDamping& damping) {
        const Vec3 u = state.position[spring.b] - state.position[spring.a];
        const Vec3 dv = state.velocity[spring.b] - state.velocity[spring.a];
        Vec3 impulse = h * damping.relative * dv;
        const double l = length(u), k = spring.stiffness;
        if (l > 1e-12) {
            const double wa = input.is_held[spring.a] ? 0.0 : 1.0 / model_.mass[spring.a];
            const double wb = input.is_held[spring.b] ? 0.0 : 1.0 / model_.mass[spring.b];
            const Vec3 t = u / l;
            const double rate = dot(t, dv);
            const double push = oscillation_impulse(k, std::sqrt(k * (wa + wb)), l - spring.rest_length, rate, h);
            impulse += (push + h * damping.axial_time * k * rate) * t;
        }
        spring_impulse_[s] = impulse;
    });
    apply_spring_impulses(pool_, model_, external_, spring_impulse_, state, input);
    return {clock.ms(), 0, 0.0};
}

} // namespace selvage
