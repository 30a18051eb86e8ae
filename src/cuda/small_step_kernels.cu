// A small step of multilevel around its linear solves, and its state: where points would go, held points, momentum, copies
// from and to the host's layout, and the check for divergence.

#include "cuda/kernels.cuh"
#include "cuda/multilevel_kernels.h"
#include "cuda/rows.cuh"

namespace selvage::cuda {

namespace {

constexpr double kFastest = 3000.0; // [m/s]; as on the host
constexpr int kChunkThreads = 256;

__device__ __forceinline__ Vec3f normal_at(const SheetView& s, const Double4* x, int i) {
    Vec3f normal;
    const Vec3 own = position(x[i]);
    for (int k = s.fan_start[i]; k < s.fan_start[i + 1]; ++k) {
        const int2 corners = s.fan[k];
        normal += Vec3f(cross(position(x[corners.x]) - own, position(x[corners.y]) - own));
    }
    return normal;
}

/// Where points would go without their neighbours, and where the iteration starts; see MultilevelSolver::predict().
template <bool kAir>
__global__ void __launch_bounds__(kBlock)
    predict_kernel(const __grid_constant__ SheetView s, const __grid_constant__ SolveView solve,
                   const __grid_constant__ SmallStep step) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= s.rows) return;
    const StepParameters& p = step.frame.step[step.step];
    const auto h = static_cast<float>(step.h);
    const Double4 from = solve.start[i];
    const Vec3f v = xyz(solve.v[i]);
    float mass = s.mass[i];
    Vec3f ahead = v;
    const bool is_held = s.is_held[i] != 0;
    if (!is_held) {
        const float damping = s.velocity_damping ? s.velocity_damping[i] : 0.0F;
        LoadT<float> load{p.gravity, damping, {}};
        if (kAir)
            load = load_in_air(p, h, Vec3f(position(from)), v, normal_at(s, solve.start, i), s.area[i], mass, damping);
        ahead = load.mean_with_wind(v, h);
        mass *= load.inertia_factor(h);
    }
    const Vec3f first = s.falls[i] || is_held ? ahead : v;
    const Vec3 x = position(from) + step.h * Vec3(first);
    solve.x[i] = {x.x, x.y, x.z, 0.0};
    solve.off[i] = with_w(h * (ahead - first), mass / (h * h));
}

/// Sum of m/h^2 (y - x) and of m/h^2 over a chunk of a piece that nothing holds.
__global__ void __launch_bounds__(kChunkThreads)
    chunk_kernel(const __grid_constant__ SolveView solve, const __grid_constant__ PieceView pieces) {
    after_last_kernel();
    __shared__ Double4 part[kChunkThreads];
    Double4 sum{};
    for (int k = pieces.chunk_start[blockIdx.x] + static_cast<int>(threadIdx.x); k < pieces.chunk_start[blockIdx.x + 1];
         k += static_cast<int>(blockDim.x)) {
        const float4 off = solve.off[pieces.row[k]];
        const double m = off.w;
        sum.x += m * off.x, sum.y += m * off.y, sum.z += m * off.z, sum.w += m;
    }
    part[threadIdx.x] = sum;
    for (int half = kChunkThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) >= half) continue;
        Double4& a = part[threadIdx.x];
        const Double4 b = part[threadIdx.x + half];
        a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
    }
    if (threadIdx.x == 0) pieces.chunk_sum[blockIdx.x] = part[0];
}

__global__ void shift_kernel(const __grid_constant__ PieceView pieces) {
    after_last_kernel();
    const int p = thread_index();
    if (p >= pieces.piece_count) return;
    Double4 sum{};
    for (int c = pieces.piece_chunks[p]; c < pieces.piece_chunks[p + 1]; ++c) {
        const Double4 b = pieces.chunk_sum[c];
        sum.x += b.x, sum.y += b.y, sum.z += b.z, sum.w += b.w;
    }
    const Vec3 shift = Vec3{sum.x, sum.y, sum.z} / sum.w;
    const bool is_good = sum.w > 0.0 && is_finite(shift);
    pieces.shift[p] = is_good ? Double4{shift.x, shift.y, shift.z, 0.0} : Double4{};
}

__global__ void __launch_bounds__(kBlock)
    finish_kernel(const __grid_constant__ SheetView s, const __grid_constant__ SolveView solve,
                  const __grid_constant__ PieceView pieces, double h) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= s.rows) return;
    Vec3 x = position(solve.x[i]);
    const int piece = pieces.piece_count > 0 ? pieces.piece_of[i] : -1;
    if (piece >= 0) x += position(pieces.shift[piece]);
    if (!s.is_held[i]) {
        Vec3 v = (x - position(solve.start[i])) / h;
        const double speed = length(v);
        if (speed > kFastest) v *= kFastest / speed;
        solve.v[i] = with_w(Vec3f(v), 0.0F);
    }
    solve.start[i] = {x.x, x.y, x.z, 0.0};
}

