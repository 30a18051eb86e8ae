#include "collision/search/box_tree.h"

#include <algorithm>

namespace selvage {

namespace {

/// Every third bit.
std::uint64_t spread(std::uint64_t v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
}

} // namespace

void BoxTree::build(ThreadPool& pool, std::span<const Aabb> boxes) {
    const int n = static_cast<int>(boxes.size());
    Aabb all;
    for (const Aabb& box : boxes)
        all.include(box);
    const Vec3 size = all.high - all.low;
    const double longest = std::max({size.x, size.y, size.z, 1e-300});
    code_.resize(boxes.size());
    pool.for_each(n, [&](int i) {
        const auto cell = [&](double v, double low) {
            const double along = (v - low) / longest; // no number where places overflow
            return along > 0.0 ? static_cast<std::uint64_t>(std::min(along, 1.0) * 0x1fffff) : 0;
        };
        const Vec3 middle = 0.5 * (boxes[i].low + boxes[i].high);
        code_[i] = {spread(cell(middle.x, all.low.x)) | spread(cell(middle.y, all.low.y)) << 1 |
                        spread(cell(middle.z, all.low.z)) << 2,
                    i};
    });
    std::sort(code_.begin(), code_.end());
    nodes_.order.resize(boxes.size());
    for (int i = 0; i < n; ++i)
        nodes_.order[i] = code_[i].second;
    nodes_.node.clear();
    if (n > 0) add_node(boxes, 0, n);
}

int BoxTree::add_node(std::span<const Aabb> boxes, int first, int count) {
    const int index = static_cast<int>(nodes_.node.size());
    nodes_.node.emplace_back();
    Aabb box;
    int right = 0;
    if (count <= BoxNodes::kLeafSize) {
        for (int k = first; k < first + count; ++k)
            box.include(boxes[nodes_.order[k]]);
    } else {
        const int half = count / 2;
        const int left = add_node(boxes, first, half);
        right = add_node(boxes, first + half, count - half);
        box = nodes_.node[left].box;
        box.include(nodes_.node[right].box);
    }
    nodes_.node[index] = {box, first, count, right};
    return index;
}

} // namespace selvage
