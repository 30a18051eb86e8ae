#include "collision/search/surface_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace selvage {

void SurfaceTree::build(std::span<const Triangle> triangles, std::span<const Vec3> points) {
    std::vector<Vec3> centres;
    centres.reserve(triangles.size());
    for (const Triangle& t : triangles)
        centres.push_back((points[t[0]] + points[t[1]] + points[t[2]]) / 3.0);
    nodes_.order.resize(triangles.size());
    std::iota(nodes_.order.begin(), nodes_.order.end(), 0);
    nodes_.node.clear();
    if (!triangles.empty()) split(centres, 0, static_cast<int>(triangles.size()));
    refit(triangles, points);
}

void SurfaceTree::split(std::span<const Vec3> centres, int first, int count) {
    const std::size_t index = nodes_.node.size();
    nodes_.node.push_back({{}, first, count, 0});
    if (count <= BoxNodes::kLeafSize) {
        // Halving decides which triangles lie here; their order in the leaf is the library's choice.
        std::sort(nodes_.order.begin() + first, nodes_.order.begin() + first + count);
        return;
    }
    Aabb box;
    for (int k = first; k < first + count; ++k)
        box.include(centres[nodes_.order[k]]);
    const Vec3 size = box.high - box.low;
    const auto along = [&](int i) {
        const Vec3& c = centres[i];
        if (size.x >= size.y && size.x >= size.z) return c.x;
        return size.y >= size.z ? c.y : c.z;
    };
    const int half = count / 2;
    // The index breaks ties, so that the tree is the same with every library.
    std::nth_element(nodes_.order.begin() + first, nodes_.order.begin() + first + half,
                     nodes_.order.begin() + first + count,
                     [&](int a, int b) { return std::pair(along(a), a) < std::pair(along(b), b); });
    split(centres, first, half);
    nodes_.node[index].right = static_cast<int>(nodes_.node.size());
    split(centres, first + half, count - half);
}

void SurfaceTree::refit(std::span<const Triangle> triangles, std::span<const Vec3> points) {
    for (int index = static_cast<int>(nodes_.node.size()) - 1; index >= 0; --index) {
        BoxNodes::Node& node = nodes_.node[index];
        node.box = {};
        if (node.right > 0) {
            node.box.include(nodes_.node[index + 1].box);
            node.box.include(nodes_.node[node.right].box);
            continue;
        }
        for (int k = node.first; k < node.first + node.count; ++k)
            for (const int v : triangles[nodes_.order[k]])
                node.box.include(points[v]);
    }
}

} // namespace selvage
