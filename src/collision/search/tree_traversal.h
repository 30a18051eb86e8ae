#pragma once

// Walks through binary trees of boxes, without recursion. A tree has is_leaf(node), left(node) and right(node), nodes
// being numbers.

namespace selvage {

constexpr int kDeepestTree = 64; ///< Nodes open at once: a halving tree of 2^31 leaves needs half of that.

/// A full binary tree in one array: root 1, children of k at 2k and 2k + 1, leaf l at leaf_count + l.
struct HeapTree {
    int leaf_count;

    bool is_leaf(int node) const { return node >= leaf_count; }
    int left(int node) const { return 2 * node; }
    int right(int node) const { return 2 * node + 1; }
};

/// visit(leaf) for the leaves below `root`, left before right, until it returns false. Goes below a node only when
/// enter(node).
template <class Tree, class Enter, class Visit>
void for_leaves(const Tree& tree, int root, const Enter& enter, const Visit& visit) {
    int open[kDeepestTree], count = 0;
    open[count++] = root;
    while (count > 0) {
        const int node = open[--count];
        if (!enter(node)) continue;
        if (tree.is_leaf(node)) {
            if (!visit(node)) return;
            continue;
        }
        open[count++] = tree.right(node);
        open[count++] = tree.left(node);
    }
}

/// visit(leaf) for the leaves below `root` whose key(node) is below `limit`, smaller keys first; visit may lower the
/// limit. A node's key must be no larger than its children's.
template <class Tree, class Key, class Visit>
void for_lowest_leaves(const Tree& tree, int root, double& limit, const Key& key, const Visit& visit) {
    struct Open {
        int node;
        double key;
    };
    Open open[kDeepestTree];
    int count = 0;
    open[count++] = {root, key(root)};
    while (count > 0) {
        const Open next = open[--count];
        if (!(next.key < limit)) continue;
        if (tree.is_leaf(next.node)) {
            visit(next.node);
            continue;
        }
        const Open left{tree.left(next.node), key(tree.left(next.node))};
        const Open right{tree.right(next.node), key(tree.right(next.node))};
        open[count++] = left.key < right.key ? right : left;
        open[count++] = left.key < right.key ? left : right;
    }
}

} // namespace selvage
