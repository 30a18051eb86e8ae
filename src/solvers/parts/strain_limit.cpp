#include "solvers/parts/strain_limit.h"

#include <algorithm>

#include "base/stopwatch.h"

namespace selvage {

StrainLimiter::StrainLimiter(const ClothModel& model) : model_(model) {
    std::vector<Edge> pairs;
    for (int s = 0; s < model.spring_count(); ++s) {
        if (model.spring_kind[s] == SpringKind::bend) continue;
        limited_.push_back(s);
        pairs.push_back({model.springs[s].a, model.springs[s].b});
    }
    colours_ = colour_pairs(model.vertex_count(), pairs);
}

namespace {

/// Added up, the largest of all.
struct Excess {
    double value = 0.0;
    Excess& operator+=(const Excess& other) {
        value = std::max(value, other.value);
        return *this;
    }
};

} // namespace

StrainLimitResult StrainLimiter::apply(ThreadPool& pool, ClothState& state, const StepInput& input, double limit,
                                       StrainStop stop) const {
    const Stopwatch clock;
    const double h = input.dt;
    StrainLimitResult result;
    while (result.passes < stop.passes) {
        Excess excess;
        for (int colour = 0; colour < colours_.row_count(); ++colour) {
            const std::span<const int> row = colours_[colour];
            excess += pool.sum<Excess>(static_cast<int>(row.size()), [&](int k) {
                const Spring& spring = model_.springs[limited_[row[k]]];
                const Vec3 u = state.position[spring.b] - state.position[spring.a];
                const double longest = (1.0 + limit) * spring.rest_length;
                const double l2 = length_squared(u);
                if (!(l2 > longest * longest)) return Excess{};
                const double wa = input.is_held[spring.a] ? 0.0 : 1.0 / model_.mass[spring.a];
                const double wb = input.is_held[spring.b] ? 0.0 : 1.0 / model_.mass[spring.b];
                if (!(wa + wb > 0.0)) return Excess{};
                const double l = std::sqrt(l2);
                const Vec3 correction = u * ((1.0 - longest / l) / (wa + wb));
                state.position[spring.a] += wa * correction;
                state.position[spring.b] -= wb * correction;
                state.velocity[spring.a] += (wa / h) * correction;
                state.velocity[spring.b] -= (wb / h) * correction;
                return Excess{spring.rest_length > 0.0f ? (l - longest) / spring.rest_length : 0.0};
            });
        }
        ++result.passes;
        result.excess = excess.value;
        if (excess.value <= stop.error) break; // with error 0: the round found nothing to do
        if (stop.budget_ms > 0.0 && clock.ms() >= stop.budget_ms) break;
    }
    return result;
}

} // namespace selvage
