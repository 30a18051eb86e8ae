#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "geometry/topology.h"
#include "math/block.h"

namespace selvage {

// Rows in slices of eight, one lane for each row. A slice has as many slots as its longest row has entries; slot after
// slot holds one entry of each of its rows, and shorter rows end in zeros. All lanes do the same with their own
// numbers, so the width of the machine's registers changes no bits. Vectors over such rows are padded to whole slices.

inline constexpr int kSliceRows = 8;
inline constexpr int kSliceGrain = 16; // slices that a thread takes at a time

inline int slice_count_of(int rows) {
    return (rows + kSliceRows - 1) / kSliceRows;
}
inline int padded(int rows) {
    return kSliceRows * slice_count_of(rows);
}

/// Columns are kept as places of points in an array of floats: see gather().
inline constexpr int kColumnStep = 4;

struct SliceNumber { // one number of each row
    Floats8 value;
};
struct SliceBlock { // a 3x3 block of each row, column by column
    Floats8 value[9];
};
struct SliceInverse { // a symmetric block of each row: xx, xy, xz, yy, yz, zz
    Floats8 value[6];
};

/// Rows of 3x3 blocks; the first of each row is the diagonal one. A column may occur twice in a row.
struct SlicedMatrix {
    int rows = 0;
    std::vector<int> start{0};     ///< First slot of each slice.
    std::vector<int> column;       ///< Of each slot and lane, times kColumnStep; unused ones name their own row.
    std::vector<SliceBlock> block; ///< Of each slot.

    int row_count() const { return rows; }
    int slice_count() const { return static_cast<int>(start.size()) - 1; }

    /// Where the numbers of a block begin, in floats from the first; one follows every eight.
    static int place(int slot, int lane) { return slot * 9 * kSliceRows + lane; }
    int diagonal_place(int row) const { return place(start[row / kSliceRows], row % kSliceRows); }

    // By single numbers: threads may have rows of one slice, and to some compilers a lane means its whole register.
    Block diagonal(int row) const {
        const float* at = reinterpret_cast<const float*>(block.data()) + diagonal_place(row);
        constexpr int k = kSliceRows;
        return {{Floats4{at[0], at[k], at[2 * k], 0.0F}, Floats4{at[3 * k], at[4 * k], at[5 * k], 0.0F},
                 Floats4{at[6 * k], at[7 * k], at[8 * k], 0.0F}}};
    }
    void set_diagonal(int row, const Block& to) {
        float* at = reinterpret_cast<float*>(block.data()) + diagonal_place(row);
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r)
                at[(3 * c + r) * kSliceRows] = to.column[c][r];
    }
};

/// Slot of the first block in a row and column; the pattern must have it.
inline int slot_of_block(const SlicedMatrix& m, int row, int column) {
    int slot = m.start[row / kSliceRows];
    while (m.column[kSliceRows * slot + row % kSliceRows] != kColumnStep * column)
        ++slot;
    return slot;
}

inline int place_of_block(const SlicedMatrix& m, int row, int column) {
    return SlicedMatrix::place(slot_of_block(m, row, column), row % kSliceRows);
}

/// Rows of numbers, each with a column.
struct SlicedTies {
    std::vector<int> start{0}; ///< First slot of each slice.
    std::vector<int> column;   ///< Of each slot and lane, times kColumnStep; unused ones name their own row.
    std::vector<SliceNumber> value;
    int slice_count() const { return static_cast<int>(start.size()) - 1; }
};

/// Slices that hold the rows of `lists`, columns filled in.
template <class Sliced>
void lay_out_slices(const IndexLists& lists, Sliced& sliced) {
    const int rows = lists.row_count();
    for (int begin = 0; begin < rows; begin += kSliceRows) {
        const int end = std::min(rows, begin + kSliceRows);
        int most = 0;
        for (int i = begin; i < end; ++i)
            most = std::max(most, lists.start[i + 1] - lists.start[i]);
        for (int k = 0; k < most; ++k)
            for (int lane = 0; lane < kSliceRows; ++lane) {
                const int i = begin + lane;
                const bool is_used = i < end && k < lists.start[i + 1] - lists.start[i];
                sliced.column.push_back(kColumnStep * (is_used ? lists[i][k] : i));
            }
        sliced.start.push_back(sliced.start.back() + most);
    }
    sliced.column.shrink_to_fit();
    sliced.start.shrink_to_fit();
}

/// Row i of `rows` has the columns i and then those given.
inline SlicedMatrix make_sliced_matrix(const IndexLists& rows) {
    IndexLists with_diagonal;
    for (int i = 0; i < rows.row_count(); ++i) {
        with_diagonal.items.push_back(i);
        with_diagonal.items.insert(with_diagonal.items.end(), rows[i].begin(), rows[i].end());
        with_diagonal.start.push_back(static_cast<int>(with_diagonal.items.size()));
    }
    SlicedMatrix m;
    m.rows = rows.row_count();
    lay_out_slices(with_diagonal, m);
    m.block.resize(m.column.size() / kSliceRows);
    return m;
}

/// `value` of each of the items.
inline SlicedTies make_sliced_ties(const IndexLists& lists, const std::vector<float>& value) {
    SlicedTies ties;
    lay_out_slices(lists, ties);
    ties.value.resize(ties.column.size() / kSliceRows);
    for (int i = 0; i < lists.row_count(); ++i)
        for (int e = lists.start[i]; e < lists.start[i + 1]; ++e)
            ties.value[ties.start[i / kSliceRows] + e - lists.start[i]].value[i % kSliceRows] = value[e];
    return ties;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& v) {
    return v.capacity() * sizeof(T);
}
inline std::size_t bytes_of(const IndexLists& v) {
    return bytes_of(v.start) + bytes_of(v.items);
}
inline std::size_t bytes_of(const SlicedMatrix& v) {
    return bytes_of(v.start) + bytes_of(v.column) + bytes_of(v.block);
}
inline std::size_t bytes_of(const SlicedTies& v) {
    return bytes_of(v.start) + bytes_of(v.column) + bytes_of(v.value);
}

/// Numbers with which the rows of a matrix are visited so that neighbours lie near each other and rows of one slice are
/// of about one length: the given order, but by falling length within windows. `length` by row, `order` of rows.
inline void sort_by_length(const std::vector<int>& length, std::vector<int>& order) {
    constexpr int kWindow = 64; // rows; slices on cloth then have about 1 % of padding
    for (std::size_t begin = 0; begin < order.size(); begin += kWindow)
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                         order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), begin + kWindow)),
                         [&](int a, int b) { return length[a] > length[b]; });
}

} // namespace selvage
