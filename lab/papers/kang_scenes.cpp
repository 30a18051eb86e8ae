// Figures 8 and 9: a dressed character and a game.
#include "lab/papers/kang_scenes.h"

#include <algorithm>

#include "base/concat.h"
#include "drawing/drawn_scene.h"
#include "garment/scene_garments.h"
#include "lab/papers/processor_clock.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/report.h"

namespace selvage {

namespace {

/// Dressed once: `other` is stepped by another solver from the same start.
Result<Simulation> start_scene(const SceneDesc& dressed, const SolverSettings& solver) {
    SceneDesc scene = dressed;
    scene.solver = solver;
    return Simulation::make(scene, 1);
}

Status draw_into(KangSceneRun& run, const KangScene& wanted, SceneDrawer& drawer, std::size_t k) {
    const Result<Image8> image = drawer.draw(drawer.view());
    if (!image) return image.error();
    Canvas picture = to_canvas(*image);
    picture.draw_text(10, 10, concat(fixed(wanted.times[k], 1), " s"), kBlack);
    const int place = static_cast<int>(k);
    run.sheet.paste(picture, place % wanted.per_row * wanted.width, place / wanted.per_row * wanted.height);
    return Done{};
}

} // namespace

Result<KangSceneRun> run_kang_scene(const KangScene& wanted) {
    std::vector<std::string> overrides = wanted.overrides;
    overrides.insert(overrides.end(), {kKangSolver, "/substeps=5"}); // frames of 1/60 s
    Result<SceneDesc> scene = load_scene(wanted.name, overrides);
    if (!scene) return scene.error();
    if (Status ok = dress_scene(*scene, 1); !ok) return ok.error();
    Result<Simulation> sim = start_scene(*scene, scene->solver), plain = start_scene(*scene, ImplicitJacobiSettings{});
    if (!sim || !plain) return (sim ? plain : sim).error();
    DrawSettings settings;
    settings.width = wanted.width, settings.height = wanted.height;
    Result<SceneDrawer> drawer = SceneDrawer::make(*sim, settings);
    if (!drawer) return drawer.error();
    KangSceneRun run;
    const int count = static_cast<int>(wanted.times.size()), rows = (count + wanted.per_row - 1) / wanted.per_row;
    run.sheet = Canvas(wanted.per_row * wanted.width, rows * wanted.height);
    run.vertices = sim->model().vertex_count();
    std::vector<double> ms;
    for (std::size_t k = 0; k < wanted.times.size(); ++k) {
        while (sim->state().time < wanted.times[k] - 1e-9 && !sim->divergence()) {
            const ProcessorClock clock;
            sim->step_frame();
            ms.push_back(clock.ms());
            drawer->follow();
            const Strain strain = measure_strain(sim->model(), sim->state());
            run.stretch = std::max(run.stretch, strain.max);
            run.within = std::max(run.within, strain.p999);
            const TangleCount tangles = sim->count_tangles();
            run.crossings = std::max(run.crossings, tangles.cloth + tangles.collider);
            plain->step_frame();
            run.without = std::max(run.without, largest_strain(plain->pool(), plain->model(), plain->state()));
        }
        if (sim->divergence()) return Error{sim->divergence()->text(), wanted.name, ErrorKind::work};
        if (Status ok = draw_into(run, wanted, *drawer, k); !ok) return ok.error();
    }
    run.frame_ms = percentile(ms, 50.0);
    return run;
}

} // namespace selvage
