#pragma once

#include <array>

#include "math/vec.h"

namespace selvage {

/// A vertex and a triangle, or two edges, on straight paths: four vertices, those of one side first. All relative to
/// the first of them: differences of positions far from the origin would lose digits.
struct FeatureMotion {
    std::array<Vec3, 4> begin, end; ///< [m].
    int side_count = 0;             ///< Vertices of the first side: 1 or 2.
};

/// How far apart a plane holds two sides.
struct SeparatingPlane {
    Vec3 normal;                     ///< Towards the first side, of length 1.
    double gap = 0.0, gap_end = 0.0; ///< At the start and at the end of the motion; below 0: it does not [m].
};

SeparatingPlane plane_along(const FeatureMotion& motion, const Vec3& normal);

/// The plane with the given normal, that of the sides at the start, or, where it does not leave `least` at the end,
/// that of the face or of both edges, at the start or at the end, if it holds them farther apart then: things slide
/// over each other.
SeparatingPlane best_plane(const FeatureMotion& motion, const Vec3& normal, double least);

/// Whether the sides keep this distance all along their paths [m]: shown by a plane that separates them at both ends of
/// the motion, or else by one for each half of it, and so on. False where it is so and these planes do not show it.
bool stays_apart(const FeatureMotion& motion, double least);

} // namespace selvage
