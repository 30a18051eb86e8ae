// What mouse and keys do. Everything that concerns the simulation is posted to its thread.
#include <algorithm>
#include <cmath>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "base/concat.h"
#include "view/camera_rig.h"
#include "viewer_state.h"

namespace selvage {

namespace {
constexpr double kTurnPerPixel = 0.008; // [rad]
constexpr double kPinReach = 12.0;      // pixels within which a click means the pin
} // namespace

const std::vector<KeyHelp>& key_help() {
    static const std::vector<KeyHelp> keys = {
        {"left drag on cloth", "take it in the hand"},
        {"P while dragging", "pin it there; on a pin: let it go"},
        {"wheel while dragging", "bring the hand nearer or farther"},
        {"left drag on a solid", "move it"},
        {"left or right drag elsewhere", "orbit"},
        {"middle drag, Shift + drag", "pan"},
        {"wheel", "zoom"},
        {"right click on a pin", "let it go"},
        {"L", "let go of everything"},
        {"K", "poke with a ball; hold left to push, wheel for depth"},
        {"Space", "play, pause"},
        {". or Right", "one frame"},
        {"Left, Right while paused", "back and forth on the timeline"},
        {"[  ]", "slower, faster"},
        {"R", "restart"},
        {"1 to 9", "solver"},
        {"X", "split view with the next solver"},
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

double ViewerState::view_width() const {
    const double width = window.width();
    return choices.split == Split::none ? width : 0.5 * width;
}

Ray ViewerState::ray_at(double x, double y) const {
    const double width = view_width();
    return pixel_ray(view, width, window.height(), x >= width && choices.split != Split::none ? x - width : x, y);
}

bool ViewerState::over_panel(double x, double y) const {
    return std::any_of(panels.begin(), panels.end(), [&](const Rectangle& panel) { return panel.holds(x, y); });
}

Vec3 ViewerState::poke_place(double x, double y) const {
    const Vec3 forward = normalized(view.target - view.eye, {0, 0, -1});
    return on_view_plane(view, view.eye + (poke_depth + poke_push) * forward, ray_at(x, y));
}

/// Index of the pin under a place of the window; -1: none.
int ViewerState::pin_under(double x, double y) const {
    const double width = view_width();
    const ViewCamera camera(view, width, window.height());
    const double in_half = x >= width && choices.split != Split::none ? x - width : x;
    for (std::size_t h = 0; h < snapshot->hands.size(); ++h) {
        const PicturePoint at = camera.project(snapshot->hand_points[h]);
        if (snapshot->hands[h].pinned && std::hypot(at.x - in_half, at.y - y) < kPinReach) return static_cast<int>(h);
    }
    return -1;
}

void ViewerState::press_left(double x, double y) {
    if (poking) {
        drag.kind = Drag::Kind::poke;
        return;
    }
    if (const int pin = pin_under(x, y); pin >= 0) {
        drag.kind = Drag::Kind::cloth;
        drag.through = snapshot->hand_points[pin];
        drag.hand = std::make_shared<int>(snapshot->hands[pin].id);
        return;
    }
    const double width = view_width();
    const Ray ray = ray_at(x, y);
    const bool rival = choices.split == Split::solvers && x >= width && !snapshot->rival_position.empty();
    const std::optional<ClothHit> cloth =
        pick_cloth(snapshot->model->mesh.triangles, rival ? snapshot->rival_position : snapshot->position, ray);
    const std::optional<ColliderHit> solid =
        pick_collider(snapshot->colliders, ray, cloth ? cloth->distance : 50.0 * length(view.target - view.eye));
    if (solid && !std::holds_alternative<Plane>(snapshot->colliders[solid->collider].shape) &&
        !std::holds_alternative<HeightField>(snapshot->colliders[solid->collider].shape)) {
        drag.kind = Drag::Kind::solid;
        drag.through = drag.start = solid->point;
        sim.post([c = solid->collider](Session& s) { s.start_moving_solid(c); });
        return;
    }
    if (!cloth || solid) {
        drag.kind = Drag::Kind::orbit;
        return;
    }
    drag.kind = Drag::Kind::cloth;
    drag.through = cloth->point;
    drag.hand = std::make_shared<int>(0);
    sim.post([hit = *cloth, id = drag.hand, target = cloth->point](Session& s) {
        *id = s.take(hit);
        s.move_hand(*id, target); // the cloth has moved on since it was drawn
    });
}

void ViewerState::on_button(int button, bool down, int mods) {
    if (!down) return end_drag();
    if (drag.kind != Drag::Kind::none || over_panel(drag.x, drag.y)) return;
    if (button == GLFW_MOUSE_BUTTON_MIDDLE || (mods & GLFW_MOD_SHIFT)) {
        drag.kind = Drag::Kind::pan;
    } else if (button == GLFW_MOUSE_BUTTON_LEFT) {
        press_left(drag.x, drag.y);
    } else {
        const int pin = pin_under(drag.x, drag.y);
        if (pin >= 0)
            sim.post([id = snapshot->hands[pin].id](Session& s) { s.let_go(id); });
        else
            drag.kind = Drag::Kind::orbit;
    }
}

void ViewerState::end_drag() {
    if (drag.kind == Drag::Kind::cloth)
        sim.post([id = drag.hand](Session& s) {
            const Hand* hand = s.hands().find(*id);
            if (hand && !hand->pinned) s.let_go(*id);
        });
    if (drag.kind == Drag::Kind::solid) sim.post([](Session& s) { s.stop_moving_solid(); });
    drag.kind = Drag::Kind::none;
    drag.hand.reset();
}

void ViewerState::on_move(double x, double y) {
    const double dx = x - drag.x, dy = y - drag.y;
    drag.x = x, drag.y = y;
    switch (drag.kind) {
    case Drag::Kind::orbit:
        orbit(view, kTurnPerPixel * dx, kTurnPerPixel * dy);
        break;
    case Drag::Kind::pan:
        pan(view, dx, dy, window.height());
        break;
    case Drag::Kind::cloth: {
        drag.through = on_view_plane(view, drag.through, ray_at(x, y));
        sim.post_input([id = drag.hand, target = drag.through](Session& s) { s.move_hand(*id, target); });
        break;
    }
    case Drag::Kind::solid:
        drag.through = on_view_plane(view, drag.through, ray_at(x, y));
        sim.post_input([shift = drag.through - drag.start](Session& s) { s.move_solid(shift); });
        break;
    case Drag::Kind::poke:
    case Drag::Kind::none:
        break;
    }
    if (poking) sim.post_input([place = poke_place(x, y)](Session& s) { s.move_poker(place); });
}

void ViewerState::tick(double seconds) {
    if (!poking) return;
    // Pushed in by the button, and back again when it is let go.
    constexpr double kSpeed = 0.8, kDeepest = 1.5; // [m/s], [m]
    const double aim = drag.kind == Drag::Kind::poke ? kDeepest : 0.0;
    const double step = kSpeed * std::min(seconds, 0.1);
    const double pushed = poke_push + std::clamp(aim - poke_push, -2.0 * step, step);
    if (pushed == poke_push) return;
    poke_push = pushed;
    sim.post([place = poke_place(drag.x, drag.y)](Session& s) { s.move_poker(place); });
}

void ViewerState::on_scroll(double amount) {
    if (over_panel(drag.x, drag.y) && drag.kind == Drag::Kind::none) return;
    const double factor = std::pow(0.9, std::clamp(amount, -20.0, 20.0));
    if (drag.kind == Drag::Kind::cloth || drag.kind == Drag::Kind::solid) {
        // Towards the eye or away from it, along the ray through the cursor.
        drag.through = view.eye + std::clamp(factor, 0.5, 2.0) * (drag.through - view.eye);
        return on_move(drag.x, drag.y);
    }
    if (poking) {
        poke_depth = std::clamp(poke_depth / factor, 0.02, 100.0);
        return on_move(drag.x, drag.y);
    }
    zoom(view, factor);
}

void ViewerState::set_poking(bool on) {
    poking = on;
    poke_push = 0.0;
    if (on) {
        // Before the nearest cloth, so that it starts outside of everything.
        const Vec3 forward = normalized(view.target - view.eye, {0, 0, -1});
        double nearest = length(view.target - view.eye);
        for (const Vec3& p : snapshot->position)
            nearest = std::min(nearest, dot(p - view.eye, forward));
        poke_radius = std::clamp(0.05 * length(view.target - view.eye), 0.01, 0.5);
        poke_depth = std::max(2.0 * poke_radius, nearest - 2.0 * poke_radius);
    }
    sim.post([on, radius = poke_radius, place = poke_place(drag.x, drag.y)](Session& s) {
        s.set_poking(on, radius, place);
    });
}

void ViewerState::set_split_solver(const std::string& name) {
    choices.split = name.empty() ? Split::none : Split::solvers;
    sim.post([name](Session& s) { s.set_rival(name); });
}

void ViewerState::frame_all() {
    const double aspect = view_width() / window.height();
    std::vector<Vec3> points = snapshot->position;
    if (snapshot->scene->camera)
        view = scene_view(*snapshot->scene);
    else {
        for (const Collider& collider : snapshot->colliders) {
            const Aabb box = collider.bounds();
            if (is_finite(box.low) && is_finite(box.high)) points.insert(points.end(), {box.low, box.high});
        }
        view = frame_points(points, CameraDesc{}.fov_deg, aspect);
    }
    // Scenes are framed for wide pictures, and panels cover the edges of ours.
    zoom(view, std::max(1.0, 1.4 / aspect));
    if (!choices.show_panels || choices.split != Split::none) return;
    zoom(view, 1.25);
    pan(view, -45.0, -75.0, window.height());
}

void ViewerState::say(const std::string& text, bool is_error) {
    message = text;
    message_is_error = is_error;
    message_until = std::chrono::steady_clock::now() + std::chrono::seconds(is_error ? 12 : 5);
}

void ViewerState::open(const std::string& name_or_path) {
    poking = false;
    end_drag();
    sim.post([name_or_path](Session& s) { s.open(name_or_path); });
}

std::string ViewerState::next_file(const std::string& what, const std::string& extension) {
    std::string name;
    do
        name = concat(snapshot->scene->name.empty() ? "scene" : snapshot->scene->name, "-", what, "-", ++files_made,
                      extension);
    while (std::filesystem::exists(name));
    return name;
}

void ViewerState::save() {
    poking = false;
    std::string stem = next_file("saved", ".json");
    stem.resize(stem.size() - 5);
    sim.post([stem](Session& s) { s.save(stem); });
}

void ViewerState::screenshot(bool with_panels) {
    if (with_panels)
        screenshot_of_window = true;
    else
        picture_wanted = next_file("picture", ".png");
}

void ViewerState::toggle_film() {
    if (draw.is_filming())
        draw.stop_film();
    else
        draw.start_film(next_file("film", ".mp4"));
}

void ViewerState::on_drop(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        open(path);
}

void ViewerState::on_key(int key, bool down, int mods) {
    if (!down) return;
    const bool control = mods & GLFW_MOD_CONTROL, shift = mods & GLFW_MOD_SHIFT;
    if (control) {
        if (key == GLFW_KEY_Z) sim.post([shift](Session& s) { shift ? s.redo() : s.undo(); });
        if (key == GLFW_KEY_Y) sim.post([](Session& s) { s.redo(); });
        if (key == GLFW_KEY_S) save();
        if (key == GLFW_KEY_Q) window.close();
        return;
    }
    const auto flip = [](bool& value) { value = !value; };
    if (key >= GLFW_KEY_1 && key < GLFW_KEY_1 + static_cast<int>(solver_catalog().size()))
        sim.post([name = solver_catalog()[key - GLFW_KEY_1].name](Session& s) { s.set_solver(name); });
    switch (key) {
    case GLFW_KEY_SPACE:
        sim.post([](Session& s) { s.set_playing(!s.is_playing()); });
        break;
    case GLFW_KEY_PERIOD:
        sim.post([](Session& s) {
            s.set_playing(false);
            s.advance();
        });
        break;
    case GLFW_KEY_RIGHT:
        sim.post([](Session& s) {
            s.set_playing(false);
            if (s.timeline().at() + 1 < s.timeline().count())
                s.scrub(s.timeline().at() + 1);
            else
                s.advance();
        });
        break;
    case GLFW_KEY_LEFT:
        sim.post([](Session& s) { s.scrub(s.timeline().at() - 1); });
        break;
    case GLFW_KEY_LEFT_BRACKET:
        sim.post([](Session& s) { s.set_speed(0.5 * s.speed()); });
        break;
    case GLFW_KEY_RIGHT_BRACKET:
        sim.post([](Session& s) { s.set_speed(2.0 * s.speed()); });
        break;
    case GLFW_KEY_R:
        poking = false;
        sim.post([](Session& s) {
            s.let_go_of_all();
            s.set_poking(false, 0.1, {});
            s.restart();
        });
        break;
    case GLFW_KEY_P:
        if (drag.kind == Drag::Kind::cloth)
            sim.post([id = drag.hand](Session& s) {
                const Hand* hand = s.hands().find(*id);
                if (hand && hand->pinned)
                    s.let_go(*id);
                else
                    s.pin_hand(*id);
            });
        break;
    case GLFW_KEY_L:
        end_drag();
        sim.post([](Session& s) { s.let_go_of_all(); });
        break;
    case GLFW_KEY_K:
        set_poking(!poking);
        break;
    case GLFW_KEY_X: {
        const std::vector<std::string> names = solver_names();
        const auto now = std::find(names.begin(), names.end(), snapshot->rival_solver);
        if (choices.split != Split::solvers)
            set_split_solver(names.front() == solver_name(snapshot->scene->solver) ? names[1] : names[0]);
        else
            set_split_solver(now == names.end() || now + 1 == names.end() ? "" : *(now + 1));
        break;
    }
    case GLFW_KEY_V:
        if (choices.split == Split::solvers) set_split_solver("");
        choices.split = choices.split == Split::surface ? Split::none : Split::surface;
        break;
    case GLFW_KEY_W:
        flip(choices.overlays.wireframe);
        break;
    case GLFW_KEY_S:
        flip(choices.overlays.strain);
        break;
    case GLFW_KEY_C:
        flip(choices.overlays.contacts);
        break;
    case GLFW_KEY_N:
        flip(choices.overlays.normals);
        break;
    case GLFW_KEY_Q:
        choices.style = static_cast<StyleChoice>((static_cast<int>(choices.style) + 1) % 3);
        say(concat("drawing: ", std::array{"auto", "fabric", "quick"}[static_cast<std::size_t>(choices.style)]));
        break;
    case GLFW_KEY_F:
        frame_all();
        break;
    case GLFW_KEY_TAB:
        flip(choices.show_panels);
        break;
    case GLFW_KEY_F1:
    case GLFW_KEY_H:
        flip(choices.show_help);
        break;
    case GLFW_KEY_F2:
        flip(choices.show_scenes);
        break;
    case GLFW_KEY_F9:
        toggle_film();
        break;
    case GLFW_KEY_F12:
        screenshot(shift);
        break;
    case GLFW_KEY_ESCAPE:
        choices.show_help = choices.show_scenes = false;
        break;
    default:
        break;
    }
}

} // namespace selvage
