// x* = x + h d v + h^2 a_ext with h v = x - x_prev, so the state's velocity is all the history there is; then `sweeps`
// rounds of corrections of x*, and v = (x* - x)/h (eqs. 5-9 and 14-17):
//   edges      longer than d_max l0 or shorter than d_min l0 go back to that length,
//   hinges     the points opposite an edge stay at least bend l0 apart,
//   pairs      particles that are not neighbours stay at least `distance` apart,
//   colliders  points nearer than the thickness t are moved out, x* += n (t - d) (eq. 18);
// after the last round points that touched a collider lose a fraction c_f of their slip along it, x* -= c_f d_t, d_t
// the tangential part of x* - x relative to the collider's own motion (eqs. 19-21). Once per step: in every round it
// would accumulate.
// A correction c of a pair is divided by inverse mass, x_a += w_a/(w_a + w_b) c, so the centre of mass stays; w = 0 for
// held points.
// The paper gives d and c_f for its step of 1/120 s; at another step the same fraction is lost per second.
// Steps: 1 free motion, 2 near pairs of x*, found once with a margin for what the rounds move, 3 rounds, 4 slip and
// velocity.
// Edges and hinges go colour by colour. Pairs change every step and have no colours: they are gathered per particle
// from the positions at the start of the round (Jacobi), each pair's correction divided by the larger number of pairs
// that pull at either end. The divisor is the same on both ends, so the centre of mass still stays, and no particle is
// moved farther than its worst pair asks. The order in a round puts last what must hold most: length over bending,
// avoidance over length, and colliders over all, so that no point ends inside one.
// Cost: linear in edges, hinges and near pairs. Gives up: stiffness as a number, correctness of stretch beyond the
// reach of the sweeps, and repair of cloth that has passed through itself.

#include "solvers/verlet.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "collision/contact/friction.h"
#include "math/functions.h"

