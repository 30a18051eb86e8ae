#include "render/renderer.h"

#include "render/fabric_style.h"
#include "render/quick_style.h"

namespace selvage {

struct Renderer::State {
    GlContext context; // destroyed last: what follows are objects of this context
    RenderSettings settings;
    GpuScene gpu;
    FabricStyle fabric;
    QuickStyle quick;
    GlFramebuffer bytes; // what is read back, unless the caller has a picture to draw into

    State(GlContext made, const RenderSettings& wanted, GpuScene scene, FabricStyle fabric_style,
          QuickStyle quick_style)
        : context(std::move(made)), settings(wanted), gpu(std::move(scene)), fabric(std::move(fabric_style)),
          quick(std::move(quick_style)) {}
    ~State() { context.make_current(); }

    Status make_targets();
    void draw(const RenderScene& scene, const RenderView& view, DrawStyle style, const GlFramebuffer& target, int left);
};

Status Renderer::State::make_targets() {
    if (const Status ok = fabric.resize(settings); !ok) return ok;
    if (const Status ok = quick.resize(settings); !ok) return ok;
    bytes = GlFramebuffer::colour_only(settings.width, settings.height);
    if (const Status ok = bytes.check(); !ok) return ok;
    return check_gl("making the targets");
}

void Renderer::State::draw(const RenderScene& scene, const RenderView& view, DrawStyle style,
                           const GlFramebuffer& target, int left) {
    context.make_current();
    if (style == DrawStyle::quick) {
        quick.draw(scene, gpu, view, target, left);
    } else {
        fabric.draw(scene, gpu, view, settings, false);
        fabric.encode_into(target, left);
    }
}

Renderer::Renderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

Result<Renderer> Renderer::make(const RenderSettings& settings, GlDialect dialect) {
    Result<GlContext> context = GlContext::make(dialect);
    if (!context) return context.error();
    return make(settings, std::move(*context));
}

Result<Renderer> Renderer::make(const RenderSettings& settings, GlContext context) {
    const GlDialect dialect = context.dialect();
    Result<GpuScene> gpu = GpuScene::make(dialect);
    if (!gpu) return gpu.error();
    Result<FabricStyle> fabric = FabricStyle::make(dialect);
    if (!fabric) return fabric.error();
    Result<QuickStyle> quick = QuickStyle::make(dialect);
    if (!quick) return quick.error();
    auto state =
        std::make_unique<State>(std::move(context), settings, std::move(*gpu), std::move(*fabric), std::move(*quick));
    if (const Status ok = state->make_targets(); !ok) return ok.error();
    Renderer renderer(std::move(state));
    renderer.set_environment(studio_environment());
    return renderer;
}

void Renderer::set_environment(const Environment& environment) {
    state_->context.make_current();
    state_->fabric.set_environment(environment);
    state_->quick.set_light(environment.key.direction);
}

void Renderer::set_exposure(double exposure) {
    state_->settings.exposure = exposure;
}

Status Renderer::resize(int width, int height) {
    state_->context.make_current();
    state_->settings.width = width, state_->settings.height = height;
    return state_->make_targets();
}

void Renderer::forget_prints() {
    state_->context.make_current();
    state_->gpu.forget_prints();
}

std::string Renderer::device() const {
    return state_->context.renderer();
}

Result<Image8> Renderer::draw(const RenderScene& scene, const RenderView& view, DrawStyle style) {
    state_->draw(scene, view, style, state_->bytes, 0);
    Image8 image = state_->bytes.read_rgb8();
    if (const Status ok = check_gl("drawing a picture"); !ok) return ok.error();
    return image;
}

Status Renderer::draw_into(SharedPicture& picture, int left, const RenderScene& scene, const RenderView& view,
                           DrawStyle style) {
    state_->draw(scene, view, style, picture.target(), left);
    return check_gl("drawing a picture");
}

Result<ImageF> Renderer::draw_linear(const RenderScene& scene, const RenderView& view) {
    state_->context.make_current();
    state_->fabric.draw(scene, state_->gpu, view, state_->settings, true);
    ImageF image = state_->fabric.read();
    if (const Status ok = check_gl("drawing a picture"); !ok) return ok.error();
    return image;
}

} // namespace selvage
