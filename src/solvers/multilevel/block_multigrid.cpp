// V-cycle of a level:   x = w D^-1 b;   e = V(P^T (b - A x));   x += P e;   out = x + w D^-1 (b - A x).
// w = 1.6 / lambda_max(D^-1 A) on every level. A_coarse = P^T A P block by block: each coarse block is a sum over
// blocks of the finer level with fixed weights, so a list of (block, weight) per coarse block is all a rebuild needs;
// only the upper triangle is summed, the rest mirrored.
// Cost: two products with A per level and cycle; coarse levels hold about a fifth of the finest one's blocks. Products
// take eight rows at a time and read every block once, so large cloths wait for memory.

#include "solvers/multilevel/block_multigrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace selvage {

namespace {

constexpr int kRowGrain = 128;        // rows
constexpr int kSlotGrain = 64;        // coarse blocks
constexpr int kPowerSteps = 12;       // come within a tenth of the largest eigenvalue
constexpr float kPowerMargin = 1.15F; // for what they leave
constexpr float kSweepDamping = 1.6F;

/// One level as the hot loops see it.
struct LevelRows {
    const int *start, *column;
    const SliceBlock* block;
    const SliceInverse* inverse;
    const int *far_start, *far_column; // null on coarse levels
    const SliceNumber* far_value;
    float omega;
};

SELVAGE_INLINE void slice_product(const LevelRows& m, const Floats4* vector, int slice, Points8& sum) {
    const float* x = reinterpret_cast<const float*>(vector);
    Floats8 a = {}, b = {}, c = {};
    Points8 p;
    for (int slot = m.start[slice]; slot < m.start[slice + 1]; ++slot) {
        gather(x, m.column + kSliceRows * slot, p);
        const Floats8* v = m.block[slot].value;
        a += v[0] * p.x + v[3] * p.y + v[6] * p.z;
        b += v[1] * p.x + v[4] * p.y + v[7] * p.z;
        c += v[2] * p.x + v[5] * p.y + v[8] * p.z;
    }
    if (m.far_start)
        for (int slot = m.far_start[slice]; slot < m.far_start[slice + 1]; ++slot) {
            gather(x, m.far_column + kSliceRows * slot, p);
            const Floats8& v = m.far_value[slot].value;
            a += v * p.x;
            b += v * p.y;
            c += v * p.z;
        }
    sum.x = a;
    sum.y = b;
    sum.z = c;
    sum.w = Floats8{};
}

/// omega D^-1 p in place of p.
SELVAGE_INLINE void sweep(const LevelRows& m, int slice, Points8& p) {
    const Floats8* v = m.inverse[slice].value;
    const Floats8 x = v[0] * p.x + v[1] * p.y + v[2] * p.z;
    const Floats8 y = v[1] * p.x + v[3] * p.y + v[4] * p.z;
    const Floats8 z = v[2] * p.x + v[4] * p.y + v[5] * p.z;
    p.x = m.omega * x;
    p.y = m.omega * y;
    p.z = m.omega * z;
    p.w = Floats8{};
}

/// Sum of x . y over slices, lane by lane in double.
struct alignas(32) LaneSums {
    Doubles4 low, high;
};
SELVAGE_INLINE void add_dot(const Points8& x, const Points8& y, LaneSums& sums) {
    const Floats8 product = x.x * y.x + x.y * y.y + x.z * y.z;
    Floats4 low, high;
    split(product, low, high);
    sums.low += SELVAGE_TO_DOUBLES(low);
    sums.high += SELVAGE_TO_DOUBLES(high);
}
SELVAGE_INLINE double total(const LaneSums& sums) {
    const Doubles4 both = sums.low + sums.high;
    return (both[0] + both[1]) + (both[2] + both[3]);
}

SELVAGE_WIDE double multiply_slices(const LevelRows& m, const Floats4* x, Floats4* out, int begin, int end) {
    LaneSums sums = {};
    Points8 p, row;
    for (int s = begin; s < end; ++s) {
        slice_product(m, x, s, row);
        load(x + kSliceRows * s, p);
        add_dot(p, row, sums);
        store(row, out + kSliceRows * s);
    }
    return total(sums);
}

/// b - A x of eight rows, and b itself.
SELVAGE_INLINE void slice_residual(const LevelRows& m, const Floats4* b, const Floats4* x, int slice, Points8& right,
                                   Points8& row) {
    slice_product(m, x, slice, row);
    load(b + kSliceRows * slice, right);
    row.x = right.x - row.x;
    row.y = right.y - row.y;
    row.z = right.z - row.z;
}

SELVAGE_WIDE void residual_slices(const LevelRows& m, const Floats4* b, const Floats4* x, Floats4* out, int begin,
                                  int end) {
    Points8 right, row;
    for (int s = begin; s < end; ++s) {
        slice_residual(m, b, x, s, right, row);
        store(row, out + kSliceRows * s);
    }
}

SELVAGE_WIDE void start_slices(const LevelRows& m, const Floats4* b, Floats4* x, int begin, int end) {
    Points8 p;
    for (int s = begin; s < end; ++s) {
        load(b + kSliceRows * s, p);
        sweep(m, s, p);
        store(p, x + kSliceRows * s);
    }
}

SELVAGE_WIDE double finish_slices(const LevelRows& m, const Floats4* b, const Floats4* x, Floats4* out, int begin,
                                  int end) {
    LaneSums sums = {};
    Points8 p, row, right;
    for (int s = begin; s < end; ++s) {
        slice_residual(m, b, x, s, right, row);
        sweep(m, s, row);
        load(x + kSliceRows * s, p);
        row.x += p.x;
        row.y += p.y;
        row.z += p.z;
        add_dot(right, row, sums);
        store(row, out + kSliceRows * s);
    }
    return total(sums);
}

/// omega D^-1 b, and its product with b.
SELVAGE_WIDE double sweep_slices(const LevelRows& m, const Floats4* b, Floats4* out, int begin, int end) {
    LaneSums sums = {};
    Points8 p, right;
    for (int s = begin; s < end; ++s) {
        load(b + kSliceRows * s, right);
        p = right;
        sweep(m, s, p);
        add_dot(right, p, sums);
        store(p, out + kSliceRows * s);
    }
    return total(sums);
}

/// to = weighted sum of `from`.
SELVAGE_WIDE void restrict_rows(const int* start, const int* index, const float* weight, const Floats4* from,
                                Floats4* to, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        Floats4 sum = {};
        for (int e = start[i]; e < start[i + 1]; ++e)
            sum += weight[e] * from[index[e]];
        to[i] = sum;
    }
}

