// implicit-jacobi on the device: blocks of springs are worked out anew in every pass, which is cheaper than to store them.

#include "cuda/jacobi_rows.cuh"

namespace selvage::cuda {

namespace {

constexpr int kChunkThreads = 256;

template <int kLanes, class T>
__device__ __forceinline__ void sum_lanes(SymMat3T<T>& m) {
    for (T* value : {&m.xx, &m.xy, &m.xz, &m.yy, &m.yz, &m.zz})
#pragma unroll
        for (int mask = kLanes / 2; mask > 0; mask /= 2)
            *value += __shfl_xor_sync(0xffffffffU, *value, mask);
}

/// Right side, D^-1 and the diagonal solution.
template <int kLanes, bool kWhole, bool kStiff>
__global__ void __launch_bounds__(kBlock)
    jacobi_gather_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ JacobiScratch scratch) {
    after_last_kernel();
    const Row<kLanes> row(s.net);
    const int i = row.vertex;
    const auto h = static_cast<float>(s.h);
    const Vec3f x = s.from.x[i].rounded();
    const float4 v = s.from.v[i];
    const float mass = s.net.mass[i];
    const float2 damping = s.net.damping ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    Vec3f right;
    SymMat3f springs;
    SymMat3 fine; // across the springs D is lost in the rounding of floats
    for_each_spring<kWhole>(s.net, row, s.from.x, s.from.v,
                            [&](int /*j*/, const float2& law, const Vec3f& xj, const float4& vj) {
                                const SpringBlock<float> block = block_of(law, xj - x, damping, h);
                                right += block.push * block.t + block.apply(xyz(vj) - xyz(v));
                                if (kStiff)
                                    fine.add_scaled(block.isotropic, block.axial, Vec3(block.t));
                                else
                                    springs.add_scaled(block.isotropic, block.axial, block.t);
                            });
    right = lane_sum<kLanes>(right);
    SymMat3f inverted;
    if (kStiff) {
        sum_lanes<kLanes>(fine);
        inverted = stiff_inverse(fine, mass);
    } else {
        sum_lanes<kLanes>(springs);
        springs.xx += mass, springs.yy += mass, springs.zz += mass;
        inverted = inverse(springs);
    }
    if (row.lane != 0 || !row.is_real) return;
    if (scratch.filters_gravity) right += mass * h * s.gravity;
    const Vec3f dv = is_held(v.w) ? Vec3f{} : inverted * right;
    scratch.right[i] = with_w(right, inverted.xx);
    scratch.inverse[i] = make_float4(inverted.xy, inverted.xz, inverted.yy, inverted.yz);
    scratch.dv[0][i] = with_w(dv, inverted.zz);
}

/// dv[to] = D^-1 (b + sum A dv[1 - to]); the last one without drift to remove also moves the vertex.
template <int kLanes, bool kWhole, bool kMoves, bool kAir>
__global__ void __launch_bounds__(kBlock)
    jacobi_sweep_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ JacobiScratch scratch, int to) {
    after_last_kernel();
    const Row<kLanes> row(s.net);
    const int i = row.vertex;
    const auto h = static_cast<float>(s.h);
    const Vec3f x = s.from.x[i].rounded();
    const float2 damping = s.net.damping ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    const float4* previous = scratch.dv[1 - to];
    Vec3f sum;
    for_each_spring<kWhole>(s.net, row, s.from.x, previous,
                            [&](int /*j*/, const float2& law, const Vec3f& xj, const float4& dvj) {
                                sum += block_of(law, xj - x, damping, h).apply(xyz(dvj));
                            });
    sum = lane_sum<kLanes>(sum);
    if (row.lane != 0 || !row.is_real) return;
    const float4 right = scratch.right[i], rest = scratch.inverse[i], v = s.from.v[i];
    const float zz = previous[i].w;
    const SymMat3f inverted{right.w, rest.x, rest.y, rest.z, rest.w, zz};
    const Vec3f dv = is_held(v.w) ? Vec3f{} : inverted * (xyz(right) + sum);
    if (kMoves)
        finish_jacobi<kAir>(s, scratch, i, v, dv, s.from.x[i]);
    else
        scratch.dv[to][i] = with_w(dv, zz);
}

