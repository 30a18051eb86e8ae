// Backward Euler as a minimum, per small step of h seconds:
//   x+ = argmin  1/(2 h^2) (x - y)^T M (x - y) + E(x),    y = x + h v + h^2 a
// Drag with its end direction (see ExternalForces) makes M = m (1 + h r) and y the point reached with drag alone.
//   x = x + h v, or y in pieces that nothing holds; held points move towards their targets
//   repeat (2, and up to 4 more while contacts are overrun):
//     A dx = r by 2 to 4 conjugate gradient iterations, V-cycle preconditioned;  x += dx
//   free pieces: shifted so that their momentum is exactly what the external forces make it
//   v = (x - x before)/h
// No line search: a second linearisation does more for less. Fixed numbers of everything, so cost and result are
// predictable. Coarse matrices are rebuilt once per small step, and changed at each linearisation where contact acts.
// State in double; blocks and conjugate gradients in float, which correct a residual that was formed in double.

#include "solvers/multilevel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopwatch.h"
#include "solvers/multilevel/contact_forces.h"
#include "solvers/multilevel/step_work.h"

namespace selvage {

namespace {

constexpr double kLongestStep = 10.0;  // edge lengths that a linearisation may move a point
constexpr int kMoreLinearisations = 4; // while contact is not solved yet
// Another linearisation costs a pass over all points. While at most one pair per this many points is overrun, and few
// in all, they are left to the contact stage after the step.
constexpr int kPointsPerOverrun = 1000, kMostOverrun = 16;
constexpr double kFastest = 3000.0; // [m/s]; far beyond any cloth, but reached when a hand jumps a metre in one step

/// x += alpha p, or alpha p where `is_first`, and r -= alpha q. Returns the largest x . x; 1e300 if one is no number.
SELVAGE_WIDE double advance_rows(float alpha, bool is_first, const Floats4* p, const Floats4* q, Floats4* x, Floats4* r,
                                 int begin, int end) {
    double most = 0.0, sum = 0.0; // the sum is a number if all are
    for (int i = begin; i < end; ++i) {
        const Floats4 before = is_first ? Floats4{} : x[i], now = before + alpha * p[i];
        x[i] = now;
        r[i] -= alpha * q[i];
        const double squared = dot(now, now);
        most = squared > most ? squared : most;
        sum += squared;
    }
    return sum >= 0.0 ? most : std::max(most, 1e300);
}

} // namespace

SolverInfo MultilevelSolver::info() {
    // The small steps of the default quality are 1/600 s.
    return {"multilevel",
            "small implicit steps on elastic triangles, solved across scales: low stretch at any resolution",
            {.own_elements = true, .usual_substeps = 10}};
}

const Fields<MultilevelSettings>& settings_fields(const MultilevelSettings&) {
    using S = MultilevelSettings;
    static const Fields<S> fields = {
        choice_field(
            "quality", &S::quality, {"low", "default", "high"},
            "How much work: small steps of at most 1/240, 1/600 or 1/1200 s, each solved with 2 to 3, 2 to 4 or 3 to 5 "
            "iterations, twice."),
        {"substeps",
         &S::substeps,
         {0.0, 1000.0, false},
         "",
         "Small steps per step; 0 takes the quality's, and more while held points move fast."},
        {"linearisations",
         &S::linearisations,
         {0.0, 20.0, false},
         "",
         "Newton iterations per small step; 0 takes the quality's."},
        {"iterations",
         &S::iterations,
         {0.0, 1000.0, false},
         "",
         "Conjugate gradient iterations per linearisation; 0 takes 2 to 4 by the cloth's stiffness."},
        {"compression",
         &S::compression,
         {1e-3, 1.0, false},
         "",
         "Fraction of the stretch stiffness that is left under compression."},
        choice_field("elements", &S::elements, {"triangles", "springs"},
                     "triangles: elastic triangles and hinges; springs: the net that the other methods use."),
        {"contact", &S::contact, kAny, "",
         "Contact takes part in every linear solve; false leaves it to the stage after the step alone."},
    };
    return fields;
}

MultilevelSolver::MultilevelSolver(const ClothModel& model, const MultilevelSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model),
      system_(model, settings.compression, settings.elements == Elements::springs), multigrid_(system_.take_pattern()),
      contact_(std::make_unique<ContactForces>(model.vertex_count(), system_.pieces(), system_.place())) {
    const std::size_t n = system_.padded_count();
    inertia_.y.resize(n);
    inertia_.mass.resize(n);
    x_.resize(n);
    falls_.resize(n);
    for (std::vector<Floats4>* buffer : {&residual_, &shared_, &direction_, &correction_})
        buffer->resize(n);
    fitted_held_.reserve(model.mass.size());
    use_large_pages();
}

void MultilevelSolver::use_large_pages() const {
    LargePages pages;
    system_.add_to(pages);
    multigrid_.add_to(pages);
    pages.add(inertia_.y.data(), inertia_.y.size() * sizeof(Doubles4));
    pages.add(x_.data(), x_.size() * sizeof(Doubles4));
    pages.add(inertia_.mass);
    for (const std::vector<Floats4>* buffer : {&residual_, &shared_, &direction_, &correction_})
        pages.add(*buffer);
    pages.ask();
}

MultilevelSolver::~MultilevelSolver() = default;

std::size_t MultilevelSolver::bytes() const {
    return system_.bytes() + multigrid_.bytes() + contact_->bytes() +
           inertia_.y.size() * (sizeof(Doubles4) + sizeof(double)) +
           x_.size() * (sizeof(Doubles4) + 4 * sizeof(Floats4) + 2);
}

void MultilevelSolver::prepare(const StepInput& first) {
    ClothState rest{model_.mesh.positions, std::vector<Vec3>(model_.mesh.positions.size()), 0.0};
    choose_work(rest, {first.dt, {}, nullptr, {}, {}});
    fit_to_step(first, first.dt / stats_.substeps);
}

int MultilevelSolver::small_steps(double dt, double effort) const {
    return multilevel_small_steps(settings_, dt, effort);
}

void MultilevelSolver::choose_work(const ClothState& state, const StepInput& input) {
    double farthest = 0.0;
    for (const HeldPoint& held : input.held)
        farthest = std::max(farthest, length_squared(held.target - state.position[held.vertex]));
    const StepWork work = step_work(settings_, system_, input.dt, input.effort, std::sqrt(farthest));
    stats_.substeps = work.substeps;
    stats_.linearisations = work.linearisations;
    stats_.iterations = work.iterations;
}

/// What depends on the step and on what is held: damping of the sweeps, and rows that leave the system.
void MultilevelSolver::fit_to_step(const StepInput& input, double h) {
    const bool same_held =
        std::equal(fitted_held_.begin(), fitted_held_.end(), input.is_held.begin(), input.is_held.end());
    if (h == measured_step_ && same_held) return;
    if (h != measured_step_) {
        // At rest with nothing held, so that it follows from the step alone and a resumed run meets the same.
        fitted_held_.assign(model_.mass.size(), 0);
        system_.hold(fitted_held_, multigrid_.matrix(), multigrid_.far());
        multigrid_.gather_far();
        for (int i = 0; i < model_.vertex_count(); ++i) {
            const int v = system_.order()[i];
            const Vec3& p = model_.mesh.positions[v];
            inertia_.y[i] = x_[i] = Doubles4{p.x, p.y, p.z, 0.0};
            inertia_.mass[i] = model_.mass[v];
        }
        system_.start_step(pool_, x_, h);
        system_.linearise(pool_, x_, {}, inertia_, h, multigrid_.matrix(), residual_);
        multigrid_.build(pool_);
        multigrid_.measure(pool_);
        measured_step_ = h;
    }
    fitted_held_.assign(input.is_held.begin(), input.is_held.end());
    system_.hold(fitted_held_, multigrid_.matrix(), multigrid_.far());
    multigrid_.gather_far();
}

StepStats MultilevelSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    step_stats_ = {};
    stats_ = {};
    stats_.least_first_alpha = 1e300;
    start_held(state, input);
    if (remembers_bending() && state.yarn.size() != state.position.size()) state.yarn.assign(model_.mass.size(), {});
    choose_work(state, input);
    StepInput small = input;
    small.dt = input.dt / stats_.substeps;
    fit_to_step(input, small.dt);
    contact_->start_step(settings_.contact ? input.contact : nullptr, system_.held());
    find_falling();
    for (int k = 0; k < stats_.substeps; ++k)
        small_step(state, small, k);
    finish_held(state, input);
    step_stats_.ms = clock.ms();
    stats_.rest_ms = step_stats_.ms - stats_.assemble_ms - stats_.coarsen_ms - stats_.cycle_ms - stats_.cg_ms;
    return step_stats_;
}