/// x += weighted sum of `from`, except in rows that are out of the system: held points follow no coarse ones.
SELVAGE_WIDE void prolong_rows(const LevelRows& m, const int* start, const int* index, const float* weight,
                               const Floats4* from, Floats4* x, int begin, int end) {
    const float* inverse = reinterpret_cast<const float*>(m.inverse);
    for (int i = begin; i < end; ++i) {
        if (inverse[i / kSliceRows * 6 * kSliceRows + i % kSliceRows] == 0.0F) continue;
        Floats4 sum = x[i];
        for (int e = start[i]; e < start[i + 1]; ++e)
            sum += weight[e] * from[index[e]];
        x[i] = sum;
    }
}

/// Numbers 0 to 7 of a block side by side; the last is apart. One block at a time: its sources lie in different lanes. A
/// block on the diagonal is the sum of its sources and of their mirror images.
SELVAGE_WIDE void gather_slots(const BlockSlot* slot, const int* start, const BlockSource* source, const float* base,
                               const float* fine, float* coarse, int begin, int end) {
    constexpr int k = kSliceRows;
    for (int s = begin; s < end; ++s) {
        constexpr int kBlock = 9 * kSliceRows;
        const int at = slot[s].place;
        const bool on_diagonal = slot[s].mirror == at;
        const float far = base ? base[at / kBlock * kSliceRows + at % kBlock] : 0.0F;
        const float equal = on_diagonal ? 0.5F * far : far;
        Floats8 sum = {equal, 0, 0, 0, equal, 0, 0, 0};
        float last = equal;
        for (int e = start[s]; e < start[s + 1]; ++e) {
            const float* f = fine + source[e].place;
            const Floats8 from = {f[0], f[k], f[2 * k], f[3 * k], f[4 * k], f[5 * k], f[6 * k], f[7 * k]};
            sum += source[e].weight * from;
            last += source[e].weight * f[8 * k];
        }
        float *to = coarse + at, *mirror = coarse + slot[s].mirror;
        if (on_diagonal) {
            const Floats8 turned = {sum[0], sum[3], sum[6], sum[1], sum[4], sum[7], sum[2], sum[5]};
            sum += turned;
            last += last;
        }
        for (int n = 0; n < 8; ++n)
            to[n * k] = sum[n];
        to[8 * k] = last;
        if (on_diagonal) continue;
        for (int n = 0; n < 8; ++n)
            mirror[(n % 3 * 3 + n / 3) * k] = sum[n];
        mirror[8 * k] = last;
    }
}

