// Rows of the system, eight at a time: each walks around its point from triangle to triangle and gathers blocks and forces
// from their records. The formulas are those of sheet_system.cpp, which makes the records.

#include <algorithm>
#include <cstring>
#include <utility>

#include "solvers/multilevel/sheet_system.h"

namespace selvage {

namespace {

/// What is done with the rows of a slice at once: all of them, or one half after the other.
using Rows = OwnFloats;
constexpr int kRows = sizeof(Rows) / sizeof(float), kParts = kRows / 4;
constexpr int kBlockNumbers = 9 * kSliceRows;

/// Forces on rows, x, y and z each in registers of four.
struct alignas(32) Forces {
    Doubles4 part[3][kParts] = {};
};

[[maybe_unused]] SELVAGE_INLINE Floats4 four_of(const Floats8& rows, int part) {
    Floats4 low, high;
    split(rows, low, high);
    return part == 0 ? low : high;
}
[[maybe_unused]] SELVAGE_INLINE Floats4 four_of(const Floats4& rows, int) {
    return rows;
}

/// Minus u p + v q in double, where the products are exact: the weights of an element add up to nothing, and so do its
/// forces then, however stiff it is.
SELVAGE_INLINE void add_forces(const Rows& u, const Rows (&p)[3], const Rows& v, const Rows (&q)[3], Forces& to) {
    for (int part = 0; part < kParts; ++part) {
        const Floats4 u4 = four_of(u, part), v4 = four_of(v, part);
        const Doubles4 exact_u = SELVAGE_TO_DOUBLES(u4), exact_v = SELVAGE_TO_DOUBLES(v4);
        for (int c = 0; c < 3; ++c) {
            const Floats4 p4 = four_of(p[c], part), q4 = four_of(q[c], part);
            to.part[c][part] -= exact_u * SELVAGE_TO_DOUBLES(p4) + exact_v * SELVAGE_TO_DOUBLES(q4);
        }
    }
}

/// Forces and two more terms, rounded at the end.
SELVAGE_INLINE void round_forces(const Forces& forces, int c, const Rows& a, const Rows& b, Rows& to) {
    Floats4 rounded[2];
    for (int part = 0; part < kParts; ++part) {
        const Floats4 a4 = four_of(a, part), b4 = four_of(b, part);
        const Doubles4 sum = forces.part[c][part] + SELVAGE_TO_DOUBLES(a4) + SELVAGE_TO_DOUBLES(b4);
        rounded[part] = SELVAGE_TO_FLOATS(sum);
    }
    std::memcpy(&to, rounded, sizeof to);
}

/// What rows and one of their elements share: the records, turned, and what follows from them.
struct Corner {
    OwnPoints fu, fv, numbers;
    Rows ua, va, across_u, across_v, half, size;
    Rows uu[6], vv[6]; // f_u f_u^T and f_v f_v^T: xx, xy, xz, yy, yz, zz
    Rows uv[9];        // f_u f_v^T, column by column
};

/// How an element's f_u and f_v depend on its two neighbours, for the rows from lane `first` on.
struct CornerWeights {
    Rows ub, vb, uc, vc;
};
template <class Slot>
SELVAGE_INLINE void load_weights(const Slot& slot, int first, CornerWeights& to) {
    const float* numbers = reinterpret_cast<const float*>(&slot.ub) + first;
    load(numbers, to.ub);
    load(numbers + kSliceRows, to.vb);
    load(numbers + 2 * kSliceRows, to.uc);
    load(numbers + 3 * kSliceRows, to.vc);
}

SELVAGE_INLINE void start_corner(const CornerWeights& weights, const float* record, const int* place, Corner& corner,
                                 Forces& forces) {
    gather(record, place, corner.fu);
    gather(record + 4, place, corner.fv);
    gather(record + 8, place, corner.numbers);
    const auto &fu = corner.fu, &fv = corner.fv;
    const Rows zero = {}, &shear = corner.numbers.x;
    corner.ua = -(weights.ub + weights.uc);
    corner.va = -(weights.vb + weights.vc);
    take_larger(fu.w, zero, corner.across_u);
    take_larger(fv.w, zero, corner.across_v);
    corner.half = 0.5F * shear;
    corner.size = SELVAGE_SELECT(corner.half < zero, -corner.half, corner.half);
    const Rows pu[3] = {fu.w * fu.x + shear * fv.x, fu.w * fu.y + shear * fv.y, fu.w * fu.z + shear * fv.z};
    const Rows pv[3] = {fv.w * fv.x + shear * fu.x, fv.w * fv.y + shear * fu.y, fv.w * fv.z + shear * fu.z};
    add_forces(corner.ua, pu, corner.va, pv, forces);
    const Rows u[3] = {fu.x, fu.y, fu.z}, v[3] = {fv.x, fv.y, fv.z};
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
SELVAGE_INLINE void corner_block(const Corner& corner, const Rows& u, const Rows& v, Rows (&block)[9]) {
    const Rows &axial_u = corner.numbers.y, &axial_v = corner.numbers.z, &g = corner.numbers.w;
    const Rows uu = corner.ua * u, vv = corner.va * v, uv = corner.ua * v, vu = corner.va * u;
    const Rows on_u = axial_u * uu + g * vv, on_v = axial_v * vv + g * uu;
    const Rows cross_uv = g * uv, cross_vu = g * vu;
    const Rows equal = corner.across_u * uu + corner.across_v * vv + corner.size * (uu + vv) + corner.half * (uv + vu);
    for (int c = 0, at = 0; c < 3; ++c)
        for (int r = c; r < 3; ++r, ++at) {
            const Rows both = on_u * corner.uu[at] + on_v * corner.vv[at];
            const Rows &below = corner.uv[3 * c + r], &above = corner.uv[3 * r + c];
            if (r == c) {
                block[4 * c] = both + (cross_uv * below + cross_vu * below) + equal;
            } else {
                block[3 * c + r] = both + (cross_uv * above + cross_vu * below);
                block[3 * r + c] = both + (cross_uv * below + cross_vu * above);
            }
        }
}

/// 1 where a bit of the index is set, else 0.
struct alignas(16) LaneBits {
    float value[16][4];
    constexpr LaneBits() : value{} {
        for (int bits = 0; bits < 16; ++bits)
            for (int lane = 0; lane < 4; ++lane)
                value[bits][lane] = (bits >> lane & 1) != 0 ? 1.0F : 0.0F;
    }
};
constexpr LaneBits kLaneBits;

/// A block that goes to the next slot of its row, or where the fan closes to the first, whose numbers are at `to`.
SELVAGE_INLINE void hand_on(unsigned closes, int first, const Rows (&block)[9], Rows (&carry)[9], float* to) {
    if (closes == 0) {
        for (int k = 0; k < 9; ++k)
            carry[k] = block[k];
        return;
    }
    Floats4 bits[2];
    for (int part = 0; part < kParts; ++part)
        load(kLaneBits.value[closes >> (first + 4 * part) & 15U], bits[part]);
    Rows back, sum;
    std::memcpy(&back, bits, sizeof back);
    const Rows zero = {};
    for (int k = 0; k < 9; ++k) {
        load(to + kSliceRows * k, sum);
        sum += SELVAGE_SELECT(back > zero, block[k], zero);
        store(sum, to + kSliceRows * k);
        carry[k] = SELVAGE_SELECT(back > zero, zero, block[k]);
    }
}

/// Inertia of rows from `row` on: what it puts on the diagonal, and its force.
SELVAGE_INLINE void start_rows(const Points& x, const Inertia& inertia, double per_h2, int row, Rows& diagonal,
                               OwnPoints& force) {
    Floats4 pull[kRows];
    float numbers[kRows];
    for (int lane = 0; lane < kRows; ++lane) {
        const int i = row + lane;
        const double inertial = inertia.mass[i] * per_h2;
        const Doubles4 apart = inertial * (inertia.y[i] - x[i]);
        pull[lane] = SELVAGE_TO_FLOATS(apart);
        numbers[lane] = static_cast<float>(inertial);
    }
    load(pull, force);
    load(numbers, diagonal);
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
        const int count = matrix.start[s + 1] - matrix.start[s], first_corner = matrix.start[s] - s - 1;
        for (int lane = 0; lane < kSliceRows; lane += kRows) {
            Corner corner;
            CornerWeights weights;
            OwnPoints pull, bending, force;
            Forces forces;
            Rows on_diagonal, far, bend, number, sum[9] = {}, block[9], carry[9] = {};
            float* row = reinterpret_cast<float*>(matrix.block.data() + matrix.start[s]) + lane;
            const int first = kSliceRows * s + lane;
            for (int k = 1; k < count; ++k) {
                const CornerSlot& slot = corner_[first_corner + k];
                load_weights(slot, lane, weights);
                start_corner(weights, record, slot.record + lane, corner, forces);
                corner_block(corner, weights.ub, weights.vb, block);
                for (int e = 0; e < 9; ++e)
                    store(block[e] + carry[e], row + kBlockNumbers * k + kSliceRows * e);
                corner_block(corner, weights.uc, weights.vc, block);
                hand_on(closes_[first_corner + k], lane, block, carry, row + kBlockNumbers);
            }
            // Small numbers last: stiff cloth has little of them left in a float.
            for (int k = 1; k < count; ++k) {
                float* numbers = row + kBlockNumbers * k;
                load(reinterpret_cast<const float*>(&corner_[first_corner + k].bend) + lane, bend);
                for (int e = 0; e < 9; ++e) {
                    load(numbers + kSliceRows * e, number);
                    if (e % 4 == 0) {
                        number += bend;
                        store(number, numbers + kSliceRows * e);
                    }
                    sum[e] += number;
                }
            }
            start_rows(x, inertia, per_h2, first, on_diagonal, pull);
            load(far_sum_.data() + first, far);
            for (int e = 0; e < 9; ++e)
                store(e % 4 == 0 ? (on_diagonal - far) - sum[e] : -sum[e], row + kSliceRows * e);
            load(bend_force_.data() + first, bending);
            round_forces(forces, 0, pull.x, bending.x, force.x);
            round_forces(forces, 1, pull.y, bending.y, force.y);
            round_forces(forces, 2, pull.z, bending.z, force.z);
            force.w = Rows{};
            store(force, residual.data() + first);
        }
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
