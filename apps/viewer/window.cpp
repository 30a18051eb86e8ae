#include "window.h"

#include <algorithm>
#include <cmath>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui/backends/imgui_impl_glfw.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include "base/concat.h"
#include "panels.h"
#include "render/gl_api.h"
#include "render/gl_context.h"

namespace selvage {

namespace {

Window& owner(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
}

std::string last_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text ? text : "no reason given";
}

} // namespace

Result<std::unique_ptr<Window>> Window::make(int width, int height, const std::string& title) {
    if (!glfwInit())
        return Error{
            concat("cannot open a window: ", last_error(),
                   "; expected an X11 display (DISPLAY). Without one, `selvage render` makes pictures and films"),
            "view", ErrorKind::work};
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    GLFWwindow* window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow* drawing = window ? glfwCreateWindow(16, 16, "", nullptr, window) : nullptr;
    if (!drawing) {
        const Error error{concat("cannot open a window: ", last_error(),
                                 "; expected a driver with OpenGL 3.3 and contexts that share textures (Debian: "
                                 "libgl1-mesa-dri, which draws on the CPU)"),
                          "view", ErrorKind::work};
        glfwTerminate();
        return error;
    }
    std::unique_ptr<Window> made(new Window(window, drawing));
    made->set_up();
    return made;
}

void Window::set_up() {
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    glfwSetWindowSizeLimits(window_, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetWindowUserPointer(window_, this);
    screen_.emplace();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // no files but those the user asks for
    ImGui_ImplGlfw_InitForOpenGL(window_, false);
    ImGui_ImplOpenGL3_Init("#version 330 core");
    style_panels();
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
#if IMGUI_VERSION_NUM >= 18700 // before, it asked for the place itself
        ImGui_ImplGlfw_CursorPosCallback(w, x, y);
#endif
        if (owner(w).events.moved) owner(w).events.moved(x, y);
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
        ImGui_ImplGlfw_MouseButtonCallback(w, button, action, mods);
        if (owner(w).events.button) owner(w).events.button(button, action == GLFW_PRESS, mods);
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
        ImGui_ImplGlfw_ScrollCallback(w, x, y);
        if (owner(w).events.scrolled) owner(w).events.scrolled(y);
    });
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scan, int action, int mods) {
        ImGui_ImplGlfw_KeyCallback(w, key, scan, action, mods);
        if (owner(w).events.key) owner(w).events.key(key, action != GLFW_RELEASE, mods);
    });
    glfwSetCharCallback(window_, ImGui_ImplGlfw_CharCallback);
    glfwSetCursorEnterCallback(window_, ImGui_ImplGlfw_CursorEnterCallback);
    glfwSetWindowFocusCallback(window_, ImGui_ImplGlfw_WindowFocusCallback);
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
        if (owner(w).events.dropped) owner(w).events.dropped(std::vector<std::string>(paths, paths + count));
    });
}

Window::~Window() {
    glfwMakeContextCurrent(window_);
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    screen_.reset();
    glDeleteTextures(static_cast<int>(textures_.size()), textures_.data());
    glfwDestroyWindow(drawing_);
    glfwDestroyWindow(window_);
    // No glfwTerminate: it unloads the GL driver, whose tables then look like leaks. The system cleans up after us.
}

bool Window::should_close() const {
    return glfwWindowShouldClose(window_);
}
void Window::close() {
    glfwSetWindowShouldClose(window_, GLFW_TRUE);
}
void Window::wait_events(double seconds) {
    if (seconds > 0.0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
}
void Window::wake() {
    glfwPostEmptyEvent();
}
void Window::make_drawing_current(bool current) {
    glfwMakeContextCurrent(current ? drawing_ : nullptr);
}

int Window::width() const {
    int width = 0;
    glfwGetWindowSize(window_, &width, nullptr);
    return std::max(1, width);
}
int Window::height() const {
    int height = 0;
    glfwGetWindowSize(window_, nullptr, &height);
    return std::max(1, height);
}
double Window::pixel_scale() const {
    int pixels = 0;
    glfwGetFramebufferSize(window_, &pixels, nullptr);
    return std::max(1, pixels) / static_cast<double>(width());
}
void Window::resize(int width, int height) {
    glfwSetWindowSize(window_, width, height);
}
void Window::set_title(const std::string& title) {
    glfwSetWindowTitle(window_, title.c_str());
}
void Window::set_cursor(double x, double y) {
    glfwSetCursorPos(window_, x, y);
}

void Window::start_frame() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
}

void Window::finish_frame(SharedPicture* picture, const std::array<double, 4>& area, Image8* copy) {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    glViewport(0, 0, width, height);
    const double scale = pixel_scale();
    const auto pixels = [scale](double x) { return static_cast<int>(std::lround(x * scale)); };
    const PictureScreen::Place place{pixels(area[0]), height - pixels(area[1] + area[3]), pixels(area[2]),
                                     pixels(area[3])};
    if (!picture || place.width < width || place.height < height) {
        glClearColor(0.2f, 0.2f, 0.22f, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    if (picture) screen_->show(*picture, place);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (copy) *copy = read_back(); // after the swap nobody knows what is where
    glfwSwapBuffers(window_);
}

unsigned Window::make_texture(const Image8& image) {
    unsigned name = 0;
    glGenTextures(1, &name);
    textures_.push_back(name);
    glBindTexture(GL_TEXTURE_2D, name);
    for (const GLenum side : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
        glTexParameteri(GL_TEXTURE_2D, side, GL_CLAMP_TO_EDGE);
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
        glTexParameteri(GL_TEXTURE_2D, filter, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, image.width, image.height, 0, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    return name;
}

Image8 Window::read_back() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    Image8 image{width, height, {}};
    image.rgb.resize(3 * static_cast<std::size_t>(width) * height);
    std::vector<std::uint8_t> rows(image.rgb.size());
    glReadBuffer(GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, rows.data());
    const std::size_t row = 3 * static_cast<std::size_t>(width);
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) // GL's row 0 is the bottom
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height) - 1 - y) * row), row,
                    image.rgb.begin() + static_cast<std::ptrdiff_t>(y * row));
    return image;
}

Status Window::check() const {
    return check_gl("drawing the window");
}

} // namespace selvage
