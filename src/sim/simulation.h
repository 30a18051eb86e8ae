#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "collision/contact/cloth_contact.h"
#include "model/air.h"
#include "model/cloth_model.h"
#include "model/cloth_state.h"
#include "model/measures.h"
#include "model/solver.h"
#include "scene/scene_desc.h"
#include "sim/collider_motion.h"

namespace selvage {

/// The state stopped making sense: numbers that are not finite, or speeds no cloth has.
struct Divergence {
    std::int64_t step = 0; ///< Solver steps done when it showed, counted from the start of the run.
    double time = 0.0;     ///< [s].
    int vertex = 0;
    std::string cloth;
    std::string text() const;
};

/// A group of vertices whose motion is given.
class PinGroup {
public:
    /// `vertices` index `positions`, the cloth's own; in the model they start at `vertex_offset`.
    PinGroup(const PinDesc& desc, std::vector<int> vertices, const std::vector<Vec3>& positions, int vertex_offset);

    bool holds(double time) const { return desc_.release < 0.0 || time < desc_.release; }
    const std::vector<int>& vertices() const { return vertices_; }
    Vec3 target(int index, double time) const; ///< Of vertices()[index].

private:
    PinDesc desc_;
    std::vector<int> vertices_;
    std::vector<Vec3> start_;
    Vec3 centre_;
};

/// A scene made into objects, and stepped. Fixed steps: a frame of dt is `substeps` solver steps.
class Simulation {
public:
    /// threads: 0 means all. Fails with a location where the scene is at fault.
    static Result<Simulation> make(const SceneDesc& scene, int threads = 0);

    /// One solver step of dt / substeps.
    StepStats step();
    /// One frame. After a divergence the state is the last good frame's and further calls do nothing.
    StepStats step_frame() { return step_frame({}); }
    /// The same; `before_step(share)` is called before each solver step with the share of the frame that it will end at, 0 to 1:
    /// the place to move hands and solids a little at a time.
    StepStats step_frame(const std::function<void(double share)>& before_step);
    const std::optional<Divergence>& divergence() const { return divergence_; }

    /// Takes a point in the hand: from the next step on it is where `target` says. Calling again moves it; a hand is
    /// stronger than a pin. A target that is not finite leaves things as they are.
    void grab(int vertex, const Vec3& target);
    void release(int vertex);

    /// For a character skinned elsewhere: over the next step the vertices of a mesh solid move straight from where they are
    /// to `world`, one point for each of its points_now, and stay there until told again. Their own motion has no say any
    /// more. Not part of a checkpoint. Fails, with nothing changed, when the solid is no mesh or a point is missing or not
    /// finite.
    Status set_collider_points(int collider, std::span<const Vec3> world);

    /// Carries a solid aside from where its own motion has it, from the next step on; a shift that is not finite leaves things
    /// as they are. Not part of a checkpoint.
    void shift_collider(int collider, const Vec3& shift);
    /// Solver steps per frame from the next frame on; the time goes on. Only between frames.
    void set_substeps(int substeps);

    const SceneDesc& scene() const { return scene_; }
    const ClothModel& model() const { return *model_; }
    std::shared_ptr<const ClothModel> shared_model() const { return model_; } ///< For who draws beside the simulation.
    const ClothState& state() const { return state_; }
    Energy energy() const;                                     ///< Elastic: of the cloth as the solver sees it.
    bool is_tangled() const { return contact_->is_waiting(); } ///< Some cloth passes through cloth since the start.
    const ContactStats& contact_stats() const { return contact_stats_; } ///< Sums over the steps of the last frame.
    std::span<const Collider> colliders() const { return colliders_; }   ///< Where they are now.
    std::span<const ColliderMotion> collider_motions() const { return motions_; }
    ThreadPool& pool() { return *pool_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    double step_size() const { return scene_.dt / scene_.substeps; }
    std::int64_t step_count() const { return step_count_; }

    /// Replaces the state, as after loading a checkpoint. Sizes must match the model.
    void set_state(ClothState state, std::int64_t step_count);

private:
    Simulation() = default;
    void hold_points(double time);
    void move_colliders(double time);
    const ContactView* look_ahead(double h);
    void check_divergence();
    void warn_of_tangles();
    const std::string& cloth_of(int vertex) const;

    SceneDesc scene_;
    std::vector<std::string> warnings_;
    // Behind pointers: the solver keeps references to them, and a Simulation may be moved.
    std::unique_ptr<ThreadPool> pool_;
    std::shared_ptr<const ClothModel> model_;
    std::unique_ptr<Air> air_;
    std::unique_ptr<Solver> solver_;
    std::unique_ptr<ClothContact> contact_;
    ContactStats contact_stats_;
    std::vector<PinGroup> pins_;
    std::vector<ColliderMotion> motions_;
    std::vector<Collider> colliders_;
    std::vector<HeldPoint> grabs_, held_;
    std::vector<std::uint8_t> is_held_;
    std::vector<Vec3> motion_ahead_; // foreseen for a step, for solvers that want to know what may meet [m]
    ClothState state_, last_good_;
    std::int64_t step_count_ = 0, last_good_step_ = 0;
    std::optional<Divergence> divergence_;
};

} // namespace selvage
