// A step is m small steps of h seconds; with w = 1/m (0 for held points), each does
//   damping, spring by spring: the rate at which it stretches falls by 1/(1 + h c (w_a + w_b)), c = damping time * k
//   v = kept v + added, gravity and air as found at the start of the step;  x+ = x + h v
//   springs, each once, as a constraint C = L - l0 with compliance 1/k:
//     lambda = -C / (w_a + w_b + 1/(k h^2)),   x_a -= w_a lambda t,  x_b += w_b lambda t
//   tethers: no point farther from what holds it than the cloth reaches
//   contact: features pushed apart and vertices out of colliders, along planes found at the start of the step
//   v = (x+ - x)/h.
// Damping has its own pass: inside a spring's projection it would also resist the corrections that neighbours make in
// the same sweep, and a hanging cloth would come to rest too long by a fraction of tau h g n.
// Cost: one pass over points and one over springs per small step, another over springs where there is damping; springs
// go eight at a time. Gives up: the solve is one round, so stiffness spreads one neighbour per small step; stretch falls
// with the square of the number of small steps and rises with the square of the number of points along a side.
// Stiffness itself does not depend on h: at convergence this is backward Euler on the same springs.
// Single precision, but of displacements since the start of the step: at 1 m a float's last digit is as large as what
// gravity adds in 1/5000 s. What falls freely is seen from a frame that moves along, for the same reason.

#include "solvers/xpbd.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"

namespace selvage {

namespace {

/// Small steps per frame of 1/60 s: a number per point along a side, and at least so many.
struct SmallSteps {
    double per_point;
    int least;
};
SmallSteps small_steps_of(Quality quality) {
    switch (quality) {
    case Quality::low:
        return {0.11, 4};
    case Quality::high:
        return {1.25, 16};
    case Quality::standard:
        break;
    }
    return {0.8, 8};
}

// However little effort: with fewer the cloth stretches so far that contact costs what the solver saves.
constexpr SmallSteps kFewest{0.25, 4};
constexpr double kFrame = 1.0 / 60.0; // [s]
constexpr int kMostPerStep = 1000;

/// visit(vertex) for all vertices of cloth that may meet something.
template <class Visit>
void for_near_vertices(const ContactView& view, int vertex_count, const Visit& visit) {
    for (const std::vector<NearSolid>& list : view.near_solid)
        for (const NearSolid& near : list)
            visit(near.vertex);
    for (const auto& lists : {view.pairs, view.solid_pairs})
        for (const std::vector<ContactRecord>& list : lists)
            for (const ContactRecord& record : list)
                for (int k = 0; k < record.count; ++k)
                    if (record.vertex[k] < vertex_count) visit(record.vertex[k]);
}

Floats4 floats(const Vec3& x, float last) {
    return Floats4{static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), last};
}

/// From where the last small step ended: v = (x+ - x)/h.
SELVAGE_WIDE void read_velocities(const Floats4* displacement, const Floats4* before, float per_second, int begin,
                                  int end, Floats4* velocity) {
    for (int i = begin; i < end; ++i)
        velocity[i] = (displacement[i] - before[i]) * per_second;
}

/// x+ = x + h (kept v + added).
SELVAGE_WIDE void predict(const Floats4* added, const float* kept, float h, int begin, int end, Floats4* velocity,
                          Floats4* before, Floats4* displacement) {
    for (int i = begin; i < end; ++i) {
        velocity[i] = velocity[i] * kept[i] + added[i];
        before[i] = displacement[i];
        displacement[i] += velocity[i] * h;
    }
}

} // namespace

SolverInfo XpbdSolver::info() {
    return {"xpbd",
            "position-based dynamics in small steps with tethers: what game engines ship today",
            {.usual_substeps = 4}};
}

const Fields<XpbdSettings>& settings_fields(const XpbdSettings&) {
    using S = XpbdSettings;
    static const Fields<S> fields = {
        choice_field("quality", &S::quality, {"low", "default", "high"},
                     "How many small steps: per frame of 1/60 s a ninth, four fifths or five quarters of the number of "
                     "points along a side of the largest cloth, were it square, and at least 4, 8 or 16."),
        {"substeps", &S::substeps, {0.0, 1000.0, false}, "", "Small steps per step; 0 takes the quality's."},
        {"tethers", &S::tethers, kAny, "", "Keep points within reach, along the cloth, of the points that are held."},
        {"tether_slack",
         &S::tether_slack,
         {0.0, 1e6, false},
         "",
         "How much a tether may stretch, in multiples of the stretch of the hanging cloth under its own weight, with "
         "as "
         "few small steps as quality low takes; more steps allow more in proportion."},
    };
    return fields;
}

