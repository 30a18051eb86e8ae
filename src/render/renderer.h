#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "render/environment.h"
#include "render/gl_context.h"
#include "render/image.h"
#include "render/shading/fabric_shading.h"
#include "render/surface_mesh.h"
#include "render/view.h"

namespace selvage {

/// What is in one picture. Everything pointed to must outlive the call of draw().
struct RenderScene {
    struct Cloth {
        const SurfaceMesh* mesh;
        const PreparedLook* look;
        const Image8* print = nullptr; ///< Printed on the front; none: none.
        bool heat_map = false;         ///< Coloured by the vertices' measure instead of its look.
    };
    struct Solid {
        const SurfaceMesh* mesh;
        Vec3f albedo{0.30f, 0.31f, 0.33f};
        float roughness = 0.55f;
    };
    struct LineEnd {
        Vec3f position;
        Vec3f colour; ///< As the screen shows it, linear.
    };
    std::vector<Cloth> cloths;
    std::vector<Solid> solids;
    std::vector<LineEnd> lines;          ///< Pairs, drawn over the surface they lie on.
    std::optional<double> ground_height; ///< A level floor that shows shadows alone.
};

struct RenderSettings {
    int width = 1280, height = 720;
    int samples = 4; ///< Per pixel; 1 or 4.
    int shadow_resolution = 2048;
    double exposure = 1.0;
    double occlusion_reach = 0.35; ///< How far folds darken each other [m].
};

/// How much a picture may cost.
enum class DrawStyle {
    fabric, ///< Weave, soft shadows, occlusion.
    quick,  ///< One light, flat colours, a hard shadow on the floor: a hundredth of the work.
};

/// Draws scenes with GL, without a window. Owns all GL objects; knows no solver. One per thread.
class Renderer {
public:
    static Result<Renderer> make(const RenderSettings& settings, GlDialect dialect = GlDialect::desktop_33);
    static Result<Renderer> make(const RenderSettings& settings, GlContext context);
    Renderer(Renderer&&) noexcept;
    Renderer& operator=(Renderer&&) noexcept;
    ~Renderer();

    void set_environment(const Environment& environment);
    void set_exposure(double exposure);
    /// Pictures have this size from now on. Fails where the driver cannot draw so large ones; nothing can be drawn then.
    Status resize(int width, int height);
    /// Prints are kept by address; to be called before one of them is gone.
    void forget_prints();
    Result<Image8> draw(const RenderScene& scene, const RenderView& view, DrawStyle style = DrawStyle::fabric);
    /// The same before exposure and tone mapping: radiance.
    Result<ImageF> draw_linear(const RenderScene& scene, const RenderView& view);
    std::string device() const; ///< The driver's name for what draws.

private:
    struct State;
    explicit Renderer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace selvage
