#pragma once

#include <array>

#include "math/vec.h"
#include "model/material.h"

namespace selvage {

/// Bending across the edge (a, b) shared by two triangles, with c opposite in the first and d in the second:
///   E = k/2 (theta - theta_0)^2,   k = B l^2 / (A1 + A2),
/// theta the angle between the triangles, 0 when flat, positive when they fold away from the front. With this k a strip bends by
/// its rigidity B on any mesh fine enough; the customary factor of 3 comes from another limit and is that much too stiff.
struct HingeAngle {
    double angle = 0.0;        ///< [rad], in (-pi, pi].
    std::array<Vec3, 4> slope; ///< d angle / d x for a, b, c, d [1/m].
};

HingeAngle hinge_angle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// B of a fold whose line is perpendicular to a direction at angle phi to the warp, given cos^2 phi [N m]:
/// warp's and weft's at 0 and 90 degrees, the bias' at 45 where it is known, else the same all round where these agree.
double bend_rigidity(const Material& material, double cosine_squared);

/// Numbers K for which |sum K x| = l theta on small folds of the triangles at rest (Bergou and others 2006). The energy
/// k / (2 l^2) |sum K x|^2 has the constant derivative k / l^2 K_i K_j I: for cloth that is flat at rest.
std::array<double, 4> flat_stencil(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// The angle whose sine and cosine have this ratio, by square roots and a series: the same bits everywhere, to 1e-10.
double angle_of(double sine, double cosine);

} // namespace selvage
