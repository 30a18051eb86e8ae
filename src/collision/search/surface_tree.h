#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "collision/search/box_tree.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// A tree of boxes over the triangles of a surface, split at medians: for the nearest triangle, and for those near a box.
/// When the points move it can be fitted to them again, which is far cheaper than building and allocates nothing.
class SurfaceTree {
public:
    void build(std::span<const Triangle> triangles, std::span<const Vec3> points);
    /// The triangles must be those of build().
    void refit(std::span<const Triangle> triangles, std::span<const Vec3> points);
    bool is_empty() const { return node_.empty(); }
    Aabb bounds() const { return node_.empty() ? Aabb{} : node_[0].box; }

    /// visit(triangle) for every triangle whose leaf touches `box`: a few that do not are among them.
    template <class Visit>
    void for_touching(const Aabb& box, const Visit& visit) const {
        if (node_.empty()) return;
        int open[kDeepest], count = 0;
        open[count++] = 0;
        while (count > 0) {
            const int index = open[--count];
            const Node& node = node_[index];
            if (!node.box.touches(box)) continue;
            if (node.right > 0) {
                open[count++] = node.right;
                open[count++] = index + 1;
                continue;
            }
            for (int k = node.first; k < node.first + node.count; ++k)
                visit(order_[k]);
        }
    }

    /// visit(triangle) for triangles that may lie nearer to p than the square root of `squared`, nearest boxes first; visit
    /// lowers `squared` as it finds nearer ones.
    template <class Visit>
    void for_nearer(const Vec3& p, double& squared, const Visit& visit) const {
        if (node_.empty()) return;
        struct Open {
            int node;
            double squared;
        };
        Open open[kDeepest];
        int count = 0;
        open[count++] = {0, distance_squared(node_[0].box, p)};
        while (count > 0) {
            const Open next = open[--count];
            if (!(next.squared < squared)) continue;
            const Node& node = node_[next.node];
            if (node.right > 0) {
                const Open left{next.node + 1, distance_squared(node_[next.node + 1].box, p)};
                const Open right{node.right, distance_squared(node_[node.right].box, p)};
                open[count++] = left.squared < right.squared ? right : left;
                open[count++] = left.squared < right.squared ? left : right;
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
    static double distance_squared(const Aabb& box, const Vec3& p) {
        const auto gap = [](double low, double v, double high) { return std::max({low - v, v - high, 0.0}); };
        return length_squared(
            Vec3{gap(box.low.x, p.x, box.high.x), gap(box.low.y, p.y, box.high.y), gap(box.low.z, p.z, box.high.z)});
    }
    void split(std::span<const Vec3> centres, int first, int count);

    std::vector<Node> node_; // parents before their children
    std::vector<int> order_;
};

} // namespace selvage
