#include "drawing/scene_drawer.h"

namespace selvage {

Result<SceneDrawer> SceneDrawer::make(Simulation& sim, const DrawSettings& settings) {
    const SceneDesc& scene = sim.scene();
    const Result<Environment> environment = scene_environment(scene);
    if (!environment) return environment.error();
    RenderSettings wanted;
    wanted.width = settings.width, wanted.height = settings.height;
    wanted.exposure = scene.render.exposure;
    Result<Renderer> renderer = Renderer::make(wanted, settings.dialect);
    if (!renderer) return renderer.error();
    renderer->set_environment(*environment);
    Result<DrawnScene> drawn = DrawnScene::make(scene, sim.shared_model(), {sim.state().position, sim.colliders()},
                                                settings.triangles, settings.overlays);
    if (!drawn) return drawn.error();
    return SceneDrawer(sim, settings, std::move(*drawn), std::move(*renderer));
}

RenderView SceneDrawer::view() const {
    return drawn_.view(frame(), static_cast<double>(settings_.width) / settings_.height);
}

void SceneDrawer::follow() {
    drawn_.follow(frame(), sim_->pool());
}

Result<Image8> SceneDrawer::draw(const RenderView& view) {
    return renderer_.draw(drawn_.update(frame(), sim_->pool()), view);
}

} // namespace selvage
