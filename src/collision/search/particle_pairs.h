#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "geometry/topology.h"
#include "math/vec.h"

namespace selvage {

/// Says which particles never count as a pair: those joined by an edge, and those of one piece that are nearer to each
/// other at rest than the minimum distance. Particles of different pieces always count.
class PairFilter {
public:
    /// One rest position [m] and one piece number per particle. `distance` [m] is the minimum distance.
    PairFilter(std::vector<Vec3> rest, std::vector<int> piece, std::span<const Edge> edges, double distance);

    int particle_count() const { return static_cast<int>(rest_.size()); }
    double distance() const { return distance_; }
    const std::vector<Vec3>& rest() const { return rest_; }

    bool leaves_out(int i, int j) const {
        if (piece_[i] != piece_[j]) return false;
        if (length_squared(rest_[i] - rest_[j]) < distance_ * distance_) return true;
        for (const int neighbour : far_neighbours_[i])
            if (neighbour == j) return true;
        return false;
    }

private:
    std::vector<Vec3> rest_;
    std::vector<int> piece_;
    IndexLists far_neighbours_; // along edges that the test of rest distances does not already leave out
    double distance_;
};

/// For every particle the others near it, ascending. Symmetric: j is in row i when i is in row j. The searches write it
/// chunk by chunk, so the threads share nothing and the memory of earlier steps is used again.
class PairLists {
public:
    /// More than could keep their distance within reach of one particle, many times over. Beyond it (points piled on
    /// one place) pairs are dropped rather than time and memory growing with the square.
    static constexpr int kMostPartners = 256;
    static constexpr int kChunk = 256; ///< Particles per chunk of a search.

    explicit PairLists(int particle_count);

    std::span<const int> operator[](int i) const {
        const Row& row = rows_[i];
        return {chunks_[row.chunk].data() + row.start, static_cast<std::size_t>(row.count)};
    }
    int particle_count() const { return static_cast<int>(rows_.size()); }
    /// Particles that have any partner, ascending; from finish().
    std::span<const int> crowded() const { return crowded_; }
    std::size_t pair_count() const; ///< Each pair once.

    /// Row by row within a chunk: start_row, add while it returns true, end_row.
    void start_chunk(int chunk) { chunks_[chunk].clear(); }
    void start_row(int chunk, int i) { rows_[i] = {chunk, static_cast<int>(chunks_[chunk].size()), 0}; }
    bool add(int i, int partner) {
        Row& row = rows_[i];
        chunks_[row.chunk].push_back(partner);
        return ++row.count < kMostPartners;
    }
    void end_row(int i); ///< Sorts.
    void finish();       ///< Call after all chunks. Makes rows that overflowed symmetric again.

private:
    struct Row {
        int chunk = 0, start = 0, count = 0;
    };
    std::span<int> row(int i) { return {chunks_[rows_[i].chunk].data() + rows_[i].start, std::size_t(rows_[i].count)}; }

    std::vector<Row> rows_;
    std::vector<std::vector<int>> chunks_;
    std::vector<int> crowded_;
};

/// Every pair tested: for tests.
void find_pairs_by_brute_force(const std::vector<Vec3>& x, double reach, const PairFilter& filter, PairLists& lists);

} // namespace selvage
