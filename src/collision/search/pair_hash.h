#pragma once

#include <array>
#include <cstdint>

#include "collision/search/particle_pairs.h"

namespace selvage {

/// Near pairs by a grid of cells as wide as the reach, kept in a hash table and filled by a counting sort each time.
/// Linear in the particles, wherever they are; nothing is precomputed.
class PairHash {
public:
    explicit PairHash(int particle_count);

    /// All pairs nearer than `reach` [m] that the filter does not leave out.
    void find(ThreadPool& pool, const std::vector<Vec3>& x, double reach, const PairFilter& filter, PairLists& lists);

private:
    using Cell = std::array<std::int32_t, 3>;
    struct Slot { // a particle, in the order of the table
        Vec3 x;
        Cell cell;
        int particle;
    };
    std::uint32_t bucket(const Cell& cell) const {
        // Neighbours along the first axis lie in neighbouring buckets, so three cells are one run of slots. The primes
        // keep the rows of a flat sheet apart.
        return (static_cast<std::uint32_t>(cell[0]) + 73856093u * static_cast<std::uint32_t>(cell[1]) +
                19349663u * static_cast<std::uint32_t>(cell[2])) &
               mask_;
    }
    template <class Visit>
    void for_run(std::uint32_t first, std::uint32_t count, const Visit& visit) const;
    void add_partners(int i, const Vec3& own, double reach_squared, const PairFilter& filter, PairLists& lists) const;
    void sort_into_buckets(ThreadPool& pool, const std::vector<Vec3>& x, double cell_size);

    std::uint32_t mask_;
    std::vector<int> start_;            // of each bucket's slots, and one more
    std::vector<int> next_;             // scratch of the sort
    std::vector<Cell> cell_;            // by particle
    std::vector<std::uint32_t> bucket_; // by particle
    std::vector<Slot> slots_;
};

} // namespace selvage
