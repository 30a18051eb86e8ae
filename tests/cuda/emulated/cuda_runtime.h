#pragma once

// What the compiler of CUDA adds to C++, for g++ and clang: see emulator.h.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <source_location>
#include <tuple>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(threads)
#define __shared__ static // blocks run one after the other

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3() = default;
    explicit dim3(unsigned width) : x(width) {}
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim; // of the thread that is running

enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization };
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        int programmaticStreamSerializationAllowed;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    std::size_t dynamicSmemBytes = 0;
    cudaStream_t stream = nullptr;
    cudaLaunchAttribute* attrs = nullptr;
    unsigned numAttrs = 0;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
    const std::tuple<Parameters...> given(arguments...); // parameters are copied when a kernel is launched or recorded
    const emulated::Kernel body{static_cast<int>(config->gridDim.x), static_cast<int>(config->blockDim.x),
                                config->dynamicSmemBytes, config->numAttrs > 0,
                                [kernel, given] { std::apply(kernel, given); }};
    return static_cast<cudaError_t>(emulated::queue_kernel(config->stream, body));
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* /*kernel*/, cudaFuncAttribute /*which*/, int value) {
    return emulated::allow_shared(value) ? cudaSuccess : cudaErrorInvalidValue;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* /*attributes*/, Kernel* /*kernel*/) {
    return emulated::machine().has_code ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

inline void __syncthreads(const std::source_location where = std::source_location::current()) {
    emulated::wait_for_block(where);
}

/// Every thread of a warp must be here; `from(lane)` is the lane whose value it gets, or none: its own.
template <class T, class From>
T exchange(unsigned mask, T value, const From& from, const std::source_location& where) {
    static_assert(sizeof(T) <= 8);
    unsigned long long bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int source = from(lane);
    bits = emulated::exchange_in_warp(mask, bits, source < 0 || source > 31 ? lane : source, where);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with,
                  const std::source_location where = std::source_location::current()) {
    return exchange(mask, value, [&](int lane) { return lane ^ with; }, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by,
                 const std::source_location where = std::source_location::current()) {
    return exchange(mask, value, [&](int lane) { return lane - static_cast<int>(by); }, where);
}
template <class T>
T __shfl_sync(unsigned mask, T value, int from, const std::source_location where = std::source_location::current()) {
    return exchange(mask, value, [&](int /*lane*/) { return from; }, where);
}

inline void __syncwarp(const std::source_location where = std::source_location::current()) {
    exchange(0xffffffffU, 0, [](int /*lane*/) { return -1; }, where);
}
inline unsigned __ballot_sync(unsigned mask, bool value,
                              const std::source_location where = std::source_location::current()) {
    unsigned votes = value ? 1U << threadIdx.x % 32 : 0U;
    for (int with = 1; with < 32; with *= 2)
        votes |= exchange(mask, votes, [&](int lane) { return lane ^ with; }, where);
    return votes;
}

template <class T>
T atomicMin(T* at, T value) {
    const T before = *at;
    *at = std::min(before, value);
    return before;
}
template <class T>
T atomicMax(T* at, T value) {
    const T before = *at;
    *at = std::max(before, value);
    return before;
}
inline int atomicAdd(int* at, int value) {
    const int before = *at;
    *at += value;
    return before;
}
inline int __popc(unsigned value) {
    return std::popcount(value);
}
inline int __ffs(int value) {
    return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1;
}
template <class T>
T __ldg(const T* at) {
    return *at;
}
inline float __int_as_float(int value) {
    return std::bit_cast<float>(value);
}
inline int __float_as_int(float value) {
    return std::bit_cast<int>(value);
}
inline float __uint_as_float(unsigned value) {
    return std::bit_cast<float>(value);
}
inline unsigned __float_as_uint(float value) {
    return std::bit_cast<unsigned>(value);
}
inline float rsqrtf(float value) {
    return 1.0F / std::sqrt(value);
}
using std::min;
