#include "collision/contact/solid_crossings.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <tuple>

#include "collision/contact/crossings.h"
#include "collision/shapes/height_grid.h"
#include "collision/shapes/solid_mesh.h"

namespace selvage {

namespace {

struct SolidTally {
    int count = 0;
    SolidCrossing first;

    void add(const SolidCrossing& crossing, int times) {
        if (times == 0) return;
        const auto order = [](const SolidCrossing& c) { return std::tuple(c.edge < 0, c.edge, c.triangle, c.solid); };
        if (count == 0 || order(crossing) < order(first)) first = crossing;
        count += times;
    }
    SolidTally& operator+=(const SolidTally& other) {
        add(other.first, other.count);
        return *this;
    }
};

/// The part of a segment from p to q, as fractions of it.
struct Stretch {
    double begin = 0.0, end = 1.0;

    /// What of it lies between low and high along one axis; empty when it only touches.
    void clip(double p, double q, double low, double high) {
        if (p == q) {
            if (!(p > low && p < high)) end = begin;
            return;
        }
        const double one = (low - p) / (q - p), other = (high - p) / (q - p);
        begin = std::max(begin, std::min(one, other));
        end = std::min(end, std::max(one, other));
    }
    bool is_empty() const { return !(begin < end); }
};

/// Does the segment pass into the solid? In the solid's own frame. Touching is not passing into.
bool enters(const Ball& ball, const Vec3& p, const Vec3& q) {
    const Vec3 d = q - p, from = p - ball.centre;
    const double along = length_squared(d) > 0.0 ? std::clamp(-dot(from, d) / length_squared(d), 0.0, 1.0) : 0.0;
    return length_squared(from + along * d) < ball.radius * ball.radius;
}

bool enters(const Sphere& sphere, const Vec3& p, const Vec3& q) {
    return enters(Ball{{}, sphere.radius}, p, q);
}

bool enters(const Box& box, const Vec3& p, const Vec3& q) {
    Stretch inside; // between all pairs of faces so far
    inside.clip(p.x, q.x, -0.5 * box.size[0], 0.5 * box.size[0]);
    inside.clip(p.y, q.y, -0.5 * box.size[1], 0.5 * box.size[1]);
    inside.clip(p.z, q.z, -0.5 * box.size[2], 0.5 * box.size[2]);
    return !inside.is_empty();
}

bool enters(const Plane&, const Vec3& p, const Vec3& q) {
    return std::min(p.y, q.y) < 0.0;
}

/// A cone about the y axis, cut at two heights, with these radii there.
bool enters_frustum(const Vec3& p, const Vec3& q, double low, double low_radius, double high, double high_radius) {
    Stretch between;
    between.clip(p.y, q.y, low, high);
    if (between.is_empty()) return false;
    // Where x^2 + z^2 - r(y)^2 < 0: quadratic along the segment, so least at an end of the stretch or at the vertex.
    const double widening = (high_radius - low_radius) / (high - low);
    const Vec3 d = q - p;
    const double r = low_radius + (p.y - low) * widening, dr = d.y * widening;
    const double a = d.x * d.x + d.z * d.z - dr * dr, b = p.x * d.x + p.z * d.z - r * dr;
    const double c = p.x * p.x + p.z * p.z - r * r;
    const auto value = [&](double s) { return (a * s + 2.0 * b) * s + c; };
    const double vertex = a > 0.0 ? std::clamp(-b / a, between.begin, between.end) : between.begin;
    return value(between.begin) < 0.0 || value(between.end) < 0.0 || value(vertex) < 0.0;
}

bool enters(const Cylinder& cylinder, const Vec3& p, const Vec3& q) {
    const double half = 0.5 * cylinder.height;
    return enters_frustum(p, q, -half, cylinder.radius, half, cylinder.radius);
}

bool enters(const Capsule& capsule, const Vec3& p, const Vec3& q) {
    const RoundCone cone = round_cone(capsule);
    if (enters(cone.lower, p, q) || enters(cone.upper, p, q)) return true;
    if (cone.single) return false;
    // Between the circles where the side touches the balls.
    const auto height = [&](const Ball& ball) { return ball.centre.y + ball.radius * cone.sine; };
    return enters_frustum(p, q, height(cone.lower), cone.lower.radius * cone.cosine, height(cone.upper),
                          cone.upper.radius * cone.cosine);
}

// Counted pair by pair.
bool enters(const HeightField&, const Vec3&, const Vec3&) {
    return false;
}
bool enters(const MeshSolid&, const Vec3&, const Vec3&) {
    return false;
}

/// Does a convex solid fill some of the triangle's inside, when none of the edges enters it? The plane's section of the
/// solid is then either all inside the triangle or all outside, so any one point of it tells; the line between the
/// farthest points on either side of the plane stays within the solid and passes through its section.
bool pierces(const ColliderShape& shape, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = doubled_area_normal(a, b, c);
    const std::optional<Vec3> front = support_point(shape, normal), back = support_point(shape, -normal);
    return front && back && segment_crosses_triangle(*back, *front, a, b, c);
}

/// visit(triangle) for the triangles of a mesh solid that can be near a box of the world.
template <class Visit>
void for_triangles_near(const Collider& collider, const Aabb& box, const Visit& visit) {
    if (collider.is_deforming()) return collider.moved_tree.for_touching(box, visit);
    // The box's own box in the solid's frame, a little larger than rounding can displace what is in it.
    const Vec3 middle = 0.5 * (box.low + box.high), half = 0.5 * (box.high - box.low);
    const Rotation& turn = collider.now.turn;
    const auto reach = [&](const Vec3& axis) { // of the solid's frame, in the world
        return std::abs(axis.x) * half.x + std::abs(axis.y) * half.y + std::abs(axis.z) * half.z;
    };
    const double slack = 1e-12 * (length(middle) + length(half) + length(collider.now.centre));
    const Vec3 local = collider.now.to_local(middle);
    const Vec3 size{reach({turn.row_x.x, turn.row_y.x, turn.row_z.x}) + slack,
                    reach({turn.row_x.y, turn.row_y.y, turn.row_z.y}) + slack,
                    reach({turn.row_x.z, turn.row_y.z, turn.row_z.z}) + slack};
    collider.mesh()->tree.for_touching({local - size, local + size}, visit);
}

int solid_triangles_crossed(const Collider& collider, const Vec3& p, const Vec3& q, const Aabb& box) {
    const std::vector<Vec3>& x = collider.points_now;
    int count = 0;
    for_triangles_near(collider, box, [&](int index) {
        const Triangle& t = collider.mesh()->mesh.triangles[index];
        count += segment_crosses_triangle(p, q, x[t[0]], x[t[1]], x[t[2]]);
    });
    return count;
}

int solid_edges_crossing(const Collider& collider, const Vec3& a, const Vec3& b, const Vec3& c, const Aabb& box) {
    const SolidMesh& solid = *collider.mesh();
    int count = 0;
    for_triangles_near(collider, box, [&](int index) {
        for (const int e : solid.triangle_edges[index]) {
            if (solid.edge_owner[e] != index) continue; // once, though two triangles have it
            const auto [i, j] = solid.edges[e];
            count += segment_crosses_triangle(collider.points_now[i], collider.points_now[j], a, b, c);
        }
    });
    return count;
}

/// How far a piece of the ground around must go on to pass below a box: all of it that matters.
double apron_reach(const ApronPiece& piece, const Aabb& box) {
    return length(box.low - piece.a) + length(box.high - piece.a) + length(piece.along);
}

Aabb box_around(std::initializer_list<Vec3> points) {
    Aabb box;
    for (const Vec3& p : points)
        box.include(p);
    return box;
}

/// In the ground's own frame.
int apron_crossed(const HeightGrid& grid, const Vec3& p, const Vec3& q) {
    const Aabb box = box_around({p, q});
    int count = 0;
    grid.for_apron(box, [&](const ApronPiece& piece) {
        const double reach = apron_reach(piece, box);
        const Vec3 b = piece.a + std::min(piece.most, reach) * piece.along;
        const Vec3 c = b + reach * piece.out, d = piece.a + reach * piece.out;
        count += segment_crosses_triangle(p, q, piece.a, b, c) || segment_crosses_triangle(p, q, piece.a, c, d);
    });
    return count;
}

int apron_borders_crossing(const HeightGrid& grid, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Aabb box = box_around({a, b, c});
    int count = 0;
    grid.for_apron(box, [&](const ApronPiece& piece) {
        const Vec3 end = piece.a + apron_reach(piece, box) * piece.out;
        count += segment_crosses_triangle(piece.a, end, a, b, c);
    });
    return count;
}

int count_edge(const Collider& collider, const Vec3& p, const Vec3& q, const Aabb& box) {
    const Vec3 local_p = collider.now.to_local(p), local_q = collider.now.to_local(q);
    if (!collider.mesh())
        return std::visit([&](const auto& solid) { return enters(solid, local_p, local_q) ? 1 : 0; }, collider.shape);
    int count = solid_triangles_crossed(collider, p, q, box);
    if (const auto* ground = std::get_if<HeightField>(&collider.shape))
        count += apron_crossed(*ground->grid, local_p, local_q);
    return count;
}

int count_triangle(const Collider& collider, const Vec3& a, const Vec3& b, const Vec3& c, const Aabb& box) {
    const Pose& pose = collider.now;
    if (collider.mesh()) {
        int count = solid_edges_crossing(collider, a, b, c, box);
        if (const auto* ground = std::get_if<HeightField>(&collider.shape))
            count += apron_borders_crossing(*ground->grid, pose.to_local(a), pose.to_local(b), pose.to_local(c));
        return count;
    }
    for (const auto& [p, q] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)})
        if (count_edge(collider, p, q, box) > 0) return 0;
    return pierces(collider.shape, pose.to_local(a), pose.to_local(b), pose.to_local(c)) ? 1 : 0;
}

} // namespace