void MultilevelSolver::small_step(ClothState& state, const StepInput& input, int number) {
    const int n = model_.vertex_count();
    const double h = input.dt;
    predict(state, input);
    contact_->start_small_step(pool_, state.position, h, number, stats_.substeps);
    const int most = stats_.linearisations + kMoreLinearisations;
    const int few = std::min(n / kPointsPerOverrun, kMostOverrun);
    for (int k = 0; k < most; ++k) {
        if (k >= stats_.linearisations && contact_->stiffen_overrun(pool_, x_) <= few) break;
        const Stopwatch clock;
        const std::span<const Floats4> moved = k == 0 ? std::span<const Floats4>{} : correction_;
        system_.linearise(pool_, x_, moved, inertia_, h, multigrid_.matrix(), residual_);
        if (system_.yarn().is_present()) system_.yarn().add_forces(pool_, x_, system_.held(), residual_);
        contact_->linearise(pool_, x_, inertia_, multigrid_.matrix(), residual_);
        const double assembled = clock.ms();
        // Coarse matrices serve all linearisations of a small step, but for contact: without what it changes cloth that
        // falls on a ball has outliers of stretch two and a half times as large.
        const DiagonalChange by_contact = contact_->take_change();
        if (k == 0) {
            multigrid_.build(pool_);
        } else {
            multigrid_.build_finest(pool_);
            if (!by_contact.block.empty()) multigrid_.add_change(pool_, by_contact);
        }
        stats_.assemble_ms += assembled;
        stats_.coarsen_ms += clock.ms() - assembled;
        limit_correction(solve_linear());
        pool_.for_each(n, [&](int i) { x_[i] += SELVAGE_TO_DOUBLES(correction_[i]); });
    }
    contact_->finish_small_step(pool_, x_);
    stats_.contacts += contact_->active_count();
    keep_momentum();
    pool_.for_each(n, [&](int i) {
        const int v = system_.order()[i];
        const Vec3 after{x_[i][0], x_[i][1], x_[i][2]};
        // A held point's velocity is the one that carries it to its target.
        if (!input.is_held[v]) {
            state.velocity[v] = (after - state.position[v]) / h;
            const double speed = length(state.velocity[v]);
            if (speed > kFastest) state.velocity[v] *= kFastest / speed;
        }
        state.position[v] = after;
    });
}

