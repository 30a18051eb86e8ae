#pragma once

// Four threads to a row, a slice of eight rows to a warp.

#include "cuda/kernels.cuh"
#include "cuda/multilevel_kernels.h"
#include "cuda/sheet_formula.h"

namespace selvage::cuda {

/// Slots quarter, quarter + 4, ... of a row are this thread's.
struct RowThread {
    int slice, lane, quarter, row;
    bool is_real; ///< Threads beyond the last row do its work and write nothing.
    __device__ __forceinline__ RowThread(int thread, int rows) {
        const int last = (rows - 1) / kSliceRows;
        slice = thread / (4 * kSliceRows);
        is_real = slice <= last;
        slice = is_real ? slice : last;
        lane = thread % kSliceRows;
        quarter = thread / kSliceRows % 4;
        row = slice * kSliceRows + lane;
        if (row >= rows) {
            is_real = false;
            row = rows - 1;
        }
    }
    __device__ __forceinline__ explicit RowThread(int rows) : RowThread(thread_index(), rows) {}
};

/// Of all rows, in whole slices.
__host__ __device__ __forceinline__ int slice_threads(int rows) {
    return 4 * kSliceRows * ((rows + kSliceRows - 1) / kSliceRows);
}

/// Sum over the four threads of a row.
__device__ __forceinline__ float quarter_sum(float value) {
    value += __shfl_xor_sync(0xffffffffU, value, 8);
    return value + __shfl_xor_sync(0xffffffffU, value, 16);
}
__device__ __forceinline__ Vec3f quarter_sum(const Vec3f& value) {
    return {quarter_sum(value.x), quarter_sum(value.y), quarter_sum(value.z)};
}

__device__ __forceinline__ float4 zero_w(const Vec3f& v) {
    return with_w(v, 0.0F);
}
__device__ __forceinline__ Vec3 position(const Double4& p) {
    return {p.x, p.y, p.z};
}

__device__ __forceinline__ void store_inverse(const LevelView& level, int row, const SymMat3f& m) {
    level.inverse[2 * row] = make_float4(m.xx, m.xy, m.xz, m.yy);
    level.inverse[2 * row + 1] = make_float4(m.yz, m.zz, 0.0F, 0.0F);
}
__device__ __forceinline__ SymMat3f load_inverse(const LevelView& level, int row) {
    const float4 a = level.inverse[2 * row], b = level.inverse[2 * row + 1];
    return {a.x, a.y, a.z, a.w, b.x, b.y};
}

/// Row of A x, summed; x_of(j) gives x_j.
template <class XOf>
__device__ __forceinline__ Vec3f row_product(const LevelView& level, const RowThread& t, const XOf& x_of) {
    Vec3f sum;
    const int end = level.start[t.slice + 1];
#pragma unroll 2
    for (int slot = level.start[t.slice] + t.quarter; slot < end; slot += 4) {
        const float4* block = level.block + 3 * (static_cast<std::size_t>(kSliceRows) * slot + t.lane);
        const float4 a = block[0], b = block[1], c = block[2];
        const Vec3f x = x_of(__float_as_int(a.w));
        sum += Vec3f{dot(xyz(a), x), dot(xyz(b), x), dot(xyz(c), x)};
    }
    if (level.far.start) {
        const int far_end = level.far.start[t.slice + 1];
#pragma unroll 2
        for (int slot = level.far.start[t.slice] + t.quarter; slot < far_end; slot += 4) {
            const int2 tie = level.far.tie[kSliceRows * slot + t.lane];
            sum += __int_as_float(tie.y) * x_of(tie.x);
        }
    }
    return quarter_sum(sum);
}

} // namespace selvage::cuda
