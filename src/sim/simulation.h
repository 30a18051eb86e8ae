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
#include "collision/contact/contact_stage.h"
#include "model/air.h"
#include "model/cloth_model.h"
#include "model/cloth_state.h"
#include "model/measures.h"
#include "model/solver.h"
#include "scene/scene_desc.h"
#include "sim/body_lag.h"
#include "sim/collider_motion.h"
#include "sim/frame_budget.h"
#include "sim/skinned_cloth.h"
#include "sim/step_backend.h"

namespace selvage {

/// The state stopped making sense: numbers that are not finite, or speeds no cloth has.
struct Divergence {
    std::int64_t step = 0; ///< Solver steps done when it showed, counted from the start of the run.
    double time = 0.0;     ///< [s].
    int vertex = 0;
    std::string cloth;
    std::string failure = {}; ///< Of what the simulation runs on; then it is no divergence, but ends it as well.
    std::string text() const;
};

/// A group of vertices whose motion is given.
class PinGroup {
public:
    /// `vertices` index `positions`, the cloth's own; in the model they start at `vertex_offset`.
    PinGroup(const PinDesc& desc, std::vector<int> vertices, const std::vector<Vec3>& positions, int vertex_offset);

    bool holds(double time) const { return desc_.release < 0.0 || time < desc_.release; }
    const std::vector<int>& vertices() const { return vertices_; }
    void release(int vertex);                  ///< Takes a vertex out of the group, if it is in it.
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
    /// The same on threads shared with others; the scene's colliders are left out for `colliders`, which come with their states.
    static Result<Simulation> make(const SceneDesc& scene, std::shared_ptr<ThreadPool> pool,
                                   std::vector<ColliderMotion> colliders = {});

    /// One solver step of dt / substeps.
    StepStats step();
    /// One frame. After a divergence the state is the last good frame's and further calls do nothing. Under a budget a
    /// frame may be left out: the state and its time stay.
    StepStats step_frame() { return step_frame({}); }
    /// The same; `before_step(fraction)` is called before each solver step with the fraction of the frame, 0 to 1, that
    /// it will end at: the place to move hands and solids a little at a time.
    StepStats step_frame(const std::function<void(double fraction)>& before_step);
    const std::optional<Divergence>& divergence() const { return divergence_; }

    /// Takes a point in the hand: from the next step on it is where `target` says. Calling again moves it; a hand is
    /// stronger than a pin. A target that is not finite leaves things as they are.
    void grab(int vertex, const Vec3& target);
    void release(int vertex);
    /// Replaces all grabs at once, for a caller who keeps the list. Of several for a vertex the first counts. Allocates only when the
    /// list grows.
    void set_grabs(std::span<const HeldPoint> grabs);
    /// Lets go what a pin of the scene holds.
    void unpin(int vertex);
    std::span<const PinGroup> pins() const { return pins_; } ///< Of the scene, but for vertices let go.

    /// For a character skinned elsewhere: over the next step the vertices of a mesh solid move straight from where they are
    /// to `world`, one point for each of its points_now, and stay there until told again. Their own motion has no say any
    /// more. Not part of a checkpoint. Fails, with nothing changed, when the solid is no mesh or a point is missing or not
    /// finite.
    Status set_collider_points(int collider, std::span<const Vec3> world);

    /// Carries a solid aside from where its own motion has it, from the next step on; a shift that is not finite leaves things
    /// as they are. Not part of a checkpoint.
    void shift_collider(int collider, const Vec3& shift);
    ColliderMotion& collider_motion(int collider) { return motions_[collider]; }
    /// Other colliders, standing still where their motions have them now. Only between frames. The first `same` are those
    /// that it has already: cloth stays tied to them, and hangs free of the others.
    void set_colliders(std::vector<ColliderMotion> colliders, int same = 0);

    void set_gravity(const Vec3& gravity);
    void set_air(const AirDesc& air);
    /// Another method from the next frame on; the state stays. Only between frames.
    void set_solver(const SolverSettings& solver, int substeps);
    /// Goes on at another time, as after a sleep; colliders stand still where they are then. Only between frames.
    void set_step_count(std::int64_t step_count);
    /// From now on the state lives in the backend's memory and is stepped there; null brings it back to the host, and so do
    /// other colliders or another solver, which the backend was not made for. Only between frames.
    void set_backend(std::unique_ptr<StepBackend> backend);
    bool is_on_device() const { return backend_ != nullptr; } ///< A backend steps it.
    /// Solver steps per frame from the next frame on; the time goes on. Only between frames.
    void set_substeps(int substeps);
    /// The fraction of the work, 0 to 1, that frames do from now on; see Solver::small_steps(). Only between frames.
    void set_effort(double effort) { effort_ = effort; }
    int steps_per_frame() const { return steps_at(effort_); } ///< Fewer than the scene's substeps at less effort.
    void add_times(LevelTimes& times) const;                  ///< Of the last frame.
    /// The time that frames should keep to, at first the scene's [ms]; 0: any. Sets the effort before each frame.
    void set_budget(double ms);
    const FrameBudget& budget() const { return budget_; }
    double dropped_seconds() const { return dropped_seconds_; } ///< Of frames left out.

