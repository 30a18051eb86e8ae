#pragma once

#include <cmath>

#include "math/hd.h"
#include "math/vec.h"

// What kernels of contact work out for one pair or one point, in float, as plain functions: tests compare them on the host
// with the engine's own in double.

namespace selvage::cuda {

SELVAGE_HD inline float clamped(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}
SELVAGE_HD inline float larger(float a, float b) {
    return a > b ? a : b;
}
SELVAGE_HD inline float smaller(float a, float b) {
    return a < b ? a : b;
}

/// Weights of four vertices in the nearest points of two features: those of the first are positive, the others negative.
struct PairWeights {
    float w[4];
};

SELVAGE_HD inline float nearest_on_line(const Vec3f& p, const Vec3f& a, const Vec3f& b) {
    const Vec3f d = b - a;
    const float squared = length_squared(d);
    return squared > 0.0F ? clamped(dot(p - a, d) / squared, 0.0F, 1.0F) : 0.0F;
}

/// A vertex and a triangle, by the regions of its plane (Ericson 2005, 5.1.5). Areas come from cross products: differences
/// of products of lengths would lose all digits in slivers.
SELVAGE_HD inline PairWeights nearest_face(const Vec3f& p, const Vec3f& a, const Vec3f& b, const Vec3f& c) {
    const auto with = [](float u, float v, float w) { return PairWeights{{1.0F, -u, -v, -w}}; };
    const Vec3f ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c, n = cross(ab, ac);
    if (!(length_squared(n) > 1e-12F * length_squared(ab) * length_squared(ac))) { // its longest border
        const float lb = length_squared(ab), lc = length_squared(ac), la = length_squared(c - b);
        if (la >= lb && la >= lc) {
            const float t = nearest_on_line(p, b, c);
            return with(0.0F, 1.0F - t, t);
        }
        const float t = lb >= lc ? nearest_on_line(p, a, b) : nearest_on_line(p, a, c);
        return lb >= lc ? with(1.0F - t, t, 0.0F) : with(1.0F - t, 0.0F, t);
    }
    const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
                d6 = dot(ac, cp);
    const float va = dot(n, cross(bp, cp)), vb = dot(n, cross(cp, ap)), vc = dot(n, cross(ap, bp));
    if (d1 <= 0.0F && d2 <= 0.0F) return with(1.0F, 0.0F, 0.0F);
    if (d3 >= 0.0F && d4 <= d3) return with(0.0F, 1.0F, 0.0F);
    if (vc <= 0.0F && d1 >= 0.0F && d3 <= 0.0F) {
        const float t = d1 - d3 > 0.0F ? d1 / (d1 - d3) : 0.0F;
        return with(1.0F - t, t, 0.0F);
    }
    if (d6 >= 0.0F && d5 <= d6) return with(0.0F, 0.0F, 1.0F);
    if (vb <= 0.0F && d2 >= 0.0F && d6 <= 0.0F) {
        const float t = d2 - d6 > 0.0F ? d2 / (d2 - d6) : 0.0F;
        return with(1.0F - t, 0.0F, t);
    }
    if (va <= 0.0F && d4 - d3 >= 0.0F && d5 - d6 >= 0.0F) {
        const float both = (d4 - d3) + (d5 - d6), t = both > 0.0F ? (d4 - d3) / both : 0.0F;
        return with(0.0F, 1.0F - t, t);
    }
    const float sum = va + vb + vc;
    return sum > 0.0F ? with(va / sum, vb / sum, vc / sum) : with(1.0F, 0.0F, 0.0F);
}

/// Two edges, pq and ab. The fraction of the first comes from cross products, too; then the best on each for the other.
SELVAGE_HD inline PairWeights nearest_edges(const Vec3f& p, const Vec3f& q, const Vec3f& a, const Vec3f& b) {
    constexpr float kTiny = 1e-37F;
    const Vec3f d1 = q - p, d2 = b - a, r = p - a, n = cross(d1, d2);
    const float mixed = dot(d1, d2), l1 = larger(length_squared(d1), kTiny), l2 = larger(length_squared(d2), kTiny);
    const float f = dot(d2, r), c = dot(d1, r);
    float s = clamped(dot(cross(d2, r), n) / larger(length_squared(n), kTiny), 0.0F, 1.0F);
    const float t = clamped((mixed * s + f) / l2, 0.0F, 1.0F);
    s = clamped((mixed * t - c) / l1, 0.0F, 1.0F);
    return {{1.0F - s, s, t - 1.0F, -t}};
}

/// A pair as it stands: where its nearest points are, and the way from the second to the first.
struct PairPlace {
    PairWeights weight;
    Vec3f apart;
    float distance;
};
SELVAGE_HD inline PairPlace place_pair(bool is_edges, const Vec3f (&x)[4]) {
    PairPlace out{is_edges ? nearest_edges(x[0], x[1], x[2], x[3]) : nearest_face(x[0], x[1], x[2], x[3]), {}, 0.0F};
    for (int k = 0; k < 4; ++k)
        out.apart += out.weight.w[k] * (x[k] - x[0]); // the weights add up to nothing
    out.distance = length(out.apart);
    return out;
}
/// Its direction; `side` where the nearest points are one.
SELVAGE_HD inline Vec3f direction(const PairPlace& place, const Vec3f& side) {
    return place.distance > 1e-12F ? place.apart / place.distance : side;
}

/// Only nearest points inside both features push: other pairs have a neighbour that does, and whose normal does not lean.
SELVAGE_HD inline bool is_inside(bool is_edges, const PairWeights& weight) {
    constexpr float kLeast = 1e-4F;
    const float* w = weight.w;
    return is_edges ? w[0] > kLeast && w[1] > kLeast && w[2] < -kLeast && w[3] < -kLeast
                    : w[1] < -kLeast && w[2] < -kLeast && w[3] < -kLeast;
}

/// How far the two sides of a pair are apart along n: below 0 where they are not.
SELVAGE_HD inline float gap_along(bool is_edges, const Vec3f& n, const Vec3f (&x)[4]) {
    // From one of the points, so that rounding is that of the pair's size.
    const float b = dot(n, x[1] - x[0]), c = dot(n, x[2] - x[0]), d = dot(n, x[3] - x[0]);
    return is_edges ? smaller(0.0F, b) - larger(c, d) : -larger(b, larger(c, d));
}

/// Gap that a small step must leave: the distance, or, where it starts narrower, what it may open by. See opening_gap().
SELVAGE_HD inline float opening(float distance, float gap, float fraction, float most) {
    const float missing = larger(0.0F, distance - gap);
    return smaller(distance, gap + smaller(fraction * missing, most));
}

/// A one-sided spring with friction in a linearisation; see ContactForces::set_forces().
struct ContactSpring {
    float normal_force = 0.0F; ///< 0: it does not act.
    float stiffness = 0.0F;    ///< Along the normal.
    float side = 0.0F;         ///< Across it and across the slip's direction.
    Vec3f slip;                ///< Unit, while it slides; 0: it sticks, or rubs not at all.
    Vec3f force;               ///< On the side that the normal points to.
};
/// `rest`: target gap less the gap at the start; `inertial`: m/h^2 of the relative motion; `before`: of the linearisation
/// before, or none; `moved` across the normal since the start.
SELVAGE_HD inline ContactSpring contact_spring(float target, float gap, float rest, float k, float inertial,
                                               float friction, const Vec3f& normal, const Vec3f& moved,
                                               const ContactSpring& before) {
    ContactSpring out;
    const float depth = target - gap;
    if (!(depth > 0.0F)) return out;
    const bool is_first = !(before.normal_force > 0.0F);
    out.stiffness = k;
    // What the last solve has left is the load over the stiffness that it had.
    const float solved = is_first ? k : before.stiffness;
    out.normal_force = is_first ? larger(depth * k * inertial / (k + inertial), k * rest) : solved * depth;
    out.force = (k * depth) * normal;
    const float most = friction * out.normal_force, size = length(moved);
    if (!(most > 0.0F)) return out;
    Vec3f needed = -inertial * moved; // what would stop the slip, with the friction that acts already
    if (!is_first && before.side > 0.0F)
        needed = length_squared(before.slip) > 0.0F ? needed - friction * before.normal_force * before.slip
                                                    : -solved * moved;
    if (length(needed) <= most || !(size > 0.0F)) {
        out.side = k;
        out.force += -k * moved;
    } else {
        out.slip = moved / size;
        out.side = smaller(k, most / size);
        out.force += -most * out.slip;
    }
    return out;
}
/// Its stiffness times a displacement.
SELVAGE_HD inline Vec3f stiffness_times(const Vec3f& normal, float k, const Vec3f& slip, float side, const Vec3f& d) {
    const float along = dot(normal, d);
    return ((k - side) * along) * normal + side * (d - dot(slip, d) * slip);
}

/// Adds scale (k n n^T + side (1 - n n^T - t t^T)) to a symmetric block: xx xy xz yy yz zz.
SELVAGE_HD inline void add_stiffness(float (&to)[6], float scale, const Vec3f& n, float k, const Vec3f& t, float side) {
    const float a = scale * (k - side), b = scale * side;
    to[0] += a * n.x * n.x - b * t.x * t.x + b;
    to[1] += a * n.x * n.y - b * t.x * t.y;
    to[2] += a * n.x * n.z - b * t.x * t.z;
    to[3] += a * n.y * n.y - b * t.y * t.y + b;
    to[4] += a * n.y * n.z - b * t.y * t.z;
    to[5] += a * n.z * n.z - b * t.z * t.z + b;
}

/// A collider given by a distance, in its own frame; see solid_shapes.h.
struct SolidShape {
    enum Kind { kSphere, kBox, kPlane, kCapsule, kCylinder };
    int kind = kPlane;
    float size[3] = {}; ///< Radius; edge lengths; -; radius, top radius, length; radius, height.
    float sine = 0.0F, cosine = 1.0F;
    bool single = false; ///< Of a capsule: one ball holds the other.
    float friction = 0.0F, thickness = 0.0F;
};
/// At one end of a small step.
struct SolidPose {
    Vec3 centre;
    Vec3f row[3]; ///< Of the rotation to the world.
};
SELVAGE_HD inline Vec3f to_local(const SolidPose& pose, const Vec3& world) {
    const Vec3f p(world - pose.centre);
    return p.x * pose.row[0] + p.y * pose.row[1] + p.z * pose.row[2];
}
SELVAGE_HD inline Vec3f turned(const SolidPose& pose, const Vec3f& v) {
    return {dot(pose.row[0], v), dot(pose.row[1], v), dot(pose.row[2], v)};
}
SELVAGE_HD inline Vec3 to_world(const SolidPose& pose, const Vec3f& local) {
    return pose.centre + Vec3(turned(pose, local));
}

struct SolidPoint {
    float distance;
    Vec3f normal;
};

namespace detail {

SELVAGE_HD inline float sign_of(float v) {
    return v < 0.0F ? -1.0F : 1.0F;
}
SELVAGE_HD inline SolidPoint nearest_ball(const Vec3f& p, float height, float radius) {
    const Vec3f out = p - Vec3f{0.0F, height, 0.0F};
    return {length(out) - radius, normalized(out, {0.0F, sign_of(height), 0.0F})};
}
SELVAGE_HD inline SolidPoint nearest_box(const SolidShape& s, const Vec3f& p) {
    const float qx = std::fabs(p.x) - 0.5F * s.size[0], qy = std::fabs(p.y) - 0.5F * s.size[1],
                qz = std::fabs(p.z) - 0.5F * s.size[2];
    const float inside = larger(qx, larger(qy, qz));
    if (inside <= 0.0F) { // out through the nearest face
        if (inside == qy) return {inside, {0.0F, sign_of(p.y), 0.0F}};
        if (inside == qx) return {inside, {sign_of(p.x), 0.0F, 0.0F}};
        return {inside, {0.0F, 0.0F, sign_of(p.z)}};
    }
    const Vec3f out{sign_of(p.x) * larger(qx, 0.0F), sign_of(p.y) * larger(qy, 0.0F), sign_of(p.z) * larger(qz, 0.0F)};
    return {length(out), normalized(out, {0.0F, 1.0F, 0.0F})};
}
SELVAGE_HD inline SolidPoint nearest_capsule(const SolidShape& s, const Vec3f& p) {
    const float half = 0.5F * s.size[2];
    if (s.single) return s.size[0] > s.size[1] ? nearest_ball(p, -half, s.size[0]) : nearest_ball(p, half, s.size[1]);
    const float from_axis = std::sqrt(p.x * p.x + p.z * p.z), up = p.y + half;
    const float along = s.cosine * up - s.sine * from_axis;
    if (along < 0.0F) return nearest_ball(p, -half, s.size[0]);
    if (along > s.cosine * s.size[2]) return nearest_ball(p, half, s.size[1]);
    const Vec3f out = normalized(Vec3f{p.x, 0.0F, p.z}, {1.0F, 0.0F, 0.0F});
    return {s.cosine * from_axis + s.sine * up - s.size[0], s.cosine * out + Vec3f{0.0F, s.sine, 0.0F}};
}
SELVAGE_HD inline SolidPoint nearest_cylinder(const SolidShape& s, const Vec3f& p) {
    const float side = std::sqrt(p.x * p.x + p.z * p.z) - s.size[0], cap = std::fabs(p.y) - 0.5F * s.size[1];
    const Vec3f out = normalized(Vec3f{p.x, 0.0F, p.z}, {1.0F, 0.0F, 0.0F});
    const Vec3f up{0.0F, sign_of(p.y), 0.0F};
    if (larger(side, cap) <= 0.0F) return cap >= side ? SolidPoint{cap, up} : SolidPoint{side, out};
    const Vec3f apart = larger(side, 0.0F) * out + larger(cap, 0.0F) * up;
    return {length(apart), normalized(apart, {0.0F, 1.0F, 0.0F})};
}

} // namespace detail

SELVAGE_HD inline SolidPoint nearest_point(const SolidShape& shape, const Vec3f& local) {
    switch (shape.kind) {
    case SolidShape::kSphere:
        return detail::nearest_ball(local, 0.0F, shape.size[0]);
    case SolidShape::kBox:
        return detail::nearest_box(shape, local);
    case SolidShape::kCapsule:
        return detail::nearest_capsule(shape, local);
    case SolidShape::kCylinder:
        return detail::nearest_cylinder(shape, local);
    default:
        return {local.y, {0.0F, 1.0F, 0.0F}};
    }
}

/// A point that has passed through a thin collider, or is now nearer to another face than the one it entered by, is
/// measured against the face it entered by.
SELVAGE_HD inline SolidPoint nearest_point(const SolidShape& shape, const Vec3f& local, const Vec3f& start_local,
                                           const SolidPoint& start) {
    const SolidPoint now = nearest_point(shape, local);
    if (now.distance < 0.0F && start.distance > 0.0F && dot(now.normal, start.normal) < 0.5F)
        return {start.distance + dot(start.normal, local - start_local), start.normal};
    return now;
}

} // namespace selvage::cuda
