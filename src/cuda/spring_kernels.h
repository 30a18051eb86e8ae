#pragma once

#include <cuda_runtime_api.h>

#include "cuda/fine_point.h"
#include "cuda/step_parameters.h"
#include "cuda/types.h"
#include "math/hd.h"

namespace selvage::cuda {

/// Springs as each vertex sees them, in slices of 32 vertices: slot after slot, one spring of each. Shorter rows end in
/// springs without stiffness. 12 bytes a spring end.
struct SpringNet {
    static constexpr int kSlice = 32;
    int vertex_count = 0;
    int slots = 0;                   ///< Of every slice, where they are all alike; 0: see slot_start.
    const int* slot_start = nullptr; ///< Of each slice.
    const int* other = nullptr;
    const float2* law = nullptr; ///< Rest length [m], stiffness [N/m].
    const float* mass = nullptr;
    const float2* damping = nullptr;         ///< Axial time [s], relative [N s/m] of each vertex; null: none.
    const float* velocity_damping = nullptr; ///< [1/s]; null: none.
    const float* area = nullptr;             ///< [m2].
    const int* fan_start = nullptr;          ///< Triangles of each vertex, by their other two corners.
    const int2* fan = nullptr;
    const int* held_index = nullptr;      ///< Among the held points, or -1.
    const float* damping_limit = nullptr; ///< Of the filtered method: what damping may remove, per stiffness [s2].
};

/// A patch: vertices that are its own, then the rings around them. Those that are `worked` out have springs.
struct alignas(32) PatchNumbers {
    int first;             ///< Its vertices are counted from this one.
    int own, worked, read; ///< How many; each count includes the one before.
    int vertices, springs; ///< Where its lists begin.
    int slots, unused;
};
/// Springs in patches, each for one block of threads, which reads all that it needs once into shared memory. 4 bytes a
/// spring end, and none that come from further than the cache where patches are alike, as in a regular grid; 8 more where
/// there are many laws.
struct PatchView {
    static constexpr int kMostWorked = 640, kMostRead = 1216; ///< Threads; what fits beside them.
    SELVAGE_HD static int padded(int rows) { return (rows + 31) / 32 * 32; }
    int count = 0;
    int rings = 1;
    int slots = 0, most_own = 0, most_worked = 0, most_read = 0;
    bool has_table = true;
    const PatchNumbers* patch = nullptr;
    const int* vertex = nullptr; ///< Of each patch: distance from its first.
    const unsigned* spring =
        nullptr; ///< Slot after slot, of all that are worked out, filled up to 32: far end in the patch [bytes]; law.
    const float2* law = nullptr; ///< By its number; or, without a table, of each spring end.
};

/// `v.w` is the method's: see SpringMethod::fit(). From this on: the vertex is held.
inline constexpr float kHeldMark = 1e38F;
struct SpringState {
    FinePoint* x = nullptr;
    float4* v = nullptr;
};

/// What a step of springs works on. Steps read `from` and write `to`.
struct SpringStep {
    SpringNet net;
    SpringState from, to;
    FrameInput
        frame; ///< Read for air and held points alone: what it takes to read anything first is a third of a step.
    int step = 0, held_count = 0;
    double h = 0.0; ///< [s].
    Vec3f gravity;
    bool is_last = false; ///< Of the frame.
    bool has_air = false;
    bool is_stiff = false; ///< Springs so stiff that float loses the mass beside them; implicit step.
};

/// Kang and Cho 2012. 64 bytes of state a vertex and step, and 12 for each of its spring ends; one kernel.
void step_harmonic(const SpringStep& step, cudaStream_t stream);
void step_harmonic(const SpringStep& step, const PatchView& patches, cudaStream_t stream);
void step_harmonic_published(const SpringStep& step, cudaStream_t stream);

/// Scratch of the implicit step, by vertex: right side and a part of D^-1, the rest of it, dv.
struct JacobiScratch {
    float4 *right = nullptr, *inverse = nullptr, *dv[2] = {nullptr, nullptr};
    // Pieces that nothing holds, whose drift is removed: chunks of their vertices.
    const int *piece_vertex = nullptr, *chunk_start = nullptr, *chunk_piece = nullptr, *piece_chunks = nullptr;
    const int* piece_of = nullptr; ///< By vertex; -1: held.
    Double4* chunk_sum = nullptr;  ///< Momentum and mass.
    float4* drift = nullptr;       ///< By piece.
    int chunk_count = 0, piece_count = 0;
    int sweeps = 1;
    bool moves_by_mean = false, filters_gravity = false;
};
/// Two kernels, and one more for every sweep after the first.
void step_implicit_jacobi(const SpringStep& step, const JacobiScratch& scratch, cudaStream_t stream);

/// Where nothing holds the cloth: removes the drift of dv[last], and moves.
void finish_jacobi_step(const SpringStep& step, const JacobiScratch& scratch, int last, cudaStream_t stream);
/// The same in patches; with one sweep and two rings in one kernel.
void step_implicit_jacobi(const SpringStep& step, const JacobiScratch& scratch, const PatchView& patches,
                          cudaStream_t stream);

/// Before the first step of a frame: gives held points the velocities that carry them to their targets.
void start_held(const SpringStep& step, const int* held, int held_count, cudaStream_t stream);
/// The first vertex without a sensible position and velocity; `found` starts as INT_MAX.
void find_diverged(const SpringState& state, int vertex_count, int* found, cudaStream_t stream);
/// To and from arrays of doubles; `v.w` stays.
void unpack(const SpringState& state, int vertex_count, Vec3* position, Vec3* velocity, cudaStream_t stream);
void pack(const Vec3* position, const Vec3* velocity, int vertex_count, const SpringState& state, cudaStream_t stream);
/// Sets v.w.
void set_marks(const float* mark, int vertex_count, const SpringState& state, cudaStream_t stream);

} // namespace selvage::cuda
