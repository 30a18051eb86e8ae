// What the mouse does, and the actions that keys and panels have in common. Everything that concerns the simulation is
// posted to its thread.
#include <algorithm>
#include <cmath>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "base/concat.h"
#include "panels.h"
#include "view/camera_rig.h"
#include "viewer_state.h"

namespace selvage {

namespace {
constexpr double kTurnPerPixel = 0.008; // [rad]
constexpr double kPinReach = 12.0;      // pixels within which a click means the pin
} // namespace

float ViewerState::room_left() const {
    return (choices.show_tools ? kLeftWidth : kFoldedSize) + 2.0f * kGap;
}

float ViewerState::room_right() const {
    return (choices.show_settings ? kRightWidth : kFoldedSize) + 2.0f * kGap;
}

Rectangle ViewerState::free_area() const {
    const Rectangle whole{0, 0, static_cast<double>(window.width()), static_cast<double>(window.height())};
    if (!choices.show_panels) return whole;
    const double low = kBottomHeight + 2.0f * kGap + (choices.show_plots ? kPlotsHeight + kGap : 0.0f);
    const Rectangle left{room_left(), 0, whole.width - room_left() - room_right(), whole.height - low};
    constexpr double kLeast = 160.0; // less shows nothing: better below the panels
    return left.width < kLeast || left.height < kLeast ? whole : left;
}

Rectangle ViewerState::picture_area() const {
    if (choices.split != Split::none) return free_area();
    return {0, 0, static_cast<double>(window.width()), static_cast<double>(window.height())};
}

double ViewerState::view_width() const {
    const double width = picture_area().width;
    return choices.split == Split::none ? width : 0.5 * width;
}

double ViewerState::in_view(double x) const {
    const double in_picture = x - picture_area().x, width = view_width();
    return in_picture >= width && choices.split != Split::none ? in_picture - width : in_picture;
}

Ray ViewerState::ray_at(double x, double y) const {
    return pixel_ray(view, view_width(), view_height(), in_view(x), y - picture_area().y);
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
    const ViewCamera camera(view, view_width(), view_height());
    const double in_half = in_view(x);
    y -= picture_area().y;
    for (std::size_t h = 0; h < snapshot->grabs.size(); ++h) {
        const PicturePoint at = camera.project(snapshot->grab_points[h]);
        if (snapshot->grabs[h].pinned && std::hypot(at.x - in_half, at.y - y) < kPinReach) return static_cast<int>(h);
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
        drag.through = snapshot->grab_points[pin];
        drag.grab = std::make_shared<int>(snapshot->grabs[pin].id);
        return;
    }
    const Ray ray = ray_at(x, y);
    const bool compared =
        choices.split == Split::solvers && x - picture_area().x >= view_width() && !snapshot->compared_position.empty();
    const std::optional<ClothHit> cloth =
        pick_cloth(snapshot->model->mesh.triangles, compared ? snapshot->compared_position : snapshot->position, ray);
    const std::optional<ColliderHit> collider =
        pick_collider(snapshot->colliders, ray, cloth ? cloth->distance : 50.0 * length(view.target - view.eye));
    if (collider && !std::holds_alternative<Plane>(snapshot->colliders[collider->collider].shape) &&
        !std::holds_alternative<HeightField>(snapshot->colliders[collider->collider].shape)) {
        drag.kind = Drag::Kind::collider;
        drag.through = drag.start = collider->point;
        sim.post([c = collider->collider](Session& s) { s.start_moving_collider(c); });
        return;
    }
    if (!cloth || collider) {
        drag.kind = Drag::Kind::orbit;
        return;
    }
    drag.kind = Drag::Kind::cloth;
    drag.through = cloth->point;
    drag.grab = std::make_shared<int>(0);
    sim.post([hit = *cloth, id = drag.grab, target = cloth->point](Session& s) {
        *id = s.grab(hit);
        s.move_grab(*id, target); // the cloth has moved on since it was drawn
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
            sim.post([id = snapshot->grabs[pin].id](Session& s) { s.release(id); });
        else
            drag.kind = Drag::Kind::orbit;
    }
}

void ViewerState::end_drag() {
    if (drag.kind == Drag::Kind::cloth)
        sim.post([id = drag.grab](Session& s) {
            const Grab* grab = s.grabs().find(*id);
            if (grab && !grab->pinned) s.release(*id);
        });
    if (drag.kind == Drag::Kind::collider) sim.post([](Session& s) { s.stop_moving_collider(); });
    drag.kind = Drag::Kind::none;
    drag.grab.reset();
}

void ViewerState::on_move(double x, double y) {
    const double dx = x - drag.x, dy = y - drag.y;
    drag.x = x, drag.y = y;
    switch (drag.kind) {
    case Drag::Kind::orbit:
        orbit(view, kTurnPerPixel * dx, kTurnPerPixel * dy);
        break;
    case Drag::Kind::pan:
        pan(view, dx, dy, view_height());
        break;
    case Drag::Kind::cloth: {
        drag.through = on_view_plane(view, drag.through, ray_at(x, y));
        sim.post_input([id = drag.grab, target = drag.through](Session& s) { s.move_grab(*id, target); });
        break;
    }
    case Drag::Kind::collider:
        drag.through = on_view_plane(view, drag.through, ray_at(x, y));
        sim.post_input([shift = drag.through - drag.start](Session& s) { s.move_collider(shift); });
        break;
    case Drag::Kind::poke:
    case Drag::Kind::none:
        break;
    }
    if (poking) sim.post_input([place = poke_place(x, y)](Session& s) { s.move_poker(place); });
}

void ViewerState::tick(double seconds) {
    if (!poking) return;
    // The button pushes the ball in; released, it comes back.
    constexpr double kSpeed = 0.8, kDeepest = 1.5; // [m/s], [m]
    const double wanted = drag.kind == Drag::Kind::poke ? kDeepest : 0.0;
    const double step = kSpeed * std::min(seconds, 0.1);
    const double push = poke_push + std::clamp(wanted - poke_push, -2.0 * step, step);
    if (push == poke_push) return;
    poke_push = push;
    sim.post([place = poke_place(drag.x, drag.y)](Session& s) { s.move_poker(place); });
}

void ViewerState::on_scroll(double amount) {
    if (over_panel(drag.x, drag.y) && drag.kind == Drag::Kind::none) return;
    const double factor = std::pow(0.9, std::clamp(amount, -20.0, 20.0));
    if (drag.kind == Drag::Kind::cloth || drag.kind == Drag::Kind::collider) {
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
        // In front of the nearest cloth, so that it starts outside of everything.
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
    if (!name.empty()) last_compared_ = name;
    sim.post([name](Session& s) { s.set_compared_solver(name); });
}

void ViewerState::frame_all() {
    const double aspect = view_width() / view_height();
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
    // What fills this much of a scene's picture fits between the panels, unless it would get too small to see.
    constexpr double kWidthThatMatters = 0.7, kHeightThatMatters = 0.85, kFarthest = 1.6;
    const Rectangle free = free_area();
    const double width = window.width(), height = window.height();
    const double wanted = std::max(kWidthThatMatters * width / free.width, kHeightThatMatters * height / free.height);
    zoom(view, std::clamp(wanted, 1.0, kFarthest));
    pan(view, free.x + 0.5 * (free.width - width), free.y + 0.5 * (free.height - height), window.height());
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

} // namespace selvage
