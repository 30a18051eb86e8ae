#include "render/gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "base/concat.h"
#include "render/gl_api.h"

namespace selvage {

struct GlContext::State {
    GlDialect dialect = GlDialect::desktop_33;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;

    ~State() {
        // The display stays initialised: it is one per process, and another context may be using it.
        if (context == EGL_NO_CONTEXT) return;
        if (eglGetCurrentContext() == context) eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
    }
};

namespace {

Error no_driver(const std::string& found) {
    return {concat("no usable GL driver: ", found,
                   "; expected EGL with OpenGL 3.3 (Debian: libegl1 and libgl1-mesa-dri, which draw on the CPU)"),
            "GL", ErrorKind::work};
}

/// A display that needs neither X nor Wayland; the default one where the driver has no such platform.
EGLDisplay find_display() {
    const auto get_platform_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (get_platform_display) {
        const EGLDisplay display = get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr)) return display;
    }
    const EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) ? display : EGL_NO_DISPLAY;
}

} // namespace

GlContext::GlContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
GlContext::GlContext(GlContext&&) noexcept = default;
GlContext& GlContext::operator=(GlContext&&) noexcept = default;
GlContext::~GlContext() = default;

Result<GlContext> GlContext::make(GlDialect dialect) {
    auto state = std::make_unique<State>();
    state->dialect = dialect;
    state->display = find_display();
    if (state->display == EGL_NO_DISPLAY)
        return no_driver(concat("EGL gives no display (code 0x", std::hex, eglGetError(), ")"));
    const bool es = dialect == GlDialect::es_30;
    if (!eglBindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API))
        return no_driver(es ? "EGL has no OpenGL ES" : "EGL has no OpenGL");
    const EGLint config_wanted[] = {
        EGL_SURFACE_TYPE,
        0, // we draw into our own framebuffers
        EGL_RENDERABLE_TYPE,
        es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
        EGL_NONE,
    };
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglChooseConfig(state->display, config_wanted, &config, 1, &count) || count < 1)
        return no_driver("EGL has no configuration to draw with");
    const EGLint desktop_wanted[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    const EGLint es_wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
    state->context = eglCreateContext(state->display, config, EGL_NO_CONTEXT, es ? es_wanted : desktop_wanted);
    if (state->context == EGL_NO_CONTEXT)
        return no_driver(
            concat("no context of ", es ? "GLES 3.0" : "GL 3.3 core", " (code 0x", std::hex, eglGetError(), ")"));
    if (!eglMakeCurrent(state->display, EGL_NO_SURFACE, EGL_NO_SURFACE, state->context))
        return no_driver(concat("the context cannot be used without a window (code 0x", std::hex, eglGetError(), ")"));
    return GlContext(std::move(state));
}

GlContext GlContext::adopt_current() {
    return GlContext(std::make_unique<State>());
}

void GlContext::make_current() const {
    if (state_->context == EGL_NO_CONTEXT) return; // adopted: current for as long as it is used
    eglBindAPI(state_->dialect == GlDialect::es_30 ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    eglMakeCurrent(state_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, state_->context);
}

GlDialect GlContext::dialect() const {
    return state_->dialect;
}

namespace {
std::string text_of(GLenum name) {
    const GLubyte* text = glGetString(name);
    return text ? reinterpret_cast<const char*>(text) : "";
}
} // namespace

std::string GlContext::version() const {
    return text_of(GL_VERSION);
}

std::string GlContext::renderer() const {
    return text_of(GL_RENDERER);
}

Status check_gl(const char* what) {
    const GLenum code = glGetError();
    if (code == GL_NO_ERROR) return Done{};
    return Error{concat("the driver reports error 0x", std::hex, code, " while ", what), "GL", ErrorKind::work};
}

} // namespace selvage
