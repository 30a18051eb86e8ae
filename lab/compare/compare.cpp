#include "lab/compare/compare.h"

#include <cmath>

#include "base/concat.h"

namespace selvage {

Result<Motion> record_motion(SceneDesc scene, double dt, const ComparePlan& plan) {
    const double per_check = plan.check / dt;
    const long long steps = std::llround(per_check);
    if (steps < 1 || std::abs(per_check - static_cast<double>(steps)) > 1e-6 * per_check)
        return Error{concat("a step of ", dt, " s does not divide the ", plan.check,
                            " s between check points; expected a whole number of steps")};
    scene.dt = dt;
    scene.substeps = 1;
    Result<Simulation> sim = Simulation::make(scene, plan.threads);
    if (!sim) return sim.error();
    Motion motion;
    motion.positions.push_back(sim->state().position);
    double ms = 0.0;
    long long iterations = 0;
    for (int c = 0; c < plan.count; ++c) {
        for (long long k = 0; k < steps; ++k) {
            const StepStats stats = sim->step();
            ms += stats.ms;
            iterations += stats.iterations;
            if (sim->divergence())
                return Error{concat(solver_name(scene.solver), " with dt = ", dt, ": ", sim->divergence()->text()), "",
                             ErrorKind::work};
            if (plan.progress && k % 256 == 0)
                plan.progress((c + static_cast<double>(k) / static_cast<double>(steps)) / plan.count);
        }
        motion.positions.push_back(sim->state().position);
    }
    const double total = static_cast<double>(plan.count) * static_cast<double>(steps);
    motion.step_ms = ms / total;
    motion.iterations = static_cast<double>(iterations) / total;
    return motion;
}

std::vector<MotionError> compare_motions(const Motion& reference, const Motion& motion) {
    std::vector<MotionError> errors;
    const std::size_t count = std::min(reference.positions.size(), motion.positions.size());
    for (std::size_t c = 1; c < count; ++c)
        errors.push_back(compare_motion(reference.positions[c - 1], reference.positions[c], motion.positions[c - 1],
                                        motion.positions[c]));
    return errors;
}

} // namespace selvage
