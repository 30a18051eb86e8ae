#include "status_file.h"

#include "base/atomic_file.h"
#include "base/hash.h"
#include "scene/json_document.h"
#include "sim/report.h"
#include "viewer_state.h"

namespace selvage {

void StatusFile::update(const ViewerState& state) {
    const auto now = std::chrono::steady_clock::now();
    if (path_.empty() || now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const Snapshot& snapshot = *state.snapshot;
    const std::shared_ptr<const Picture> picture = state.draw.picture();
    Json json{{"scene", printable(snapshot.scene->name)},
              {"solver", solver_name(snapshot.scene->solver)},
              {"compared_solver", snapshot.compared_solver},
              {"stepped_on", snapshot.on_device ? "cuda" : "cpu"},
              {"device_refusal", printable(snapshot.device_refusal)},
              {"particles", snapshot.model->vertex_count()},
              {"time", snapshot.time},
              {"frame", snapshot.frame},
              {"playing", snapshot.playing},
              {"speed", snapshot.speed},
              {"real_time_factor", snapshot.real_time_factor},
              {"frames_per_second", snapshot.frames_per_second},
              {"frame_ms", snapshot.numbers.empty() ? 0.0 : static_cast<double>(snapshot.numbers.back().total_ms)},
              {"substeps", snapshot.substeps},
              {"timeline", {{"count", snapshot.timeline_count}, {"at", snapshot.timeline_at}}},
              {"poking", snapshot.poking},
              {"message", printable(state.message)},
              {"message_is_error", state.message_is_error},
              {"undo", snapshot.undo_text},
              {"width", state.window.width()},
              {"height", state.window.height()},
              {"cursor", {state.drag.x, state.drag.y}},
              {"device", state.draw.device()},
              {"picture_ms",
               {{"fabric", state.last_fabric_ms}, {"quick", state.last_quick_ms}, {"window", state.window_ms}}}};
    json["latency_ms"] = Json::object();
    if (!state.latencies_ms.empty())
        json["latency_ms"] = {{"count", state.latencies_ms.size()},
                              {"median", percentile(state.latencies_ms, 50)},
                              {"p95", percentile(state.latencies_ms, 95)}};
    json["picture"] = picture ? picture->number : 0;
    json["picture_time"] = picture ? picture->time : -1.0;
    json["picture_style"] = picture && picture->style == DrawStyle::fabric ? "fabric" : "quick";
    bool finite = true;
    for (const Vec3& p : snapshot.position)
        finite = finite && is_finite(p);
    json["finite"] = finite;
    json["hash"] = hash_bytes(snapshot.position.data(), snapshot.position.size() * sizeof(Vec3));
    const ViewCamera camera(state.view, state.view_width(), state.view_height());
    const Rectangle area = state.picture_area();
    json["picture_area"] = {area.x, area.y, area.width, area.height};
    const PicturePoint middle = camera.project(snapshot.position[snapshot.position.size() / 2]);
    json["middle"] = {middle.x + area.x, middle.y + area.y}; // in the first half, of the window as all places
    json["grabs"] = Json::array();
    for (std::size_t h = 0; h < snapshot.grabs.size(); ++h) {
        const PicturePoint at = camera.project(snapshot.grab_points[h]);
        json["grabs"].push_back({{"id", snapshot.grabs[h].id},
                                 {"pinned", snapshot.grabs[h].pinned},
                                 {"x", at.x + area.x},
                                 {"y", at.y + area.y}});
    }
    json["colliders"] = Json::array();
    for (const Collider& collider : snapshot.colliders) {
        const PicturePoint at = camera.project(collider.now.centre);
        json["colliders"].push_back({{"x", at.x + area.x}, {"y", at.y + area.y}});
    }
    // Nothing can be done here when it fails; who reads it will see that it is old.
    (void)static_cast<bool>(write_file(path_, json.dump(2) + "\n"));
}

} // namespace selvage
