// Per step of h seconds, with w = 1/m (0 for held points):
//   v += h external;  x+ = x + h v
//   damping, spring by spring: the rate at which it stretches falls by 1/(1 + h c (w_a + w_b)), c = damping time * k
//   springs, each once, as a constraint C = L - l0 with compliance 1/k:
//     lambda = -C / (w_a + w_b + 1/(k h^2)),   x_a -= w_a lambda t,  x_b += w_b lambda t
//   tethers: no point farther from what holds it than the cloth reaches;   v = (x+ - x)/h.
// Damping has its own pass: inside a spring's projection it would also resist the corrections that neighbours make in
// the same sweep, and a hanging cloth would come to rest too long by a fraction of tau h g n.
// Cost: one pass over points and one over springs, another over springs where there is damping; projections go in
// batches of four, written so that compilers turn them into vector code. Gives up: the solve is one round, so stiffness
// spreads one neighbour per step and colour; stretch falls with the square of the number of steps per frame and rises
// with the square of the number of points along a side. Stiffness itself does not depend on h: at convergence this is
// backward Euler on the same springs.
// Positions are double (1/1200 s of gravity moves a point by less than a float's last digit at 1 m); the factor of a
// projection is float: it scales both ends alike, so its rounding does not change the momentum. The weights that divide
// it between the ends are double, because theirs would.

#include "solvers/xpbd.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"

