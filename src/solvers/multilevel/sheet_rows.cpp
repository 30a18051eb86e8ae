// Rows of the system, eight at a time: each walks around its point from triangle to triangle and gathers blocks and forces
// from their records. The formulas are those of sheet_system.cpp, which makes the records.

#include <algorithm>
#include <utility>

#include "solvers/multilevel/sheet_system.h"

namespace selvage {

namespace {

/// Eight forces, x, y and z each in two registers of four.
struct alignas(32) Forces8 {
    Doubles4 low[3], high[3];
};

/// Minus u p + v q in double, where the products are exact: the weights of an element add up to nothing, and so do its
/// forces then, however stiff it is.
SELVAGE_INLINE void add_forces(const Floats8& u, const Floats8 (&p)[3], const Floats8& v, const Floats8 (&q)[3],
                               Forces8& to) {
    Floats4 u_low, u_high, v_low, v_high, p_low, p_high, q_low, q_high;
    split(u, u_low, u_high);
    split(v, v_low, v_high);
    for (int c = 0; c < 3; ++c) {
        split(p[c], p_low, p_high);
        split(q[c], q_low, q_high);
        to.low[c] -= SELVAGE_TO_DOUBLES(u_low) * SELVAGE_TO_DOUBLES(p_low) +
                     SELVAGE_TO_DOUBLES(v_low) * SELVAGE_TO_DOUBLES(q_low);
        to.high[c] -= SELVAGE_TO_DOUBLES(u_high) * SELVAGE_TO_DOUBLES(p_high) +
                      SELVAGE_TO_DOUBLES(v_high) * SELVAGE_TO_DOUBLES(q_high);
    }
}

/// Forces and two more terms, rounded at the end.
SELVAGE_INLINE void round_forces(const Forces8& forces, int c, const Floats8& a, const Floats8& b, Floats8& to) {
    Floats4 a_low, a_high, b_low, b_high;
    split(a, a_low, a_high);
    split(b, b_low, b_high);
    const Doubles4 low = forces.low[c] + SELVAGE_TO_DOUBLES(a_low) + SELVAGE_TO_DOUBLES(b_low);
    const Doubles4 high = forces.high[c] + SELVAGE_TO_DOUBLES(a_high) + SELVAGE_TO_DOUBLES(b_high);
    join(SELVAGE_TO_FLOATS(low), SELVAGE_TO_FLOATS(high), to);
}

/// What a row and one of its elements share: the record, turned, and what follows from it.
struct Corner {
    Points8 fu, fv, numbers;
    Floats8 ua, va, across_u, across_v, half, size;
    Floats8 uu[6], vv[6]; // f_u f_u^T and f_v f_v^T: xx, xy, xz, yy, yz, zz
    Floats8 uv[9];        // f_u f_v^T, column by column
};

template <class Slot>
SELVAGE_INLINE void start_corner(const Slot& slot, const float* record, Corner& corner, Forces8& forces) {
    gather(record, slot.record, corner.fu);
    gather(record + 4, slot.record, corner.fv);
    gather(record + 8, slot.record, corner.numbers);
    const Points8 &fu = corner.fu, &fv = corner.fv;
    const Floats8 zero = {}, &shear = corner.numbers.x;
    corner.ua = -(slot.ub + slot.uc);
    corner.va = -(slot.vb + slot.vc);
    corner.across_u = SELVAGE_SELECT(fu.w > zero, fu.w, zero);
    corner.across_v = SELVAGE_SELECT(fv.w > zero, fv.w, zero);
    corner.half = 0.5F * shear;
    corner.size = SELVAGE_SELECT(corner.half < zero, -corner.half, corner.half);
    const Floats8 pu[3] = {fu.w * fu.x + shear * fv.x, fu.w * fu.y + shear * fv.y, fu.w * fu.z + shear * fv.z};
    const Floats8 pv[3] = {fv.w * fv.x + shear * fu.x, fv.w * fv.y + shear * fu.y, fv.w * fv.z + shear * fu.z};
    add_forces(corner.ua, pu, corner.va, pv, forces);
    const Floats8 u[3] = {fu.x, fu.y, fu.z}, v[3] = {fv.x, fv.y, fv.z};
    for (int c = 0, at = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
            corner.uv[3 * c + r] = u[r] * v[c];
            if (r < c) continue;
            corner.uu[at] = u[r] * u[c];
            corner.vv[at++] = v[r] * v[c];
        }
}

/// The block with the neighbour whose weights are u and v. Its sums are in such an order that the neighbour finds the
/// transposed one bit by bit: stiff cloth does not bear a matrix that is symmetric but for rounding.
SELVAGE_INLINE void corner_block(const Corner& corner, const Floats8& u, const Floats8& v, Floats8 (&block)[9]) {
    const Floats8 &axial_u = corner.numbers.y, &axial_v = corner.numbers.z, &g = corner.numbers.w;
    const Floats8 uu = corner.ua * u, vv = corner.va * v, uv = corner.ua * v, vu = corner.va * u;
    const Floats8 on_u = axial_u * uu + g * vv, on_v = axial_v * vv + g * uu;
    const Floats8 cross_uv = g * uv, cross_vu = g * vu;
    const Floats8 equal =
        corner.across_u * uu + corner.across_v * vv + corner.size * (uu + vv) + corner.half * (uv + vu);
    for (int c = 0, at = 0; c < 3; ++c)
        for (int r = c; r < 3; ++r, ++at) {
            const Floats8 both = on_u * corner.uu[at] + on_v * corner.vv[at];
            const Floats8 &below = corner.uv[3 * c + r], &above = corner.uv[3 * r + c];
            if (r == c) {
                block[4 * c] = both + (cross_uv * below + cross_vu * below) + equal;
            } else {
                block[3 * c + r] = both + (cross_uv * above + cross_vu * below);
                block[3 * r + c] = both + (cross_uv * below + cross_vu * above);
            }
        }
}

/// A block that goes to the next slot of its row, or where the fan closes to the first.
SELVAGE_INLINE void hand_on(unsigned closes, const Floats8 (&block)[9], Floats8 (&carry)[9], SliceBlock& first) {
    if (closes == 0) {
        for (int k = 0; k < 9; ++k)
            carry[k] = block[k];
        return;
    }
    Floats8 back;
    for (int lane = 0; lane < kSliceRows; ++lane)
        back[lane] = closes >> lane & 1U ? 1.0F : 0.0F;
    const Floats8 zero = {};
    for (int k = 0; k < 9; ++k) {
        first.value[k] += SELVAGE_SELECT(back > zero, block[k], zero);
        carry[k] = SELVAGE_SELECT(back > zero, zero, block[k]);
    }
}

/// Inertia of eight rows: what it puts on the diagonal, and its force.
SELVAGE_INLINE void start_slice(const Points& x, const Inertia& inertia, double per_h2, int slice, Floats8& diagonal,
                                Points8& force) {
    Floats4 pull[kSliceRows];
    for (int lane = 0; lane < kSliceRows; ++lane) {
        const int i = kSliceRows * slice + lane;
        const double inertial = inertia.mass[i] * per_h2;
        const Doubles4 apart = inertial * (inertia.y[i] - x[i]);
        pull[lane] = SELVAGE_TO_FLOATS(apart);
        diagonal[lane] = static_cast<float>(inertial);
    }
    load(pull, force);
}

} // namespace

/// Bending in float of differences formed in double: rounding is relative to an edge then, not to the position.
SELVAGE_WIDE void SheetSystem::bend_slices(const Points& x, int begin, int end) {
    const auto* at = reinterpret_cast<const double*>(x.data());
    Points8 p, force;
    for (int s = begin; s < end; ++s) {
        const Doubles4* own = x.data() + kSliceRows * s;
        force.x = force.y = force.z = force.w = Floats8{};
        for (int slot = bend_.start[s]; slot < bend_.start[s + 1]; ++slot) {
            const int* column = bend_.column.data() + kSliceRows * slot; // a point has four doubles too
            const auto apart = [&](int lane) {
                const Doubles4 difference = *reinterpret_cast<const Doubles4*>(at + column[lane]) - own[lane];
                return SELVAGE_TO_FLOATS(difference);
            };
            turn(apart(0), apart(1), apart(2), apart(3), apart(4), apart(5), apart(6), apart(7), p);
            const Floats8& v = bend_.value[slot].value;
            force.x -= v * p.x;
            force.y -= v * p.y;
            force.z -= v * p.z;
        }
        store(force, bend_force_.data() + kSliceRows * s);
    }
}

/// The same after a small motion, from what it was before.
SELVAGE_WIDE void SheetSystem::bend_on_slices(std::span<const Floats4> moved, int begin, int end) {
    const auto* at = reinterpret_cast<const float*>(moved.data());
    Points8 p, own, force;
    for (int s = begin; s < end; ++s) {
        load(moved.data() + kSliceRows * s, own);
        load(bend_force_.data() + kSliceRows * s, force);
        for (int slot = bend_.start[s]; slot < bend_.start[s + 1]; ++slot) {
            gather(at, bend_.column.data() + kSliceRows * slot, p);
            const Floats8& v = bend_.value[slot].value;
            force.x -= v * (p.x - own.x);
            force.y -= v * (p.y - own.y);
            force.z -= v * (p.z - own.z);
        }
        store(force, bend_force_.data() + kSliceRows * s);
    }
}

SELVAGE_WIDE void SheetSystem::fill_slices(const Points& x, const Inertia& inertia, double h, SlicedMatrix& matrix,
                                           std::span<Floats4> residual, int begin, int end) const {
    const double per_h2 = 1.0 / (h * h);
    const float* record = reinterpret_cast<const float*>(record_.data());
    for (int s = begin; s < end; ++s) {
        Corner corner;
        Points8 pull, bending, force;
        Forces8 forces = {};
        Floats8 on_diagonal, far, sum[9] = {}, block[9], carry[9] = {};
        SliceBlock* row = matrix.block.data() + matrix.start[s];
        const int count = matrix.start[s + 1] - matrix.start[s], first = matrix.start[s] - s - 1;
        for (int k = 1; k < count; ++k) {
            const CornerSlot& slot = corner_[first + k];
            start_corner(slot, record, corner, forces);
            corner_block(corner, slot.ub, slot.vb, block);
            for (int e = 0; e < 9; ++e)
                row[k].value[e] = block[e] + carry[e];
            corner_block(corner, slot.uc, slot.vc, block);
            hand_on(closes_[first + k], block, carry, row[1]);
        }
        // Small numbers last: stiff cloth has little of them left in a float.
        for (int k = 1; k < count; ++k) {
            for (int e = 0; e < 9; e += 4)
                row[k].value[e] += corner_[first + k].bend;
            for (int e = 0; e < 9; ++e)
                sum[e] += row[k].value[e];
        }
        start_slice(x, inertia, per_h2, s, on_diagonal, pull);
        load(far_sum_.data() + kSliceRows * s, far);
        for (int e = 0; e < 9; ++e)
            row[0].value[e] = -sum[e];
        for (int e = 0; e < 9; e += 4)
            row[0].value[e] = (on_diagonal - far) - sum[e];
        load(bend_force_.data() + kSliceRows * s, bending);
        round_forces(forces, 0, pull.x, bending.x, force.x);
        round_forces(forces, 1, pull.y, bending.y, force.y);
        round_forces(forces, 2, pull.z, bending.z, force.z);
        force.w = Floats8{};
        store(force, residual.data() + kSliceRows * s);
        add_extras(s, matrix, residual);
        if (slice_is_near_held_[s]) clear_held(s, matrix, residual);
    }
}

/// What only some cloths have: hinges that are bent at rest and triangles that are not woven.
void SheetSystem::add_extras(int slice, SlicedMatrix& matrix, std::span<Floats4> residual) const {
    if (curved_ends_.items.empty() && elastic_.empty()) return;
    float* numbers = reinterpret_cast<float*>(matrix.block.data());
    const auto add_block = [&](int place, const Block& block, float sign) {
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r)
                numbers[place + (3 * c + r) * kSliceRows] += sign * block.column[c][r];
    };
    const int end = std::min(kSliceRows * (slice + 1), model_.vertex_count());
    for (int i = kSliceRows * slice; i < end; ++i) {
        if (!curved_ends_.items.empty())
            for (const int end_of : curved_ends_[i])
                residual[i] += curved_force_[end_of >> 2][end_of & 3];
        if (elastic_.empty()) continue;
        for (int k = elastic_start_[i]; k < elastic_start_[i + 1]; ++k) {
            const ElasticCorner& at = elastic_corner_[k];
            const ElasticRecord& r = elastic_record_[at.element];
            const ElasticTriangle& t = elastic_[at.element];
            const double u[3] = {-t.u1 - t.u2, t.u1, t.u2}, v[3] = {-t.v1 - t.v2, t.v1, t.v2};
            const int a = at.corner;
            residual[i] += a == 1 ? r.force1 : a == 2 ? r.force2 : -(r.force1 + r.force2);
            for (const auto& [b, place] : {std::pair{at.b, at.place_b}, std::pair{at.c, at.place_c}}) {
                Block block = {};
                add_scaled(block, r.uu, static_cast<float>(u[a] * u[b]));
                add_scaled(block, r.vv, static_cast<float>(v[a] * v[b]));
                add_scaled(block, r.uv, static_cast<float>(u[a] * v[b]));
                add_scaled(block, transposed(r.uv), static_cast<float>(v[a] * u[b]));
                add_block(place, block, 1.0F);
                add_block(matrix.diagonal_place(i), block, -1.0F);
            }
        }
    }
}

