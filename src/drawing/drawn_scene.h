#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "character/gltf_paint.h"
#include "drawing/drawn_surface.h"
#include "render/cloth_surface.h"
#include "render/renderer.h"
#include "sim/simulation.h"

namespace selvage {

/// What can be drawn on top of a scene. All show the simulated triangles themselves, not the smooth surface over them.
struct Overlays {
    bool wireframe = false;
    bool strain = false;   ///< Blue at 5 % compressed, red at 5 % stretched.
    bool contacts = false; ///< Points that touch a collider.
    bool normals = false;
    bool particles = false;

    bool any() const { return wireframe || strain || contacts || normals || particles; }
    friend bool operator==(const Overlays&, const Overlays&) = default;
};
const std::vector<std::string>& overlay_names();
void switch_on(Overlays& overlays, const std::string& name); ///< One of overlay_names().

/// What moves in a scene, as it is at one time.
struct SceneFrame {
    const std::vector<Vec3>& position; ///< Of the model's particles.
    std::span<const Collider> colliders;
    std::span<const Vec3> marks = {}; ///< Drawn as red crosses.
};

/// A character of a file, as its materials colour it.
struct PaintedBody {
    std::vector<BodyPaint::Part> parts;
    std::vector<Image8> images;
};

/// A scene made into what the renderer draws, frame by frame. Light, floor and smoothness are the scene's. Needs no GL.
class DrawnScene {
public:
    /// `triangles`: what cloth without a surface of its own may be refined to. Fails where a print cannot be read.
    static Result<DrawnScene> make(const SceneDesc& scene, std::shared_ptr<const ClothModel> model,
                                   const SceneFrame& start, int triangles, const Overlays& overlays);

    /// The scene's camera; without one, a view that holds cloth and colliders as they are in the frame.
    RenderView view(const SceneFrame& frame, double aspect) const;
    /// To be called after every frame of the simulation that is not drawn: wrinkles live from frame to frame.
    void follow(const SceneFrame& frame, ThreadPool& pool) { surface_.update(frame.position, pool); }
    /// Valid until the next call.
    const RenderScene& update(const SceneFrame& frame, ThreadPool& pool);

private:
    DrawnScene(const SceneDesc& scene, std::shared_ptr<const ClothModel> model, const SceneFrame& start,
               const Overlays& overlays, DrawnSurface surface);
    void add_painted_body(const PaintedBody& body, const Collider& collider);
    void add_colliders(const SceneFrame& frame);
    void add_lines(const SceneFrame& frame, std::span<const Vec3f> normals);
    std::vector<float> vertex_strain(const std::vector<Vec3>& x) const;

    SceneDesc scene_;
    std::shared_ptr<const ClothModel> model_;
    Overlays overlays_;
    DrawnSurface surface_;
    std::vector<ClothSurface> cloths_;
    std::vector<PreparedLook> looks_;      // per cloth
    std::map<std::string, Image8> prints_; // by path
    std::vector<SurfaceMesh> solids_;
    std::vector<PaintedBody> bodies_; // per collider of the scene; without parts: it has no colours of its own
    double floor_ = 0.0;              // where no plane of the scene is level [m]
    RenderScene drawn_;
};

/// Light from around, as the scene asks for it.
Result<Environment> scene_environment(const SceneDesc& scene);
/// The scene's camera, or the default one where it has none.
RenderView scene_view(const SceneDesc& scene);

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
    Result<Image8> draw(const RenderView& view, std::span<const Vec3> marks = {});
    std::string device() const { return renderer_.device(); }

private:
    SceneDrawer(Simulation& sim, const DrawSettings& settings, DrawnScene drawn, Renderer renderer)
        : sim_(&sim), settings_(settings), drawn_(std::move(drawn)), renderer_(std::move(renderer)) {}
    SceneFrame frame(std::span<const Vec3> marks = {}) const {
        return {sim_->state().position, sim_->colliders(), marks};
    }

    Simulation* sim_;
    DrawSettings settings_;
    DrawnScene drawn_;
    Renderer renderer_;
};

} // namespace selvage
