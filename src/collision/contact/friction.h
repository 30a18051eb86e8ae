#pragma once

#include <cmath>

#include "collision/search/contact_surface.h"
#include "math/hd.h"

// Coulomb friction, and how the surface numbers of two bodies combine. All code that rubs uses these functions. They
// hold for impulses, forces and displacements alike, as long as the normal and the tangential quantity have the same
// unit.

namespace selvage {

/// The part of `v` across a unit normal.
SELVAGE_HD inline Vec3 tangential(const Vec3& v, const Vec3& normal) {
    return v - dot(v, normal) * normal;
}

/// Whether friction can supply this much against a given normal quantity.
SELVAGE_HD inline bool is_within_friction(const Vec3& needed, double coefficient, double normal) {
    return length(needed) <= coefficient * normal;
}

/// Projects what would stop the slip onto Coulomb's cone: no longer than the coefficient times the normal quantity.
SELVAGE_HD inline Vec3 limit_friction(const Vec3& needed, double coefficient, double normal) {
    const double size = length(needed), most = coefficient * normal;
    return size > most ? (most / size) * needed : needed;
}

/// Of two bodies: a collider's own coefficient counts against any cloth; two cloths have the root of the product.
inline double combined_friction(const ContactBody& a, const ContactBody& b) {
    return a.is_solid ? a.friction : b.is_solid ? b.friction : std::sqrt(a.friction * b.friction);
}

/// Minimum distance of two bodies [m]: a collider's own thickness counts against any cloth; two cloths have the mean.
inline double combined_distance(const ContactBody& a, const ContactBody& b) {
    return a.is_solid ? a.distance : b.is_solid ? b.distance : 0.5 * (a.distance + b.distance);
}

} // namespace selvage
