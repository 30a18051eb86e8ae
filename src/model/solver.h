#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_view.h"
#include "model/air.h"
#include "model/cloth_model.h"
#include "model/cloth_state.h"
#include "model/load.h"

namespace selvage {

/// A point whose motion is given: pinned by the scene or held by a hand.
struct HeldPoint {
    int vertex;
    Vec3 target; ///< Where it must be at the end of the step.
};

/// What a step is given from outside.
struct StepInput {
    double dt = 0.0; ///< [s], positive.
    Vec3 gravity;    ///< [m/s2].
    const Air* air = nullptr;
    std::span<const HeldPoint> held;
    std::span<const std::uint8_t> is_held;    ///< One flag per vertex, 1 for those in `held`.
    std::span<const Collider> colliders = {}; ///< Most solvers leave them to the contact stage after the step.
    const ContactView* contact =
        nullptr; ///< What may come into contact, for solvers that ask for it; null when nothing can.
    std::span<const double> velocity_damping = {}; ///< One rate per vertex [1/s]; empty: none.
    double effort = 1.0; ///< Fraction of the work that the settings ask for, 0 to 1; see Solver::small_steps().
};

/// What a step reports.
struct StepStats {
    double ms = 0.0;
    int iterations = 0;    ///< Of the linear solve, all stages together.
    double residual = 0.0; ///< Of the last linear solve, relative to its start; 0 where there is none.
};

/// A method, in the host's memory; one that keeps its state on a device belongs to a StepBackend (sim/step_backend.h).
/// All scratch is sized at construction, so that step() allocates nothing. The model and the pool must outlive the
/// solver.
class Solver {
public:
    virtual ~Solver() = default;
    /// Does the work that is needed once (factorisations) for steps like `first`. Optional: otherwise the first step
    /// does it. A resumed run calls it with the start of the scene as well, so that it continues bit for bit.
    virtual void prepare(const StepInput& /*first*/) {}
    /// Advances `state` by input.dt. Held vertices end exactly at their targets.
    virtual StepStats step(ClothState& state, const StepInput& input) = 0;
    /// Whether a step of dt seconds uses StepInput::contact, which costs time to find.
    virtual bool wants_contact(double /*dt*/) const { return false; }
    /// Whether it asks the colliders of its input for distances.
    virtual bool wants_distances() const { return false; }
    /// Small steps that a step of dt seconds is taken in at this effort: what its cost is proportional to. Fewer at less
    /// effort, but never so few that the method becomes unstable. 0: the method always does all its work.
    virtual int small_steps(double /*dt*/, double /*effort*/) const { return 0; }
    /// Elastic energy of the cloth as the method models it [J]; none where that is the model's springs.
    virtual std::optional<double> elastic_energy(const ClothState& /*state*/) const { return std::nullopt; }
    /// Whether it keeps ClothState::yarn.
    virtual bool remembers_bending() const { return false; }
    virtual std::size_t bytes() const { return 0; } ///< Of memory that it keeps; 0: nobody has counted.
    /// Forgets history (previous positions, warm starts) after the caller has edited `state`.
    virtual void reset(const ClothState& /*state*/) {}
};

/// Gives held points the velocity that carries them to their targets; call before the forces are formed, so that
/// neighbours feel the motion.
void start_held(ClothState& state, const StepInput& input);
/// Puts held points on their targets; call last.
void finish_held(ClothState& state, const StepInput& input);

/// Gravity, air and velocity damping. Drag is implicit: its size comes from the speed at the start of the step, its
/// direction from the velocity at the end, which makes it stable at any step and the terminal speed exact at any step.
/// Damping is drag at a given rate against air that stands still, and is treated alike.
class ExternalForces {
public:
    using Load = LoadT<double>;

    explicit ExternalForces(const ClothModel& model) : model_(model) {}

    /// Forms triangle normals when there is air.
    void prepare(ThreadPool& pool, const ClothState& state, const StepInput& input);
    Load at(int vertex, const ClothState& state, const StepInput& input) const {
        const double damping =
            input.velocity_damping.empty() ? 0.0 : input.velocity_damping[static_cast<std::size_t>(vertex)];
        if (!input.air || !input.air->present()) return {input.gravity, damping, {}};
        return in_air(vertex, state, input).with_damping(damping);
    }

private:
    Load in_air(int vertex, const ClothState& state, const StepInput& input) const;

    const ClothModel& model_;
    std::vector<Vec3f> triangle_normal_; // twice the area; sized at the first step with air
};

} // namespace selvage
