// V-cycle of a level:   x = w D^-1 b;   e = V(P^T (b - A x));   x += P e;   out = x + w D^-1 (b - A x).
// w = 1.6 / lambda_max(D^-1 A) on every level. A_coarse = P^T A P block by block: each coarse block is a sum over
// blocks of the finer level with fixed weights, so a list of (block, weight) per coarse block is all a rebuild needs;
// only the upper triangle is summed, the rest mirrored.
// Cost: two products with A per level and cycle; coarse levels hold about a third of the finest one's blocks.

#include "solvers/multilevel/block_multigrid.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/assert.h"

namespace selvage {

namespace {

constexpr int kRowGrain = 128;        // rows handed to a thread at a time
constexpr int kSlotGrain = 64;        // coarse blocks
constexpr int kDenseRows = 64;        // the largest coarsest level that is factored; larger ones are swept
constexpr int kPowerSteps = 12;       // come within a tenth of the largest eigenvalue
constexpr float kPowerMargin = 1.15F; // for what they leave
constexpr float kSweepDamping = 1.6F;

/// One level as the hot loops see it.
struct LevelRows {
    const int *start, *column;
    const Block *block, *inverse;
    const int *far_start, *far_column; // null on coarse levels
    const float* far_value;
    float omega;
};

SELVAGE_INLINE Floats4 row_product(const LevelRows& m, const Floats4* x, int i) {
    Floats4 sum = product(m.block[m.start[i]], x[i]);
    for (int e = m.start[i] + 1; e < m.start[i + 1]; ++e)
        sum += product(m.block[e], x[m.column[e]]);
    if (m.far_start)
        for (int e = m.far_start[i]; e < m.far_start[i + 1]; ++e)
            sum += m.far_value[e] * x[m.far_column[e]];
    return sum;
}

SELVAGE_WIDE double multiply_rows(const LevelRows& m, const Floats4* x, Floats4* out, int begin, int end) {
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        out[i] = row_product(m, x, i);
        sum += dot(x[i], out[i]);
    }
    return sum;
}

SELVAGE_WIDE void residual_rows(const LevelRows& m, const Floats4* b, const Floats4* x, Floats4* out, int begin,
                                int end) {
    for (int i = begin; i < end; ++i)
        out[i] = b[i] - row_product(m, x, i);
}

SELVAGE_WIDE void start_rows(const LevelRows& m, const Floats4* b, Floats4* x, int begin, int end) {
    for (int i = begin; i < end; ++i)
        x[i] = m.omega * product(m.inverse[i], b[i]);
}

SELVAGE_WIDE double finish_rows(const LevelRows& m, const Floats4* b, const Floats4* x, Floats4* out, int begin,
                                int end) {
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        out[i] = x[i] + m.omega * product(m.inverse[i], b[i] - row_product(m, x, i));
        sum += dot(b[i], out[i]);
    }
    return sum;
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
    for (int i = begin; i < end; ++i) {
        if (m.inverse[i].column[0][0] == 0.0F) continue;
        Floats4 sum = x[i];
        for (int e = start[i]; e < start[i + 1]; ++e)
            sum += weight[e] * from[index[e]];
        x[i] = sum;
    }
}