/// Takes held points out of eight rows: their own become zero, and in others the blocks that lead to them.
void SheetSystem::clear_held(int slice, SlicedMatrix& matrix, std::span<Floats4> residual) const {
    for (int lane = 0; lane < kSliceRows; ++lane) {
        const int i = kSliceRows * slice + lane;
        if (is_held_[i]) residual[i] = Floats4{};
        for (int slot = matrix.start[slice]; slot < matrix.start[slice + 1]; ++slot)
            if (is_held_[i] || is_held_[matrix.column[kSliceRows * slot + lane] / kColumnStep])
                for (Floats8& value : matrix.block[slot].value)
                    value[lane] = 0.0F;
    }
}

// Last in this file: clang wants functions that it compiles for several processors defined before they are called.
void SheetSystem::fill_rows(ThreadPool& pool, const Points& x, std::span<const Floats4> moved, const Inertia& inertia,
                            double h, SlicedMatrix& matrix, std::span<Floats4> residual) {
    pool.for_chunks(matrix.slice_count(), kSliceGrain, [&](int begin, int end) {
        if (moved.empty())
            bend_slices(x, begin, end);
        else
            bend_on_slices(moved, begin, end);
        fill_slices(x, inertia, h, matrix, residual, begin, end);
    });
}

} // namespace selvage
