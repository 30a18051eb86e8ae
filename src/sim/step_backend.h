#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "collision/contact/contact_stage.h"
#include "model/cloth_model.h"
#include "model/cloth_state.h"
#include "model/solver.h"
#include "sim/skinned_cloth.h"

namespace selvage {

/// What a step reports.
struct StepOutcome {
    StepStats solver;
    ContactStats contact;
    int diverged_vertex = -1; ///< The first vertex without a sensible position and velocity; -1: all have one.
    bool is_tangled = false;  ///< Some cloth passes through cloth since the start.
    std::string failure = {}; ///< Why there can be no more steps, such as a device that was lost; empty: all is well.
};

/// Solver, contact and the state that they advance, together in a memory that is not the host's, such as a device's.
/// From upload() on the state exists there alone. A step receives its input, which is small (held points, poses of
/// colliders), and returns numbers; the state comes back only by download(), which Simulation calls when somebody reads
/// it. Without a backend a simulation steps on the host, where ClothState is the state and nothing is copied: see
/// step_on_host().
class StepBackend {
public:
    virtual ~StepBackend() = default;
    /// Replaces the state, and forgets all history (previous positions, warm starts) and the saved state.
    virtual void upload(const ClothState& state) = 0;
    /// Copies the state into `state`, whose arrays have the right size. After a failure `state` stays as it is.
    virtual void download(ClothState& state) = 0;
    /// Advances the state to `end_time` as step_on_host() does, but for StepInput::contact, which is never given here. A
    /// backend may put steps off until their frame ends, and say only then what has come of them.
    virtual StepOutcome step(const StepInput& input, double end_time, bool ends_frame) = 0;
    /// Remembers the state after a frame without divergence; restore() goes back to it.
    virtual void save() = 0;
    virtual void restore() = 0;
};

/// What a step on the host works with.
struct HostStep {
    const ClothModel& model;
    ThreadPool& pool;
    Solver& solver;
    ContactStage& contact;
    std::vector<Vec3>& expected_motion;         ///< Scratch, one per vertex.
    std::span<const SkinnedCloth> skinned = {}; ///< Where they may not get too far from the skin.
};

/// One step of a cloth in the host's memory: the solver, a check for divergence, then contact, which would hide it. At
/// the end of a frame cloths that are tangled are looked at again. `input` without its contact.
StepOutcome step_on_host(const HostStep& parts, ClothState& state, StepInput input, double end_time, bool ends_frame);

} // namespace selvage