/// Inverses of symmetric positive blocks. A block that is hardly positive (one direction carries nothing) becomes a
/// multiple of the identity, and one that carries nothing at all becomes zero: its rows are out of the system.
SELVAGE_WIDE void invert_slices(const int* start, const SliceBlock* block, SliceInverse* inverse, int begin, int end) {
    const Floats8 zero = {}, one = zero + 1.0F, least = zero + 1e-6F;
    for (int i = begin; i < end; ++i) {
        const Floats8* m = block[start[i]].value;
        Floats8* to = inverse[i].value;
        const Floats8 mean = (m[0] + m[4] + m[8]) / (zero + 3.0F);
        // In units of the mean, so that no product leaves a float's range.
        const Floats8 s = SELVAGE_SELECT(mean > zero, one / mean, zero);
        const Floats8 a = m[0] * s, b = 0.5F * (m[1] + m[3]) * s, c = 0.5F * (m[2] + m[6]) * s, d = m[4] * s,
                      e = 0.5F * (m[5] + m[7]) * s, f = m[8] * s;
        const Floats8 p = d * f - e * e, q = c * e - b * f, r = b * e - c * d;
        const Floats8 determinant = a * p + b * q + c * r;
        const Floats8 scale = SELVAGE_SELECT(determinant > least, s / determinant, zero);
        const Floats8 alike = SELVAGE_SELECT(determinant > least, zero, s);
        to[0] = p * scale + alike;
        to[1] = q * scale;
        to[2] = r * scale;
        to[3] = (a * f - c * c) * scale + alike;
        to[4] = (b * c - a * e) * scale;
        to[5] = (a * d - b * b) * scale + alike;
    }
}

/// L D L^T without pivoting, in place: rows of L below the diagonal, which holds D. `inverse` gets 1/D; where D is not
/// positive, which only rounding or rows out of the system can make it, the unknown is left out.
SELVAGE_WIDE void factor_symmetric(float* a, float* inverse, int n) {
    for (int j = 0; j < n; ++j) {
        const float pivot = a[j * n + j];
        inverse[j] = pivot > 1e-20F ? 1.0F / pivot : 0.0F;
        for (int i = j + 1; i < n; ++i) {
            const float l = a[j * n + i] * inverse[j]; // the upper triangle is what is left to factor
            for (int k = i; k < n; ++k)
                a[i * n + k] -= l * a[j * n + k];
            a[i * n + j] = l;
        }
    }
}

/// A new view for each pass: the vectors may have moved with their owner.
template <class Level>
LevelRows rows_of(const Level& level, const SlicedTies* far) {
    return {level.matrix.start.data(),         level.matrix.column.data(),
            level.matrix.block.data(),         level.inverse.data(),
            far ? far->start.data() : nullptr, far ? far->column.data() : nullptr,
            far ? far->value.data() : nullptr, level.omega};
}

