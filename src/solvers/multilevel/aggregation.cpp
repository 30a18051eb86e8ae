#include "solvers/multilevel/aggregation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace selvage {

namespace {

// Measured on irregular cloth meshes: weaker ties only disturb the aggregates, and smaller weights cost more than they
// gain.
constexpr double kStrong = 0.02; // of the geometric mean of the diagonals
constexpr double kSmoothing = 2.0 / 3;
constexpr double kLeastWeight = 0.25; // of the largest in the row

double diagonal_of(const SparseMatrix& m, int row) {
    for (int e = m.start[row]; e < m.start[row + 1]; ++e)
        if (m.column[e] == row) return m.value[e];
    return 0.0;
}

/// Points in the order of a breadth-first walk: aggregates then grow next to one another and leave few gaps.
std::vector<int> walk(const SparseMatrix& m) {
    const int n = m.row_count();
    std::vector<int> order;
    order.reserve(n);
    std::vector<std::uint8_t> seen(n, 0);
    for (int seed = 0; seed < n; ++seed) {
        if (seen[seed]) continue;
        seen[seed] = 1;
        order.push_back(seed);
        for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
            const int i = order[at];
            for (int e = m.start[i]; e < m.start[i + 1]; ++e)
                if (!seen[m.column[e]]) {
                    seen[m.column[e]] = 1;
                    order.push_back(m.column[e]);
                }
        }
    }
    return order;
}

/// Which aggregate each point belongs to; -1 for none.
std::vector<int> find_aggregates(const SparseMatrix& m, bool leave_loners, int& count) {
    const int n = m.row_count();
    std::vector<double> size(n);
    for (int i = 0; i < n; ++i)
        size[i] = diagonal_of(m, i);
    const auto is_strong = [&](int i, int e) {
        const int j = m.column[e];
        return j != i && std::abs(m.value[e]) > kStrong * std::sqrt(size[i] * size[j]);
    };
    const std::vector<int> order = walk(m);
    std::vector<int> group(n, -1);
    count = 0;
    for (const int i : order) {
        if (group[i] >= 0) continue;
        bool is_root = false; // with a neighbour, and none of them taken
        for (int e = m.start[i]; e < m.start[i + 1]; ++e) {
            if (!is_strong(i, e)) continue;
            is_root = group[m.column[e]] < 0;
            if (!is_root) break;
        }
        if (!is_root) continue;
        group[i] = count;
        for (int e = m.start[i]; e < m.start[i + 1]; ++e)
            if (is_strong(i, e)) group[m.column[e]] = count;
        ++count;
    }
    // What is left joins the neighbour it is tied to most strongly, looked up in the groups as they were before, so
    // that the order does not matter.
    const std::vector<int> first = group;
    for (const int i : order) {
        if (first[i] >= 0) continue;
        double most = 0.0;
        bool alone = true;
        for (int e = m.start[i]; e < m.start[i + 1]; ++e) {
            const int j = m.column[e];
            if (j == i) continue;
            alone = false;
            if (first[j] >= 0 && std::abs(m.value[e]) > most) {
                most = std::abs(m.value[e]);
                group[i] = first[j];
            }
        }
        if (group[i] < 0 && !(alone && leave_loners)) group[i] = count++;
    }
    return group;
}

} // namespace

/// Row after row, since sorting all entries at once takes long on large meshes. Entries of one place add up in the order
/// given.
SparseMatrix make_matrix(int row_count, std::vector<MatrixEntry> entries) {
    std::vector<std::size_t> begin(static_cast<std::size_t>(row_count) + 1, 0);
    for (const MatrixEntry& entry : entries)
        ++begin[entry.row + 1];
    for (int i = 0; i < row_count; ++i)
        begin[i + 1] += begin[i];
    struct Placed {
        int column;
        double value;
    };
    std::vector<Placed> placed(entries.size());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (const MatrixEntry& entry : entries)
        placed[next[entry.row]++] = {entry.column, entry.value};
    entries = {};

    SparseMatrix m;
    m.start.reserve(begin.size());
    for (int i = 0; i < row_count; ++i) {
        const std::span<Placed> row(placed.data() + begin[i], placed.data() + begin[i + 1]);
        std::stable_sort(row.begin(), row.end(), [](const Placed& a, const Placed& b) { return a.column < b.column; });
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k > 0 && row[k].column == row[k - 1].column) {
                m.value.back() += row[k].value;
                continue;
            }
            m.column.push_back(row[k].column);
            m.value.push_back(row[k].value);
        }
        m.start.push_back(static_cast<int>(m.column.size()));
    }
    return m;
}