__global__ void start_held_kernel(const __grid_constant__ SolveView solve, FrameInput frame, int step, SmallPart part,
                                  const int* held, int count) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= count) return;
    const StepParameters& p = frame.step[step];
    const double left = p.h * (static_cast<double>(part.count - part.number) / part.count);
    solve.v[held[k]] = with_w(Vec3f((frame.target[p.first_target + k] - position(solve.start[held[k]])) / left), 0.0F);
}

__global__ void place_held_kernel(const __grid_constant__ SolveView solve, FrameInput frame, int step, const int* held,
                                  int count) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= count) return;
    const Vec3 target = frame.target[frame.step[step].first_target + k];
    solve.x[held[k]] = {target.x, target.y, target.z, 0.0};
}

__global__ void finish_held_kernel(const __grid_constant__ SolveView solve, FrameInput frame, int step, const int* held,
                                   int count) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= count) return;
    const Vec3 target = frame.target[frame.step[step].first_target + k];
    solve.start[held[k]] = {target.x, target.y, target.z, 0.0};
}

__global__ void find_held_kernel(const __grid_constant__ SolveView solve, const int* held, int count, Vec3* place) {
    after_last_kernel();
    const int k = thread_index();
    if (k < count) place[k] = position(solve.start[held[k]]);
}

__global__ void find_diverged_kernel(const __grid_constant__ SolveView solve, const unsigned char* is_held,
                                     const int* vertex_of, int rows, int* found) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= rows) return;
    const Vec3 x = position(solve.start[i]);
    const bool is_there = length_squared(x) < kImpossiblePlace * kImpossiblePlace;
    const bool is_slow = is_held[i] || length_squared(xyz(solve.v[i])) < kImpossibleSpeed * kImpossibleSpeed;
    if (!is_there || !is_slow) atomicMin(found, vertex_of[i]);
}

__global__ void unpack_kernel(const __grid_constant__ SolveView solve, const int* vertex_of, int rows, Vec3* to,
                              Vec3* velocity) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= rows) return;
    to[vertex_of[i]] = position(solve.start[i]);
    velocity[vertex_of[i]] = Vec3(xyz(solve.v[i]));
}

__global__ void pack_kernel(const Vec3* from, const Vec3* velocity, const int* vertex_of, int rows,
                            const __grid_constant__ SolveView solve) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= rows) return;
    const Vec3 x = from[vertex_of[i]];
    solve.start[i] = {x.x, x.y, x.z, 0.0};
    solve.v[i] = with_w(Vec3f(velocity[vertex_of[i]]), 0.0F);
}

} // namespace

void predict(const SheetView& sheet, const SolveView& solve, const SmallStep& step, bool has_air, cudaStream_t stream) {
    if (has_air)
        launch_for(predict_kernel<true>, sheet.rows, stream, sheet, solve, step);
    else
        launch_for(predict_kernel<false>, sheet.rows, stream, sheet, solve, step);
}

void add_up_pieces(const SolveView& solve, const PieceView& pieces, cudaStream_t stream) {
    if (pieces.piece_count == 0) return;
    launch(chunk_kernel, pieces.chunk_count, kChunkThreads, 0, stream, solve, pieces);
    launch_for(shift_kernel, pieces.piece_count, stream, pieces);
}

void finish_small_step(const SheetView& sheet, const SolveView& solve, const PieceView& pieces, const SmallStep& step,
                       cudaStream_t stream) {
    launch_for(finish_kernel, sheet.rows, stream, sheet, solve, pieces, step.h);
}

void start_held(const SolveView& solve, const FrameInput& frame, int step, const SmallPart& part, const int* held,
                int count, cudaStream_t stream) {
    if (count > 0) launch_for(start_held_kernel, count, stream, solve, frame, step, part, held, count);
}

void place_held(const SolveView& solve, const FrameInput& frame, int step, const int* held, int count,
                cudaStream_t stream) {
    if (count > 0) launch_for(place_held_kernel, count, stream, solve, frame, step, held, count);
}

void finish_held(const SolveView& solve, const FrameInput& frame, int step, const int* held, int count,
                 cudaStream_t stream) {
    if (count > 0) launch_for(finish_held_kernel, count, stream, solve, frame, step, held, count);
}

void find_held(const SolveView& solve, const int* held, int count, Vec3* place, cudaStream_t stream) {
    if (count > 0) launch_for(find_held_kernel, count, stream, solve, held, count, place);
}

void find_diverged(const SolveView& solve, const unsigned char* is_held, const int* vertex_of, int rows, int* found,
                   cudaStream_t stream) {
    launch_for(find_diverged_kernel, rows, stream, solve, is_held, vertex_of, rows, found);
}

void unpack(const SolveView& solve, const int* vertex_of, int rows, Vec3* position, Vec3* velocity,
            cudaStream_t stream) {
    launch_for(unpack_kernel, rows, stream, solve, vertex_of, rows, position, velocity);
}

void pack(const Vec3* position, const Vec3* velocity, const int* vertex_of, int rows, const SolveView& solve,
          cudaStream_t stream) {
    launch_for(pack_kernel, rows, stream, position, velocity, vertex_of, rows, solve);
}

} // namespace selvage::cuda
