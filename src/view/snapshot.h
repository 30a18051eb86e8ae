#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collision/shapes/collider.h"
#include "model/cloth_model.h"
#include "model/measures.h"
#include "scene/scene_desc.h"
#include "sim/device.h"
#include "view/grabs.h"

namespace selvage {

/// Numbers about one simulated frame, for the plots.
struct FrameNumbers {
    double time = 0.0; ///< [s].
    float solver_ms = 0, search_ms = 0, narrow_ms = 0, response_ms = 0, total_ms = 0;
    float energy = 0.0f;    ///< Kinetic and elastic [J].
    float strain = 0.0f;    ///< Largest stretch.
    float crossings = 0.0f; ///< As last counted.
};

/// What the window shows: a copy, made after every frame, that nobody changes any more.
struct Snapshot {
    std::uint64_t number = 0; ///< Grows by one with every snapshot.
    std::uint64_t build = 0;  ///< Changes when scene or model do.
    std::shared_ptr<const SceneDesc> scene;
    std::shared_ptr<const ClothModel> model;
    std::vector<Vec3> position;
    std::vector<Collider> colliders;
    /// The second solver in a split view; its colliders are the first one's.
    std::shared_ptr<const ClothModel> compared_model;
    std::vector<Vec3> compared_position;
    std::string compared_solver;

    double time = 0.0;      ///< [s].
    std::int64_t frame = 0; ///< Simulated since the scene was opened or restarted.
    bool playing = false;
    double speed = 1.0;           ///< Wanted: simulated seconds per second.
    double real_time_factor = 0;  ///< Reached, over the last second.
    double frames_per_second = 0; ///< Simulated, likewise.
    /// When the user last moved a grab, a collider or the ball, as far as this state has followed; the clock's start:
    /// never.
    std::chrono::steady_clock::time_point input_at{};
    double budget_ms = 0.0; ///< 0: none.
    int substeps = 0;       ///< In use; fewer than the scene's under a budget.
    bool diverged = false;
    bool poking = false;
    DeviceChoice device = DeviceChoice::cpu; ///< As the user wants it.
    bool on_device = false;                  ///< As it is.
    std::string device_refusal;              ///< Why it is not as wanted; empty: it is.
    std::vector<Grab> grabs;
    std::vector<Vec3> grab_points; ///< Where their points really are.
    int timeline_count = 0, timeline_at = -1;
    double timeline_first = 0.0, timeline_last = 0.0; ///< [s].
    std::vector<FrameNumbers> numbers;                ///< Of the last seconds, oldest first.
    bool comparing = false;                           ///< With the reference.
    std::vector<MotionError> errors;                  ///< E and S at each check point so far.
    std::string message;                              ///< Last thing to tell the user.
    bool message_is_error = false;
    std::uint64_t message_number = 0;
    std::string undo_text, redo_text;
    std::uint64_t view_number = 0; ///< Changes when the camera should go to the scene's own view.
};

} // namespace selvage
