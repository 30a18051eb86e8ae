// The system of multilevel on the device: the formulas of solvers/multilevel/sheet_system.cpp, a thread for each triangle and
// four for each row. Compiled without fused products: the two blocks of an edge, which two rows work out, must be each
// other's mirror image bit by bit.

#include "cuda/kernels.cuh"
#include "cuda/multilevel_kernels.h"
#include "cuda/rows.cuh"
#include "cuda/sheet_formula.h"

namespace selvage::cuda {

namespace {

struct TriangleStrain {
    Vec3f fu, fv;
    float length_u, length_v, u, v, shear;
};

/// Differences of lengths are formed in double; float is exact enough from there on.
__device__ __forceinline__ TriangleStrain strain_of(const SheetView& s, const Double4* x, int t) {
    const int4 corner = s.corner[t];
    const Double4 w = s.weight[t];
    const Vec3 x0 = position(x[corner.x]), e1 = position(x[corner.y]) - x0, e2 = position(x[corner.z]) - x0;
    const Vec3 fu = w.x * e1 + w.z * e2, fv = w.y * e1 + w.w * e2;
    const auto square_u = static_cast<float>(dot(fu, fu) - 1.0), square_v = static_cast<float>(dot(fv, fv) - 1.0);
    TriangleStrain out{Vec3f(fu), Vec3f(fv), sqrtf(square_u + 1.0F),         sqrtf(square_v + 1.0F),
                       0.0F,      0.0F,      static_cast<float>(dot(fu, fv))};
    out.u = square_u / (out.length_u + 1.0F);
    out.v = square_v / (out.length_v + 1.0F);
    return out;
}

__global__ void __launch_bounds__(kBlock)
    measure_triangles_kernel(const __grid_constant__ SheetView s, const Double4* x) {
    after_last_kernel();
    const int t = thread_index();
    if (t >= s.triangle_count) return;
    const TriangleStrain strain = strain_of(s, x, t);
    s.before[t] = make_float4(strain.u, strain.v, strain.shear, 0.0F);
}

__global__ void __launch_bounds__(kBlock)
    count_stretched_kernel(const __grid_constant__ SheetView s, const Double4* start, const Double4* x, float most,
                           int* count) {
    after_last_kernel();
    const int t = thread_index();
    if (t >= s.triangle_count) return;
    const TriangleStrain now = strain_of(s, x, t);
    if (!(fmaxf(now.u, now.v) > most)) return; // it is not even stretched by so much
    const TriangleStrain before = strain_of(s, start, t);
    if (now.u - fmaxf(before.u, 0.0F) > most || now.v - fmaxf(before.v, 0.0F) > most) atomicAdd(count, 1);
}

__global__ void __launch_bounds__(kBlock)
    measure_springs_kernel(const __grid_constant__ SheetView s, const Double4* x) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= s.spring_count) return;
    const int4 ends = s.spring[k];
    s.spring_before[k] = with_w(Vec3f(position(x[ends.y]) - position(x[ends.x])), 0.0F);
}

__global__ void __launch_bounds__(kBlock)
    respond_triangles_kernel(const __grid_constant__ SheetView s, const Double4* x, const float4* law) {
    after_last_kernel();
    const int t = thread_index();
    if (t >= s.triangle_count) return;
    const TriangleStrain strain = strain_of(s, x, t);
    const float4 part = law[s.corner[t].w];
    const float4 stretch = s.stretch[t];
    const bool damped = s.damped;
    const float4 before = damped ? s.before[t] : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    const MembraneRecord r = membrane_record({strain.u, strain.v, strain.shear}, strain.length_u, strain.length_v,
                                             {before.x, before.y, before.z}, stretch.x * part.x, stretch.y * part.x,
                                             stretch.z * part.x, s.compression, damped ? part.y : 0.0F);
    s.record[3 * t] = with_w(strain.fu, r.tension_u);
    s.record[3 * t + 1] = with_w(strain.fv, r.tension_v);
    s.record[3 * t + 2] = make_float4(r.shear, r.axial_u, r.axial_v, r.g);
}

