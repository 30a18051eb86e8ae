#pragma once

#include <span>
#include <vector>

#include "collision/search/box_nodes.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// A tree of boxes over the triangles of a surface, split at medians: for the nearest triangle, and for those near a
/// box. When the points move it can be fitted to them again, which is far cheaper than building and allocates nothing.
class SurfaceTree {
public:
    void build(std::span<const Triangle> triangles, std::span<const Vec3> points);
    /// The triangles must be those of build().
    void refit(std::span<const Triangle> triangles, std::span<const Vec3> points);
    bool is_empty() const { return nodes_.node.empty(); }
    Aabb bounds() const { return is_empty() ? Aabb{} : nodes_.node[0].box; }

    /// visit(triangle) for every triangle whose leaf touches `box`: a few that do not are among them.
    template <class Visit>
    void for_touching(const Aabb& box, const Visit& visit) const {
        nodes_.for_touching(box, visit);
    }

    /// visit(triangle) for triangles that may lie nearer to p than the square root of `squared`, nearest boxes first;
    /// visit lowers `squared` as it finds nearer ones.
    template <class Visit>
    void for_nearer(const Vec3& p, double& squared, const Visit& visit) const {
        if (is_empty()) return;
        for_lowest_leaves(
            nodes_, 0, squared, [&](int n) { return nodes_.node[n].box.distance_squared(p); },
            [&](int leaf) {
                for (const int triangle : nodes_.items(leaf))
                    visit(triangle);
            });
    }

private:
    void split(std::span<const Vec3> centres, int first, int count);

    BoxNodes nodes_;
};

} // namespace selvage
