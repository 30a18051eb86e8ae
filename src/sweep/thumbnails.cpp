#include "sweep/thumbnails.h"

#include <cmath>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "garment/scene_garments.h"
#include "render/image_file.h"
#include "scene/scene_io.h"
#include "sweep/dataset_file.h"

namespace selvage {

namespace {

/// The simulation as the job left it, but for velocities.
Result<Simulation> ended_simulation(const SceneDesc& scene, const std::string& file_bytes) {
    Result<std::vector<Vec3>> positions = dataset_last_positions(file_bytes);
    if (!positions) return positions.error();
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) return sim;
    if (positions->size() != sim->state().position.size())
        return Error{concat("has ", positions->size(), " vertices; expected ", sim->state().position.size()), "",
                     ErrorKind::work};
    const std::vector<Vec3> still(positions->size());
    const auto frames = static_cast<std::int64_t>(std::llround(std::ceil(scene.seconds / scene.dt - 1e-6)));
    sim->restore(*positions, still, frames * scene.substeps, true);
    return sim;
}

} // namespace

Result<ThumbnailStudio> ThumbnailStudio::make(int width, int height) {
    RenderSettings settings;
    settings.width = width, settings.height = height;
    Result<Renderer> renderer = Renderer::make(settings);
    if (!renderer) return renderer.error();
    return ThumbnailStudio(std::move(*renderer), static_cast<double>(width) / height);
}

Result<std::string> ThumbnailStudio::draw(const SweepSpec& spec, const SweepFolder& folder, std::int64_t job) {
    const SweepJob described = spec.job(job);
    Result<SceneDesc> scene = load_scene(described.scene, described.overrides);
    if (!scene) return scene.error();
    if (const Status ok = dress_scene(*scene, 1); !ok) return ok.error();
    const Result<std::string> bytes = read_file(folder.job_file(job));
    if (!bytes) return bytes.error();
    Result<Simulation> sim = ended_simulation(*scene, *bytes);
    if (!sim) return sim.error();
    const RenderDesc& light = scene->render;
    if (!light_ || light_->environment != light.environment ||
        light_->environment_turn_deg != light.environment_turn_deg) {
        const Result<Environment> environment = scene_environment(*scene);
        if (!environment) return environment.error();
        renderer_.set_environment(*environment);
        light_ = light;
    }
    renderer_.set_exposure(light.exposure);
    const SceneFrame frame{sim->state().position, sim->colliders()};
    constexpr int kTriangles = 12000; // more would not show at this size
    Result<DrawnScene> drawn = DrawnScene::make(*scene, sim->shared_model(), frame, kTriangles, {});
    if (!drawn) return drawn.error();
    const Result<Image8> image = renderer_.draw(drawn->update(frame, sim->pool()), drawn->view(frame, aspect_));
    renderer_.forget_prints();
    if (!image) return image.error();
    return png_bytes(*image);
}

} // namespace selvage
