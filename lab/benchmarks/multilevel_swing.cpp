// The scene behind docs/records/multilevel.md: a square metre on an irregular mesh, held along one edge, let go from
// the horizontal, 0.7 s. Usage: multilevel_swing SIDE SUBSTEPS LINEARISATIONS ITERATIONS [THREADS [STIFFNESS [JITTER]]]

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "model/bare_net.h"
#include "model/measures.h"
#include "solvers/irregular_square.h"
#include "solvers/multilevel.h"

int main(int count, char** argument) {
    using namespace selvage;
    const auto number = [&](int k, double otherwise) { return k < count ? std::atof(argument[k]) : otherwise; };
    if (count < 5) {
        std::fprintf(stderr, "usage: multilevel_swing SIDE SUBSTEPS LINEARISATIONS ITERATIONS "
                             "[THREADS [STIFFNESS [JITTER]]]\n");
        return 2;
    }
    const int side = static_cast<int>(number(1, 64));
    MultilevelSettings settings;
    settings.substeps = static_cast<int>(number(2, 10));
    settings.linearisations = static_cast<int>(number(3, 2));
    settings.iterations = static_cast<int>(number(4, 2));
    settings.compression = 1.0;
    std::vector<ClothSource> sources = {
        {"square", irregular_square(side, number(7, 0.25)), yardstick_fabric(number(6, 5000)), {}}};
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model(std::move(sources), warnings);
    ThreadPool pool(static_cast<int>(number(5, 1)));
    MultilevelSolver solver(model, settings, pool);
    ClothState state = at_rest(model);
    Hands hands(model.vertex_count());
    for (int i = 0; i < side; ++i)
        hands.grab(i, model.mesh.positions[i]);

    const ThreadGauge gauge(model);
    constexpr int kFrames = 42;
    double worst = 0.0, squares = 0.0, least = 1e300, largest = 0.0, ms = 0.0, cpu_ms = 0.0;
    MultilevelStats sum;
    for (int k = 0; k < kFrames; ++k) {
        const std::clock_t before = std::clock();
        ms += solver.step(state, hands.input(1.0 / 60.0, {0, -9.81, 0})).ms / kFrames;
        cpu_ms += 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / kFrames;
        const ThreadStrain now = gauge.measure(state.position);
        worst = std::max(worst, now.max);
        squares += now.rms * now.rms;
        const MultilevelStats& s = solver.stats();
        least = std::min(least, s.least_first_alpha);
        largest = std::max(largest, s.largest_first_alpha);
        sum.fallbacks += s.fallbacks;
        sum.assemble_ms += s.assemble_ms / kFrames;
        sum.coarsen_ms += s.coarsen_ms / kFrames;
        sum.cycle_ms += s.cycle_ms / kFrames;
        sum.cg_ms += s.cg_ms / kFrames;
        sum.rest_ms += s.rest_ms / kFrames;
    }
    Vec3 lower;
    for (int i = 0; i < side; ++i)
        lower += state.position[side * (side - 1) + i] / static_cast<double>(side);
    std::printf("%d points, %d x %d x %d, %d threads: worst %.3f %%, rms %.4f %%, lower edge (%.3f, %.3f), "
                "first step length %.2f to %.2f, %d fallbacks, %.0f bytes per point\n",
                model.vertex_count(), settings.substeps, settings.linearisations, settings.iterations,
                pool.thread_count(), 100 * worst, 100 * std::sqrt(squares / kFrames), lower.y, lower.z, least, largest,
                sum.fallbacks, static_cast<double>(solver.bytes()) / model.vertex_count());
    // Phases as fractions of the wall clock, which other programs stretch evenly, scaled to processor time.
    std::printf(
        "  per frame: processor %.2f ms, wall %.2f ms; assembly %.0f %%, coarse matrices %.0f %%, cycles %.0f %%, "
        "cg %.0f %%, rest %.0f %%; %.3f us per point and small step; levels:",
        cpu_ms, ms, 100 * sum.assemble_ms / ms, 100 * sum.coarsen_ms / ms, 100 * sum.cycle_ms / ms,
        100 * sum.cg_ms / ms, 100 * sum.rest_ms / ms, 1e3 * cpu_ms / (model.vertex_count() * settings.substeps));
    for (int l = 0; l < solver.hierarchy().level_count(); ++l)
        std::printf(" %d (%.1f blocks per row)", solver.hierarchy().row_count(l),
                    static_cast<double>(solver.hierarchy().block_count(l)) / solver.hierarchy().row_count(l));
    std::printf("\n");
    return 0;
}