/// Pieces that nothing holds. A piece that only lies on something counts as falling too: it may be in the air again at
/// any moment, and a start that ignores gravity would make it jitter there.
void MultilevelSolver::find_falling() {
    const IndexLists& pieces = system_.pieces();
    std::fill(falls_.begin(), falls_.end(), std::uint8_t{1});
    for (int p = 0; p < pieces.row_count(); ++p) {
        const std::span<const int> piece = pieces[p];
        if (std::any_of(piece.begin(), piece.end(), [&](int i) { return system_.is_held(i); }))
            for (const int i : piece)
                falls_[i] = 0;
    }
}

/// Where points would go without their neighbours (y), and where the iteration starts. For falling cloth the two are
/// the same. For cloth that is held the iteration starts where the old velocity leads: an unfinished solve then leaves
/// cloth at rest in balance, whereas from y it would have to undo the fall of every step and would come to rest where
/// it just fails to. Increments first: they are small.
void MultilevelSolver::predict(ClothState& state, const StepInput& input) {
    const double h = input.dt;
    external_.prepare(pool_, state, input);
    // Damping refers to the start of the step.
    pool_.for_each(model_.vertex_count(), [&](int i) {
        const Vec3& p = state.position[system_.order()[i]];
        x_[i] = Doubles4{p.x, p.y, p.z, 0.0};
    });
    system_.start_step(pool_, x_, h);
    if (system_.yarn().is_present()) system_.yarn().start_small_step(pool_, x_, system_.order(), state.yarn);
    pool_.for_each(model_.vertex_count(), [&](int i) {
        const int vertex = system_.order()[i];
        const bool is_held = input.is_held[vertex] != 0;
        Vec3 v = state.velocity[vertex];
        double mass = model_.mass[vertex];
        if (!is_held) {
            const ExternalForces::Load load = external_.at(vertex, state, input);
            v = load.mean_with_wind(v, h);
            mass *= load.inertia_factor(h);
        }
        const Vec3& from = state.position[vertex];
        const Vec3 ahead = from + h * v;
        const Vec3 first = falls_[i] || is_held ? ahead : from + h * state.velocity[vertex];
        inertia_.y[i] = Doubles4{ahead.x, ahead.y, ahead.z, 0.0};
        x_[i] = Doubles4{first.x, first.y, first.z, 0.0};
        inertia_.mass[i] = mass;
    });
}

