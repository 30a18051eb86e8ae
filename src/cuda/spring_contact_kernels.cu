// Between springs and contact: where a step of springs would take points, their inertia as a linear system, and back.

#include "cuda/rows.cuh"
#include "cuda/spring_contact.h"

namespace selvage::cuda {

namespace {

constexpr double kFastest = 3000.0; // [m/s]; as on the host

__global__ void __launch_bounds__(kBlock)
    foresee_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ SheetView sheet,
                   const __grid_constant__ SolveView solve) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= sheet.rows) return;
    const Vec3 start = exact(s.from.x[i]), end = exact(s.to.x[i]);
    const auto h = static_cast<float>(s.h);
    solve.start[i] = {start.x, start.y, start.z, 0.0};
    solve.x[i] = {end.x, end.y, end.z, 0.0};
    solve.off[i] = make_float4(0.0F, 0.0F, 0.0F, sheet.mass[i] / (h * h));
}

/// m/h^2 on the diagonal; the right side, and the first sweep.
__global__ void __launch_bounds__(kBlock)
    inertia_kernel(const __grid_constant__ SheetView sheet, const __grid_constant__ SolveView solve,
                   const __grid_constant__ LevelView level) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= sheet.rows) return;
    const bool is_held = sheet.is_held[i] != 0;
    const float4 off = solve.off[i];
    const float m = is_held ? 0.0F : off.w, inverse = is_held ? 0.0F : 1.0F / off.w;
    float4* block = level.block + 3 * static_cast<std::size_t>(i);
    block[0] = make_float4(m, 0.0F, 0.0F, __int_as_float(i));
    block[1] = make_float4(0.0F, m, 0.0F, 0.0F);
    block[2] = make_float4(0.0F, 0.0F, m, 0.0F);
    store_inverse(level, i, {inverse, 0.0F, 0.0F, inverse, 0.0F, inverse});
    solve.r[i] = zero_w(m * xyz(off));
    level.x[i] = zero_w(is_held ? Vec3f{} : level.omega * xyz(off));
}

/// What contact has moved goes elsewhere than springs alone would have it, and gets the velocity that takes it there.
__global__ void __launch_bounds__(kBlock)
    finish_touched_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ SheetView sheet,
                          const __grid_constant__ SolveView solve) {
    after_last_kernel();
    const int i = thread_index();
    if (i >= sheet.rows) return;
    const Vec3 x = position(solve.x[i]);
    if (x == exact(s.to.x[i])) return;
    s.to.x[i] = to_fine(x);
    if (sheet.is_held[i]) return;
    Vec3 v = (x - position(solve.start[i])) / s.h;
    const double speed = length(v);
    if (speed > kFastest) v *= kFastest / speed;
    s.to.v[i] = with_w(Vec3f(v), s.to.v[i].w);
}

} // namespace

void foresee_springs(const SpringStep& step, const SheetView& sheet, const SolveView& solve, cudaStream_t stream) {
    launch_for(foresee_kernel, sheet.rows, stream, step, sheet, solve);
}

void linearise_inertia(const SheetView& sheet, const SolveView& solve, const LevelView& level, cudaStream_t stream) {
    launch_for(inertia_kernel, sheet.rows, stream, sheet, solve, level);
}

void finish_touched_springs(const SpringStep& step, const SheetView& sheet, const SolveView& solve,
                            cudaStream_t stream) {
    launch_for(finish_touched_kernel, sheet.rows, stream, step, sheet, solve);
}

} // namespace selvage::cuda
