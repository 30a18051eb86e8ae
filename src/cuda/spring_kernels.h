#pragma once

#include <cuda_runtime_api.h>

#include "cuda/fine_point.h"
#include "cuda/step_parameters.h"
#include "cuda/types.h"

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
