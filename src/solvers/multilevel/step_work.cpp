#include "solvers/multilevel/step_work.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr double kFarthestHand = 2.5; // edge lengths that a held point may move in a small step
constexpr int kMostSubsteps = 20;     // that fast held points may ask for

// Two linearisations at least: with one, triangles that turn far in a step (next to a pinned corner) gain energy.
struct QualityWork {
    double step; // the longest small step [s]
    int linearisations, more_iterations;
};
QualityWork work_of(Quality quality) {
    switch (quality) {
    case Quality::low:
        return {1.0 / 240.0, 2, -1};
    case Quality::high:
        return {1.0 / 1200.0, 2, 1};
    case Quality::standard:
        break;
    }
    return {1.0 / 600.0, 2, 0};
}

/// A stiffer cloth transmits forces farther within a step, which takes more iterations.
int iterations_for(double stiffness_number) {
    return stiffness_number < 500.0 ? 2 : stiffness_number < 5000.0 ? 3 : 4;
}

int substeps_for(const MultilevelSettings& settings, double edge_length, double dt, double effort,
                 double farthest_hand) {
    const int wanted = multilevel_small_steps(settings, dt, effort);
    if (settings.substeps > 0) return wanted;
    const double reach = kFarthestHand * edge_length;
    if (!(reach > 0.0) || !(farthest_hand > reach)) return wanted;
    const double more = std::min(static_cast<double>(kMostSubsteps), std::ceil(farthest_hand / reach));
    return std::max(wanted, static_cast<int>(more));
}

} // namespace

int multilevel_small_steps(const MultilevelSettings& settings, double dt, double effort) {
    // A step that is longer by rounding alone is not cut.
    const auto of_length = [&](double longest) {
        return std::max(1, static_cast<int>(std::ceil(dt / longest - 1e-6)));
    };
    const double step = work_of(settings.quality).step;
    const int all = settings.substeps > 0 ? settings.substeps : of_length(step);
    if (effort >= 1.0) return all;
    // Less often than at low quality the sheet gains energy at its corners.
    const int fewest = of_length(work_of(Quality::low).step);
    const int fewer = settings.substeps > 0 ? static_cast<int>(std::ceil(effort * all)) : of_length(step / effort);
    return std::min(all, std::max(fewer, fewest));
}

StepWork step_work(const MultilevelSettings& settings, const SheetSystem& system, double dt, double effort,
                   double farthest_hand) {
    const QualityWork work = work_of(settings.quality);
    StepWork out;
    out.substeps = substeps_for(settings, system.edge_length(), dt, effort, farthest_hand);
    out.linearisations = settings.linearisations > 0 ? settings.linearisations : work.linearisations;
    out.iterations =
        settings.iterations > 0
            ? settings.iterations
            : std::max(2, iterations_for(system.stiffness_number(dt / out.substeps)) + work.more_iterations);
    return out;
}

} // namespace selvage
