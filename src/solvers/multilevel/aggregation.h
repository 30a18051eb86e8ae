#pragma once

#include <vector>

namespace selvage {

/// Rows of (column, value), columns rising within a row.
struct SparseMatrix {
    std::vector<int> start{0};
    std::vector<int> column;
    std::vector<double> value;
    int row_count() const { return static_cast<int>(start.size()) - 1; }
};

/// One entry to collect into a matrix; entries of one place add up.
struct MatrixEntry {
    int row, column;
    double value;
};
SparseMatrix make_matrix(int row_count, std::vector<MatrixEntry> entries);

/// Smoothed aggregation (Vanek, Mandel and Brezina 1996) of a symmetric scalar matrix with positive diagonal: rows of
/// weights with which a point follows a few coarse ones, adding up to 1. With `leave_loners`, points tied to nothing
/// follow no coarse point; otherwise each gets one of its own. `coarse_count` receives the number of coarse points.
SparseMatrix aggregate(const SparseMatrix& matrix, bool leave_loners, int& coarse_count);

SparseMatrix transpose(const SparseMatrix& matrix, int column_count);

/// P^T A P for weights P.
SparseMatrix triple_product(const SparseMatrix& weights, const SparseMatrix& matrix, int coarse_count);

} // namespace selvage
