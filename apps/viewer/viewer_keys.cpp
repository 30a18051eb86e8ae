// What keys do, and the list of them that the help shows.
#include <algorithm>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "base/concat.h"
#include "viewer_state.h"

namespace selvage {

const std::vector<KeyHelp>& key_help() {
    static const std::vector<KeyHelp> keys = {
        {"left drag on cloth", "grab it"},
        {"P while dragging", "pin it there; on a pin: release it"},
        {"wheel while dragging", "move it nearer or farther"},
        {"left drag on a collider", "move it"},
        {"left or right drag elsewhere", "orbit"},
        {"middle drag, Shift + drag", "pan"},
        {"wheel", "zoom"},
        {"right click on a pin", "release it"},
        {"L", "release everything"},
        {"K", "poke with a ball; hold left to push, wheel for depth"},
        {"Space", "play, pause"},
        {". or Right", "one frame"},
        {"Left, Right while paused", "back and forth on the timeline"},
        {"[  ]", "slower, faster"},
        {"R", "restart"},
        {"1 to 9", "solver"},
        {"X", "a second solver beside the first, on and off"},
        {"V", "particles beside the smooth surface"},
        {"W  S  C  N", "wireframe, strain, contacts, normals"},
        {"Q", "drawing: auto, fabric, quick"},
        {"F", "all in view"},
        {"Ctrl+Z, Ctrl+Y", "undo, redo"},
        {"Ctrl+S", "save scene and state"},
        {"F2", "scenes"},
        {"F9", "film on, off"},
        {"F12, Shift+F12", "picture of the scene, of the window"},
        {"Tab", "panels on, off"},
        {"F1 or H", "this help"},
    };
    return keys;
}

namespace {
void flip(bool& value) {
    value = !value;
}
} // namespace

void ViewerState::on_key(int key, bool down, int mods) {
    if (!down) return;
    if (mods & GLFW_MOD_CONTROL)
        on_control_key(key, mods & GLFW_MOD_SHIFT);
    else if (!on_time_key(key) && !on_mouse_key(key) && !on_drawing_key(key))
        on_window_key(key, mods & GLFW_MOD_SHIFT);
}

void ViewerState::on_control_key(int key, bool shift) {
    if (key == GLFW_KEY_Z) sim.post([shift](Session& s) { shift ? s.redo() : s.undo(); });
    if (key == GLFW_KEY_Y) sim.post([](Session& s) { s.redo(); });
    if (key == GLFW_KEY_S) save();
    if (key == GLFW_KEY_Q) window.close();
}

/// Keys for time and the solver. Returns whether this was one of them.
bool ViewerState::on_time_key(int key) {
    switch (key) {
    case GLFW_KEY_SPACE:
        sim.post([](Session& s) { s.set_playing(!s.is_playing()); });
        return true;
    case GLFW_KEY_PERIOD:
        sim.post([](Session& s) {
            s.set_playing(false);
            s.advance();
        });
        return true;
    case GLFW_KEY_RIGHT:
        sim.post([](Session& s) {
            s.set_playing(false);
            if (s.timeline().at() + 1 < s.timeline().count())
                s.scrub(s.timeline().at() + 1);
            else
                s.advance();
        });
        return true;
    case GLFW_KEY_LEFT:
        sim.post([](Session& s) { s.scrub(s.timeline().at() - 1); });
        return true;
    case GLFW_KEY_LEFT_BRACKET:
        sim.post([](Session& s) { s.set_speed(0.5 * s.speed()); });
        return true;
    case GLFW_KEY_RIGHT_BRACKET:
        sim.post([](Session& s) { s.set_speed(2.0 * s.speed()); });
        return true;
    case GLFW_KEY_R:
        poking = false;
        sim.post([](Session& s) {
            s.release_all();
            s.set_poking(false, 0.1, {});
            s.restart();
        });
        return true;
    default:
        break;
    }
    const int solver = key - GLFW_KEY_1;
    if (solver < 0 || solver >= static_cast<int>(solver_catalog().size())) return false;
    sim.post([name = solver_catalog()[solver].name](Session& s) { s.set_solver(name); });
    return true;
}

/// Keys for what the mouse holds. Returns whether this was one of them.
bool ViewerState::on_mouse_key(int key) {
    switch (key) {
    case GLFW_KEY_P:
        if (drag.kind == Drag::Kind::cloth)
            sim.post([id = drag.grab](Session& s) {
                const Grab* grab = s.grabs().find(*id);
                if (grab && grab->pinned)
                    s.release(*id);
                else
                    s.pin_grab(*id);
            });
        return true;
    case GLFW_KEY_L:
        end_drag();
        sim.post([](Session& s) { s.release_all(); });
        return true;
    case GLFW_KEY_K:
        set_poking(!poking);
        return true;
    default:
        return false;
    }
}

void ViewerState::switch_comparison() {
    if (choices.split == Split::solvers) return set_split_solver("");
    const std::vector<std::string> names = solver_names();
    const std::string main = solver_name(snapshot->scene->solver);
    const std::string other = names.front() == main ? names[1] : names[0];
    set_split_solver(last_compared_.empty() || last_compared_ == main ? other : last_compared_);
}

/// Keys for what is drawn, and how. Returns whether this was one of them.
bool ViewerState::on_drawing_key(int key) {
    switch (key) {
    case GLFW_KEY_X:
        switch_comparison();
        return true;
    case GLFW_KEY_V:
        if (choices.split == Split::solvers) set_split_solver("");
        choices.split = choices.split == Split::surface ? Split::none : Split::surface;
        return true;
    case GLFW_KEY_W:
        flip(choices.overlays.wireframe);
        return true;
    case GLFW_KEY_S:
        flip(choices.overlays.strain);
        return true;
    case GLFW_KEY_C:
        flip(choices.overlays.contacts);
        return true;
    case GLFW_KEY_N:
        flip(choices.overlays.normals);
        return true;
    case GLFW_KEY_Q:
        choices.style = static_cast<StyleChoice>((static_cast<int>(choices.style) + 1) % 3);
        say(concat("drawing: ", std::array{"auto", "fabric", "quick"}[static_cast<std::size_t>(choices.style)]));
        return true;
    case GLFW_KEY_F:
        frame_all();
        return true;
    default:
        return false;
    }
}

void ViewerState::on_window_key(int key, bool shift) {
    if (key == GLFW_KEY_TAB) flip(choices.show_panels);
    if (key == GLFW_KEY_F1 || key == GLFW_KEY_H) flip(choices.show_help);
    if (key == GLFW_KEY_F2) flip(choices.show_scenes);
    if (key == GLFW_KEY_F9) toggle_film();
    if (key == GLFW_KEY_F12) screenshot(shift);
    if (key == GLFW_KEY_ESCAPE) choices.show_help = choices.show_scenes = false;
}

} // namespace selvage
