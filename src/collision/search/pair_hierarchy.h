#pragma once

#include "collision/search/aabb.h"
#include "collision/search/particle_pairs.h"

namespace selvage {

/// Near pairs by a tree of boxes over the particles (Fuhrmann, Gross and Luckas 2003). The tree is built once from the
/// rest positions; each search refits its boxes from the leaves up, grown by half the reach, and tests the tree against
/// itself. Good while particles that were neighbours at rest still are; slower the more the cloth is mixed.
class PairHierarchy {
public:
    explicit PairHierarchy(const std::vector<Vec3>& rest);

    /// All pairs nearer than `reach` [m] that the filter does not leave out.
    void find(ThreadPool& pool, const std::vector<Vec3>& x, double reach, const PairFilter& filter, PairLists& lists);

private:
    // A full binary tree in one array, root 1, children of k at 2k and 2k + 1; leaf l is node leaf_count_ + l and holds
    // the particles order_[leaf_start(l)] .. order_[leaf_start(l + 1)]: about equally many in each.
    int leaf_start(int leaf) const {
        return static_cast<int>(static_cast<long long>(leaf) * static_cast<long long>(order_.size()) / leaf_count_);
    }
    void split(const std::vector<Vec3>& rest, int first_leaf, int last_leaf);
    void refit(ThreadPool& pool, const std::vector<Vec3>& x, double reach);
    void write_rows(int leaf, int chunk, double reach_squared, const PairFilter& filter, PairLists& lists) const;
    bool add_partners(int k, int leaf, double reach_squared, const PairFilter& filter, PairLists& lists) const;
    template <class Visit>
    void for_touching_leaves(int leaf, const Visit& visit) const;

    int leaf_count_ = 1;
    std::vector<int> order_; // particles, leaf by leaf
    std::vector<Vec3> x_;    // their positions in that order
    std::vector<Aabb> box_;
};

} // namespace selvage
