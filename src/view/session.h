#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collision/contact/crossings.h"
#include "sim/device.h"
#include "sim/simulation.h"
#include "view/grabs.h"
#include "view/reference_run.h"
#include "view/snapshot.h"
#include "view/timeline.h"
#include "view/undo.h"

namespace selvage {

/// Everything a viewer does with a simulation, without a window: time, grabs, changes of settings, going back. Nothing
/// that is asked for can lose the cloth on screen: what fails leaves a message and the state as it was. One thread at a
/// time.
class Session {
public:
    /// `threads`: of the simulation; 0 takes all. Fails where the scene does; a device that cannot step it is no failure.
    static Result<std::unique_ptr<Session>> make(const SceneDesc& scene, int threads, Device device = {});

    // Time.
    void set_playing(bool playing);
    bool is_playing() const { return playing_; }
    void set_speed(double speed); ///< Simulated seconds per second, 0.01 to 4.
    double speed() const { return speed_; }
    /// Most milliseconds that a frame should take; 0: as many as it takes. Over it, frames get fewer solver steps.
    void set_budget(double ms);
    double frame_seconds() const { return scene_.dt; }
    void advance(); ///< One frame, playing or not.
    void restart();
    /// Shows a recorded frame and stops there; playing goes on from it.
    void scrub(int index);

    // Grabs. Unknown ids are ignored.
    int grab(const ClothHit& hit); ///< Of the cloth as it is now; 0 when there is no such triangle.
    void move_grab(int id, const Vec3& target);
    void pin_grab(int id);
    void release(int id);
    void release_all();
    /// Moves a collider so that it stands `shift` from where the drag found it. The end makes it a change of the scene.
    void start_moving_collider(int collider);
    void move_collider(const Vec3& shift);
    void stop_moving_collider();
    /// A ball to poke with; its place counts from the next frame on.
    void set_poking(bool poking, double radius, const Vec3& place);
    void move_poker(const Vec3& place);

    // Settings.
    /// Changes the scene and goes on with the same state where the cloth stays the same. `what` names the change for
    /// undo.
    void edit(const std::string& what, const std::function<void(SceneDesc&)>& change);
    void end_gesture() { undo_.end_gesture(); }
    void set_solver(const std::string& name);
    /// Goes on with the same state there, where the device can step the scene, and on the CPU where it cannot; snapshots
    /// say which and why. The choice holds for scenes and solvers to come.
    void set_device(DeviceChoice choice);
    void set_compared_solver(const std::string& name); ///< A second solver with the same input; empty: none.
    /// Restarts beside a reference run; E and S show from then on, until the scene changes or the cloth is grabbed.
    void set_comparing(bool on);
    void undo();
    void redo();

    // Files.
    void open(const std::string& name_or_path); ///< A built-in scene, a scene file, a mesh or a saved state.
    void open_scene(const SceneDesc& scene);
    void save(const std::filesystem::path& stem); ///< STEM.json and STEM.state.

    void say(const std::string& text, bool is_error = false);
    const SceneDesc& scene() const { return scene_; }
    const Simulation& simulation() const { return sim_->sim; }
    const Timeline& timeline() const { return timeline_; }
    const Grabs& grabs() const { return sim_->grabs; }
    /// `reached`: real-time factor and frames per second, which only the clock's owner knows.
    std::shared_ptr<Snapshot> snapshot(double real_time_factor, double frames_per_second);

private:
    struct Run { // a simulation with its grabs
        Simulation sim;
        Grabs grabs;
        int substeps = 1;         // without a budget
        std::string refusal = {}; // why no device steps it, though one was asked for
        bool has_lost_device() const { return sim.divergence() && !sim.divergence()->failure.empty(); }
    };
    Session(const SceneDesc& scene, int threads, Device device)
        : scene_(scene), threads_(threads), device_(std::move(device)) {}
    SceneDesc simulated_scene() const; ///< With the ball that pokes.
    Result<std::unique_ptr<Run>> make_run(const SceneDesc& scene) const;
    bool rebuild(SceneDesc wanted, bool keep_state);
    void rebuild_compared();
    void adopt(std::unique_ptr<Run> run, bool keep_state);
    void place(Run& run) const;
    void leave_lost_device();
    void say_where_it_is();
    void step_run(Run& run);
    void move_colliders(Run& run, double fraction) const;
    void record();
    void measure(double ms);
    void keep_budget(double ms);
    void open_mesh(const std::filesystem::path& path);

    SceneDesc scene_;
    int threads_ = 0;
    Device device_;
    std::unique_ptr<Run> sim_, compared_; // the one shown, and the one beside it in a split view
    std::string compared_solver_;
    std::uint64_t build_ = 1, number_ = 0, message_number_ = 0, view_number_ = 1;
    std::shared_ptr<const SceneDesc> shown_scene_;
    bool playing_ = true;
    double speed_ = 1.0, budget_ms_ = 0.0;
    double recent_ms_ = 0.0; // of a frame, smoothed
    std::int64_t frame_ = 0;
    Timeline timeline_;
    Undo undo_;
    std::vector<Vec3> shift_, shift_from_, shift_goal_; // of colliders: wanted, reached, and of this frame
    int moving_collider_ = -1;
    Vec3 moving_from_;
    bool poking_ = false;
    double poke_radius_ = 0.1;
    Vec3 poke_place_;
    std::unique_ptr<LiveComparison> reference_;
    CrossingCounter counter_;
    std::vector<FrameNumbers> numbers_;
    std::string message_;
    bool message_is_error_ = false;
};

} // namespace selvage