/// A spring is a triangle of two corners: f_u its direction, and what f_u does not carry of its force in f_v.
__global__ void __launch_bounds__(kBlock)
    respond_springs_kernel(const __grid_constant__ SheetView s, const Double4* x, const float4* law) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= s.spring_count) return;
    const int4 ends = s.spring[k];
    const float2 own = s.spring_law[k];
    const float4 part = law[ends.z];
    const double drag_rate = part.z;
    const Vec3 u = position(x[ends.y]) - position(x[ends.x]);
    const double l = length(u), stiffness = static_cast<double>(part.x) * own.y;
    const Vec3 n = normalized(u);
    double tension = stiffness * (l - own.x), axial = stiffness;
    Vec3 drag;
    if (s.damped) {
        const Vec3 before(xyz(s.spring_before[k]));
        tension += stiffness * part.y * (l - length(before));
        axial += stiffness * part.y;
        drag = drag_rate * (u - before);
    }
    const double across = l > 1e-12 ? (tension > 0.0 ? tension : 0.0) / l : 0.0;
    const double isotropic = across + (s.damped ? drag_rate : 0.0);
    const Vec3 rest = tension * n + drag - isotropic * n;
    float4* record = s.record + 3 * (static_cast<std::size_t>(s.triangle_count) + k);
    record[0] = with_w(Vec3f(n), static_cast<float>(isotropic));
    record[1] = with_w(Vec3f(-1.0 * rest), -1.0F);
    record[2] = make_float4(0.0F, l > 1e-12 ? static_cast<float>(axial - across) : 0.0F, 0.0F, 0.0F);
}

__device__ __forceinline__ HingeFold fold_hinge(const SheetView& s, const Double4* x, int k) {
    const int4 v = s.hinge[k];
    return fold(position(x[v.x]), position(x[v.y]), position(x[v.z]), position(x[v.w]));
}

__global__ void __launch_bounds__(kBlock) measure_hinges_kernel(const __grid_constant__ SheetView s, const Double4* x) {
    after_last_kernel();
    const int k = thread_index();
    if (k < s.hinge_count) s.hinge_before[k] = fold_hinge(s, x, k).angle;
}

/// Forces of hinges that are bent at rest; see SheetSystem::respond_hinges().
__global__ void __launch_bounds__(kBlock)
    respond_hinges_kernel(const __grid_constant__ SheetView s, const Double4* x, const float4* law) {
    after_last_kernel();
    const int k = thread_index();
    if (k >= s.hinge_count) return;
    const HingeFold hinge = fold_hinge(s, x, k);
    const Double4 own = s.hinge_law[k], limit = s.hinge_most[k];
    double moment = hinge.angle - own.y;
    if (s.damped) moment += law[static_cast<int>(own.z)].y * (hinge.angle - s.hinge_before[k]);
    moment *= -own.x;
    const double most[4] = {limit.x, limit.y, limit.z, limit.w};
    for (int corner = 0; corner < 4; ++corner) {
        const double size = length(hinge.slope[corner]);
        const double force = moment * (size > most[corner] ? most[corner] / size : 1.0);
        s.hinge_force[4 * k + corner] = with_w(Vec3f(force * hinge.slope[corner]), 0.0F);
    }
}

__device__ __forceinline__ void store_block(float4* to, const float (&m)[9], int column, bool is_out) {
    const float keep = is_out ? 0.0F : 1.0F;
    to[0] = make_float4(keep * m[0], keep * m[1], keep * m[2], __int_as_float(column));
    to[1] = make_float4(keep * m[3], keep * m[4], keep * m[5], 0.0F);
    to[2] = make_float4(keep * m[6], keep * m[7], keep * m[8], 0.0F);
}

__device__ __forceinline__ double quad_sum(double value) {
    value += __shfl_xor_sync(0xffffffffU, value, 8);
    return value + __shfl_xor_sync(0xffffffffU, value, 16);
}