/// Sum of what body(begin, end) returns for chunks of slices, in an order that depends on `count` alone.
template <class Body>
double sum_slices(ThreadPool& pool, int count, const Body& body) {
    constexpr int kMostChunks = 256;
    const int grain = std::max(2 * kSliceGrain, count / kMostChunks + 1);
    std::array<double, kMostChunks> partial;
    pool.for_chunks(count, grain, [&](int begin, int end) { partial[begin / grain] = body(begin, end); });
    double sum = 0.0;
    for (int chunk = 0; chunk * grain < count; ++chunk)
        sum += partial[chunk];
    return sum;
}

const float* numbers_of(const SlicedMatrix& m) {
    return reinterpret_cast<const float*>(m.block.data());
}

} // namespace

template <class Visit>
void BlockMultigrid::for_each_array(const Visit& visit) const {
    visit(far_.start), visit(far_.column), visit(far_.value);
    visit(far_base_), visit(factor_), visit(pivot_), visit(dense_);
    for (const Level& l : levels_) {
        visit(l.matrix.start), visit(l.matrix.column), visit(l.matrix.block), visit(l.inverse);
        visit(l.slot), visit(l.source_start), visit(l.source), visit(l.parent_start), visit(l.parent);
        visit(l.child_start), visit(l.child), visit(l.parent_weight), visit(l.child_weight);
        visit(l.b), visit(l.x), visit(l.out);
    }
}

std::size_t BlockMultigrid::bytes() const {
    std::size_t sum = 0;
    for_each_array([&sum](const auto& array) { sum += bytes_of(array); });
    return sum;
}

void BlockMultigrid::add_to(LargePages& pages) const {
    for_each_array([&pages](const auto& array) { pages.add(array); });
}

/// P^T F P for the far ties F, without lists of sources: it is done once in a while only.
void BlockMultigrid::gather_far() {
    if (level_count() == 1) return;
    const Level& fine = levels_[0];
    const SlicedMatrix& c = levels_[1].matrix;
    std::fill(far_base_.begin(), far_base_.end(), 0.0F);
    for (int i = 0; i < row_count(0); ++i)
        for (int slot = far_.start[i / kSliceRows]; slot < far_.start[i / kSliceRows + 1]; ++slot) {
            const float value = far_.value[slot].value[i % kSliceRows];
            if (value == 0.0F) continue;
            const int j = far_.column[kSliceRows * slot + i % kSliceRows] / kColumnStep;
            for (int p = fine.parent_start[i]; p < fine.parent_start[i + 1]; ++p)
                for (int q = fine.parent_start[j]; q < fine.parent_start[j + 1]; ++q) {
                    const int row = fine.parent[p], column = fine.parent[q];
                    if (row > column) continue;
                    const int at = kSliceRows * slot_of_block(c, row, column) + row % kSliceRows;
                    far_base_[at] += value * fine.parent_weight[p] * fine.parent_weight[q];
                }
        }
}

void BlockMultigrid::build(ThreadPool& pool) {
    invert_diagonal(pool, levels_[0]);
    for (int l = 1; l < level_count(); ++l) {
        gather_level(pool, l);
        invert_diagonal(pool, levels_[l]);
    }
    if (coarsest_is_dense_) factor_coarsest();
}

void BlockMultigrid::build_finest(ThreadPool& pool) {
    invert_diagonal(pool, levels_[0]);
}

void BlockMultigrid::add_change(ThreadPool& pool, const DiagonalChange& change) {
    for (int l = 1; l < level_count(); ++l) {
        if (l == 1)
            pool.for_chunks(row_count(1), kRowGrain, [&](int begin, int end) { add_to_coarse(change, begin, end); });
        else
            gather_level(pool, l);
        invert_diagonal(pool, levels_[l]);
    }
    if (coarsest_is_dense_ && level_count() > 1) factor_coarsest();
}

