#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "render/shared_picture.h"

struct GLFWwindow;

namespace selvage {

/// What a window tells its owner. Coordinates are pixels of the window from its top left corner.
struct WindowEvents {
    std::function<void(double x, double y)> moved;
    std::function<void(int button, bool down, int mods)> button; ///< Button 0 left, 1 right, 2 middle.
    std::function<void(double amount)> scrolled;
    std::function<void(int key, bool down, int mods)> key; ///< GLFW's numbers.
    std::function<void(const std::vector<std::string>&)> dropped;
};

/// A window, a second GL context for the thread that draws, and the panels' backend. The two contexts share textures.
/// Main thread only, but for wake() and make_drawing_current().
class Window {
public:
    /// Fails without a display or a GL 3.3 driver.
    static Result<std::unique_ptr<Window>> make(int width, int height, const std::string& title);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    WindowEvents events;

    bool should_close() const;
    void close();
    void wait_events(double seconds); ///< Returns early when something happens or wake() is called.
    static void wake();               ///< From any thread.
    /// Gives the calling thread the context for drawing, or takes it away.
    void make_drawing_current(bool current);

    int width() const; ///< In the coordinates of events.
    int height() const;
    double pixel_scale() const; ///< Pixels of a picture per unit of those.
    void resize(int width, int height);
    void set_title(const std::string& title);
    void set_cursor(double x, double y); ///< Puts the pointer there, as a user would.

    void start_frame(); ///< Panels may be laid out from here on.
    /// Shows the picture, where there is one, in an area (x, y, width, height from the upper left corner), with the panels over it; `copy`, where given, gets what the window shows.
    void finish_frame(SharedPicture* picture, const std::array<double, 4>& area, Image8* copy = nullptr);
    unsigned make_texture(const Image8& image); ///< For the panels; lives as long as the window.
    /// Of GL since the last call; nothing when all is well.
    Status check() const;

    GLFWwindow* handle() const { return window_; }

private:
    Window(GLFWwindow* window, GLFWwindow* drawing) : window_(window), drawing_(drawing) {}
    void set_up();
    Image8 read_back() const;

    GLFWwindow *window_, *drawing_; // the second is never seen: it holds the context for drawing
    std::optional<PictureScreen> screen_;
    std::vector<unsigned> textures_;
};

} // namespace selvage
