#include "collision/search/pair_hash.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace selvage {

namespace {

constexpr double kMostCells = 1 << 30; // from the origin; what is farther out shares the last cell

std::int32_t cell_index(double x, double inverse_size) {
    const double cells = std::floor(x * inverse_size);
    return static_cast<std::int32_t>(cells > -kMostCells ? std::min(cells, kMostCells) : -kMostCells); // NaN: lowest
}

} // namespace

PairHash::PairHash(int particle_count)
    : mask_(std::bit_ceil(static_cast<std::uint32_t>(std::max(2 * particle_count, 4))) - 1), start_(mask_ + 2),
      next_(mask_ + 1), cell_(particle_count), bucket_(particle_count), slots_(particle_count) {}

void PairHash::sort_into_buckets(ThreadPool& pool, const std::vector<Vec3>& x, double cell_size) {
    const int n = static_cast<int>(x.size());
    const double inverse_size = 1.0 / cell_size;
    pool.for_each(n, [&](int i) {
        cell_[i] = {cell_index(x[i].x, inverse_size), cell_index(x[i].y, inverse_size),
                    cell_index(x[i].z, inverse_size)};
        bucket_[i] = bucket(cell_[i]);
    });
    std::fill(start_.begin(), start_.end(), 0);
    for (const std::uint32_t b : bucket_)
        ++start_[b + 1];
    for (std::size_t b = 0; b < next_.size(); ++b) {
        next_[b] = start_[b];
        start_[b + 1] += start_[b];
    }
    for (int i = 0; i < n; ++i)
        slots_[next_[bucket_[i]]++] = {x[i], cell_[i], i};
}

/// visit(slot) until it returns false, over `count` buckets from `first` on, which may run past the table's end.
template <class Visit>
void PairHash::for_run(std::uint32_t first, std::uint32_t count, const Visit& visit) const {
    const std::uint32_t end = std::min(first + count, mask_ + 1);
    for (int s = start_[first]; s < start_[end]; ++s)
        if (!visit(slots_[s])) return;
    if (first + count > end) for_run(0, first + count - end, visit);
}

void PairHash::find(ThreadPool& pool, const std::vector<Vec3>& x, double reach, const PairFilter& filter,
                    PairLists& lists) {
    // A hair wider than the reach, so that rounding never puts a pair two cells apart.
    sort_into_buckets(pool, x, reach * (1.0 + 1e-6));
    pool.for_chunks(static_cast<int>(x.size()), PairLists::kChunk, [&](int begin, int end) {
        const int chunk = begin / PairLists::kChunk;
        lists.start_chunk(chunk);
        // In the order of the particles, not of the table: neighbours in the mesh look into the same buckets.
        for (int i = begin; i < end; ++i) {
            lists.start_row(chunk, i);
            add_partners(i, x[i], reach * reach, filter, lists);
            lists.end_row(i);
        }
    });
    lists.finish();
}

/// Fills the row of a particle from the cells around it.
void PairHash::add_partners(int i, const Vec3& own, double reach_squared, const PairFilter& filter,
                            PairLists& lists) const {
    const Cell cell = cell_[i];
    bool room = true;
    for (std::int32_t dz = -1; dz <= 1 && room; ++dz)
        for (std::int32_t dy = -1; dy <= 1 && room; ++dy) {
            const std::int32_t cy = cell[1] + dy, cz = cell[2] + dz;
            for_run(bucket({cell[0] - 1, cy, cz}), 3, [&](const Slot& other) {
                if (!(length_squared(own - other.x) < reach_squared)) return true;
                // Other cells may have these buckets too: a particle counts only where it really lies, or it would be
                // found twice.
                if (other.cell[1] != cy || other.cell[2] != cz || other.cell[0] < cell[0] - 1 ||
                    other.cell[0] > cell[0] + 1)
                    return true;
                if (other.particle == i || filter.leaves_out(i, other.particle)) return true;
                room = lists.add(i, other.particle);
                return room;
            });
        }
}

} // namespace selvage