namespace selvage {

namespace {

constexpr int kBatch = 4;           // links projected together
constexpr float kShortest = 1e-12F; // [m]; keeps the quotient finite where both ends are in one point

/// x + y + z of four vectors at once. By reference: vectors as values would change the calling convention with AVX.
SELVAGE_INLINE void sum_components(const Doubles4 (&m)[kBatch], Floats4& sums) {
    const Doubles4 s = SELVAGE_SHUFFLE(m[0], m[1], 0, 4, 2, 6) + SELVAGE_SHUFFLE(m[0], m[1], 1, 5, 3, 7);
    const Doubles4 t = SELVAGE_SHUFFLE(m[2], m[3], 0, 4, 2, 6) + SELVAGE_SHUFFLE(m[2], m[3], 1, 5, 3, 7);
    sums = SELVAGE_TO_FLOATS(SELVAGE_SHUFFLE(s, t, 0, 1, 4, 5) + SELVAGE_SHUFFLE(s, t, 2, 3, 6, 7));
}

/// What a projection reads and writes; see XpbdSolver.
struct LinkArrays {
    const Edge* link;
    const float *rest, *factor, *damping;
    const double *weight_a, *weight_b;
    Doubles4* point;
    const Doubles4* before;
};

enum class Pass { springs, damping };

template <Pass kPass>
SELVAGE_INLINE void project_batches(const LinkArrays& links, int begin, int end) {
    for (int first = kBatch * begin; first < kBatch * end; first += kBatch) {
        Doubles4 u[kBatch], product[kBatch];
        Floats4 squared, change, pull;
        for (int k = 0; k < kBatch; ++k) {
            u[k] = links.point[links.link[first + k][1]] - links.point[links.link[first + k][0]];
            product[k] = u[k] * u[k];
        }
        sum_components(product, squared);
        if constexpr (kPass == Pass::springs) {
            Floats4 l, rest, factor;
            for (int k = 0; k < kBatch; ++k) {
                l[k] = std::max(std::sqrt(squared[k]), kShortest);
                rest[k] = links.rest[first + k];
                factor[k] = links.factor[first + k];
            }
            pull = factor * (1.0F - rest / l);
        } else {
            for (int k = 0; k < kBatch; ++k)
                product[k] =
                    u[k] * (u[k] - (links.before[links.link[first + k][1]] - links.before[links.link[first + k][0]]));
            sum_components(product, change);
            for (int k = 0; k < kBatch; ++k)
                pull[k] = links.damping[first + k] * change[k] / std::max(squared[k], kShortest * kShortest);
        }
        Doubles4 weight_a, weight_b;
        for (int k = 0; k < kBatch; ++k) {
            weight_a[k] = links.weight_a[first + k];
            weight_b[k] = links.weight_b[first + k];
        }
        const Doubles4 to_both = SELVAGE_TO_DOUBLES(pull);
        const Doubles4 to_a = to_both * weight_a, to_b = to_both * weight_b;
        for (int k = 0; k < kBatch; ++k) {
            links.point[links.link[first + k][0]] += to_a[k] * u[k];
            links.point[links.link[first + k][1]] -= to_b[k] * u[k];
        }
    }
}

SELVAGE_WIDE void project_springs(const LinkArrays& links, int begin, int end) {
    project_batches<Pass::springs>(links, begin, end);
}
SELVAGE_WIDE void project_damping(const LinkArrays& links, int begin, int end) {
    project_batches<Pass::damping>(links, begin, end);
}

} // namespace

SolverInfo XpbdSolver::info() {
    return {"xpbd", "position-based dynamics in small steps with tethers: what game engines ship today"};
}

const std::vector<Field<XpbdSettings>>& settings_fields(const XpbdSettings&) {
    using S = XpbdSettings;
    static const std::vector<Field<S>> fields = {
        {"tethers", &S::tethers, kAny, "", "Keep points within reach, along the cloth, of the points that are held."},
        {"tether_slack",
         &S::tether_slack,
         {0.0, 1e6, false},
         "",
         "How much a tether may stretch, in multiples of the stretch of the hanging cloth under its own weight."},
    };
    return fields;
}

XpbdSolver::XpbdSolver(const ClothModel& model, const XpbdSettings& settings, ThreadPool& pool)
    : model_(model), settings_(settings), pool_(pool), external_(model), inverse_mass_(model.mass.size()) {
    point_.resize(model.mass.size() + 1);
    before_.resize(model.mass.size() + 1);
    std::vector<Edge> pairs;
    pairs.reserve(model.springs.size());
    for (const Spring& spring : model.springs)
        pairs.push_back({spring.a, spring.b});
    const IndexLists colours = colour_pairs(model.vertex_count(), pairs);
    const int filler = model.vertex_count();
    batch_start_.push_back(0);
    for (int c = 0; c < colours.row_count(); ++c) {
        for (const int s : colours[c]) {
            link_spring_.push_back(s);
            link_.push_back(pairs[s]);
            rest_.push_back(model.springs[s].rest_length);
        }
        while (link_.size() % kBatch != 0) {
            link_spring_.push_back(-1);
            link_.push_back({filler, filler});
            rest_.push_back(0.0F);
        }
        batch_start_.push_back(static_cast<int>(link_.size()) / kBatch);
    }
    stretch_factor_.resize(link_.size());
    weight_a_.resize(link_.size());
    weight_b_.resize(link_.size());
    for (const ClothPart& part : model.parts) { // springs lie part by part
        spring_damping_.insert(spring_damping_.end(), static_cast<std::size_t>(part.spring_count), part.damping);
        damped_ = damped_ || part.damping.axial_time > 0.0;
        relative_ = relative_ || part.damping.relative > 0.0;
    }
    damping_.resize(damped_ ? link_.size() : 0);
}

/// Factors of the projections; they change with the step and with what is held.
void XpbdSolver::fit_to_step(const StepInput& input) {
    const double h = input.dt;
    if (h == fitted_step_ && std::equal(fitted_held_.begin(), fitted_held_.end(), input.is_held.begin())) return;
    fitted_step_ = h;
    fitted_held_.assign(input.is_held.begin(), input.is_held.end());
    pool_.for_each(model_.vertex_count(),
                   [&](int i) { inverse_mass_[i] = input.is_held[i] ? 0.0 : 1.0 / model_.mass[i]; });
    pool_.for_each(static_cast<int>(link_.size()), [&](int l) {
        const int s = link_spring_[l];
        stretch_factor_[l] = 0.0F;
        weight_a_[l] = weight_b_[l] = 0.0;
        if (damped_) damping_[l] = 0.0F;
        if (s < 0) return;
        const Spring& spring = model_.springs[s];
        const double wa = inverse_mass_[spring.a], wb = inverse_mass_[spring.b];
        if (!(wa + wb > 0.0)) return;
        const double time = spring_damping_[s].axial_time;
        const double stiff = spring.stiffness * h * h * (wa + wb), damping = spring.stiffness * time * h * (wa + wb);
        // Weights relative to their sum: the factors lie in (0, 1] whatever the masses, within a float's range.
        stretch_factor_[l] = static_cast<float>(stiff / (1.0 + stiff));
        weight_a_[l] = wa / (wa + wb);
        weight_b_[l] = wb / (wa + wb);
        if (damped_) damping_[l] = static_cast<float>(damping / (1.0 + damping));
    });
}

StepStats XpbdSolver::step(ClothState& state, const StepInput& input) {
    const Stopwatch clock;
    const double h = input.dt;
    start_held(state, input);
    fit_to_step(input);
    if (settings_.tethers) tethers_.update(model_, input.is_held);

    predict(state, input);
    if (relative_) damp_relative(h);
    project_links();
    // Without gravity nothing hangs, and a tether would only keep springs from oscillating.
    if (settings_.tethers && tethers_.any() && input.gravity != Vec3{}) keep_in_reach(input);

    const double per_second = 1.0 / h;
    pool_.for_each(model_.vertex_count(), [&](int i) {
        if (input.is_held[i]) return;
        const Vec3 after{point_[i][0], point_[i][1], point_[i][2]};
        state.velocity[i] = per_second * (after - state.position[i]);
        state.position[i] = after;
    });
    finish_held(state, input);
    return {clock.ms(), 1, 0.0};
}

void XpbdSolver::predict(const ClothState& state, const StepInput& input) {
    external_.prepare(pool_, state, input);
    pool_.for_each(model_.vertex_count(), [&](int i) {
        Vec3 v = state.velocity[i];
        if (!input.is_held[i]) v = external_.at(i, state, input).advance(v, input.dt);
        const Vec3 ahead = state.position[i] + input.dt * v; // a held point's velocity carries it to its target
        point_[i] = Doubles4{ahead.x, ahead.y, ahead.z, 0.0};
        if (!damped_ && !relative_) return;
        // Damping acts on the velocities before the external forces, or it would weaken gravity next to held points.
        const Vec3 behind = ahead - input.dt * state.velocity[i];
        before_[i] = Doubles4{behind.x, behind.y, behind.z, 0.0};
    });
}

void XpbdSolver::project_links() {
    constexpr int kGrain = 256; // batches: a few microseconds
    const LinkArrays links{link_.data(),     rest_.data(),     stretch_factor_.data(), damping_.data(),
                           weight_a_.data(), weight_b_.data(), point_.data(),          before_.data()};
    const auto sweep = [&](auto* project) {
        for (std::size_t c = 0; c + 1 < batch_start_.size(); ++c) {
            const int first = batch_start_[c];
            pool_.for_chunks(batch_start_[c + 1] - first, kGrain,
                             [&](int begin, int end) { project(links, first + begin, first + end); });
        }
    };
    if (damped_) sweep(project_damping);
    sweep(project_springs);
}

/// c (v_b - v_a) between the ends of every spring, implicit, spring by spring in the links' order.
void XpbdSolver::damp_relative(double h) {
    for (std::size_t c = 0; c + 1 < batch_start_.size(); ++c) {
        const int first = kBatch * batch_start_[c], count = kBatch * batch_start_[c + 1] - first;
        pool_.for_each(count, [&](int k) {
            const int s = link_spring_[first + k];
            if (s < 0) return;
            const auto [a, b] = link_[first + k];
            const double w = inverse_mass_[a] + inverse_mass_[b];
            if (!(w > 0.0)) return;
            const double relative = spring_damping_[s].relative;
            const double stop = w * h * relative / (1.0 + w * h * relative);
            Doubles4 &pa = point_[a], &pb = point_[b];
            const Vec3 slip{(pb[0] - before_[b][0]) - (pa[0] - before_[a][0]),
                            (pb[1] - before_[b][1]) - (pa[1] - before_[a][1]),
                            (pb[2] - before_[b][2]) - (pa[2] - before_[a][2])};
            const double to_a = stop * inverse_mass_[a] / w, to_b = stop * inverse_mass_[b] / w;
            pa = Doubles4{pa[0] + to_a * slip.x, pa[1] + to_a * slip.y, pa[2] + to_a * slip.z, 0.0};
            pb = Doubles4{pb[0] - to_b * slip.x, pb[1] - to_b * slip.y, pb[2] - to_b * slip.z, 0.0};
        });
    }
}

void XpbdSolver::keep_in_reach(const StepInput& input) {
    for (std::size_t number = 0; number < model_.parts.size(); ++number) {
        const ClothPart& part = model_.parts[number];
        // Strain at the top of a hanging strip: density g length / stiffness. The same for all tethers of a cloth: near
        // a pinned corner little cloth carries much.
        const double stiffness = std::min(part.material.stretch_warp, part.material.stretch_weft);
        const double weight = part.material.density * length(input.gravity) * tethers_.longest(number);
        const double longer = 1.0 + (stiffness > 0.0 ? settings_.tether_slack * weight / stiffness : 1e30);
        pool_.for_each(part.vertex_count, [&](int local) {
            const int i = part.vertex_begin + local;
            if (input.is_held[i]) return;
            Doubles4& p = point_[i];
            for (const Tethers::Tether& tether : tethers_.of(i)) {
                if (tether.anchor < 0) break;
                const Doubles4& anchor = point_[tether.anchor];
                const Vec3 u{p[0] - anchor[0], p[1] - anchor[1], p[2] - anchor[2]};
                const double reach = longer * tether.reach;
                const double l2 = length_squared(u);
                if (!(l2 > reach * reach)) continue;
                const Vec3 back = (1.0 - reach / std::sqrt(l2)) * u;
                p = Doubles4{p[0] - back.x, p[1] - back.y, p[2] - back.z, 0.0};
            }
        });
    }
}

} // namespace selvage
