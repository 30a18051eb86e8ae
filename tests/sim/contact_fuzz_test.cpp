// Small cloths among solids of every kind, dragged about by hands at ten metres per second: whatever the solver, no cloth ever passes
// through itself. Slow by design; benchmarks/contact_fuzz.cpp runs the same for longer.

#include "sim/contact_fuzz.h"

#include <string>

#include "collision/contact/crossings.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

constexpr int kRuns = 12, kStepsPerRun = 1000;

class ContactFuzz : public ::testing::TestWithParam<int> {};

TEST_P(ContactFuzz, NeverTakesClothThroughItself) {
    const int run = GetParam();
    const std::vector<SolverSettings> solvers{XpbdSettings{}, ImplicitJacobiSettings{}, VerletSettings{},
                                              HarmonicSettings{}, MultilevelSettings{}};
    const SolverSettings& solver = solvers[static_cast<std::size_t>(run) % solvers.size()];
    FuzzDice dice(static_cast<unsigned>(run));
    // At 1/300 s a hand goes farther in a step than an edge is long: everything is searched all the time, so less of it.
    const bool is_coarse = run % 8 == 0;
    Simulation sim = make_simulation(any_scene(dice, solver,
                                               is_coarse      ? 5
                                               : run % 3 == 0 ? 20
                                                              : 40,
                                               FuzzSolids::four_of_any_kind, 20));
    const int steps = is_coarse ? kStepsPerRun / 10 : kStepsPerRun;
    SCOPED_TRACE(solver_name(solver) + ", " + std::to_string(sim.scene().substeps) + " steps per frame");
    FastHands hands(sim, dice);
    CrossingCounter counter;
    for (int done = 0, frame = 0; done < steps; done += sim.scene().substeps, ++frame) {
        for (int k = 0; k < sim.scene().substeps; ++k) {
            hands.act(sim.step_size());
            sim.step();
        }
        ASSERT_FALSE(sim.divergence()) << sim.divergence()->text();
        for (const Vec3& p : sim.state().position)
            ASSERT_TRUE(is_finite(p)) << "frame " << frame;
        const CrossingCount crossings =
            counter.count(sim.pool(), sim.model().edges, sim.model().mesh.triangles, sim.state().position);
        ASSERT_EQ(crossings.count, 0) << "frame " << frame << ", edge " << crossings.first.edge << ", triangle "
                                      << crossings.first.triangle;
    }
}

INSTANTIATE_TEST_SUITE_P(Run, ContactFuzz, ::testing::Range(0, kRuns));

} // namespace
} // namespace selvage
