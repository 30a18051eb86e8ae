#include "collision/crossings.h"

#include <cmath>

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

/// Does the segment pass into the solid? In the solid's own frame.
bool enters(const Sphere& sphere, const Vec3& p, const Vec3& q) {
    const Vec3 d = q - p;
    const double along = length_squared(d) > 0.0 ? std::clamp(-dot(p, d) / length_squared(d), 0.0, 1.0) : 0.0;
    return length_squared(p + along * d) < sphere.radius * sphere.radius;
}

bool enters(const Box& box, const Vec3& p, const Vec3& q) {
    double begin = 0.0, end = 1.0; // the part of the segment between all pairs of faces so far
    const Triple start{p.x, p.y, p.z}, stop{q.x, q.y, q.z};
    for (int axis = 0; axis < 3; ++axis) {
        const double half = 0.5 * box.size[axis], d = stop[axis] - start[axis];
        if (d == 0.0) {
            if (!(std::abs(start[axis]) < half)) return false;
            continue;
        }
        const double one = (-half - start[axis]) / d, other = (half - start[axis]) / d;
        begin = std::max(begin, std::min(one, other));
        end = std::min(end, std::max(one, other));
    }
    return begin < end;
}

bool enters(const Plane&, const Vec3& p, const Vec3& q) {
    return std::min(p.y, q.y) < 0.0;
}

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
                                     const std::vector<Vec3>& positions) {
    box_.resize(triangles.size());
    pool.for_each(static_cast<int>(triangles.size()), [&](int t) {
        box_[t] = {};
        for (const int v : triangles[t])
            box_[t].include(positions[v]);
    });
    tree_.build(pool, box_);
    const Tally tally = pool.sum<Tally>(static_cast<int>(edges.size()), [&](int e) {
        Tally found;
        const auto [i, j] = edges[e];
        const Vec3 &p = positions[i], &q = positions[j];
        Aabb box;
        box.include(p);
        box.include(q);
        tree_.for_touching(box, [&](int t) {
            const Triangle& v = triangles[t];
            if (!box_[t].touches(box)) return;
            for (const int corner : v)
                if (corner == i || corner == j) return;
            if (segment_crosses_triangle(p, q, positions[v[0]], positions[v[1]], positions[v[2]])) found.add(e, t);
        });
        return found;
    });
    return {tally.count, tally.first};
}

CrossingCount count_collider_crossings(ThreadPool& pool, std::span<const Collider> colliders,
                                       std::span<const Edge> edges, const std::vector<Vec3>& positions) {
    const Tally tally = pool.sum<Tally>(static_cast<int>(edges.size()), [&](int e) {
        Tally found;
        for (int c = 0; c < static_cast<int>(colliders.size()); ++c) {
            const Vec3 p = colliders[c].now.to_local(positions[edges[e][0]]);
            const Vec3 q = colliders[c].now.to_local(positions[edges[e][1]]);
            if (std::visit([&](const auto& solid) { return enters(solid, p, q); }, colliders[c].shape)) found.add(e, c);
        }
        return found;
    });
    return {tally.count, tally.first};
}

} // namespace selvage
