#pragma once

#include <map>
#include <string>
#include <vector>

#include "render/cloth_surface.h"
#include "render/renderer.h"
#include "sim/drawn_surface.h"
#include "sim/simulation.h"

namespace selvage {

/// What can be drawn on top of a scene. All show the simulated triangles themselves, not the smooth surface over them.
struct Overlays {
    bool wireframe = false;
    bool strain = false;   ///< Blue at 5 % compressed, red at 5 % stretched.
    bool contacts = false; ///< Points that touch a solid.
    bool normals = false;

    bool any() const { return wireframe || strain || contacts || normals; }
};
const std::vector<std::string>& overlay_names();
void switch_on(Overlays& overlays, const std::string& name); ///< One of overlay_names().

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

    /// The scene's camera; without one, a view that holds cloth and solids as they are now.
    RenderView view() const;
    /// To be called after every frame of the simulation: wrinkles live from frame to frame.
    void follow();
    Result<Image8> draw(const RenderView& view);
    std::string device() const { return renderer_.device(); }

private:
    SceneDrawer(Simulation& sim, DrawSettings settings, DrawnSurface surface, Renderer renderer);
    void add_solids(RenderScene& scene);
    void add_lines(RenderScene& scene, std::span<const Vec3f> normals) const;
    std::vector<float> vertex_strain() const;

    Simulation* sim_;
    DrawSettings settings_;
    DrawnSurface surface_;
    Renderer renderer_;
    std::vector<ClothSurface> cloths_;
    std::vector<PreparedLook> looks_;      // per cloth
    std::map<std::string, Image8> prints_; // by path
    std::vector<SurfaceMesh> solids_;
    double floor_ = 0.0; // where no plane of the scene is level [m]
};

/// The scene's camera, or the default one where it has none.
RenderView scene_view(const SceneDesc& scene);

} // namespace selvage