SparseMatrix aggregate(const SparseMatrix& m, bool leave_loners, int& coarse_count) {
    const int n = m.row_count();
    const std::vector<int> group = find_aggregates(m, leave_loners, coarse_count);
    SparseMatrix weights;
    weights.start.reserve(n + 1);
    std::vector<std::pair<int, double>> row;
    for (int i = 0; i < n; ++i) {
        row.clear();
        const double size = diagonal_of(m, i);
        const auto add = [&](int coarse, double weight) {
            if (coarse < 0) return;
            for (auto& [column, sum] : row)
                if (column == coarse) {
                    sum += weight;
                    return;
                }
            row.emplace_back(coarse, weight);
        };
        // (I - 2/3 D^-1 A) applied to the aggregates.
        if (group[i] >= 0) {
            add(group[i], 1.0);
            if (size > 0.0)
                for (int e = m.start[i]; e < m.start[i + 1]; ++e)
                    add(group[m.column[e]], -kSmoothing * m.value[e] / size);
        }
        double most = 0.0, sum_left = 0.0;
        for (const auto& [column, weight] : row)
            most = std::max(most, weight);
        std::sort(row.begin(), row.end());
        for (const auto& [column, weight] : row)
            if (weight >= kLeastWeight * most) sum_left += weight;
        for (const auto& [column, weight] : row)
            if (weight >= kLeastWeight * most && sum_left > 0.0) {
                weights.column.push_back(column);
                weights.value.push_back(weight / sum_left);
            }
        weights.start.push_back(static_cast<int>(weights.column.size()));
    }
    return weights;
}

SparseMatrix transpose(const SparseMatrix& m, int column_count) {
    SparseMatrix t;
    t.start.assign(column_count + 1, 0);
    for (const int c : m.column)
        ++t.start[c + 1];
    for (int c = 0; c < column_count; ++c)
        t.start[c + 1] += t.start[c];
    t.column.resize(m.column.size());
    t.value.resize(m.column.size());
    std::vector<int> next(t.start.begin(), t.start.end() - 1);
    for (int i = 0; i < m.row_count(); ++i)
        for (int e = m.start[i]; e < m.start[i + 1]; ++e) {
            const int at = next[m.column[e]]++;
            t.column[at] = i;
            t.value[at] = m.value[e];
        }
    return t;
}

SparseMatrix triple_product(const SparseMatrix& weights, const SparseMatrix& m, int coarse_count) {
    const SparseMatrix children = transpose(weights, coarse_count);
    SparseMatrix result;
    std::vector<double> sum(coarse_count, 0.0);
    std::vector<int> mark(coarse_count, -1), columns;
    for (int row = 0; row < coarse_count; ++row) {
        columns.clear();
        for (int c = children.start[row]; c < children.start[row + 1]; ++c) {
            const int i = children.column[c];
            for (int e = m.start[i]; e < m.start[i + 1]; ++e) {
                const int j = m.column[e];
                const double weighted = children.value[c] * m.value[e];
                for (int w = weights.start[j]; w < weights.start[j + 1]; ++w) {
                    const int column = weights.column[w];
                    if (mark[column] != row) {
                        mark[column] = row;
                        sum[column] = 0.0;
                        columns.push_back(column);
                    }
                    sum[column] += weighted * weights.value[w];
                }
            }
        }
        std::sort(columns.begin(), columns.end());
        for (const int column : columns) {
            result.column.push_back(column);
            result.value.push_back(sum[column]);
        }
        result.start.push_back(static_cast<int>(result.column.size()));
    }
    return result;
}

} // namespace selvage