/// Bending forces of a row, this thread's part: from positions, in float of differences formed in double, or by what
/// the last correction adds.
__device__ __forceinline__ Vec3f bend_row(const SheetView& s, const SolveView& solve, const RowThread& t, bool moved) {
    Vec3f force;
    const int begin = s.bend.start[t.slice], end = s.bend.start[t.slice + 1];
    const Vec3 own = position(solve.x[t.row]);
    const Vec3f own_move = moved ? xyz(solve.dx[t.row]) : Vec3f{};
    for (int slot = begin + t.quarter; slot < end; slot += 4) {
        const int2 tie = s.bend.tie[kSliceRows * slot + t.lane];
        const float value = __int_as_float(tie.y);
        const Vec3f apart = moved ? xyz(solve.dx[tie.x]) - own_move : Vec3f(position(solve.x[tie.x]) - own);
        force -= value * apart;
    }
    return quarter_sum(force);
}

/// Diagonal block, right side and first sweep of a row, from the sum of its other blocks and from its forces.
__device__ __forceinline__ void finish_row(const SheetView& s, const SolveView& solve, const LevelView& level,
                                           const RowThread& t, const float (&sum)[9], const Vec3& elastic,
                                           Vec3f bending, bool moved) {
    const int i = t.row, start = level.start[t.slice];
    const bool held = s.is_held[i] != 0;
    if (moved) bending += xyz(s.bend_force[i]);
    s.bend_force[i] = with_w(bending, 0.0F);
    Vec3f curved;
    if (s.hinge_count > 0)
        for (int k = s.hinge_end.start[i]; k < s.hinge_end.start[i + 1]; ++k)
            curved += xyz(s.hinge_force[s.hinge_end.item[k].x]);
    const float4 off = solve.off[i];
    float diagonal[9];
#pragma unroll
    for (int e = 0; e < 9; ++e)
        diagonal[e] = (e % 4 == 0 ? off.w - s.far_sum[i] : 0.0F) - sum[e];
    Vec3f right = Vec3f(elastic + Vec3(off.w * xyz(off)) + Vec3(bending) + Vec3(curved));
    if (held) right = {};
    const SymMat3f inverse = held ? SymMat3f{} : inverse_of_block(diagonal);
    store_block(level.block + 3 * static_cast<std::size_t>(kSliceRows * start + t.lane), diagonal, i, held);
    store_inverse(level, i, inverse);
    solve.r[i] = with_w(right, 0.0F);
    level.x[i] = with_w(level.omega * (inverse * right), 0.0F);
}

