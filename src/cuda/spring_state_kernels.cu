// The state of the spring methods: held points, copies from and to the host's layout, and the check for divergence.

#include "cuda/kernels.cuh"
#include "cuda/spring_kernels.h"
#include "cuda/spring_rows.cuh"

namespace selvage::cuda {

namespace {

__global__ void start_held_kernel(const __grid_constant__ SpringStep s, const int* held, int held_count) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= held_count) return;
    float4& v = s.from.v[held[k]];
    v = with_w(Vec3f((s.frame.target[k] - exact(s.from.x[held[k]])) / s.h), v.w);
}

__global__ void find_diverged_kernel(const __grid_constant__ SpringState state, int vertex_count, int* found) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= vertex_count) return;
    const Vec3f x = state.x[i].rounded(), v = xyz(state.v[i]);
    const bool is_there = length_squared(Vec3(x)) < kImpossiblePlace * kImpossiblePlace;
    const bool is_slow = is_held(state.v[i].w) || length_squared(v) < kImpossibleSpeed * kImpossibleSpeed;
    if (!is_there || !is_slow) atomicMin(found, i);
}

__global__ void unpack_kernel(const __grid_constant__ SpringState state, int n, Vec3* position, Vec3* velocity) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= n) return;
    position[i] = exact(state.x[i]);
    velocity[i] = Vec3(xyz(state.v[i]));
}

__global__ void pack_kernel(const Vec3* position, const Vec3* velocity, int n,
                            const __grid_constant__ SpringState state) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= n) return;
    state.x[i] = to_fine(position[i]);
    state.v[i] = with_w(Vec3f(velocity[i]), state.v[i].w);
}

__global__ void set_marks_kernel(const float* mark, int n, const __grid_constant__ SpringState state) {
    after_last_kernel();
    const int i = thread_index();
    if (i < n) state.v[i].w = mark[i];
}

} // namespace

void start_held(const SpringStep& step, const int* held, int held_count, cudaStream_t stream) {
    if (held_count > 0) launch_for(start_held_kernel, held_count, stream, step, held, held_count);
}

void find_diverged(const SpringState& state, int vertex_count, int* found, cudaStream_t stream) {
    launch_for(find_diverged_kernel, vertex_count, stream, state, vertex_count, found);
}

void unpack(const SpringState& state, int vertex_count, Vec3* position, Vec3* velocity, cudaStream_t stream) {
    launch_for(unpack_kernel, vertex_count, stream, state, vertex_count, position, velocity);
}

void pack(const Vec3* position, const Vec3* velocity, int vertex_count, const SpringState& state, cudaStream_t stream) {
    launch_for(pack_kernel, vertex_count, stream, position, velocity, vertex_count, state);
}

void set_marks(const float* mark, int vertex_count, const SpringState& state, cudaStream_t stream) {
    launch_for(set_marks_kernel, vertex_count, stream, mark, vertex_count, state);
}

} // namespace selvage::cuda
