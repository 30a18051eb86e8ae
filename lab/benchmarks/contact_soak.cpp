// Does energy stay bounded when cloth is shaken in a box for long? The scene shaken-box on a coarse mesh, its shaking
// repeated every 4.1 s. Usage: contact_soak MINUTES [SUBSTEPS [THREADS]]; prints a line per simulated minute, fails at
// a crossing or a divergence.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

int main(int count, char** argument) {
    using namespace selvage;
    const auto number = [&](int k, double otherwise) { return k < count ? std::atof(argument[k]) : otherwise; };
    if (count < 2 || !(number(1, 0.0) > 0.0)) {
        std::fprintf(stderr, "usage: contact_soak MINUTES [SUBSTEPS [THREADS]]\n");
        return 2;
    }
    Result<SceneDesc> scene = load_scene("shaken-box");
    if (!scene) return 1;
    const double minutes = number(1, 10);
    scene->substeps = static_cast<int>(number(2, 6));
    MultilevelSettings settings;
    settings.quality = Quality::low;
    scene->solver = settings;
    std::get<RibbonDesc>(scene->cloths[0].mesh).vertices = {21, 9};
    for (ColliderDesc& wall : scene->colliders) {
        const std::vector<KeyframeDesc> once = wall.keyframes;
        if (once.empty()) continue;
        for (int turn = 1; once.back().t * turn < 60.0 * minutes; ++turn)
            for (KeyframeDesc key : once) {
                key.t += turn * once.back().t;
                wall.keyframes.push_back(key);
            }
    }
    Result<Simulation> sim = Simulation::make(*scene, static_cast<int>(number(3, 1)));
    if (!sim) return 1;
    CrossingCounter counter;
    std::printf("minute  kinetic max J  elastic max J  strain max %%  cut %%  crossings\n");
    double kinetic = 0.0, elastic = 0.0, strain = 0.0;
    std::int64_t cut = 0, crossings = 0;
    const int frames = static_cast<int>(std::lround(3600.0 * minutes));
    for (int f = 0; f < frames; ++f) {
        sim->step_frame();
        if (sim->divergence()) {
            std::printf("%s\n", sim->divergence()->text().c_str());
            return 1;
        }
        const Energy energy = sim->energy();
        kinetic = std::max(kinetic, energy.kinetic);
        elastic = std::max(elastic, energy.elastic);
        cut += sim->contact_stats().truncated;
        if (f % 12 == 11) {
            strain = std::max(strain, largest_strain(sim->pool(), sim->model(), sim->state()));
            const ClothModel& model = sim->model();
            crossings += counter.count(sim->pool(), model.edges, model.mesh.triangles, sim->state().position).count +
                         count_collider_crossings(sim->pool(), sim->colliders(), model.edges, model.mesh.triangles,
                                                  sim->state().position)
                             .count;
        }
        if (f % 3600 != 3599 && f + 1 != frames) continue;
        std::printf("%6.2f  %13.4f  %13.4f  %12.2f  %5.3f  %9lld\n", (f + 1) / 3600.0, kinetic, elastic, 100.0 * strain,
                    100.0 * static_cast<double>(cut) /
                        (static_cast<double>(f % 3600 + 1) * scene->substeps * sim->model().vertex_count()),
                    static_cast<long long>(crossings));
        std::fflush(stdout);
        if (crossings > 0) return 1;
        kinetic = elastic = strain = 0.0;
        cut = 0;
    }
    return 0;
}