SolidCrossingCount count_collider_crossings(ThreadPool& pool, std::span<const Collider> colliders,
                                            std::span<const Edge> edges, std::span<const Triangle> triangles,
                                            const std::vector<Vec3>& positions) {
    std::vector<Aabb> bounds;
    for (const Collider& collider : colliders)
        bounds.push_back(collider.bounds());
    const auto count_of = [&](const SolidCrossing& cloth, const Aabb& box, const auto& count) {
        SolidTally found;
        for (int c = 0; c < static_cast<int>(colliders.size()); ++c)
            if (bounds[c].touches(box)) found.add({cloth.edge, cloth.triangle, c}, count(colliders[c]));
        return found;
    };
    SolidTally tally = pool.sum<SolidTally>(static_cast<int>(edges.size()), [&](int e) {
        const Vec3 &p = positions[edges[e][0]], &q = positions[edges[e][1]];
        const Aabb box = box_around({p, q});
        return count_of({e, -1, -1}, box, [&](const Collider& solid) { return count_edge(solid, p, q, box); });
    });
    tally += pool.sum<SolidTally>(static_cast<int>(triangles.size()), [&](int t) {
        const Vec3 &a = positions[triangles[t][0]], &b = positions[triangles[t][1]], &c = positions[triangles[t][2]];
        const Aabb box = box_around({a, b, c});
        return count_of({-1, t, -1}, box, [&](const Collider& solid) { return count_triangle(solid, a, b, c, box); });
    });
    return {tally.count, tally.first};
}

} // namespace selvage