double MultilevelSolver::precondition() {
    const Stopwatch clock;
    double rz = multigrid_.precondition(pool_, residual_, shared_);
    stats_.cycle_ms += clock.ms();
    if (!(rz >= 0.0) || !(rz < 1e300)) { // a V-cycle that is not positive: sweeps that overshoot
        ++stats_.fallbacks;
        rz = multigrid_.precondition_by_diagonal(pool_, residual_, shared_);
    }
    return rz;
}

/// A correction_ = residual_, as far as the iterations go. Returns how far that moves a point at most, squared.
double MultilevelSolver::solve_linear() {
    const int n = model_.vertex_count();
    const Stopwatch clock;
    const double cycles_before = stats_.cycle_ms;
    Largest farthest;
    bool moves = false;
    double rz = precondition();
    const double first = rz;
    std::swap(direction_, shared_);
    for (int k = 0; k < stats_.iterations && rz > 0.0; ++k) {
        double curvature = multigrid_.multiply(pool_, direction_, shared_);
        curvature += contact_->multiply(pool_, direction_, shared_);
        if (!(curvature > 0.0) || !(rz / curvature < 1e30)) { // rounding has taken over: stop with what there is
            ++stats_.fallbacks;
            break;
        }
        const double alpha = rz / curvature;
        if (k == 0) {
            stats_.least_first_alpha = std::min(stats_.least_first_alpha, alpha);
            stats_.largest_first_alpha = std::max(stats_.largest_first_alpha, alpha);
        }
        const auto step = static_cast<float>(alpha);
        farthest = pool_.sum_chunks<Largest>(n, [&](int begin, int end) {
            return Largest{advance_rows(step, k == 0, direction_.data(), shared_.data(), correction_.data(),
                                        residual_.data(), begin, end)};
        });
        moves = true;
        ++step_stats_.iterations;
        if (k + 1 == stats_.iterations) break;
        const double next = precondition();
        const float beta = static_cast<float>(next / rz);
        rz = next;
        pool_.for_each(n, [&](int i) { direction_[i] = shared_[i] + beta * direction_[i]; });
    }
    step_stats_.residual = first > 0.0 ? std::sqrt(rz / first) : 0.0;
    if (!moves) pool_.for_each(n, [&](int i) { correction_[i] = Floats4{}; });
    stats_.cg_ms += clock.ms() - (stats_.cycle_ms - cycles_before);
    return farthest.value;
}

/// Scales the correction so that no point moves farther than the linearisation can be trusted; drops it if not finite.
void MultilevelSolver::limit_correction(double farthest_squared) {
    const int n = model_.vertex_count();
    const double farthest = std::sqrt(farthest_squared);
    const double limit = kLongestStep * system_.edge_length();
    if (farthest <= limit) return;
    ++stats_.fallbacks;
    const float scale = farthest < 1e30 ? static_cast<float>(limit / farthest) : 0.0F;
    pool_.for_each(n, [&](int i) { correction_[i] = scale > 0.0F ? scale * correction_[i] : Floats4{}; });
}

/// Elastic forces sum to zero in each piece. An unfinished solve leaves a remainder, which would make a piece that
/// nothing holds drift: the shift restores sum M (x - y) = 0.
void MultilevelSolver::keep_momentum() {
    struct Sum {
        Vec3 moment;
        double mass = 0.0;
        int held = 0;
        Sum& operator+=(const Sum& other) {
            moment += other.moment;
            mass += other.mass;
            held += other.held;
            return *this;
        }
    };
    const IndexLists& pieces = system_.pieces();
    for (int p = 0; p < pieces.row_count(); ++p) {
        const std::span<const int> piece = pieces[p];
        if (piece.size() < 2) continue; // starts at its solution
        const Sum sum = pool_.sum<Sum>(static_cast<int>(piece.size()), [&](int k) {
            const int i = piece[k];
            const Doubles4 off = inertia_.y[i] - x_[i];
            return Sum{inertia_.mass[i] * Vec3{off[0], off[1], off[2]}, inertia_.mass[i], system_.is_held(i) ? 1 : 0};
        });
        if (sum.held > 0 || !(sum.mass > 0.0) || contact_->has_contact(p)) continue;
        const Vec3 shift = sum.moment / sum.mass;
        if (!is_finite(shift)) continue;
        pool_.for_each(static_cast<int>(piece.size()),
                       [&](int k) { x_[piece[k]] += Doubles4{shift.x, shift.y, shift.z, 0.0}; });
    }
}

} // namespace selvage
