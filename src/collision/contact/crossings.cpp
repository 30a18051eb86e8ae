#include "collision/contact/crossings.h"

#include "math/orientation.h"

namespace selvage {

namespace {

struct Tally {
    int count = 0;
    Crossing first;

    void add(int edge, int triangle) {
        ++count;
        const bool earlier = first.edge < 0 || edge < first.edge || (edge == first.edge && triangle < first.triangle);
        if (earlier) first = {edge, triangle};
    }
    Tally& operator+=(const Tally& other) {
        if (other.count > 0) {
            const int before = count;
            add(other.first.edge, other.first.triangle);
            count = before + other.count;
        }
        return *this;
    }
};

} // namespace

bool segment_crosses_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    const int side_p = orientation(a, b, c, p);
    if (side_p == 0 || orientation(a, b, c, q) != -side_p) return false;
    // The line meets the triangle when it passes the three borders on the same side.
    const int ab = orientation(p, q, a, b), bc = orientation(p, q, b, c);
    if (ab * bc < 0) return false;
    const int ca = orientation(p, q, c, a);
    return ab * ca >= 0 && bc * ca >= 0;
}

CrossingCount CrossingCounter::count(ThreadPool& pool, std::span<const Edge> edges, std::span<const Triangle> triangles,
                                     std::span<const Vec3> positions, const std::function<bool(int, int)>& counts) {
    box_.resize(triangles.size());
    pool.for_each(static_cast<int>(triangles.size()), [&](int t) {
        box_[t] = {};
        for (const int v : triangles[t])
            box_[t].include(positions[v]);
    });
    tree_.build(pool, box_);
    const Tally tally = pool.sum<Tally>(static_cast<int>(edges.size()), [&](int e) {
        Tally found;
        const int i = edges[e][0], j = edges[e][1]; // clang before 16 captures no structured binding
        const Vec3 &p = positions[i], &q = positions[j];
        Aabb box;
        box.include(p);
        box.include(q);
        tree_.for_touching(box, [&](int t) {
            const Triangle& v = triangles[t];
            if (!box_[t].touches(box)) return;
            for (const int corner : v)
                if (corner == i || corner == j) return;
            if (!segment_crosses_triangle(p, q, positions[v[0]], positions[v[1]], positions[v[2]])) return;
            if (!counts || counts(e, t)) found.add(e, t);
        });
        return found;
    });
    return {tally.count, tally.first};
}

} // namespace selvage
