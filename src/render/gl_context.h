#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace selvage {

/// Which of the two dialects a context speaks: the same shaders serve both (shader_text.h).
enum class GlDialect { desktop_33, es_30 };

/// A GL context without a window or a display, current on the thread that made it last. Everything else in render/
/// needs one to be current, and must be destroyed before it. Use:
///
///     Result<GlContext> context = GlContext::make();                 // or make(GlDialect::es_30)
///     if (!context) return context.error();                          // no driver: says what is missing
///     Result<GlProgram> program = GlProgram::make(context->dialect(), "fill_screen.vert.glsl", "uv_probe.frag.glsl");
///     GlFramebuffer target(64, 64, PixelFormat::rgba32f);
///     target.bind();
///     program->use();
///     program->set("u_scale", 1.0f);
///     draw_screen();                                                 // gl_objects.h: one triangle over everything
///     ImageF image = target.read_float();                            // row 0 is the top
class GlContext {
public:
    static Result<GlContext> make(GlDialect dialect = GlDialect::desktop_33);
    /// The context that a window toolkit has made current on this thread: GL 3.3 core. It stays the toolkit's, and must
    /// stay current.
    static GlContext adopt_current();
    GlContext(GlContext&&) noexcept;
    GlContext& operator=(GlContext&&) noexcept;
    ~GlContext();

    void make_current() const; ///< After another context was.
    GlDialect dialect() const;
    std::string version() const;  ///< As the driver reports it.
    std::string renderer() const; ///< The device, such as "llvmpipe (LLVM 15.0.6, 256 bits)".

private:
    struct State;
    explicit GlContext(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// The first GL error since the last call, or nothing: to be asked once per picture, as asking waits for the driver.
Status check_gl(const char* what);

} // namespace selvage
