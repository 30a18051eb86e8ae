#pragma once

// Sums over all rows: each block leaves its own in its own place, and whoever needs them adds them up in a fixed order. So
// nothing waits for the host, and the same bits come out in every run.

#include "cuda/kernels.cuh"

namespace selvage::cuda {

/// Leaves the sum over a block in its place.
__device__ __forceinline__ void leave_sum(double value, double* to) {
    __shared__ double part[32];
    for (int mask = 16; mask > 0; mask /= 2)
        value += __shfl_xor_sync(0xffffffffU, value, mask);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    double sum = 0.0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w)
        sum += part[w];
    to[blockIdx.x] = sum;
}
__device__ __forceinline__ void leave_largest(float value, double* to) {
    __shared__ float part[32];
    for (int mask = 16; mask > 0; mask /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, mask));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned w = 1; w < blockDim.x / 32; ++w)
        value = fmaxf(value, part[w]);
    to[blockIdx.x] = value;
}
/// The sum of all blocks' places, for every thread of a block.
__device__ __forceinline__ double total(const double* from, int count) {
    __shared__ double part[32];
    double sum = 0.0;
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x))
        sum += from[k];
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffffU, sum, mask);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w)
        sum += part[w];
    return sum;
}
__device__ __forceinline__ float largest(const double* from, int count) {
    __shared__ float part[32];
    float most = 0.0F;
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x))
        most = fmaxf(most, static_cast<float>(from[k]));
    for (int mask = 16; mask > 0; mask /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, mask));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    for (unsigned w = 0; w < blockDim.x / 32; ++w)
        most = fmaxf(most, part[w]);
    return most;
}

/// Of sums over all rows in a linear solve.
enum Partial { rz, rz_other, diagonal_rz, diagonal_rz_other, curvature, farthest, pair_curvature };

} // namespace selvage::cuda