namespace selvage {

namespace {

constexpr double kGivenStep = 1.0 / 120.0; // the paper's, for which damping and friction are given [s]

// Particles are looked for within this many distances: what the rounds of one step may still bring together.
constexpr double kReach = 1.25;

// Of the mean edge. Two edges that cross at their middles keep their ends 0.71 edge lengths apart, a point in the
// middle of a triangle 0.58 from its corners: particles that stay farther apart than that cannot pass through.
constexpr double kAutomaticDistance = 0.9;

/// The edges of each part's triangles, and across each inner edge the points opposite it. A part with springs that join
/// other points (a block, a chain without triangles) is no surface: its structural and shear springs take their place.
struct LengthPairs {
    std::vector<Edge> edges, opposite;
};

LengthPairs length_pairs(const ClothModel& model) {
    const Topology topology = build_topology(model.mesh);
    std::vector<Edge> opposite;
    for (const Hinge& hinge : topology.hinges)
        if (hinge.c != hinge.d) opposite.push_back({std::min(hinge.c, hinge.d), std::max(hinge.c, hinge.d)});
    std::sort(opposite.begin(), opposite.end());
    opposite.erase(std::unique(opposite.begin(), opposite.end()), opposite.end());
    const auto has = [](const std::vector<Edge>& sorted, const Edge& pair) {
        return std::binary_search(sorted.begin(), sorted.end(), pair);
    };
    LengthPairs pairs;
    for (const ClothPart& part : model.parts) {
        std::vector<Edge> springs;
        bool surface = true;
        for (int s = part.spring_begin; s < part.spring_begin + part.spring_count; ++s) {
            if (model.spring_kind[s] == SpringKind::bend) continue;
            springs.push_back({model.springs[s].a, model.springs[s].b});
            surface = surface && (has(topology.edges, springs.back()) || has(opposite, springs.back()));
        }
        if (!surface) {
            pairs.edges.insert(pairs.edges.end(), springs.begin(), springs.end());
            continue;
        }
        const auto is_inside = [&](const Edge& pair) {
            return pair[0] >= part.vertex_begin && pair[0] < part.vertex_begin + part.vertex_count;
        };
        std::copy_if(topology.edges.begin(), topology.edges.end(), std::back_inserter(pairs.edges), is_inside);
        std::copy_if(opposite.begin(), opposite.end(), std::back_inserter(pairs.opposite), is_inside);
    }
    return pairs;
}

double mean_length(const ClothModel& model, std::span<const Edge> pairs) {
    double sum = 0.0;
    for (const auto& [a, b] : pairs)
        sum += rest_distance(model, a, b);
    return pairs.empty() ? 0.0 : sum / static_cast<double>(pairs.size());
}

PairFilter make_filter(const ClothModel& model, std::span<const Edge> edges, double distance) {
    std::vector<int> piece;
    for (std::size_t p = 0; p < model.parts.size(); ++p)
        piece.insert(piece.end(), model.parts[p].vertex_count, static_cast<int>(p));
    return {model.mesh.positions, std::move(piece), edges, distance};
}

} // namespace

SolverInfo VerletSolver::info() {
    return {
        "verlet",
        "length constraints instead of springs, optional self-collision of particles (Fuhrmann, Gross and Luckas 2003)",
        {.elastic = false, .coulomb = false}};
}

const Fields<VerletSettings>& settings_fields(const VerletSettings&) {
    using S = VerletSettings;
    static const Fields<S> fields = {
        {"strain_limit",
         &S::strain_limit,
         {0.0, 10.0, false},
         "",
         "Edges may be longer than at rest by this fraction; above 0.1 the cloth looks torn."},
        {"compression_limit", &S::compression_limit, kFraction, "",
         "Edges may be shorter than at rest by this fraction."},
        {"bend", &S::bend, kFraction, "",
         "Least distance of the points opposite an edge as a fraction of that at rest: 0.8 is limp, 1 is stiff."},
        {"sweeps", &S::sweeps, {0.0, 10000.0, false}, "", "Rounds over all constraints per step."},
        {"damping", &S::damping, kFraction, "",
         "Fraction of the velocity left after 1/120 s; 1 loses none, 0.99 is like air."},
        {"self_collision", &S::self_collision, kAny, "", "Keep particles that are not neighbours apart."},
        choice_field("pair_search", &S::pair_search, {"hash", "hierarchy"},
                     "How near particles are found: a hash grid, or boxes over the cloth at rest; same result."),
        {"distance",
         &S::distance,
         {0.0, 1e4, false},
         "m",
         "Least distance of particles that are not neighbours; 0 takes 0.9 of the mean edge."},
    };
    return fields;
}

VerletSolver::ColouredLengths::ColouredLengths(const ClothModel& model, std::span<const Edge> pairs) {
    const IndexLists colours = colour_pairs(model.vertex_count(), pairs);
    start = colours.start;
    lengths.reserve(pairs.size());
    for (const int p : colours.items) {
        const auto [a, b] = pairs[p];
        lengths.push_back({a, b, rest_distance(model, a, b)});
    }
}

VerletSolver::SelfCollision::SelfCollision(PairFilter pair_filter, PairSearch search)
    : filter(std::move(pair_filter)), lists(filter.particle_count()), near_count(filter.particle_count()),
      correction(filter.particle_count()) {
    if (search == PairSearch::hash)
        hash.emplace(filter.particle_count());
    else
        hierarchy.emplace(filter.rest());
}

VerletSolver::VerletSolver(const ClothModel& model, const VerletSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), inverse_mass_(model.mass.size()),
      start_(model.mass.size()), touched_(model.mass.size()) {
    const LengthPairs pairs = length_pairs(model);
    structural_ = ColouredLengths(model, pairs.edges);
    bending_ = ColouredLengths(model, pairs.opposite);
    distance_ = settings.distance > 0.0 ? settings.distance : kAutomaticDistance * mean_length(model, pairs.edges);
    // Without any edge there is no automatic distance, and nothing to keep apart.
    if (settings.self_collision && distance_ > 0.0)
        self_collision_.emplace(make_filter(model, pairs.edges, distance_), settings.pair_search);
}

void VerletSolver::fit_to_step(const StepInput& input) {
    // Steps are usually equal, so pow is taken only when they change.
    if (input.dt != fitted_step_) {
        fitted_step_ = input.dt;
        velocity_left_ = maths::pow(settings_.damping, input.dt / kGivenStep);
        friction_.clear();
    }
    friction_.resize(input.colliders.size());
    for (std::size_t c = 0; c < friction_.size(); ++c) {
        const double coefficient = std::clamp(input.colliders[c].friction, 0.0, 1.0);
        if (friction_[c].coefficient == coefficient) continue;
        friction_[c] = {coefficient, 1.0 - maths::pow(1.0 - coefficient, input.dt / kGivenStep)};
    }
}

StepStats VerletSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    fit_to_step(input);
    start_held(state, input);
    move_freely(state, input);
    if (self_collision_) find_pairs(state.position);
    for (int sweep = 0; sweep < settings_.sweeps; ++sweep) {
        keep_lengths(state.position, bending_, settings_.bend, 1e300);
        keep_lengths(state.position, structural_, 1.0 - settings_.compression_limit, 1.0 + settings_.strain_limit);
        if (self_collision_) keep_apart(state.position);
        push_out(state.position, input.colliders);
    }
    slow_slip(state.position, input.colliders);
    pool_.for_each(model_.vertex_count(),
                   [&](int i) { state.velocity[i] = (state.position[i] - start_[i]) / input.dt; });
    return {clock.ms(), settings_.sweeps, 0.0};
}

