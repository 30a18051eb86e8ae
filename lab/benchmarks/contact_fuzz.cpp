// Does cloth ever pass through cloth, or diverge, when it is pulled at ten metres per second through colliders of every
// kind for long? One run in one piece; the test of the same name runs a few short ones. Usage: contact_fuzz STEPS [SEED
// [SOLVER]]; prints a line per ten thousand steps, fails at the first step with a crossing or a place that is not
// finite. Hands take what they hold through solids, so cloth in solids is counted but no failure.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "sim/contact_fuzz.h"

int main(int count, char** argument) {
    using namespace selvage;
    const int steps = count > 1 ? std::atoi(argument[1]) : 0;
    const unsigned seed = count > 2 ? static_cast<unsigned>(std::atoi(argument[2])) : 1;
    const std::string name = count > 3 ? argument[3] : "xpbd";
    const std::vector<SolverEntry>& catalog = solver_catalog();
    const auto entry = std::find_if(catalog.begin(), catalog.end(), [&](const auto& e) { return e.name == name; });
    if (steps <= 0 || entry == catalog.end()) {
        std::fprintf(stderr, "usage: contact_fuzz STEPS [SEED [SOLVER]]\n");
        return 2;
    }
    constexpr int kSubsteps = 40;
    const double seconds = steps / (60.0 * kSubsteps);
    FuzzDice dice(seed);
    Result<Simulation> sim = Simulation::make(
        any_scene(dice, entry->defaults, kSubsteps, FuzzSolids::one_of_each_kind, static_cast<int>(4.0 * seconds) + 20),
        1);
    if (!sim) {
        std::fprintf(stderr, "%s\n", sim.error().message.c_str());
        return 1;
    }
    const ClothModel& model = sim->model();
    std::printf("%s, seed %u, %d vertices, steps of 1/2400 s\n", name.c_str(), seed, model.vertex_count());
    FastHands hands(*sim, dice);
    CrossingCounter counter;
    int in_solids = 0; // frames
    for (int step = 1; step <= steps; ++step) {
        hands.act(sim->step_size());
        sim->step();
        const std::vector<Vec3>& x = sim->state().position;
        if (sim->divergence() || !std::all_of(x.begin(), x.end(), [](const Vec3& p) { return is_finite(p); })) {
            std::printf("step %d: not finite or diverged\n", step);
            return 1;
        }
        const CrossingCount crossings = counter.count(sim->pool(), model.edges, model.mesh.triangles, x);
        if (crossings.count > 0) {
            std::printf("step %d: %d crossings, the first of edge %d and triangle %d\n", step, crossings.count,
                        crossings.first.edge, crossings.first.triangle);
            return 1;
        }
        if (step % kSubsteps == 0)
            in_solids +=
                count_collider_crossings(sim->pool(), sim->colliders(), model.edges, model.mesh.triangles, x).count > 0;
        if (step % 10000 == 0 || step == steps) {
            std::printf("%7d steps, no crossing of cloth with cloth; cloth in solids in %d of %d frames\n", step,
                        in_solids, step / kSubsteps);
            std::fflush(stdout);
        }
    }
    return 0;
}
