// The yardstick of the method: a square metre on an irregular mesh, held along one edge, released from the horizontal.
// Expected numbers are those of the same scene solved to convergence at each of the same small steps (Newton to 1e-7
// m): worst stretch along the threads 0.126 %, root mean square over points and frames 0.0421 %, lower edge after 0.7 s
// at (y, z) = (-0.508, -0.857) m.

#include <gtest/gtest.h>

#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/irregular_square.h"
#include "solvers/multilevel.h"

namespace selvage {
namespace {

TEST(MultilevelSwing, StaysWithinReachOfTheConvergedSolution) {
    const int side = 64;
    std::vector<ClothSource> sources = {{"square", irregular_square(side, 0.25), yardstick_fabric(), {}}};
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model(std::move(sources), warnings);
    ThreadPool pool(1);
    MultilevelSettings settings;
    settings.compression = 1.0; // as the reference had it
    MultilevelSolver solver(model, settings, pool);
    ClothState state = at_rest(model);
    Hands hands(model.vertex_count());
    for (int i = 0; i < side; ++i)
        hands.grab(i, model.mesh.positions[i]);

    const ThreadGauge gauge(model);
    ThreadStrain worst;
    double squares = 0.0, least_alpha = 1e300;
    const int frames = 42;
    for (int k = 0; k < frames; ++k) {
        solver.step(state, hands.input(1.0 / 60.0, {0, -9.81, 0}));
        const ThreadStrain now = gauge.measure(state.position);
        worst.max = std::max(worst.max, now.max);
        squares += now.rms * now.rms;
        least_alpha = std::min(least_alpha, solver.stats().least_first_alpha);
        EXPECT_EQ(solver.stats().fallbacks, 0);
    }
    Vec3 lower;
    for (int i = 0; i < side; ++i)
        lower += state.position[side * (side - 1) + i] / static_cast<double>(side);
    const double rms = std::sqrt(squares / frames);
    EXPECT_LE(worst.max, 0.003);
    EXPECT_NEAR(rms, 0.000421, 0.03 * 0.000421);
    EXPECT_NEAR(lower.y, -0.508, 0.005);
    EXPECT_NEAR(lower.z, -0.857, 0.005);
    EXPECT_GE(least_alpha, 0.9);
}

} // namespace
} // namespace selvage