void VerletSolver::move_freely(ClothState& state, const StepInput& input) {
    external_.prepare(pool_, state, input);
    pool_.for_each(model_.vertex_count(), [&](int i) {
        start_[i] = state.position[i];
        touched_[i] = -1;
        inverse_mass_[i] = input.is_held[i] ? 0.0 : 1.0 / model_.mass[i];
        if (input.is_held[i]) return;
        const ExternalForces::Load load = external_.at(i, state, input);
        state.position[i] += input.dt * load.advance(velocity_left_ * state.velocity[i], input.dt);
    });
    finish_held(state, input);
}

void VerletSolver::find_pairs(const std::vector<Vec3>& x) {
    SelfCollision& self = *self_collision_;
    if (self.hash)
        self.hash->find(pool_, x, kReach * distance_, self.filter, self.lists);
    else
        self.hierarchy->find(pool_, x, kReach * distance_, self.filter, self.lists);
}

void VerletSolver::keep_lengths(std::vector<Vec3>& x, const ColouredLengths& lengths, double least, double most) {
    for (std::size_t colour = 0; colour + 1 < lengths.start.size(); ++colour) {
        const int begin = lengths.start[colour];
        pool_.for_each(lengths.start[colour + 1] - begin, [&](int k) {
            const Length& pair = lengths.lengths[begin + k];
            const Vec3 u = x[pair.b] - x[pair.a];
            const double l2 = length_squared(u), shortest = least * pair.rest, longest = most * pair.rest;
            if (l2 >= shortest * shortest && l2 <= longest * longest) return;
            const double wa = inverse_mass_[pair.a], wb = inverse_mass_[pair.b], l = std::sqrt(l2);
            if (!(wa + wb > 0.0) || !(l > 1e-12)) return; // both held, or in one point without a direction
            const double wanted = l > longest ? longest : shortest;
            const Vec3 correction = u * ((1.0 - wanted / l) / (wa + wb));
            x[pair.a] += wa * correction;
            x[pair.b] -= wb * correction;
        });
    }
}

void VerletSolver::keep_apart(std::vector<Vec3>& x) {
    SelfCollision& self = *self_collision_;
    const std::span<const int> crowded = self.lists.crowded();
    const int count = static_cast<int>(crowded.size());
    const double d2 = distance_ * distance_;
    pool_.for_each(count, [&](int k) {
        const int i = crowded[k];
        int near = 0;
        for (const int j : self.lists[i])
            near += length_squared(x[j] - x[i]) < d2;
        self.near_count[i] = near;
    });
    pool_.for_each(count, [&](int k) {
        const int i = crowded[k];
        self.correction[i] = {};
        const double wi = inverse_mass_[i];
        if (self.near_count[i] == 0 || wi == 0.0) return;
        for (const int j : self.lists[i]) {
            const Vec3 u = x[j] - x[i];
            const double l2 = length_squared(u);
            if (!(l2 < d2) || !(l2 > 1e-24)) continue; // far enough, or in one point without a direction
            const double fraction = wi / (wi + inverse_mass_[j]) / std::max(self.near_count[i], self.near_count[j]);
            self.correction[i] += u * (fraction * (1.0 - distance_ / std::sqrt(l2)));
        }
    });
    pool_.for_each(count, [&](int k) { x[crowded[k]] += self.correction[crowded[k]]; });
}

void VerletSolver::push_out(std::vector<Vec3>& x, std::span<const Collider> colliders) {
    if (colliders.empty()) return;
    pool_.for_each(model_.vertex_count(), [&](int i) {
        if (inverse_mass_[i] == 0.0) return;
        for (std::size_t c = 0; c < colliders.size(); ++c) {
            if (!colliders[c].may_touch(x[i])) continue;
            const SurfacePoint surface = colliders[c].nearest(x[i]);
            const double depth = colliders[c].thickness - surface.distance;
            if (!(depth > 0.0)) continue;
            x[i] += depth * surface.normal;
            touched_[i] = static_cast<int>(c);
        }
    });
}

void VerletSolver::slow_slip(std::vector<Vec3>& x, std::span<const Collider> colliders) {
    if (colliders.empty()) return;
    push_out(x, colliders); // sweeps may be 0
    pool_.for_each(model_.vertex_count(), [&](int i) {
        const int c = touched_[i];
        if (c < 0) return;
        const Vec3 n = colliders[c].nearest(x[i]).normal;
        const Vec3 d = x[i] - start_[i] - colliders[c].displacement(x[i]);
        x[i] -= friction_[c].slip_fraction * tangential(d, n);
    });
    push_out(x, colliders); // where two colliders meet, sliding back along one may end inside the other
}

} // namespace selvage