    const SceneDesc& scene() const { return scene_; }
    const ClothModel& model() const { return *model_; }
    std::shared_ptr<const ClothModel> shared_model() const { return model_; } ///< For who draws beside the simulation.
    /// Where a backend steps, the first call after a step copies the state from there; not from two threads at once then.
    const ClothState& state() const;
    Energy energy() const; ///< Elastic: of the cloth as the solver sees it.
    /// What was tangled where the run starts.
    const TangleCount& start_tangles() const { return start_tangles_; }
    /// What is tangled now; looks at everything. Only between frames.
    TangleCount count_tangles() { return contact_->find_tangles(*pool_, state().position, colliders()); }
    std::span<const SurfaceCrossing> crossings() const { return contact_->crossings(); } ///< Of count_tangles().
    /// Some cloth passes through cloth or a collider's mesh, or lies inside one.
    bool is_tangled() const { return backend_ ? is_tangled_ : contact_->is_tangled(); }
    const ContactStats& contact_stats() const { return contact_stats_; } ///< Sums over the steps of the last frame.
    /// Where they are now. Fits the trees of those that deform after a step; not from two threads at once then.
    std::span<const Collider> colliders() const;
    std::span<const ColliderMotion> collider_motions() const { return motions_; }
    /// What may touch: the cloths, then colliders that are meshes.
    const ContactSurface& touching_surface() const { return contact_->surface(); }
    /// Pairs of features that could touch in the last step, or its last piece; colliders without triangles are not among them.
    std::span<const std::vector<ContactRecord>> contact_records() const { return contact_->records(); }
    std::span<const HeldPoint> held_points() const { return held_; } ///< In the last step.
    ThreadPool& pool() { return *pool_; }
    const std::vector<std::string>& warnings() const { return warnings_; }
    double step_size() const { return scene_.dt / scene_.substeps; }
    std::int64_t step_count() const { return step_count_; }

    /// Replaces the state, as after loading a checkpoint. Sizes must match the model.
    void set_state(ClothState state, std::int64_t step_count);
    /// The same; yarns forget how they were bent where `yarn` is not given. Allocates only where cloth is tied to a body.
    /// `known_clean`: no cloth passes through cloth, and nobody needs to look.
    void restore(std::span<const Vec3> positions, std::span<const Vec3> velocities, std::int64_t step_count,
                 bool known_clean, std::span<const YarnMemory> yarn = {});
    ClothState& edit_state();               ///< To be followed by restart().
    void restart(bool known_clean = false); ///< After an edit of the state: forgets history and any divergence.

private:
    Simulation() = default;
    Status add_cloths(std::vector<ClothSource>& sources);
    Status finish_make();
    void reserve_held();
    StepInput step_input(double dt) const;
    int steps_at(double effort) const;
    /// One solver step of dt seconds to `end_step`, counted in steps of the scene from the start of the run.
    StepStats step_to(double end_step, double dt);
    StepStats take_frame(const std::function<void(double fraction)>& before_step);
    void fit_yarn(ClothState& state) const;
    void spread_damping();
    Status tie_to_skin();
    void hold_points(double time);
    std::optional<BodyJump> jump_of(BodyLag& lag, double time, Collider& collider) const;
    void carry_over_jumps(double time);
    void restore_lags();
    void move_colliders(double time);
    void go_back();
    void warn_of_tangles();
    const std::string& cloth_of(int vertex) const;

    SceneDesc scene_;
    std::vector<std::string> warnings_;
    // Behind pointers: the solver keeps references to them, and a Simulation may be moved.
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<const ClothModel> model_;
    std::unique_ptr<Air> air_;
    std::unique_ptr<Solver> solver_;
    std::unique_ptr<ContactStage> contact_;
    std::unique_ptr<StepBackend> backend_; // null: solver_ and contact_ step state_ on the host
    bool is_tangled_ = false;              // where the backend steps
    mutable bool is_stale_ = false;        // the backend has stepped since state_ was copied from it
    ContactStats contact_stats_;
    TangleCount start_tangles_;
    std::vector<PinGroup> pins_;
    std::vector<SkinnedCloth> skinned_;
    std::vector<BodyLag> lags_;         // of the bodies that cloth belongs to
    std::vector<SkinSelection> chosen_; // per cloth
    std::vector<ColliderMotion> motions_;
    mutable std::vector<Collider> colliders_; // trees are fitted when somebody asks
    std::vector<HeldPoint> grabs_, held_;
    std::vector<std::uint8_t> is_held_;
    std::vector<double> damping_;    // rate per vertex; empty: none
    std::vector<Vec3> motion_ahead_; // foreseen for a step, for solvers that want to know what may meet [m]
    mutable ClothState state_;       // a copy of the backend's, where there is one
    ClothState last_good_;
    std::int64_t step_count_ = 0, last_good_step_ = 0;
    std::optional<Divergence> divergence_;
    FrameBudget budget_;
    double effort_ = 1.0, dropped_seconds_ = 0.0;
};

} // namespace selvage
