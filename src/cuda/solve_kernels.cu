// The linear solve of multilevel on the device: conjugate gradients with a V-cycle as preconditioner.

#include <algorithm>

#include "cuda/contact_kernels.h"
#include "cuda/rows.cuh"
#include "cuda/sums.cuh"

namespace selvage::cuda {

namespace {

constexpr int kSumBlock = 256;

__device__ __forceinline__ double* place(const SolveView& solve, int which) {
    return solve.partial + which * solve.block_count;
}

/// r . z of the V-cycle of an iteration; where that is not positive (sweeps that overshoot), D^-1 r takes its place.
struct Preconditioned {
    double rz;
    bool by_diagonal;
    __device__ Preconditioned(const SolveView& solve, int iteration) {
        rz = total(place(solve, Partial::rz + iteration % 2), solve.block_count);
        by_diagonal = !(rz >= 0.0) || !(rz < 1e300);
        if (by_diagonal) rz = total(place(solve, Partial::diagonal_rz + iteration % 2), solve.block_count);
    }
};

/// The last pass of a V-cycle: z, and r . z.
__global__ void __launch_bounds__(kSumBlock)
    finish_cycle_kernel(const __grid_constant__ LevelView level, const __grid_constant__ SolveView solve,
                        int iteration) {
    after_last_kernel();
    const int all = slice_threads(level.rows);
    double sum = 0.0, by_diagonal = 0.0;
    for (int at = thread_index(); (at & ~31) < all; at += static_cast<int>(gridDim.x * blockDim.x)) {
        const RowThread row(at, level.rows);
        const Vec3f product = row_product(level, row, [&](int j) { return xyz(level.x[j]); });
        if (row.quarter != 0 || !row.is_real) continue;
        const Vec3f r = xyz(solve.r[row.row]);
        const SymMat3f inverse = load_inverse(level, row.row);
        const Vec3f z = xyz(level.x[row.row]) + level.omega * (inverse * (r - product));
        solve.z[row.row] = zero_w(z);
        sum += dot(r, z);
        by_diagonal += dot(r, inverse * r);
    }
    leave_sum(sum, place(solve, Partial::rz + iteration % 2));
    leave_sum(by_diagonal, place(solve, Partial::diagonal_rz + iteration % 2));
}

/// q = A p with p = z + beta p of before, and p . q.
__global__ void __launch_bounds__(kSumBlock)
    product_kernel(const __grid_constant__ LevelView level, const __grid_constant__ SolveView solve, int iteration) {
    after_last_kernel();
    const Preconditioned now(solve, iteration);
    float beta = 0.0F;
    if (iteration > 0) {
        const Preconditioned before(solve, iteration - 1);
        beta = before.rz > 0.0 ? static_cast<float>(now.rz / before.rz) : 0.0F;
    }
    const float4 *old = solve.p[(iteration + 1) % 2], *z = solve.z;
    float4* p = solve.p[iteration % 2];
    const auto direction = [&](int j) {
        Vec3f d = now.by_diagonal ? load_inverse(level, j) * xyz(solve.r[j]) : xyz(z[j]);
        if (iteration > 0) d += beta * xyz(old[j]);
        return d;
    };
    const int all = slice_threads(level.rows);
    double sum = 0.0;
    for (int at = thread_index(); (at & ~31) < all; at += static_cast<int>(gridDim.x * blockDim.x)) {
        const RowThread row(at, level.rows);
        const Vec3f q = row_product(level, row, direction);
        if (row.quarter != 0 || !row.is_real) continue;
        const Vec3f own = direction(row.row);
        p[row.row] = zero_w(own);
        solve.q[row.row] = zero_w(q);
        sum += dot(own, q);
    }
    leave_sum(sum, place(solve, Partial::curvature));
}

/// dx += alpha p; r -= alpha q and the first sweep of the next cycle, or, at the end, how far dx goes.
__global__ void __launch_bounds__(kSumBlock)
    advance_kernel(const __grid_constant__ LevelView level, const __grid_constant__ SolveView solve, int iteration,
                   bool is_last, bool has_pairs) {
    after_last_kernel();
    const Preconditioned now(solve, iteration);
    double curvature = total(place(solve, Partial::curvature), solve.block_count);
    if (has_pairs) curvature += total(place(solve, Partial::pair_curvature), solve.block_count);
    // Rounding has taken over: the solve stays with what there is.
    const bool stops =
        (iteration > 0 && solve.stopped[iteration - 1] != 0) || !(curvature > 0.0) || !(now.rz / curvature < 1e30);
    if (thread_index() == 0) solve.stopped[iteration] = stops ? 1 : 0;
    const auto alpha = static_cast<float>(now.rz / curvature);
    const float4* p = solve.p[iteration % 2];
    float most = 0.0F;
    for (int i = thread_index(); i < level.rows; i += static_cast<int>(gridDim.x * blockDim.x)) {
        Vec3f dx = iteration > 0 ? xyz(solve.dx[i]) : Vec3f{};
        if (!stops) dx += alpha * xyz(p[i]); // p may be anything once it stops
        solve.dx[i] = zero_w(dx);
        if (is_last) {
            const float squared = length_squared(dx);
            most = fmaxf(most, squared >= 0.0F ? squared : 1e38F); // also where it is not a number
        } else {
            const Vec3f r = stops ? xyz(solve.r[i]) : xyz(solve.r[i]) - alpha * xyz(solve.q[i]);
            solve.r[i] = zero_w(r);
            level.x[i] = zero_w(level.omega * (load_inverse(level, i) * r));
        }
    }
    if (is_last) leave_largest(most, place(solve, Partial::farthest));
}

/// Scales dx so that no point goes farther than the linearisation can be trusted, or drops it if it is not finite; moves.
__global__ void __launch_bounds__(kSumBlock)
    move_kernel(const __grid_constant__ SolveView solve, int rows, float limit) {
    after_last_kernel();
    const float most = sqrtf(largest(place(solve, Partial::farthest), solve.block_count));
    const bool is_short = most <= limit;
    const float scale = is_short ? 1.0F : most < 1e18F ? limit / most : 0.0F;
    for (int i = thread_index(); i < rows; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const Vec3f dx = scale > 0.0F ? scale * xyz(solve.dx[i]) : Vec3f{};
        if (!is_short) solve.dx[i] = zero_w(dx);
        Double4 x = solve.x[i];
        x.x += dx.x, x.y += dx.y, x.z += dx.z;
        solve.x[i] = x;
        const float4 off = solve.off[i];
        solve.off[i] = with_w(xyz(off) - dx, off.w);
    }
}

__global__ void __launch_bounds__(kSumBlock)
    apply_sweep_kernel(const __grid_constant__ LevelView level, const float4* x, float4* out, double* partial) {
    after_last_kernel();
    const int all = slice_threads(level.rows);
    double sum = 0.0;
    for (int at = thread_index(); (at & ~31) < all; at += static_cast<int>(gridDim.x * blockDim.x)) {
        const RowThread row(at, level.rows);
        const Vec3f product = row_product(level, row, [&](int j) { return xyz(x[j]); });
        if (row.quarter != 0 || !row.is_real) continue;
        const Vec3f swept = load_inverse(level, row.row) * product;
        out[row.row] = zero_w(swept);
        sum += dot(swept, swept);
    }
    leave_sum(sum, partial);
}

__global__ void scale_kernel(float4* x, float by, int rows) {
    after_last_kernel();
    const int i = thread_index();
    if (i < rows) x[i] = zero_w(by * xyz(x[i]));
}

} // namespace

int sum_blocks(int rows, int multiprocessors) {
    const int blocks = (slice_threads(rows) + kSumBlock - 1) / kSumBlock;
    return std::max(1, std::min(blocks, 8 * multiprocessors));
}

void solve_linear(const Hierarchy& hierarchy, const SolveView& solve, const ContactArrays* contact, int iterations,
                  float farthest, cudaStream_t stream) {
    const LevelView& finest = hierarchy.view.level[0];
    const int move_blocks = std::min((finest.rows + kSumBlock - 1) / kSumBlock, solve.block_count);
    for (int k = 0; k < iterations; ++k) {
        correct_by_coarse(hierarchy, stream);
        launch(finish_cycle_kernel, solve.block_count, kSumBlock, 0, stream, finest, solve, k);
        launch(product_kernel, solve.block_count, kSumBlock, 0, stream, finest, solve, k);
        if (contact) multiply_pairs(*contact, solve, k, stream);
        launch(advance_kernel, solve.block_count, kSumBlock, 0, stream, finest, solve, k, k + 1 == iterations,
               contact != nullptr);
    }
    launch(move_kernel, move_blocks, kSumBlock, 0, stream, solve, finest.rows, farthest);
}

void apply_sweep(const LevelView& level, const float4* x, float4* out, double* partial, int block_count,
                 cudaStream_t stream) {
    launch(apply_sweep_kernel, block_count, kSumBlock, 0, stream, level, x, out, partial);
}

void scale(float4* x, float by, int rows, cudaStream_t stream) {
    launch_for(scale_kernel, rows, stream, x, by, rows);
}

} // namespace selvage::cuda