XpbdSolver::XpbdSolver(const ClothModel& model, const XpbdSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), links_(model),
      contacts_(links_.point_count() + 1, links_.point_count()), pieces_(spring_components(model)) {
    const auto n = static_cast<std::size_t>(links_.point_count()) + 1; // one for contacts with fewer points
    for (std::vector<Floats4>* list : {&points_.displacement, &points_.before, &points_.velocity, &points_.added})
        list->assign(n, Floats4{});
    points_.kept.assign(n, 1.0F);
    points_.frame.assign(n, {});
    inverse_mass_.assign(n, 0.0F);
    frames_.resize(static_cast<std::size_t>(pieces_.row_count()));
    piece_of_.resize(model.mass.size());
    for (int p = 0; p < pieces_.row_count(); ++p)
        for (const int v : pieces_[p])
            piece_of_[v] = p;
    double sum = 0.0;
    for (const double mass : model.mass)
        sum += mass;
    if (sum > 0.0) mean_mass_ = sum / static_cast<double>(model.mass.size());
    for (const ClothPart& part : model.parts)
        side_ = std::max(side_, std::sqrt(static_cast<double>(part.vertex_count)));
}

double XpbdSolver::small_steps_per_frame(Quality quality) const {
    const SmallSteps wanted = small_steps_of(quality);
    return std::max<double>(wanted.least, wanted.per_point * side_);
}

int XpbdSolver::small_steps(double dt, double effort) const {
    const auto whole = [](double count) {
        return std::clamp(static_cast<int>(std::ceil(count - 0.01)), 1, kMostPerStep);
    };
    const double frames = dt / kFrame;
    const double all = settings_.substeps > 0 ? settings_.substeps : small_steps_per_frame(settings_.quality) * frames;
    if (effort >= 1.0) return whole(all);
    const double fewest = std::max<double>(kFewest.least, kFewest.per_point * side_) * frames;
    return whole(std::min(all, std::max(effort * all, fewest)));
}

/// Factors of the projections; they change with the step, with what is held and, for tethers, with gravity.
void XpbdSolver::fit_to_step(const StepInput& input, double h) {
    const bool is_same_held =
        std::equal(fitted_held_.begin(), fitted_held_.end(), input.is_held.begin(), input.is_held.end());
    if (h == fitted_step_ && is_same_held && input.gravity == fitted_gravity_) return;
    fitted_step_ = h;
    fitted_gravity_ = input.gravity;
    fitted_held_.assign(input.is_held.begin(), input.is_held.end());
    pool_.for_each(model_.vertex_count(), [&](int i) {
        inverse_mass_[links_.place()[i]] = input.is_held[i] ? 0.0F : static_cast<float>(mean_mass_ / model_.mass[i]);
    });
    links_.fit(pool_, h, mean_mass_, inverse_mass_);
    // What few steps leave unsolved tethers hold; with many the springs do.
    const double more = kFrame / h / small_steps_per_frame(Quality::low);
    if (settings_.tethers) tethers_.fit(model_, links_.order(), input, settings_.tether_slack * std::max(1.0, more));
}

StepStats XpbdSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const int count = small_steps(input.dt, input.effort);
    const double h = input.dt / count;
    start_held(state, input);
    fit_to_step(input, h);
    choose_frames(state, input, count);
    read_state(state, input, h);
    links_.start(pool_, state.position);
    tethers_.start(pool_, links_.order(), state.position, input);
    contacts_.start(input.contact, links_.place(), points_, input.dt, count);
    take_small_steps(count, h);
    write_state(state, input);
    finish_held(state, input);
    return {clock.ms(), count, 0.0};
}

/// A piece of cloth that nothing holds is seen from a frame with its mean velocity, and one that is near nothing from a
/// frame that falls with it.
void XpbdSolver::choose_frames(const ClothState& state, const StepInput& input, int count) {
    const double h = input.dt / count;
    const bool has_drag = (input.air && input.air->present()) || !input.velocity_damping.empty();
    for (Frame& frame : frames_)
        frame = {true, !has_drag, {}, {}};
    if (input.contact)
        for_near_vertices(*input.contact, model_.vertex_count(), [&](int v) { frames_[piece_of_[v]].falls = false; });
    for (int p = 0; p < pieces_.row_count(); ++p) {
        const Mean mean = mean_over(p, [&](int v) {
            return Mean{model_.mass[v] * state.velocity[v], model_.mass[v],
                        input.is_held[v] || tethers_.tie(v) ? 1 : 0};
        });
        Frame& frame = frames_[p];
        if (mean.held > 0 || !(mean.mass > 0.0)) {
            frame = {};
            continue;
        }
        const Vec3 start = mean.sum / mean.mass, fall = frame.falls ? input.gravity : Vec3{};
        // What m small steps add up to: h (v + h g) + h (v + 2 h g) + ...
        frame.displacement = input.dt * start + (0.5 * input.dt * (input.dt + h)) * fall;
        frame.velocity = start + input.dt * fall;
    }
    pool_.for_each(model_.vertex_count(),
                   [&](int i) { points_.frame[links_.place()[i]] = frames_[piece_of_[i]].displacement; });
}

