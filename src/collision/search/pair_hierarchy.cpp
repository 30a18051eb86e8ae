#include "collision/search/pair_hierarchy.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "collision/search/tree_traversal.h"

namespace selvage {

namespace {
constexpr int kLeafSize = 4; // at most; smaller leaves cost more boxes, larger ones more tests of pairs
} // namespace

PairHierarchy::PairHierarchy(const std::vector<Vec3>& rest) : order_(rest.size()), x_(rest.size()) {
    while (static_cast<std::size_t>(leaf_count_) * kLeafSize < rest.size())
        leaf_count_ *= 2;
    std::iota(order_.begin(), order_.end(), 0);
    box_.resize(2 * static_cast<std::size_t>(leaf_count_));
    split(rest, 0, leaf_count_);
}

/// Divides the particles of a run of leaves between its halves, across the longest side of their box.
void PairHierarchy::split(const std::vector<Vec3>& rest, int first_leaf, int last_leaf) {
    if (last_leaf - first_leaf < 2) {
        // Halving decides which particles lie here; their order in the leaf is the library's choice.
        std::sort(order_.begin() + leaf_start(first_leaf), order_.begin() + leaf_start(last_leaf));
        return;
    }
    const int middle_leaf = (first_leaf + last_leaf) / 2;
    const auto begin = order_.begin() + leaf_start(first_leaf), end = order_.begin() + leaf_start(last_leaf);
    if (begin == end) return;
    Aabb box;
    for (auto it = begin; it != end; ++it)
        box.include(rest[*it]);
    const Vec3 size = box.high - box.low;
    double Vec3::* const axis = size.x >= size.y && size.x >= size.z ? &Vec3::x
                                : size.y >= size.z                   ? &Vec3::y
                                                                     : &Vec3::z;
    // Ties by index: the same tree from every standard library.
    std::nth_element(begin, order_.begin() + leaf_start(middle_leaf), end, [&](int i, int j) {
        return rest[i].*axis != rest[j].*axis ? rest[i].*axis < rest[j].*axis : i < j;
    });
    split(rest, first_leaf, middle_leaf);
    split(rest, middle_leaf, last_leaf);
}

void PairHierarchy::refit(ThreadPool& pool, const std::vector<Vec3>& x, double reach) {
    // Half the reach on each side, and a hair for rounding.
    const double grow = 0.5 * reach * (1.0 + 1e-6);
    pool.for_each(leaf_count_, [&](int leaf) {
        Aabb box; // that of an empty leaf touches nothing
        for (int k = leaf_start(leaf); k < leaf_start(leaf + 1); ++k) {
            x_[k] = x[order_[k]];
            box.include(Aabb{x_[k] - Vec3{grow, grow, grow}, x_[k] + Vec3{grow, grow, grow}});
        }
        box_[leaf_count_ + leaf] = box;
    });
    for (int level = leaf_count_ / 2; level >= 1; level /= 2)
        pool.for_each(level, [&](int k) {
            Aabb box = box_[2 * (level + k)];
            box.include(box_[2 * (level + k) + 1]);
            box_[level + k] = box;
        });
}

/// visit(leaf) until it returns false.
template <class Visit>
void PairHierarchy::for_touching_leaves(int leaf, const Visit& visit) const {
    const Aabb& own = box_[leaf_count_ + leaf];
    for_leaves(
        HeapTree{leaf_count_}, 1, [&](int node) { return own.touches(box_[node]); },
        [&](int node) { return visit(node - leaf_count_); });
}

void PairHierarchy::find(ThreadPool& pool, const std::vector<Vec3>& x, double reach, const PairFilter& filter,
                         PairLists& lists) {
    refit(pool, x, reach);
    // Leaf by leaf against the whole tree rather than node against node: the leaves are independent, so threads can
    // take them one by one, and each particle's row is written in one go.
    constexpr int kLeaves = PairLists::kChunk / kLeafSize;
    pool.for_chunks(leaf_count_, kLeaves, [&](int begin, int end) {
        const int chunk = begin / kLeaves;
        lists.start_chunk(chunk);
        for (int leaf = begin; leaf < end; ++leaf)
            write_rows(leaf, chunk, reach * reach, filter, lists);
    });
    lists.finish();
}

/// The rows of a leaf's particles.
void PairHierarchy::write_rows(int leaf, int chunk, double reach_squared, const PairFilter& filter,
                               PairLists& lists) const {
    std::array<int, 256> near; // leaves around this one, found once where there is room for them
    int near_count = 0;
    bool fits = true;
    for_touching_leaves(leaf, [&](int other) {
        fits = near_count < static_cast<int>(near.size());
        if (fits) near[near_count++] = other;
        return fits;
    });
    for (int k = leaf_start(leaf); k < leaf_start(leaf + 1); ++k) {
        lists.start_row(chunk, order_[k]);
        const auto add = [&](int other) { return add_partners(k, other, reach_squared, filter, lists); };
        if (fits)
            for (int m = 0; m < near_count && add(near[m]); ++m) {
            }
        else
            for_touching_leaves(leaf, add);
        lists.end_row(order_[k]);
    }
}

/// Adds the near ones of a leaf's particles to the row of the k-th particle; false when the row is full.
bool PairHierarchy::add_partners(int k, int leaf, double reach_squared, const PairFilter& filter,
                                 PairLists& lists) const {
    const int i = order_[k];
    for (int m = leaf_start(leaf); m < leaf_start(leaf + 1); ++m) {
        if (!(length_squared(x_[k] - x_[m]) < reach_squared)) continue;
        const int j = order_[m];
        if (j == i || filter.leaves_out(i, j)) continue;
        if (!lists.add(i, j)) return false;
    }
    return true;
}

} // namespace selvage