/// The changed rows are few, so places are looked up. Each block above the diagonal and its mirror image belong to one row.
void BlockMultigrid::add_to_coarse(const DiagonalChange& change, int begin, int end) {
    const Level& fine = levels_[0];
    SlicedMatrix& coarse = levels_[1].matrix;
    float* numbers = reinterpret_cast<float*>(coarse.block.data());
    const auto add = [&](int row, int column, const Block& block, float weight) {
        float* to = numbers + place_of_block(coarse, row, column);
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r)
                to[(3 * c + r) * kSliceRows] += weight * block.column[c][r];
    };
    for (int row = begin; row < end; ++row)
        for (int e = fine.child_start[row]; e < fine.child_start[row + 1]; ++e) {
            const int i = fine.child[e], at = change.index[i];
            if (at < 0) continue;
            for (int p = fine.parent_start[i]; p < fine.parent_start[i + 1]; ++p) {
                const int column = fine.parent[p];
                if (column < row) continue;
                const float weight = fine.child_weight[e] * fine.parent_weight[p];
                add(row, column, change.block[at], weight);
                if (column > row) add(column, row, change.block[at], weight);
            }
        }
}

void BlockMultigrid::gather_level(ThreadPool& pool, int l) {
    Level& level = levels_[l];
    const float* fine = numbers_of(levels_[l - 1].matrix);
    float* coarse = reinterpret_cast<float*>(level.matrix.block.data());
    pool.for_chunks(static_cast<int>(level.slot.size()), kSlotGrain, [&](int begin, int end) {
        gather_slots(level.slot.data(), level.source_start.data(), level.source.data(),
                     l == 1 ? far_base_.data() : nullptr, fine, coarse, begin, end);
    });
}

void BlockMultigrid::invert_diagonal(ThreadPool& pool, Level& level) {
    pool.for_chunks(level.matrix.slice_count(), kSliceGrain, [&](int begin, int end) {
        invert_slices(level.matrix.start.data(), level.matrix.block.data(), level.inverse.data(), begin, end);
    });
}

void BlockMultigrid::factor_coarsest() {
    const SlicedMatrix& m = levels_.back().matrix;
    const float* numbers = numbers_of(m);
    const int rows = m.row_count(), n = 3 * rows;
    std::fill(factor_.begin(), factor_.end(), 0.0F);
    for (int i = 0; i < rows; ++i)
        for (int slot = m.start[i / kSliceRows]; slot < m.start[i / kSliceRows + 1]; ++slot) {
            const int lane = i % kSliceRows, j = m.column[kSliceRows * slot + lane] / kColumnStep;
            const float* from = numbers + SlicedMatrix::place(slot, lane);
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r)
                    factor_[(3 * i + r) * n + 3 * j + c] += from[(3 * c + r) * kSliceRows];
        }
    factor_symmetric(factor_.data(), pivot_.data(), n);
}

void BlockMultigrid::solve_coarsest() {
    Level& level = levels_.back();
    const int rows = level.matrix.row_count(), n = 3 * rows;
    for (int i = 0; i < rows; ++i)
        for (int r = 0; r < 3; ++r)
            dense_[3 * i + r] = level.b[i][r];
    for (int i = 0; i < n; ++i) { // L y = b
        float sum = dense_[i];
        for (int k = 0; k < i; ++k)
            sum -= factor_[i * n + k] * dense_[k];
        dense_[i] = sum;
    }
    for (int i = 0; i < n; ++i)
        dense_[i] *= pivot_[i];
    for (int i = n - 1; i > 0; --i) // L^T x = D^-1 y, column by column
        for (int k = 0; k < i; ++k)
            dense_[k] -= factor_[i * n + k] * dense_[i];
    for (int i = 0; i < rows; ++i)
        level.out[i] = Floats4{dense_[3 * i], dense_[3 * i + 1], dense_[3 * i + 2], 0.0F};
}

void BlockMultigrid::start_level(ThreadPool& pool, int l, const Floats4* b) {
    Level& level = levels_[l];
    const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
    pool.for_chunks(level.matrix.slice_count(), kSliceGrain,
                    [&](int begin, int end) { start_slices(rows, b, level.x.data(), begin, end); });
}

double BlockMultigrid::finish_level(ThreadPool& pool, int l, const Floats4* b, Floats4* out) {
    Level& level = levels_[l];
    const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
    return sum_slices(pool, level.matrix.slice_count(),
                      [&](int begin, int end) { return finish_slices(rows, b, level.x.data(), out, begin, end); });
}

