#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "collision/search/box_nodes.h"

namespace selvage {

/// A tree of boxes over boxes, for finding those that touch another. Built along a space-filling curve.
class BoxTree {
public:
    /// Reuses its memory from call to call.
    void build(ThreadPool& pool, std::span<const Aabb> boxes);

    /// visit(index) for every given box whose leaf touches `box`, in an order that depends on the tree alone.
    template <class Visit>
    void for_touching(const Aabb& box, const Visit& visit) const {
        nodes_.for_touching(box, visit);
    }

private:
    int add_node(std::span<const Aabb> boxes, int first, int count);

    BoxNodes nodes_;
    std::vector<std::pair<std::uint64_t, int>> code_;
};

} // namespace selvage
