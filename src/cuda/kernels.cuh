#pragma once

// What kernels share, and how they are launched.

#include <cuda_runtime.h>
#ifndef SELVAGE_CUDA_EMULATED
#include <cooperative_groups.h>
#endif

#include <algorithm>
#include <utility>

#include "cuda/device.h"
#include "cuda/step_parameters.h"
#include "math/vec.h"
#include "model/load.h"

namespace selvage::cuda {

inline constexpr float kImpossibleSpeed = 1e5F;  // [m/s]; as on the host
inline constexpr double kImpossiblePlace = 1e24; // [m]
inline constexpr int kBlock = 128;               // threads, where nothing else is said

/// First in every kernel. A kernel starts while the one before it still runs, and waits here until that has ended and all
/// that it wrote can be read: what it takes to start one is hidden behind the other. What no kernel of a frame writes may
/// be read before.
__device__ __forceinline__ void after_last_kernel() {
#ifdef SELVAGE_CUDA_EMULATED
    emulated::wait_for_last_kernel();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// All launches go through here. An error shows at the next DeviceQueue::wait().
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int blocks, int threads, std::size_t shared_bytes, cudaStream_t stream,
            const Arguments&... arguments) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.attrs = &early;
    config.numAttrs = starts_early() ? 1 : 0;
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

/// At least so many threads, in blocks of kBlock.
template <class... Parameters, class... Arguments>
void launch_for(void (*kernel)(Parameters...), long long threads, cudaStream_t stream, const Arguments&... arguments) {
    launch(kernel, static_cast<int>((threads + kBlock - 1) / kBlock), kBlock, 0, stream, arguments...);
}

#ifndef SELVAGE_CUDA_EMULATED
/// Blocks of a kernel that run at the same time.
template <class... Parameters>
int blocks_at_once(void (*kernel)(Parameters...), int threads, int multiprocessors) {
    int each = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0) != cudaSuccess) return 1;
    constexpr int kMost = 4; // more only wait longer for each other
    return std::max(1, std::min(each, kMost) * multiprocessors);
}
/// As launch(), for no more blocks than run at the same time: they may wait for each other.
template <class... Parameters, class... Arguments>
void launch_together(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream,
                     const Arguments&... arguments) {
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}
__device__ __forceinline__ void wait_for_grid() {
    cooperative_groups::this_grid().sync();
}
#else // tests/cuda/emulated, where blocks run one after the other
template <class... Parameters>
int blocks_at_once(void (*)(Parameters...), int, int) {
    return 1;
}
template <class... Parameters, class... Arguments>
void launch_together(void (*kernel)(Parameters...), int blocks, int threads, cudaStream_t stream,
                     const Arguments&... arguments) {
    launch(kernel, blocks, threads, 0, stream, arguments...);
}
inline void wait_for_grid(const std::source_location where = std::source_location::current()) {
    __syncthreads(where);
}
#endif

/// What other blocks have written since this kernel began.
__device__ __forceinline__ int volatile_load(const int* from) {
    return *static_cast<const volatile int*>(from);
}

/// The shared memory that a launch has asked for.
#ifndef SELVAGE_CUDA_EMULATED
__device__ __forceinline__ float4* shared_of_launch() {
    extern __shared__ float4 memory[];
    return memory;
}
#else // tests/cuda/emulated
inline float4* shared_of_launch() {
    return static_cast<float4*>(emulated::shared_of_launch());
}
#endif

__device__ __forceinline__ int thread_index() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ __forceinline__ Vec3f xyz(const float4& a) {
    return {a.x, a.y, a.z};
}
__device__ __forceinline__ float4 with_w(const Vec3f& a, float w) {
    return make_float4(a.x, a.y, a.z, w);
}

/// Sum over groups of kLanes neighbouring threads; all of them get it.
template <int kLanes>
__device__ __forceinline__ float lane_sum(float value) {
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask /= 2)
        value += __shfl_xor_sync(0xffffffffU, value, mask);
    return value;
}
template <int kLanes>
__device__ __forceinline__ Vec3f lane_sum(const Vec3f& value) {
    return {lane_sum<kLanes>(value.x), lane_sum<kLanes>(value.y), lane_sum<kLanes>(value.z)};
}

__device__ __forceinline__ Vec3f wind_at(const StepParameters& step, const Vec3f& x) {
    Vec3f wind = step.mean_wind;
    for (int w = 0; w < step.wave_count; ++w)
        wind += gust_wave(dot(step.wave[w].k, x) + step.wave[w].phase) * step.wave[w].amplitude;
    return wind;
}

/// Over h seconds; `normal` any length; `damping` of the velocity.
__device__ __forceinline__ LoadT<float> load_in_air(const StepParameters& step, float h, const Vec3f& x, const Vec3f& v,
                                                    const Vec3f& normal, float area, float mass, float damping) {
    const Vec3f wind = wind_at(step, x);
    const AirLoadT<float> air =
        air_load(step.air_density, step.drag, step.lift, v - wind, normalized(normal), area, mass, h);
    return LoadT<float>{step.gravity + air.lift, air.drag_rate, wind}.with_damping(damping);
}

} // namespace selvage::cuda
