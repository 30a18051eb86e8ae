#pragma once

#include <span>
#include <vector>

#include "collision/search/aabb.h"
#include "collision/search/tree_traversal.h"

namespace selvage {

/// A tree of boxes in one array, each parent before its children, and the items of its leaves.
struct BoxNodes {
    static constexpr int kLeafSize = 4; ///< Items of a leaf at most.
    struct Node {
        Aabb box;
        int first = 0, count = 0; // of order
        int right = 0;            // the left child follows its parent; 0 in a leaf
    };
    std::vector<Node> node;
    std::vector<int> order; ///< Items, leaf by leaf.

    bool is_leaf(int n) const { return !(node[n].right > 0); }
    int left(int n) const { return n + 1; }
    int right(int n) const { return node[n].right; }
    std::span<const int> items(int n) const {
        return {order.data() + node[n].first, static_cast<std::size_t>(node[n].count)};
    }

    /// visit(item) for every item whose leaf touches `box`: a few that do not touch it themselves are among them.
    template <class Visit>
    void for_touching(const Aabb& box, const Visit& visit) const {
        if (node.empty()) return;
        for_leaves(
            *this, 0, [&](int n) { return node[n].box.touches(box); },
            [&](int leaf) {
                for (const int item : items(leaf))
                    visit(item);
                return true;
            });
    }
};

} // namespace selvage
