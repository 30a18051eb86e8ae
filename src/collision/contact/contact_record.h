#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "math/hd.h"
#include "math/vec.h"

namespace selvage {

/// Two features that may touch within a step: points of the surface given by weights of at most four vertices, positive
/// on one side and negative on the other, and the plane between them where the step starts. Against a solid given by a
/// distance function there is only one side. Impulses here are times the step: a mass times a displacement. The fields
/// that every round reads come first: most records need no others.
struct alignas(64) ContactRecord {
    std::array<int, 4> vertex{-1, -1, -1, -1};
    int count = 0, side_count = 0; ///< Vertices; those of the side that the normal points to come first.
    int solid = -1;                ///< Which, when the other side is a solid given by a distance function.
    bool is_solid = false;         ///< The other side is a solid.
    bool may_push =
        true; ///< The normal points over no neighbour of its features, which would be better to push against.
    bool is_active = false;
    std::array<double, 4> weight{};
    Vec3 normal;
    double gap = 0.0;              ///< At the start of the step [m].
    double minimum_distance = 0.0; ///< [m].
    double target_gap = 0.0;       ///< Gap that the step must leave [m].
    double separation_speed = 0.0; ///< At which the solver alone would have the gap open [m/s].
    double friction = 0.0;         ///< Coulomb coefficient.
    Vec3 solid_displacement;       ///< Of the solid in the step, for one given by a distance function [m].
    double normal_impulse = 0.0;   ///< So far in this step [kg m].
    Vec3 friction_impulse;         ///< Likewise.
    int candidate = -1;            ///< Its number among those of its pair of patches.

    bool has_two_sides() const { return count != side_count; }
};

/// What the first side has more of than the second: a displacement, a velocity.
SELVAGE_HD inline Vec3 relative(const ContactRecord& record, std::span<const Vec3> values) {
    Vec3 sum;
    for (int k = 0; k < record.count; ++k)
        sum += record.weight[k] * values[record.vertex[k]];
    return sum;
}

/// The gap that a step must leave: the minimum distance, or, where it starts narrower, what it may open by: a fraction
/// of what is missing, and no more than `most` [m]. What is pressed together parts slowly and does not fly apart.
SELVAGE_HD inline double opening_gap(double minimum_distance, double gap, double fraction, double most) {
    const double missing = std::max(0.0, minimum_distance - gap);
    return std::min(minimum_distance, gap + std::min(fraction * missing, most));
}

} // namespace selvage
