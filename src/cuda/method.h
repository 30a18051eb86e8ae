#pragma once

#include <span>

#include "cuda/device_queue.h"
#include "cuda/memory.h"
#include "cuda/step_parameters.h"
#include "model/solver.h"

namespace selvage::cuda {

/// A frame that is being queued: its input on the device, and how many steps it has.
struct QueuedFrame {
    FrameInput input;
    int step_count = 0;
    bool has_air = false;
    double h = 0.0; ///< Of all its steps [s].
    Vec3f gravity;
};

/// A method with its state on the device. CudaBackend decides when its work is queued, makes a graph of it and waits. What
/// is named queue_ does not wait, and may be recorded instead of done.
class DeviceMethod {
public:
    virtual ~DeviceMethod() = default;
    /// Called twice, see DeviceMemory.
    virtual void lay_out(DeviceMemory& memory) = 0;
    /// The vertices of held points, in the order of their targets. No steps are waiting to be queued.
    virtual void set_held(DeviceQueue& queue, std::span<const int> held) = 0;
    /// One rate per vertex [1/s]; empty: none. No steps are waiting to be queued.
    virtual void set_velocity_damping(DeviceQueue& queue, std::span<const double> rate) = 0;
    /// Whether prepare() must fit something to this step first. No steps may be waiting to be queued then.
    virtual bool must_fit(const StepInput& input) const = 0;
    /// Returns a number that tells apart steps for which different work is queued.
    virtual int prepare(DeviceQueue& queue, const StepInput& input) = 0;
    /// Kernels of one frame; `work` of each step as prepare() gave it. Reads and writes the method's own state.
    virtual void queue_frame(const QueuedFrame& frame, std::span<const int> work, cudaStream_t stream) = 0;
    /// Says that a queued frame has been launched once more: states may have changed places.
    virtual void advance(int step_count) = 0;
    /// What else, besides the work, decides which kernels a frame takes.
    virtual int variant() const = 0;
    virtual void queue_find_diverged(int* found, cudaStream_t stream) = 0;
    /// By the cloth's vertices.
    virtual void queue_unpack(Vec3* position, Vec3* velocity, cudaStream_t stream) = 0;
    virtual void queue_pack(const Vec3* position, const Vec3* velocity, cudaStream_t stream) = 0;
    virtual void queue_save(DeviceQueue& queue) = 0;
    virtual void queue_restore(DeviceQueue& queue) = 0;
    virtual int iterations(int work) const = 0;               ///< Of linear solves, per step.
    virtual int small_steps(int /*work*/) const { return 1; } ///< Per step: ends of them ask where colliders are.
    /// What contact has counted since it was cleared (see Count), on the device; null: there is none.
    virtual int* counts() const { return nullptr; }
};

} // namespace selvage::cuda
