#include "collision/contact/separating_plane.h"

#include <algorithm>

#include "collision/search/proximity.h"

namespace selvage {

namespace {

constexpr int kMostHalvings = 3; // more finds hardly any more

/// From the nearest point of the second side to that of the first.
Vec3 shortest_connection(const std::array<Vec3, 4>& at, int side_count) {
    if (side_count == 1) {
        const PointTriangle near = closest_points(at[0], at[1], at[2], at[3]);
        return at[0] - near.weight[0] * at[1] - near.weight[1] * at[2] - near.weight[2] * at[3];
    }
    const SegmentSegment near = closest_points_of_segments(at[0], at[1], at[2], at[3]);
    return at[0] + near.s * (at[1] - at[0]) - at[2] - near.t * (at[3] - at[2]);
}

double gap_along(const Vec3& n, const std::array<Vec3, 4>& at, int side_count) {
    double low = 1e300, high = -1e300;
    for (int k = 0; k < 4; ++k)
        if (k < side_count)
            low = std::min(low, dot(n, at[k]));
        else
            high = std::max(high, dot(n, at[k]));
    return low - high;
}

bool stays_apart_in_halves(const FeatureMotion& motion, double least, int halvings) {
    const Vec3 first = shortest_connection(motion.begin, motion.side_count);
    const Vec3 last = shortest_connection(motion.end, motion.side_count);
    const double size = length(first), size_end = length(last);
    if (!(std::min(size, size_end) > least)) return false;
    const Vec3 n = first / size, n_end = last / size_end, between = n + n_end;
    const auto separates = [&](const Vec3& normal) {
        const SeparatingPlane by = plane_along(motion, normal);
        return std::min(by.gap, by.gap_end) > least;
    };
    if (separates(n) || separates(n_end)) return true;
    if (const double l = length(between); l > 0.0 && separates(between / l)) return true;
    if (halvings == 0) return false;
    FeatureMotion half = motion;
    for (int k = 0; k < 4; ++k)
        half.end[k] = 0.5 * (motion.begin[k] + motion.end[k]);
    if (!stays_apart_in_halves(half, least, halvings - 1)) return false;
    half.begin = half.end;
    half.end = motion.end;
    return stays_apart_in_halves(half, least, halvings - 1);
}

} // namespace

SeparatingPlane plane_along(const FeatureMotion& motion, const Vec3& normal) {
    return {normal, gap_along(normal, motion.begin, motion.side_count),
            gap_along(normal, motion.end, motion.side_count)};
}

SeparatingPlane best_plane(const FeatureMotion& motion, const Vec3& normal, double least) {
    SeparatingPlane best = plane_along(motion, normal);
    least = std::min(best.gap, least);
    if (best.gap_end >= least) return best;
    for (const std::array<Vec3, 4>* at : {&motion.begin, &motion.end}) {
        const auto& x = *at;
        const Vec3 n = motion.side_count == 1 ? cross(x[2] - x[1], x[3] - x[1]) : cross(x[1] - x[0], x[3] - x[2]);
        const double size = length(n);
        if (!(size > 0.0)) continue;
        const SeparatingPlane other = plane_along(motion, (dot(n, normal) < 0.0 ? -1.0 : 1.0) / size * n);
        if (other.gap >= least && other.gap_end > best.gap_end) best = other;
    }
    return best;
}

bool stays_apart(const FeatureMotion& motion, double least) {
    return stays_apart_in_halves(motion, least, kMostHalvings);
}

} // namespace selvage
