#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/vec.h"

namespace selvage {

/// Axis-aligned box; starts empty.
struct Aabb {
    Vec3 low{kNothing, kNothing, kNothing}, high{-kNothing, -kNothing, -kNothing};

    void include(const Aabb& box) {
        low = {std::min(low.x, box.low.x), std::min(low.y, box.low.y), std::min(low.z, box.low.z)};
        high = {std::max(high.x, box.high.x), std::max(high.y, box.high.y), std::max(high.z, box.high.z)};
    }
    void include(const Vec3& p) { include(Aabb{p, p}); }
    bool touches(const Aabb& other) const {
        return low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y && other.low.y <= high.y &&
               low.z <= other.high.z && other.low.z <= high.z;
    }
    std::array<Vec3, 8> corners() const {
        std::array<Vec3, 8> all;
        for (int k = 0; k < 8; ++k)
            all[k] = {(k & 1 ? high : low).x, (k & 2 ? high : low).y, (k & 4 ? high : low).z};
        return all;
    }

private:
    static constexpr double kNothing = std::numeric_limits<double>::infinity();
};

/// A tree of boxes over boxes, for finding those that touch another. Built along a space-filling curve.
class BoxTree {
public:
    /// Reuses its memory from call to call.
    void build(ThreadPool& pool, std::span<const Aabb> boxes);

    /// visit(index) for every given box that touches `box`, in an order that depends on the tree alone.
    template <class Visit>
    void for_touching(const Aabb& box, const Visit& visit) const {
        if (node_.empty()) return;
        int open[kDeepest], count = 0;
        open[count++] = 0;
        while (count > 0) {
            const Node& node = node_[open[--count]];
            if (!node.box.touches(box)) continue;
            if (node.right > 0) {
                open[count++] = node.right;
                open[count++] = static_cast<int>(&node - node_.data()) + 1;
                continue;
            }
            for (int k = node.first; k < node.first + node.count; ++k)
                visit(order_[k]);
        }
    }

private:
    static constexpr int kDeepest = 64; // a halving tree of 2^31 leaves needs half of that
    static constexpr int kLeaf = 4;
    struct Node {
        Aabb box;
        int first = 0, count = 0; // of order_
        int right = 0;            // the left child follows its parent; 0 in a leaf
    };
    int add_node(std::span<const Aabb> boxes, int first, int count);

    std::vector<Node> node_;
    std::vector<int> order_;
    std::vector<std::pair<std::uint64_t, int>> code_;
};

} // namespace selvage
