// In single precision the distance of nearly parallel segments, and of slivers, would lose all digits if it were taken
// from products of lengths. Taken from cross products the nearest points are wrong by a rounding over the sine of the
// angle, along a direction in which the distance changes by that sine only: the distance is right to some roundings.

#include "collision/search/feature_distances.h"

namespace selvage {

namespace {

constexpr int kLanes = 8;
constexpr float kTiny = 1e-37F; // keeps quotients of points and of lines finite

/// Eight vectors.
struct Vectors {
    Floats8 x, y, z;
};

SELVAGE_INLINE void subtract(const Points8& a, const Points8& b, Vectors& difference) {
    difference = {a.x - b.x, a.y - b.y, a.z - b.z};
}
SELVAGE_INLINE void dot(const Vectors& a, const Vectors& b, Floats8& product) {
    product = a.x * b.x + a.y * b.y + a.z * b.z;
}
SELVAGE_INLINE void cross(const Vectors& a, const Vectors& b, Vectors& product) {
    product = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// a / b within [0, 1]; 0 where b is nothing.
SELVAGE_INLINE void fraction(const Floats8& a, const Floats8& b, Floats8& out) {
    Floats8 zero, one, tiny, divisor;
    fill(0.0F, zero);
    fill(1.0F, one);
    fill(kTiny, tiny);
    take_larger(b, tiny, divisor);
    out = a / divisor;
    take_larger(out, zero, out);
    take_smaller(out, one, out);
}

/// Of a point, given from the segment's first end, to the segment.
SELVAGE_INLINE void segment_distance(const Vectors& from_first, const Vectors& segment, Floats8& squared) {
    Floats8 along, l2, t;
    dot(from_first, segment, along);
    dot(segment, segment, l2);
    fraction(along, l2, t);
    const Vectors off = {from_first.x - t * segment.x, from_first.y - t * segment.y, from_first.z - t * segment.z};
    dot(off, off, squared);
}

SELVAGE_INLINE void shift(Points8& points, const float (&offset)[3]) {
    points.x += offset[0], points.y += offset[1], points.z += offset[2];
}

SELVAGE_INLINE int lane_pair(int first, int lane, int end) {
    return first + lane < end ? first + lane : end - 1; // what is too much repeats the last
}

} // namespace

SELVAGE_WIDE void vertex_face_distances(const PatchPoints& points, const PointPlaces* faces, const FeaturePairs& pairs,
                                        int begin, int end, float* squared) {
    Floats8 zero, tiny;
    fill(0.0F, zero);
    fill(kTiny, tiny);
    for (int first = begin; first < end; first += kLanes) {
        int vertex[kLanes], corner[3][kLanes];
        for (int k = 0; k < kLanes; ++k) {
            const int pair = lane_pair(first, k, end);
            vertex[k] = pairs.first[pair];
            for (int c = 0; c < 3; ++c)
                corner[c][k] = faces[pairs.second[pair]][c];
        }
        Points8 p, a, b, c;
        gather(points.first, vertex, p);
        gather(points.second, corner[0], a);
        gather(points.second, corner[1], b);
        gather(points.second, corner[2], c);
        shift(a, points.offset);
        shift(b, points.offset);
        shift(c, points.offset);
        Vectors ab, bc, ca, ap, bp, cp, normal, side;
        subtract(b, a, ab);
        subtract(c, b, bc);
        subtract(a, c, ca);
        subtract(p, a, ap);
        subtract(p, b, bp);
        subtract(p, c, cp);
        Floats8 at_ab, at_bc, at_ca, nearest;
        segment_distance(ap, ab, at_ab);
        segment_distance(bp, bc, at_bc);
        segment_distance(cp, ca, at_ca);
        take_smaller(at_ab, at_bc, nearest);
        take_smaller(nearest, at_ca, nearest);
        // Within the three borders, seen along the normal, the plane is nearer.
        cross(ab, bc, normal);
        Floats8 within_ab, within_bc, within_ca, height, area2;
        cross(ab, ap, side);
        dot(normal, side, within_ab);
        cross(bc, bp, side);
        dot(normal, side, within_bc);
        cross(ca, cp, side);
        dot(normal, side, within_ca);
        dot(normal, ap, height);
        dot(normal, normal, area2);
        take_smaller(within_ab, within_bc, within_ab);
        take_smaller(within_ab, within_ca, within_ab);
        take_larger(area2, tiny, area2);
        Floats8 to_plane = height * height / area2;
        take_smaller(to_plane, nearest, to_plane);
        store(SELVAGE_SELECT(within_ab > zero, to_plane, nearest), squared + (first - begin));
    }
}

SELVAGE_WIDE void edge_edge_distances(const PatchPoints& points, const PointPlaces* first_edges,
                                      const PointPlaces* second_edges, const FeaturePairs& pairs, int begin, int end,
                                      float* squared) {
    for (int first = begin; first < end; first += kLanes) {
        int place[4][kLanes];
        for (int k = 0; k < kLanes; ++k) {
            const int pair = lane_pair(first, k, end);
            const PointPlaces &one = first_edges[pairs.first[pair]], &other = second_edges[pairs.second[pair]];
            place[0][k] = one[0], place[1][k] = one[1], place[2][k] = other[0], place[3][k] = other[1];
        }
        Points8 p, q, a, b;
        gather(points.first, place[0], p);
        gather(points.first, place[1], q);
        gather(points.second, place[2], a);
        gather(points.second, place[3], b);
        shift(a, points.offset);
        shift(b, points.offset);
        Vectors d1, d2, r, normal, side;
        subtract(q, p, d1);
        subtract(b, a, d2);
        subtract(p, a, r); // the first segment is p + s d1, the second a + t d2
        cross(d1, d2, normal);
        cross(d2, r, side);
        Floats8 numerator, sine2, s, t, l1, l2, f, c, mixed;
        dot(side, normal, numerator);
        dot(normal, normal, sine2);
        fraction(numerator, sine2, s);
        dot(d1, d1, l1);
        dot(d2, d2, l2);
        dot(d2, r, f);
        dot(d1, r, c);
        dot(d1, d2, mixed);
        fraction(mixed * s + f, l2, t);
        fraction(mixed * t - c, l1, s); // the best for this t, whether t was cut off or not
        const Vectors off = {r.x + s * d1.x - t * d2.x, r.y + s * d1.y - t * d2.y, r.z + s * d1.z - t * d2.z};
        Floats8 out;
        dot(off, off, out);
        store(out, squared + (first - begin));
    }
}

} // namespace selvage
