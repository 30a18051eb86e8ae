#pragma once

#include <memory>

#include "base/result.h"
#include "render/environment.h"
#include "render/gl_context.h"
#include "render/render_scene.h"
#include "render/shared_picture.h"
#include "render/view.h"

namespace selvage {

/// How much a picture may cost.
enum class DrawStyle {
    fabric, ///< Weave, soft shadows, occlusion.
    quick,  ///< One light, flat colours, a hard shadow on the floor: a hundredth of the work.
};

/// Draws scenes with GL, without a window. Owns all GL objects; knows no solver. One per thread.
class Renderer {
public:
    static Result<Renderer> make(const RenderSettings& settings, GlDialect dialect = GlDialect::desktop_33);
    /// In the caller's context, such as a window's: see GlContext::adopt_current.
    static Result<Renderer> make(const RenderSettings& settings, GlContext context);
    Renderer(Renderer&&) noexcept;
    Renderer& operator=(Renderer&&) noexcept;
    ~Renderer();

    void set_environment(const Environment& environment);
    void set_exposure(double exposure);
    /// Pictures have this size from now on. Fails where the driver cannot draw pictures this large; nothing can be drawn
    /// then.
    Status resize(int width, int height);
    /// Prints are kept by address; to be called before one of them is gone.
    void forget_prints();
    Result<Image8> draw(const RenderScene& scene, const RenderView& view, DrawStyle style = DrawStyle::fabric);
    /// The same without reading back, into the columns of `picture` from `left` on. The picture is as high as those of
    /// this renderer, and has been started.
    Status draw_into(SharedPicture& picture, int left, const RenderScene& scene, const RenderView& view,
                     DrawStyle style);
    /// Like draw(), before exposure and tone mapping: radiance.
    Result<ImageF> draw_linear(const RenderScene& scene, const RenderView& view);
    std::string device() const; ///< The driver's name for what draws.

private:
    struct State;
    explicit Renderer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace selvage