SELVAGE_WIDE void gather_slots(const BlockSlot* slot, const int* start, const BlockSource* source, const float* base,
                               const Block* fine, Block* coarse, int begin, int end) {
    for (int s = begin; s < end; ++s) {
        Block sum = scaled_identity(base ? base[s] : 0.0F);
        for (int e = start[s]; e < start[s + 1]; ++e)
            add_scaled(sum, fine[source[e].block], source[e].weight);
        coarse[slot[s].block] = sum;
        if (slot[s].mirror != slot[s].block) coarse[slot[s].mirror] = transposed(sum);
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

int find_block(const BlockMatrix& m, int row, int column) {
    if (row == column) return m.start[row];
    const auto begin = m.column.begin() + m.start[row] + 1, end = m.column.begin() + m.start[row + 1];
    return static_cast<int>(std::lower_bound(begin, end, column) - m.column.begin());
}

/// Below how many rows a level is the coarsest: a factor costs its cube, so small cloths stop earlier.
int coarsest_size(int finest) {
    return std::clamp(finest / 500, 10, 40);
}

} // namespace

BlockMultigrid::BlockMultigrid(BlockMatrix pattern, FarTies far, const SparseMatrix& ties) : far_(std::move(far)) {
    levels_.emplace_back();
    levels_[0].matrix = std::move(pattern);
    SparseMatrix at = ties;
    const int enough = coarsest_size(ties.row_count());
    while (at.row_count() > enough) {
        int coarse_count = 0;
        const bool from_finest = levels_.size() == 1;
        const SparseMatrix weights = aggregate(at, from_finest, coarse_count);
        if (coarse_count == 0 || coarse_count > 0.8 * at.row_count()) break;
        add_coarser_level(weights, coarse_count, from_finest);
        at = triple_product(weights, at, coarse_count);
    }
    for (Level& level : levels_) {
        const std::size_t n = level.matrix.row_count();
        level.inverse.resize(n);
        level.x.resize(n);
        level.out.resize(n);
        if (&level != levels_.data()) level.b.resize(n);
    }
    const int n = levels_.back().matrix.row_count();
    coarsest_is_dense_ = n <= kDenseRows;
    if (coarsest_is_dense_) {
        factor_.resize(9 * n * n);
        pivot_.resize(3 * n);
        dense_.resize(3 * n);
    }
    gather_far();
}

void BlockMultigrid::add_coarser_level(const SparseMatrix& weights, int coarse_count, bool from_finest) {
    Level& fine = levels_.back();
    const BlockMatrix& m = fine.matrix;
    const int n = m.row_count();
    const SparseMatrix children = transpose(weights, coarse_count);
    fine.parent_start = weights.start;
    fine.parent = weights.column;
    fine.parent_weight.assign(weights.value.begin(), weights.value.end());
    fine.child_start = children.start;
    fine.child = children.column;
    fine.child_weight.assign(children.value.begin(), children.value.end());

    // Which coarse rows are coupled: through blocks, and from the finest level through far ties too.
    SparseMatrix all;
    for (int i = 0; i < n; ++i) {
        for (int e = m.start[i]; e < m.start[i + 1]; ++e)
            all.column.push_back(m.column[e]);
        if (from_finest)
            for (int e = far_.start[i]; e < far_.start[i + 1]; ++e)
                all.column.push_back(far_.column[e]);
        all.start.push_back(static_cast<int>(all.column.size()));
    }
    all.value.assign(all.column.size(), 1.0);
    const SparseMatrix meet = triple_product(weights, all, coarse_count);
    Level coarse;
    BlockMatrix& c = coarse.matrix;
    c.start.push_back(0);
    for (int row = 0; row < coarse_count; ++row) {
        c.column.push_back(row);
        for (int e = meet.start[row]; e < meet.start[row + 1]; ++e)
            if (meet.column[e] != row) c.column.push_back(meet.column[e]);
        c.start.push_back(static_cast<int>(c.column.size()));
    }
    c.block.resize(c.column.size());

    // Slots: the upper triangle in the order of its blocks. Sources: counted first, then filled.
    std::vector<int> slot_of(c.column.size(), -1);
    for (int row = 0; row < coarse_count; ++row)
        for (int e = c.start[row]; e < c.start[row + 1]; ++e)
            if (c.column[e] >= row) {
                slot_of[e] = static_cast<int>(coarse.slot.size());
                coarse.slot.push_back({e, find_block(c, c.column[e], row)});
            }
    const auto collect = [&](const std::vector<int>& start, const std::vector<int>& column,
                             std::vector<int>& source_start, std::vector<BlockSource>& source) {
        const auto for_each_source = [&](const auto& visit) {
            for (int i = 0; i < n; ++i)
                for (int e = start[i]; e < start[i + 1]; ++e)
                    for (int p = weights.start[i]; p < weights.start[i + 1]; ++p)
                        for (int q = weights.start[column[e]]; q < weights.start[column[e] + 1]; ++q)
                            if (weights.column[p] <= weights.column[q])
                                visit(slot_of[find_block(c, weights.column[p], weights.column[q])],
                                      BlockSource{e, static_cast<float>(weights.value[p] * weights.value[q])});
        };
        source_start.assign(coarse.slot.size() + 1, 0);
        for_each_source([&](int slot, const BlockSource&) { ++source_start[slot + 1]; });
        for (std::size_t s = 0; s < coarse.slot.size(); ++s)
            source_start[s + 1] += source_start[s];
        source.resize(source_start.back());
        std::vector<int> next(source_start.begin(), source_start.end() - 1);
        for_each_source([&](int slot, const BlockSource& s) { source[next[slot]++] = s; });
    };
    collect(m.start, m.column, coarse.source_start, coarse.source);
    if (from_finest) {
        collect(far_.start, far_.column, far_source_start_, far_source_);
        far_base_.assign(coarse.slot.size(), 0.0F);
    }
    levels_.push_back(std::move(coarse));
}

std::size_t BlockMultigrid::bytes() const {
    const auto of = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
    std::size_t sum = of(far_.start) + of(far_.column) + of(far_.value) + of(far_source_start_) + of(far_source_) +
                      of(far_base_) + of(factor_) + of(pivot_) + of(dense_);
    for (const Level& l : levels_)
        sum += of(l.matrix.start) + of(l.matrix.column) + of(l.matrix.block) + of(l.inverse) + of(l.slot) +
               of(l.source_start) + of(l.source) + of(l.parent_start) + of(l.parent) + of(l.child_start) + of(l.child) +
               of(l.parent_weight) + of(l.child_weight) + of(l.b) + of(l.x) + of(l.out);
    return sum;
}

void BlockMultigrid::gather_far() {
    for (std::size_t s = 0; s < far_base_.size(); ++s) {
        float sum = 0.0F;
        for (int e = far_source_start_[s]; e < far_source_start_[s + 1]; ++e)
            sum += far_.value[far_source_[e].block] * far_source_[e].weight;
        far_base_[s] = sum;
    }
}

namespace {

SELVAGE_WIDE void invert_rows(const int* start, const Block* block, Block* inverse, int begin, int end) {
    for (int i = begin; i < end; ++i)
        inverse[i] = inverse_of_positive(block[start[i]]);
}

} // namespace

void BlockMultigrid::build(ThreadPool& pool) {
    invert_diagonal(pool, levels_[0]);
    for (int l = 1; l < level_count(); ++l) {
        gather_level(pool, l);
        invert_diagonal(pool, levels_[l]);
    }
    if (coarsest_is_dense_) factor_coarsest();
}

void BlockMultigrid::gather_level(ThreadPool& pool, int l) {
    Level& level = levels_[l];
    const Block* fine = levels_[l - 1].matrix.block.data();
    pool.for_chunks(static_cast<int>(level.slot.size()), kSlotGrain, [&](int begin, int end) {
        gather_slots(level.slot.data(), level.source_start.data(), level.source.data(),
                     l == 1 ? far_base_.data() : nullptr, fine, level.matrix.block.data(), begin, end);
    });
}

void BlockMultigrid::invert_diagonal(ThreadPool& pool, Level& level) {
    pool.for_chunks(level.matrix.row_count(), kRowGrain, [&](int begin, int end) {
        invert_rows(level.matrix.start.data(), level.matrix.block.data(), level.inverse.data(), begin, end);
    });
}

void BlockMultigrid::factor_coarsest() {
    const BlockMatrix& m = levels_.back().matrix;
    const int rows = m.row_count(), n = 3 * rows;
    std::fill(factor_.begin(), factor_.end(), 0.0F);
    for (int i = 0; i < rows; ++i)
        for (int e = m.start[i]; e < m.start[i + 1]; ++e)
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r)
                    factor_[(3 * i + r) * n + 3 * m.column[e] + c] = m.block[e].column[c][r];
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

namespace {

/// A new view for each pass: the vectors may have moved with their owner.
template <class Level>
LevelRows rows_of(const Level& level, const FarTies* far) {
    return {level.matrix.start.data(),         level.matrix.column.data(),
            level.matrix.block.data(),         level.inverse.data(),
            far ? far->start.data() : nullptr, far ? far->column.data() : nullptr,
            far ? far->value.data() : nullptr, level.omega};
}

} // namespace

void BlockMultigrid::start_level(ThreadPool& pool, int l, const Floats4* b) {
    Level& level = levels_[l];
    const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
    pool.for_chunks(level.matrix.row_count(), kRowGrain,
                    [&](int begin, int end) { start_rows(rows, b, level.x.data(), begin, end); });
}

double BlockMultigrid::finish_level(ThreadPool& pool, int l, const Floats4* b, Floats4* out) {
    Level& level = levels_[l];
    const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
    return pool.sum_chunks<double>(level.matrix.row_count(), [&](int begin, int end) {
        return finish_rows(rows, b, level.x.data(), out, begin, end);
    });
}

/// From b and x = w D^-1 b of this level to x with the coarse levels' correction.
void BlockMultigrid::cycle(ThreadPool& pool, int l, const Floats4* b) {
    Level& level = levels_[l];
    if (l + 1 == level_count()) return;
    const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
    const int n = level.matrix.row_count();
    pool.for_chunks(n, kRowGrain,
                    [&](int begin, int end) { residual_rows(rows, b, level.x.data(), level.out.data(), begin, end); });
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
    pool.for_chunks(n, kRowGrain, [&](int begin, int end) {
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
    const std::vector<Block>& inverse = levels_[0].inverse;
    return pool.sum<double>(static_cast<int>(r.size()), [&](int i) {
        z[i] = product(inverse[i], r[i]);
        return dot(r[i], z[i]);
    });
}

double BlockMultigrid::multiply(ThreadPool& pool, std::span<const Floats4> x, std::span<Floats4> product) {
    const LevelRows rows = rows_of(levels_[0], &far_);
    return pool.sum_chunks<double>(levels_[0].matrix.row_count(), [&](int begin, int end) {
        return multiply_rows(rows, x.data(), product.data(), begin, end);
    });
}

void BlockMultigrid::measure(ThreadPool& pool) {
    for (int l = 0; l < level_count(); ++l) {
        Level& level = levels_[l];
        const int n = level.matrix.row_count();
        const LevelRows rows = rows_of(level, l == 0 ? &far_ : nullptr);
        // A rough vector to begin with, since the largest modes are rough. Any numbers will do if they are always the
        // same.
        std::uint32_t seed = 1;
        const auto random = [&seed] {
            seed = seed * 1664525u + 1013904223u;
            return static_cast<float>(seed >> 8) * 0x1p-23F - 1.0F;
        };
        for (Floats4& x : level.x)
            x = Floats4{random(), random(), random(), 0.0F};
        double size = 0.0;
        for (int k = 0; k < kPowerSteps; ++k) {
            pool.for_chunks(n, kRowGrain, [&](int begin, int end) {
                multiply_rows(rows, level.x.data(), level.out.data(), begin, end);
            });
            const double squares = pool.sum<double>(n, [&](int i) {
                level.out[i] = product(level.inverse[i], level.out[i]);
                return dot(level.out[i], level.out[i]);
            });
            size = std::sqrt(squares);
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