void XpbdSolver::read_state(const ClothState& state, const StepInput& input, double h) {
    external_.prepare(pool_, state, input);
    pool_.for_each(model_.vertex_count(), [&](int k) {
        const int v = links_.order()[k];
        const Frame& frame = frames_[piece_of_[v]];
        const Vec3 fall = frame.falls ? input.gravity : Vec3{}, start = frame.velocity - input.dt * fall;
        points_.displacement[k] = floats({}, inverse_mass_[k]);
        points_.velocity[k] = floats(state.velocity[v] - start, 0.0F); // a held point's carries it to its target
        points_.added[k] = Floats4{};
        points_.kept[k] = 1.0F;
        if (input.is_held[v]) return;
        const ExternalForces::Load load = external_.at(v, state, input);
        const Vec3 middle = start + 0.5 * (input.dt - h) * fall; // drag as at the frame's mean velocity
        points_.added[k] = floats(load.advance(middle, h) - middle - h * fall, 0.0F);
        points_.kept[k] = static_cast<float>(1.0 / load.inertia_factor(h));
    });
}

/// Passes over blocks of points, each with the links inside it, and over the links between blocks in turn.
void XpbdSolver::take_small_steps(int count, double h) {
    Floats4 *displacement = points_.displacement.data(), *before = points_.before.data(),
            *velocity = points_.velocity.data();
    const auto step = static_cast<float>(h), per_second = static_cast<float>(1.0 / h);
    const bool is_tied = tethers_.any(), is_damped = links_.is_damped(), touches = contacts_.any();
    const auto for_blocks = [&](const auto& body) {
        pool_.for_chunks(links_.block_count(), 1,
                         [&](int block, int) { body(block, links_.point_begin(block), links_.point_end(block)); });
    };
    const auto advance = [&](int block, int begin, int end) {
        predict(points_.added.data(), points_.kept.data(), step, begin, end, velocity, before, displacement);
        links_.project_inside(block, displacement);
    };
    for (int k = 0; k <= count; ++k) {
        const float fraction = static_cast<float>(k) / static_cast<float>(count); // that is over
        for_blocks([&](int block, int begin, int end) {
            if (k > 0 && is_tied && !touches) tethers_.project(begin, end, fraction, displacement);
            if (k > 0) read_velocities(displacement, before, per_second, begin, end, velocity);
            if (k == count) return;
            if (is_damped)
                links_.damp_inside(block, displacement, velocity);
            else
                advance(block, begin, end);
        });
        if (k == count) break;
        if (is_damped) {
            links_.damp_between(pool_, displacement, velocity);
            for_blocks(advance);
        }
        links_.project_between(pool_, displacement);
        if (!touches) continue;
        const float ahead = static_cast<float>(k + 1) / static_cast<float>(count);
        if (is_tied) for_blocks([&](int, int begin, int end) { tethers_.project(begin, end, ahead, displacement); });
        contacts_.project(pool_, ahead, points_);
    }
}

void XpbdSolver::write_state(ClothState& state, const StepInput& input) {
    const auto vec = [](const Floats4& x) { return Vec3{x[0], x[1], x[2]}; };
    // In a frame that falls along the centre of mass stands still: what it has moved is rounding.
    for (int p = 0; p < pieces_.row_count(); ++p) {
        Frame& frame = frames_[p];
        if (!frame.falls || !frame.keeps_momentum) continue;
        const auto mean_of = [&](const std::vector<Floats4>& values) {
            const Mean mean = mean_over(
                p, [&](int v) { return Mean{model_.mass[v] * vec(values[links_.place()[v]]), model_.mass[v], 0}; });
            return mean.sum / mean.mass;
        };
        frame.displacement -= mean_of(points_.displacement);
        frame.velocity -= mean_of(points_.velocity);
    }
    pool_.for_each(model_.vertex_count(), [&](int k) {
        const int v = links_.order()[k];
        if (input.is_held[v]) return;
        const Frame& frame = frames_[piece_of_[v]];
        state.position[v] += frame.displacement + vec(points_.displacement[k]);
        state.velocity[v] = frame.velocity + vec(points_.velocity[k]);
    });
}

std::size_t XpbdSolver::bytes() const {
    return links_.bytes() + tethers_.bytes() + contacts_.bytes() +
           points_.kept.size() * (4 * sizeof(Floats4) + sizeof(Vec3) + 2 * sizeof(float));
}

} // namespace selvage
