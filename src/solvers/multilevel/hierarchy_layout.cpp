// Set-up of the hierarchy: which points each level has, in what order, and which finer blocks make up each of its own.
// What is done with them is in block_multigrid.cpp.

#include <algorithm>
#include <tuple>
#include <utility>

#include "solvers/multilevel/block_multigrid.h"

namespace selvage {

namespace {

constexpr int kDenseRows = 64; // the largest coarsest level that is factored; larger ones are swept
constexpr int kLeastRows = 4;  // a level of fewer corrects next to nothing: the one before is factored instead

/// Below how many rows a level is the coarsest: a factor costs its cube, so small cloths stop earlier.
int coarsest_size(int finest) {
    return std::clamp(finest / 500, 10, 40);
}

/// visit(row, column, slot) for all entries of slices but padding. `has_diagonal`: the first entry of a row is its own.
template <class Sliced, class Visit>
void for_each_entry(const Sliced& sliced, int rows, bool has_diagonal, const Visit& visit) {
    for (int i = 0; i < rows; ++i) {
        const int begin = sliced.start[i / kSliceRows], end = sliced.start[i / kSliceRows + 1];
        for (int slot = begin; slot < end; ++slot) {
            const int column = sliced.column[kSliceRows * slot + i % kSliceRows] / kColumnStep;
            if (column != i || (has_diagonal && slot == begin)) visit(i, column, slot);
        }
    }
}

/// Coarse points in the order of their first fine ones, by falling row length within windows; weights follow.
void renumber(const SparseMatrix& coupled, int coarse_count, SparseMatrix& weights) {
    const SparseMatrix meet = triple_product(weights, coupled, coarse_count);
    std::vector<int> order, length(coarse_count), number(coarse_count, -1);
    for (const int c : weights.column)
        if (number[c] < 0) {
            number[c] = 0;
            order.push_back(c);
        }
    for (int c = 0; c < coarse_count; ++c)
        length[c] = meet.start[c + 1] - meet.start[c];
    sort_by_length(length, order);
    for (std::size_t k = 0; k < order.size(); ++k)
        number[order[k]] = static_cast<int>(k);
    std::vector<std::pair<int, double>> row;
    for (int i = 0; i < weights.row_count(); ++i) {
        row.clear();
        for (int e = weights.start[i]; e < weights.start[i + 1]; ++e)
            row.emplace_back(number[weights.column[e]], weights.value[e]);
        std::sort(row.begin(), row.end());
        for (int e = weights.start[i]; e < weights.start[i + 1]; ++e)
            std::tie(weights.column[e], weights.value[e]) = row[e - weights.start[i]];
    }
}

} // namespace

BlockMultigrid::BlockMultigrid(SystemPattern pattern) : far_(std::move(pattern.far)) {
    levels_.emplace_back();
    levels_[0].matrix = std::move(pattern.matrix);
    SparseMatrix at = std::move(pattern.ties);
    const int enough = coarsest_size(at.row_count());
    while (at.row_count() > enough) {
        int coarse_count = 0;
        const bool from_finest = levels_.size() == 1;
        SparseMatrix weights = aggregate(at, from_finest, coarse_count);
        if (coarse_count == 0 || coarse_count > 0.8 * at.row_count()) break;
        if (coarse_count < kLeastRows && at.row_count() <= kDenseRows) break;
        SparseMatrix coupled;
        const SlicedMatrix& m = levels_.back().matrix;
        std::vector<MatrixEntry> entries;
        for_each_entry(m, m.rows, true, [&](int i, int j, int) { entries.push_back({i, j, 1.0}); });
        if (from_finest)
            for_each_entry(far_, m.rows, false, [&](int i, int j, int) { entries.push_back({i, j, 1.0}); });
        coupled = make_matrix(m.rows, std::move(entries));
        renumber(coupled, coarse_count, weights);
        add_coarser_level(weights, triple_product(weights, coupled, coarse_count));
        at = triple_product(weights, at, coarse_count);
    }
    for (Level& level : levels_) {
        const std::size_t n = padded(level.matrix.row_count());
        level.inverse.resize(level.matrix.slice_count());
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

void BlockMultigrid::add_coarser_level(const SparseMatrix& weights, const SparseMatrix& meet) {
    Level& fine = levels_.back();
    const SlicedMatrix& m = fine.matrix;
    const int coarse_count = meet.row_count();
    const SparseMatrix children = transpose(weights, coarse_count);
    fine.parent_start = weights.start;
    fine.parent = weights.column;
    fine.parent_weight.assign(weights.value.begin(), weights.value.end());
    fine.child_start = children.start;
    fine.child = children.column;
    fine.child_weight.assign(children.value.begin(), children.value.end());

    IndexLists rows;
    for (int row = 0; row < coarse_count; ++row) {
        for (int e = meet.start[row]; e < meet.start[row + 1]; ++e)
            if (meet.column[e] != row) rows.items.push_back(meet.column[e]);
        rows.start.push_back(static_cast<int>(rows.items.size()));
    }
    Level coarse;
    coarse.matrix = make_sliced_matrix(rows);
    const SlicedMatrix& c = coarse.matrix;

    // Slots: the upper triangle in the order of its rows. Sources: counted first, then filled.
    std::vector<int> slot_of(c.column.size(), -1);
    for_each_entry(c, coarse_count, true, [&](int row, int column, int slot) {
        if (column < row) return;
        slot_of[kSliceRows * slot + row % kSliceRows] = static_cast<int>(coarse.slot.size());
        coarse.slot.push_back({SlicedMatrix::place(slot, row % kSliceRows), place_of_block(c, column, row)});
    });
    const auto for_each_source = [&](const auto& visit) {
        for_each_entry(m, m.rows, true, [&](int i, int j, int slot) {
            for (int p = weights.start[i]; p < weights.start[i + 1]; ++p)
                for (int q = weights.start[j]; q < weights.start[j + 1]; ++q) {
                    const int row = weights.column[p], column = weights.column[q];
                    // On the diagonal one of two mirror images, and half of what is its own: see gather_slots().
                    if (row > column || (row == column && i > j)) continue;
                    const double part = row == column && i == j ? 0.5 : 1.0;
                    visit(slot_of[kSliceRows * slot_of_block(c, row, column) + row % kSliceRows],
                          BlockSource{SlicedMatrix::place(slot, i % kSliceRows),
                                      static_cast<float>(part * weights.value[p] * weights.value[q])});
                }
        });
    };
    coarse.source_start.assign(coarse.slot.size() + 1, 0);
    for_each_source([&](int slot, const BlockSource&) { ++coarse.source_start[slot + 1]; });
    for (std::size_t s = 0; s < coarse.slot.size(); ++s)
        coarse.source_start[s + 1] += coarse.source_start[s];
    coarse.source.resize(coarse.source_start.back());
    std::vector<int> next(coarse.source_start.begin(), coarse.source_start.end() - 1);
    for_each_source([&](int slot, const BlockSource& source) { coarse.source[next[slot]++] = source; });
    coarse.slot.shrink_to_fit();
    if (levels_.size() == 1) far_base_.assign(c.column.size(), 0.0F);
    levels_.push_back(std::move(coarse));
}

} // namespace selvage