/// From b and x = w D^-1 b of this level to x with the coarse levels' correction.
void BlockMultigrid::cycle(ThreadPool& pool, int l, const Floats4* b) {
    Level& level = levels_[l];
    if (l + 1 == level_count()) return;
    const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
    pool.for_chunks(level.matrix.slice_count(), kSliceGrain, [&](int begin, int end) {
        residual_slices(rows, b, level.x.data(), level.out.data(), begin, end);
    });
    Level& coarse = levels_[l + 1];
    pool.for_chunks(coarse.matrix.row_count(), kRowGrain, [&](int begin, int end) {
        restrict_rows(level.child_start.data(), level.child.data(), level.child_weight.data(), level.out.data(),
                      coarse.b.data(), begin, end);
    });
    if (l + 2 == level_count() && coarsest_is_dense_) {
        solve_coarsest();
    } else {
        start_level(pool, l + 1, coarse.b.data());
        cycle(pool, l + 1, coarse.b.data());
        finish_level(pool, l + 1, coarse.b.data(), coarse.out.data());
    }
    pool.for_chunks(level.matrix.row_count(), kRowGrain, [&](int begin, int end) {
        prolong_rows(rows, level.parent_start.data(), level.parent.data(), level.parent_weight.data(),
                     coarse.out.data(), level.x.data(), begin, end);
    });
}

double BlockMultigrid::precondition(ThreadPool& pool, std::span<const Floats4> r, std::span<Floats4> z) {
    start_level(pool, 0, r.data());
    cycle(pool, 0, r.data());
    return finish_level(pool, 0, r.data(), z.data());
}

double BlockMultigrid::precondition_by_diagonal(ThreadPool& pool, std::span<const Floats4> r, std::span<Floats4> z) {
    LevelRows rows = rows_of(levels_[0], nullptr);
    rows.omega = 1.0F;
    return sum_slices(pool, levels_[0].matrix.slice_count(),
                      [&](int begin, int end) { return sweep_slices(rows, r.data(), z.data(), begin, end); });
}

double BlockMultigrid::multiply(ThreadPool& pool, std::span<const Floats4> x, std::span<Floats4> product) {
    const LevelRows rows = rows_of(levels_[0], &far_);
    return sum_slices(pool, levels_[0].matrix.slice_count(),
                      [&](int begin, int end) { return multiply_slices(rows, x.data(), product.data(), begin, end); });
}

void BlockMultigrid::measure(ThreadPool& pool) {
    for (int l = 0; l < level_count(); ++l) {
        Level& level = levels_[l];
        const int n = level.matrix.row_count();
        LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
        rows.omega = 1.0F;
        // A rough vector to begin with, since the largest modes are rough. Any numbers will do if they are always the
        // same.
        std::uint32_t seed = 1;
        const auto random = [&seed] {
            seed = seed * 1664525u + 1013904223u;
            return static_cast<float>(seed >> 8) * 0x1p-23F - 1.0F;
        };
        for (int i = 0; i < n; ++i)
            level.x[i] = Floats4{random(), random(), random(), 0.0F};
        double size = 0.0;
        for (int k = 0; k < kPowerSteps; ++k) {
            pool.for_chunks(level.matrix.slice_count(), kSliceGrain, [&](int begin, int end) {
                multiply_slices(rows, level.x.data(), level.out.data(), begin, end);
                sweep_slices(rows, level.out.data(), level.out.data(), begin, end);
            });
            size = std::sqrt(pool.sum<double>(n, [&](int i) { return dot(level.out[i], level.out[i]); }));
            if (!(size > 0.0)) break;
            const float scale = static_cast<float>(1.0 / size);
            pool.for_each(n, [&](int i) { level.x[i] = scale * level.out[i]; });
        }
        // From the second product on `size` estimates the eigenvalue. It is never below 1, which is exactly the
        // eigenvalue of a row without neighbours.
        level.omega = kSweepDamping / (kPowerMargin * static_cast<float>(std::max(size, 1.0)));
    }
}

} // namespace selvage
