#pragma once

#include "drawing/drawn_scene.h"
#include "render/renderer.h"
#include "sim/simulation.h"

namespace selvage {

struct DrawSettings {
    int width = 1280, height = 720;
    int triangles = 50000; ///< What cloth without a surface of its own may be refined to.
    Overlays overlays;
    GlDialect dialect = GlDialect::desktop_33;
};

/// Pictures of a simulation. Light, floor and smoothness are the scene's.
class SceneDrawer {
public:
    /// `sim` must outlive it. Fails without a GL driver, and where the scene's environment cannot be read.
    static Result<SceneDrawer> make(Simulation& sim, const DrawSettings& settings);

    /// The scene's camera; without one, a view that holds cloth and colliders as they are now.
    RenderView view() const;
    /// To be called after every frame of the simulation: wrinkles live from frame to frame.
    void follow();
    Result<Image8> draw(const RenderView& view);
    std::string device() const { return renderer_.device(); }

private:
    SceneDrawer(Simulation& sim, const DrawSettings& settings, DrawnScene drawn, Renderer renderer)
        : sim_(&sim), settings_(settings), drawn_(std::move(drawn)), renderer_(std::move(renderer)) {}
    SceneFrame frame() const { return {sim_->state().position, sim_->colliders()}; }

    Simulation* sim_;
    DrawSettings settings_;
    DrawnScene drawn_;
    Renderer renderer_;
};

} // namespace selvage
