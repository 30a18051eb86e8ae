#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "draw_thread.h"
#include "view/pixel_ray.h"
#include "view/settings_list.h"
#include "view/sim_thread.h"
#include "window.h"

namespace selvage {

enum class StyleChoice { automatic, fabric, quick };

/// What the user has switched on and off.
struct ViewChoices {
    StyleChoice style = StyleChoice::automatic;
    Overlays overlays;
    Split split = Split::none;
    double picture_scale = 1.0; ///< Pixels drawn per pixel shown.
    bool show_panels = true, show_tools = true, show_settings = true, show_plots = true, show_scenes = false,
         show_help = false;
    std::string tab_wanted; ///< Settings group to bring to the front once.
};

/// What the mouse is doing.
struct Drag {
    enum class Kind { none, orbit, pan, cloth, collider, poke };
    Kind kind = Kind::none;
    double x = 0.0, y = 0.0;   ///< Last place of the cursor.
    std::shared_ptr<int> grab; ///< Its id, known to the simulation's thread alone.
    Vec3 through;              ///< The drag plane faces the camera and holds this point.
    Vec3 start;                ///< Where a collider's drag began.
};

struct Rectangle {
    double x = 0, y = 0, width = 0, height = 0;
    bool holds(double px, double py) const { return px >= x && px < x + width && py >= y && py < y + height; }
};

/// Everything the window, its panels and its input share. Main thread only.
class ViewerState {
public:
    ViewerState(Window& shown_in, SimThread& simulated_by, DrawThread& drawn_by)
        : window(shown_in), sim(simulated_by), draw(drawn_by), snapshot(sim.snapshot()) {}

    Window& window;
    SimThread& sim;
    DrawThread& draw;
    std::shared_ptr<const Snapshot> snapshot;
    RenderView view;
    ViewChoices choices;
    Drag drag;
    bool poking = false;
    double poke_radius = 0.08; ///< [m].
    double poke_depth = 0.0,
           poke_push = 0.0;        ///< Distance from the camera, and how far beyond it the button pushes the ball [m].
    std::vector<Rectangle> panels; ///< Where the mouse belongs to a panel.
    std::vector<Setting> settings; ///< Of the scene shown.
    std::uint64_t settings_build = 0;
    std::string message;
    bool message_is_error = false;
    std::chrono::steady_clock::time_point message_until{};
    std::uint64_t view_number = 0;
    double last_fabric_ms = 0.0, last_quick_ms = 0.0, window_ms = 0.0;
    std::vector<double>
        latencies_ms; ///< From a move of the mouse to the picture that shows what came of it; the last ones.
    int files_made = 0;

    // viewer_input.cpp and viewer_keys.cpp: what events do.
    void on_move(double x, double y);
    void on_button(int button, bool down, int mods);
    void on_scroll(double amount);
    void on_key(int key, bool down, int mods);
    void on_drop(const std::vector<std::string>& paths);
    void tick(double seconds); ///< To be called often: what goes on without events.

    // Actions shared by keys and panels.
    void frame_all(); ///< The scene's camera, or all of it in view.
    void set_poking(bool on);
    void set_split_solver(const std::string& name); ///< Empty: no split view.
    void open(const std::string& name_or_path);
    void save();
    void screenshot(bool with_panels);
    void toggle_film();
    void say(const std::string& text, bool is_error = false);
    bool over_panel(double x, double y) const;
    /// Where the cloth is seen under a place of the window, in a split view in either half.
    Ray ray_at(double x, double y) const;
    Rectangle free_area() const; ///< What panels leave of the window; all of it where that is too little.
    /// The whole window; in a split view what panels leave of it, so that each half is clear of them.
    Rectangle picture_area() const;
    double view_width() const; ///< Of one half in a split view.
    double view_height() const { return picture_area().height; }
    double in_view(double x) const; ///< From a place of the window to one in its half.
    float room_left() const;        ///< What the panels take of the window's sides.
    float room_right() const;
    std::string picture_wanted;        ///< A file for the next picture; empty: none.
    bool screenshot_of_window = false; ///< To be taken after the next frame.
    std::string next_file(const std::string& what, const std::string& extension);
    // panel_scenes.cpp
    unsigned scene_texture(const std::string& scene); ///< 0: there is no picture.
    std::string scene_description(const std::string& scene);

private:
    void on_control_key(int key, bool shift);
    bool on_time_key(int key);
    bool on_mouse_key(int key);
    bool on_drawing_key(int key);
    void on_window_key(int key, bool shift);
    void switch_comparison(); ///< On, with the solver that was beside the first last, or off.
    void press_left(double x, double y);
    int pin_under(double x, double y) const;
    void end_drag();
    Vec3 poke_place(double x, double y) const;

    std::string last_compared_;
    std::map<std::string, unsigned> scene_textures_;
    std::map<std::string, std::string> descriptions_;
};

/// One line of the help: keys and what they do.
struct KeyHelp {
    const char *keys, *text;
};
const std::vector<KeyHelp>& key_help();

} // namespace selvage
