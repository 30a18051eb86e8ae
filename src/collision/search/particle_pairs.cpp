#include "collision/search/particle_pairs.h"

#include <algorithm>

namespace selvage {

PairFilter::PairFilter(std::vector<Vec3> rest, std::vector<int> piece, std::span<const Edge> edges, double distance)
    : rest_(std::move(rest)), piece_(std::move(piece)), distance_(distance) {
    std::vector<Edge> far;
    for (const auto& [a, b] : edges)
        if (!(length_squared(rest_[a] - rest_[b]) < distance * distance)) far.push_back({a, b});
    far_neighbours_ = vertex_neighbours(particle_count(), far);
}

PairLists::PairLists(int particle_count) : rows_(particle_count), chunks_(2 * (particle_count / kChunk) + 2) {
    // Twice as many chunks as full ones would need: a search may leave its own half empty. Cloth folded on itself has
    // about eight partners per particle; beyond that a chunk grows once and stays so.
    for (std::vector<int>& chunk : chunks_)
        chunk.reserve(8 * kChunk);
    crowded_.reserve(particle_count);
}

void PairLists::end_row(int i) {
    const std::span<int> partners = row(i);
    std::sort(partners.begin(), partners.end());
}

void PairLists::finish() {
    crowded_.clear();
    bool overflowed = false;
    for (int i = 0; i < particle_count(); ++i) {
        if (rows_[i].count > 0) crowded_.push_back(i);
        overflowed = overflowed || rows_[i].count == kMostPartners;
    }
    if (!overflowed) return;
    // A full row stopped at some partners; those it left out must not keep it. Rows only lose entries that their
    // partner does not have, so looking into rows already cut gives the same answer.
    for (const int i : crowded_) {
        const std::span<int> partners = row(i);
        const auto end = std::remove_if(partners.begin(), partners.end(), [&](int j) {
            const std::span<const int> theirs = (*this)[j];
            return !std::binary_search(theirs.begin(), theirs.end(), i);
        });
        rows_[i].count = static_cast<int>(end - partners.begin());
    }
}

std::size_t PairLists::pair_count() const {
    std::size_t ends = 0;
    for (const Row& row : rows_)
        ends += static_cast<std::size_t>(row.count);
    return ends / 2;
}

void find_pairs_by_brute_force(const std::vector<Vec3>& x, double reach, const PairFilter& filter, PairLists& lists) {
    const int n = filter.particle_count();
    for (int i = 0; i < n; ++i) {
        const int chunk = i / PairLists::kChunk;
        if (i % PairLists::kChunk == 0) lists.start_chunk(chunk);
        lists.start_row(chunk, i);
        for (int j = 0; j < n; ++j)
            if (j != i && length_squared(x[i] - x[j]) < reach * reach && !filter.leaves_out(i, j) && !lists.add(i, j))
                break;
        lists.end_row(i);
    }
    lists.finish();
}

} // namespace selvage