/// Rows walk around their points from triangle to triangle: each thread has every fourth slot, and hands the second block
/// of its element on to the thread of the next one.
__global__ void __launch_bounds__(kBlock)
    fill_rows_kernel(const __grid_constant__ SheetView s, const __grid_constant__ SolveView solve,
                     const __grid_constant__ LevelView level, bool moved) {
    after_last_kernel();
    const RowThread t(s.rows);
    const int i = t.row, start = level.start[t.slice], count = level.start[t.slice + 1] - start;
    const bool held = s.is_held[i] != 0;
    float sum[9] = {}, carry[9] = {}, closing[9] = {}, first[9] = {};
    bool first_is_out = false;
    int first_column = i;
    double force_x = 0.0, force_y = 0.0, force_z = 0.0;
    for (int base = 1; base < count; base += 4) {
        const int k = base + t.quarter;
        const bool is_in = k < count;
        const int place = kSliceRows * (start - t.slice - 1 + k) + t.lane;
        const float4 w = is_in ? s.slot_weight[place] : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
        const int2 element = is_in ? s.slot_element[place] : make_int2(0, 0);
        const float4* record = s.record + 3 * static_cast<std::size_t>(element.x & 0x7fffffff);
        const float4 fu = record[0], fv = record[1], more = record[2];
        const Corner c{xyz(fu), xyz(fv), {fu.w, fv.w, more.x, more.y, more.z, more.w}, -(w.x + w.z), -(w.y + w.w)};
        const Vec3f pu = fu.w * c.fu + more.x * c.fv, pv = fv.w * c.fv + more.x * c.fu;
        // In double, where the products are exact: forces of an element then add up to nothing, however stiff it is.
        force_x -= static_cast<double>(c.ua) * pu.x + static_cast<double>(c.va) * pv.x;
        force_y -= static_cast<double>(c.ua) * pu.y + static_cast<double>(c.va) * pv.y;
        force_z -= static_cast<double>(c.ua) * pu.z + static_cast<double>(c.va) * pv.z;
        float block[9], second[9];
        corner_block(c, w.x, w.y, block);
        corner_block(c, w.z, w.w, second);
        const bool closes = element.x < 0;
#pragma unroll
        for (int e = 0; e < 9; ++e) {
            if (closes) closing[e] += second[e];
            const float handed = closes ? 0.0F : second[e];
            const float from = __shfl_up_sync(0xffffffffU, handed, 8);
            block[e] += t.quarter == 0 ? carry[e] : from;
            carry[e] = __shfl_sync(0xffffffffU, handed, 24 + t.lane);
        }
        const float bend = __int_as_float(element.y);
        block[0] += bend, block[4] += bend, block[8] += bend;
        if (!is_in) continue;
#pragma unroll
        for (int e = 0; e < 9; ++e)
            sum[e] += block[e];
        const int entry = kSliceRows * (start + k) + t.lane, column = level.column[entry];
        const bool is_out = held || s.is_held[column] != 0;
        if (k == 1) { // what closes the fan is still to come
#pragma unroll
            for (int e = 0; e < 9; ++e)
                first[e] = block[e];
            first_is_out = is_out;
            first_column = column;
        } else if (t.is_real) {
            store_block(level.block + 3 * static_cast<std::size_t>(entry), block, column, is_out);
        }
    }
#pragma unroll
    for (int e = 0; e < 9; ++e) {
        closing[e] = quarter_sum(closing[e]);
        if (t.quarter == 0) {
            first[e] += closing[e];
            sum[e] += closing[e];
        }
        sum[e] = quarter_sum(sum[e]);
    }
    const Vec3 elastic{quad_sum(force_x), quad_sum(force_y), quad_sum(force_z)};
    const Vec3f bending = bend_row(s, solve, t, moved);
    if (t.quarter != 0 || !t.is_real) return;
    if (count > 1)
        store_block(level.block + 3 * static_cast<std::size_t>(kSliceRows * (start + 1) + t.lane), first, first_column,
                    first_is_out);
    finish_row(s, solve, level, t, sum, elastic, bending, moved);
}

} // namespace

void measure_strains(const SheetView& sheet, const SolveView& solve, cudaStream_t stream) {
    if (!sheet.damped) return;
    if (sheet.triangle_count > 0)
        launch_for(measure_triangles_kernel, sheet.triangle_count, stream, sheet, solve.start);
    if (sheet.spring_count > 0) launch_for(measure_springs_kernel, sheet.spring_count, stream, sheet, solve.start);
    if (sheet.hinge_count > 0) launch_for(measure_hinges_kernel, sheet.hinge_count, stream, sheet, solve.start);
}

void count_stretched(const SheetView& sheet, const SolveView& solve, float most, int* count, cudaStream_t stream) {
    if (sheet.triangle_count > 0)
        launch_for(count_stretched_kernel, sheet.triangle_count, stream, sheet, solve.start, solve.x, most, count);
}

void linearise(const SheetView& sheet, const SolveView& solve, const LevelView& finest, const SmallStep& step,
               bool moved, cudaStream_t stream) {
    if (sheet.triangle_count > 0)
        launch_for(respond_triangles_kernel, sheet.triangle_count, stream, sheet, solve.x, step.law);
    if (sheet.spring_count > 0)
        launch_for(respond_springs_kernel, sheet.spring_count, stream, sheet, solve.x, step.law);
    if (sheet.hinge_count > 0) launch_for(respond_hinges_kernel, sheet.hinge_count, stream, sheet, solve.x, step.law);
    launch_for(fill_rows_kernel, slice_threads(sheet.rows), stream, sheet, solve, finest, moved);
}

} // namespace selvage::cuda
