// Are tangled starts undone? Runs every start of untangle_starts.h for two seconds on one thread and prints a row of a
// Markdown table for each: crossings and vertices inside colliders at the start and after 0.5, 1 and 2 s, the largest
// stretch of an edge before the start is free and the processor time per frame.
// Usage: untangle [--falling] [--substeps N] [SOLVER [NAME]]: a solver's name, and a part of the starts' names. With
// --falling the starts are those that fall on something or hang. Fails when one is not freed.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "lab/benchmarks/untangle_starts.h"
#include "model/measures.h"
#include "sim/simulation.h"

namespace {

using namespace selvage;

struct Row {
    int at_start = 0, at_half = 0, at_one = 0, at_two = 0, pinched = 0;
    double free_at = -1.0, strain_at_start = 0.0, strain = 0.0, speed = 0.0, ms = 0.0;
};

int tangled_features(const TangleCount& count) {
    return count.cloth + count.collider + count.inside;
}

double largest_speed(const Simulation& sim) {
    double largest = 0.0;
    for (const Vec3& v : sim.state().velocity)
        largest = std::max(largest, length(v));
    return largest;
}

Row run(Simulation& sim) {
    Row row;
    row.at_start = tangled_features(sim.count_tangles());
    row.strain_at_start = largest_strain(sim.pool(), sim.model(), sim.state());
    constexpr int kFrames = 120;
    std::clock_t used = 0;
    for (int frame = 1; frame <= kFrames; ++frame) {
        const std::clock_t before = std::clock();
        sim.step_frame();
        used += std::clock() - before;
        if (sim.divergence()) return row;
        const TangleCount count = sim.count_tangles();
        const int now = tangled_features(count);
        if (frame == 30) row.at_half = now;
        if (frame == 60) row.at_one = now;
        if (frame == 120) row.at_two = now;
        row.pinched = count.pinched;
        row.strain = std::max(row.strain, largest_strain(sim.pool(), sim.model(), sim.state()));
        row.speed = std::max(row.speed, largest_speed(sim));
        if (now > 0)
            row.free_at = -1.0;
        else if (row.free_at < 0.0)
            row.free_at = sim.state().time;
    }
    row.ms = 1000.0 * static_cast<double>(used) / CLOCKS_PER_SEC / kFrames;
    return row;
}

struct Flags {
    std::string solver = "xpbd", part;
    bool falling = false;
    int substeps = 0; // 0: the scenes'
};

Flags read_flags(int count, char** argument) {
    Flags flags;
    int named = 0;
    for (int k = 1; k < count; ++k) {
        const std::string word = argument[k];
        if (word == "--falling")
            flags.falling = true;
        else if (word == "--substeps" && k + 1 < count)
            flags.substeps = std::atoi(argument[++k]);
        else
            (named++ == 0 ? flags.solver : flags.part) = word;
    }
    return flags;
}

} // namespace

int main(int count, char** argument) {
    const Flags flags = read_flags(count, argument);
    std::printf("| start | vertices | at the start | 0.5 s | 1 s | 2 s | free at [s] | stretch at the start [%%] | "
                "largest [%%] | waiting | fastest [m/s] | CPU ms per frame "
                "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    int starts = 0, freed = 0, waiting = 0;
    for (const TangledStart& start : flags.falling ? falling_starts() : tangled_starts()) {
        if (start.name.find(flags.part) == std::string::npos) continue;
        SceneDesc scene = start.scene;
        if (flags.substeps > 0) scene.substeps = flags.substeps;
        for (const SolverEntry& entry : solver_catalog())
            if (entry.name == flags.solver) choose_solver(scene, entry.defaults);
        Result<Simulation> sim = Simulation::make(scene, 1);
        if (!sim) {
            std::fprintf(stderr, "%s\n", sim.error().message.c_str());
            return 2;
        }
        const Row row = run(*sim);
        ++starts;
        const bool is_free = !sim->divergence() && row.at_two == 0;
        freed += is_free;
        waiting += !is_free && start.waits;
        char free_at[32];
        std::snprintf(free_at, sizeof free_at, is_free ? "%.2f" : start.waits ? "waits" : "no", row.free_at);
        std::printf("| %s | %d | %d | %d | %d | %d | %s | %.1f | %.1f | %d | %.1f | %.1f |\n", start.name.c_str(),
                    sim->model().vertex_count(), row.at_start, row.at_half, row.at_one, row.at_two, free_at,
                    100.0 * row.strain_at_start, 100.0 * row.strain, row.pinched, row.speed, row.ms);
        std::fflush(stdout);
    }
    std::printf("\n%d starts, %d freed, %d wait between overlapping colliders\n", starts, freed, waiting);
    return freed + waiting == starts ? 0 : 1;
}
