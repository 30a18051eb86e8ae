// After the solve of a small step and before motions are cut: free pieces get their momentum, what sticks to a collider
// goes where that has gone, and what the springs have left too deep in one comes out of it.

#include "cuda/touch.cuh"

namespace selvage::cuda {

namespace {

constexpr float kOutFraction = 0.2F; // of what a gap lacks; as in the contact stage of the host

__global__ void __launch_bounds__(kBlock) forget_touches_kernel(const __grid_constant__ SolidView solids, int rows) {
    after_last_kernel();
    const int i = thread_index();
    if (i < rows) solids.force[i] = make_float4(0.0F, -1.0F, 0.0F, 0.0F);
}

/// Springs alone would let what sticks creep.
__device__ __forceinline__ Vec3 without_creep(const ContactArrays& c, int row, const SolidPose* before,
                                              const SolidPose* now, const Vec3& start, const Vec3& x) {
    const float4 hardest = c.solids.force[row];
    const float4 slip = c.solids.slip[row];
    const int k = static_cast<int>(hardest.y);
    if (k < 0 || !(hardest.x > 0.0F) || !(slip.w > 0.0F) || length_squared(xyz(slip)) > 0.0F) return x;
    const SolidShape& shape = c.solids.shape[k];
    const Vec3f local = to_local(now[k], x), start_local = to_local(before[k], start);
    const SolidPoint at = nearest_point(shape, local, start_local, nearest_point(shape, start_local));
    const Vec3f n = turned(now[k], at.normal);
    Vec3f moved(x - to_world(now[k], start_local));
    moved -= dot(moved, n) * n;
    const float depth = kTouchSpare * shape.thickness - at.distance; // as force, over the stiffness
    return length(moved) <= shape.friction * depth ? x - Vec3(moved) : x;
}

__global__ void __launch_bounds__(kBlock)
    settle_kernel(const __grid_constant__ ContactArrays c, const __grid_constant__ SheetView s,
                  const __grid_constant__ SolveView solve, const __grid_constant__ PieceView pieces,
                  const __grid_constant__ SmallStep step, const SmallPart part) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= s.rows || s.is_held[i]) return;
    const Vec3 start = position(solve.start[i]);
    Vec3 x = position(solve.x[i]);
    const int piece = pieces.piece_count > 0 ? pieces.piece_of[i] : -1;
    if (piece >= 0 && c.piece_meets[piece] == 0) x += position(pieces.shift[piece]);
    if (c.solids.count > 0) {
        const SolidPose* before = poses_of(step, c.solids.count, part.number);
        const SolidPose* now = poses_of(step, c.solids.count, part.number + 1);
        x = without_creep(c, i, before, now, start, x);
        for (int k = 0; k < c.solids.count; ++k) {
            Touch touch;
            if (find_touch(c.solids.shape[k], before[k], now[k], start, x, c.solids.shape[k].thickness, kOutFraction,
                           kOpeningPace * static_cast<float>(step.h), touch))
                x += Vec3((touch.target - touch.now.distance) * turned(now[k], touch.now.normal));
        }
    }
    solve.x[i] = {x.x, x.y, x.z, 0.0};
}

} // namespace

void start_touches(const ContactArrays& c, int rows, cudaStream_t stream) {
    if (c.solids.count > 0) launch_for(forget_touches_kernel, rows, stream, c.solids, rows);
}

void settle(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const PieceView& pieces,
            const SmallStep& step, const SmallPart& part, cudaStream_t stream) {
    add_up_pieces(solve, pieces, stream);
    launch_for(settle_kernel, sheet.rows, stream, c, sheet, solve, pieces, step, part);
}

} // namespace selvage::cuda
