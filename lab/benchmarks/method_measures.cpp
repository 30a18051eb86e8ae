#include "lab/benchmarks/method_measures.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "sim/report.h"

namespace selvage {

namespace {

/// CPU time of the process: on a shared machine the wall clock also counts the neighbours.
double cpu_ms() {
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

long long frame_count(const SceneDesc& scene, double seconds) {
    return std::llround(seconds / scene.dt);
}

/// False when it diverged.
bool run_frames(Simulation& sim, double seconds) {
    const long long frames = frame_count(sim.scene(), seconds);
    for (long long f = 0; f < frames && !sim.divergence(); ++f)
        sim.step_frame();
    return !sim.divergence();
}

double rms_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += length_squared(a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

/// What a method does by itself.
SceneDesc without_self_contact(SceneDesc scene) {
    for (ClothDesc& cloth : scene.cloths)
        cloth.self_collision = false;
    return scene;
}

} // namespace

SceneDesc with_solver(SceneDesc scene, const SolverSettings& solver, int substeps) {
    scene = without_self_contact(std::move(scene));
    scene.solver = solver;
    scene.substeps = substeps;
    return scene;
}

Result<MethodRun> run_method(const SceneDesc& scene, double seconds, const ComparePlan& plan) {
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) return sim.error();
    const long long frames = frame_count(scene, seconds), per_check = frame_count(scene, plan.check);
    const long long last_second = frames - frame_count(scene, 1.0);
    MethodRun run;
    run.motion.positions.push_back(sim->state().position);
    std::vector<double> ms;
    for (long long f = 1; f <= frames; ++f) {
        const double start = cpu_ms();
        sim->step_frame();
        ms.push_back(cpu_ms() - start);
        if (sim->divergence()) {
            run.failure = sim->divergence()->text();
            return run;
        }
        if (f % per_check == 0 && f / per_check <= plan.count) run.motion.positions.push_back(sim->state().position);
        if (f > last_second)
            run.strain_max = std::max(run.strain_max, largest_strain(sim->pool(), sim->model(), sim->state()));
    }
    run.ms = percentile(ms, 50.0);
    run.strain_rms = measure_strain(sim->model(), sim->state()).rms;
    return run;
}

MotionScore score_motion(const Motion& reference, const Motion& motion) {
    MotionScore score;
    const std::size_t count = std::min(reference.positions.size(), motion.positions.size());
    Motion still_moving, compared; // two positions each, of the points that do not rest
    for (std::size_t c = 1; c < count; ++c) {
        still_moving.positions.assign(2, {});
        compared.positions.assign(2, {});
        const std::vector<Vec3>&before = reference.positions[c - 1], &after = reference.positions[c];
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (length(after[i] - before[i]) <= kResting) continue;
            for (const std::size_t end : {0u, 1u}) {
                still_moving.positions[end].push_back(reference.positions[c - 1 + end][i]);
                compared.positions[end].push_back(motion.positions[c - 1 + end][i]);
            }
        }
        const double weight = 1.0 / static_cast<double>(count - 1);
        if (!still_moving.positions[0].empty()) {
            const MotionError at = compare_motions(still_moving, compared)[0];
            score.error += weight * at.error;
            score.similarity += weight * at.similarity;
        } else {
            score.similarity += weight; // nothing moves, so nothing moves in a wrong direction
        }
        score.distance += weight * rms_distance(after, motion.positions[c]);
    }
    return score;
}

SceneDesc in_vacuum(SceneDesc scene) {
    scene.air = AirDesc{};
    for (ClothDesc& cloth : scene.cloths) {
        cloth.material.damping = 0.0;
        cloth.inline_fabric = true;
    }
    return scene;
}

std::optional<EnergyFractions> energy_fractions(const SceneDesc& scene, double seconds) {
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) return std::nullopt;
    const Energy start = sim->energy();
    if (!run_frames(*sim, seconds - 1.0)) return std::nullopt;
    Energy sum;
    double given_up = 0.0;
    const long long frames = frame_count(scene, 1.0);
    for (long long f = 0; f < frames; ++f) {
        sim->step_frame();
        if (sim->divergence()) return std::nullopt;
        const Energy now = sim->energy();
        sum.kinetic += now.kinetic - start.kinetic;
        sum.elastic += now.elastic - start.elastic;
        given_up += start.gravity - now.gravity;
    }
    const bool elastic = find_solver(solver_name(scene.solver))->traits.elastic;
    return EnergyFractions{sum.kinetic / given_up, elastic ? sum.elastic / given_up : 0.0};
}

SceneDesc tumbling(SceneDesc scene) {
    scene.gravity = {0, 0, 0};
    for (ClothDesc& cloth : scene.cloths) {
        cloth.pins.clear();
        cloth.velocity = {0.5, 0.2, -0.3};
        cloth.spin = {1, 2, 3};
    }
    scene.colliders.clear();
    return in_vacuum(without_self_contact(std::move(scene)));
}

std::optional<MomentumDrift> momentum_drift(const SceneDesc& scene, double seconds) {
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) return std::nullopt;
    const Momentum before = measure_momentum(sim->model(), sim->state());
    if (!run_frames(*sim, seconds)) return std::nullopt;
    const Momentum after = measure_momentum(sim->model(), sim->state());
    return MomentumDrift{length(after.linear - before.linear) / length(before.linear),
                         length(after.angular - before.angular) / length(before.angular)};
}

Result<StepLimits> find_step_limits(const SceneDesc& scene, double seconds, double strain_bound) {
    StepLimits limits;
    for (int rate = 30; rate <= 30720 && limits.tight == 0.0; rate *= 2) {
        SceneDesc at_rate = without_self_contact(scene); // which would hide a divergence for a while
        at_rate.dt = 1.0 / rate;
        at_rate.substeps = 1;
        Result<Simulation> sim = Simulation::make(at_rate, 1);
        if (!sim) return sim.error();
        double strain = 0.0;
        const long long steps = frame_count(at_rate, seconds);
        for (long long k = 1; k <= steps && !sim->divergence(); ++k) {
            sim->step();
            // Looked at 30 times a second at any rate: equal chances to be caught.
            if (k % (rate / 30) == 0)
                strain = std::max(strain, largest_strain(sim->pool(), sim->model(), sim->state()));
        }
        if (sim->divergence()) {
            limits.finite = 0.0; // a larger step was only lucky
            continue;
        }
        if (limits.finite == 0.0) limits.finite = at_rate.dt;
        if (strain < strain_bound) limits.tight = at_rate.dt;
    }
    return limits;
}

} // namespace selvage