/// Momentum and mass of a chunk of a piece, in an order that never changes.
__global__ void __launch_bounds__(kChunkThreads)
    chunk_momentum_kernel(const __grid_constant__ SpringNet net, const __grid_constant__ JacobiScratch scratch,
                          const float4* dv) {
    after_last_kernel();
    __shared__ Double4 part[kChunkThreads];
    const int chunk = blockIdx.x;
    Double4 sum{};
    for (int k = scratch.chunk_start[chunk] + threadIdx.x; k < scratch.chunk_start[chunk + 1]; k += blockDim.x) {
        const int i = scratch.piece_vertex[k];
        const double m = net.mass[i];
        sum.x += m * dv[i].x, sum.y += m * dv[i].y, sum.z += m * dv[i].z, sum.w += m;
    }
    part[threadIdx.x] = sum;
    for (int half = kChunkThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) >= half) continue;
        Double4& a = part[threadIdx.x];
        const Double4 b = part[threadIdx.x + half];
        a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
    }
    if (threadIdx.x == 0) scratch.chunk_sum[chunk] = part[0];
}

__global__ void drift_kernel(const __grid_constant__ JacobiScratch scratch) {
    after_last_kernel();
    const int piece = thread_index();
    if (piece >= scratch.piece_count) return;
    Double4 sum{};
    for (int c = scratch.piece_chunks[piece]; c < scratch.piece_chunks[piece + 1]; ++c) {
        const Double4 b = scratch.chunk_sum[c];
        sum.x += b.x, sum.y += b.y, sum.z += b.z, sum.w += b.w;
    }
    scratch.drift[piece] = make_float4(static_cast<float>(sum.x / sum.w), static_cast<float>(sum.y / sum.w),
                                       static_cast<float>(sum.z / sum.w), 0.0F);
}

template <bool kAir>
__global__ void __launch_bounds__(kBlock)
    jacobi_finish_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ JacobiScratch scratch,
                         const float4* dv) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= s.net.vertex_count) return;
    Vec3f gained = xyz(dv[i]);
    const int piece = scratch.piece_count > 0 ? scratch.piece_of[i] : -1;
    if (piece >= 0) gained -= xyz(scratch.drift[piece]);
    finish_jacobi<kAir>(s, scratch, i, s.from.v[i], gained, s.from.x[i]);
}

} // namespace

void step_implicit_jacobi(const SpringStep& step, const JacobiScratch& scratch, cudaStream_t stream) {
    const int n = step.net.vertex_count;
    const bool has_drift = scratch.piece_count > 0;
    int last = 0; // which dv the last sweep has written
    with_lanes(step.net, [&](auto lanes, auto whole) {
        const long long threads = static_cast<long long>(n) * lanes;
        with_flag(step.is_stiff, [&](auto stiff) {
            launch_for(jacobi_gather_kernel<lanes, whole, stiff>, threads, stream, step, scratch);
        });
        for (int k = 0; k < scratch.sweeps; ++k) {
            last = 1 - last;
            if (k + 1 < scratch.sweeps || has_drift)
                launch_for(jacobi_sweep_kernel<lanes, whole, false, false>, threads, stream, step, scratch, last);
            else
                with_flag(step.has_air, [&](auto air) {
                    launch_for(jacobi_sweep_kernel<lanes, whole, true, air>, threads, stream, step, scratch, last);
                });
        }
    });
    if (scratch.sweeps == 0 || has_drift) finish_jacobi_step(step, scratch, last, stream);
}

void finish_jacobi_step(const SpringStep& step, const JacobiScratch& scratch, int last, cudaStream_t stream) {
    const int n = step.net.vertex_count;
    if (scratch.piece_count > 0) {
        launch(chunk_momentum_kernel, scratch.chunk_count, kChunkThreads, 0, stream, step.net, scratch,
               scratch.dv[last]);
        launch_for(drift_kernel, scratch.piece_count, stream, scratch);
    }
    with_flag(step.has_air,
              [&](auto air) { launch_for(jacobi_finish_kernel<air>, n, stream, step, scratch, scratch.dv[last]); });
}

} // namespace selvage::cuda
