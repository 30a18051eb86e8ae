#pragma once

#include <array>

#include "math/simd.h"
#include "math/vec.h"
#include "model/material.h"

namespace selvage {

/// Bending across the edge (a, b) shared by two triangles, with c opposite in the first and d in the second:
///   E = k/2 (theta - theta_0)^2,   k = B l^2 / (A1 + A2),
/// theta the angle between the triangles, 0 when flat, positive when they fold away from the front. With this k a strip
/// bends by its rigidity B on any mesh fine enough; the customary factor of 3 comes from another limit and is that much
/// too stiff.
struct HingeAngle {
    double angle = 0.0;        ///< [rad], in (-pi, pi].
    std::array<Vec3, 4> slope; ///< d angle / d x for a, b, c, d [1/m].
};

/// The same for several hinges side by side, T a register of doubles; see MembraneLanes.
template <class T>
struct HingeLanes {
    T ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz;
    // Out; zero for a hinge without length or area.
    T angle;
    T slope_x[4], slope_y[4], slope_z[4];
};

inline constexpr double kNoHinge = 1e-40; ///< Vectors whose square is smaller are points: no direction, no derivative.

template <class T>
SELVAGE_INLINE void find_angle(const T& sine, const T& cosine, T& angle) {
    const T zero = T{}, one = zero + 1.0, half = zero + 0.5;
    T size, c, large, root;
    take_root(sine * sine + cosine * cosine, size);
    size = SELVAGE_SELECT(size > zero, size, one);
    const T unit = cosine / size, up = half + half * unit, down = half - half * unit;
    take_root(SELVAGE_SELECT(up > zero, up, zero), c); // cosine of half the angle; then its sine by two formulas
    take_root(SELVAGE_SELECT(down > zero, down, zero), large);
    const T divisor = size * c;
    const T small = half * sine / SELVAGE_SELECT(divisor > zero, divisor, one);
    const T s = SELVAGE_SELECT(cosine > zero, small, SELVAGE_SELECT(sine < zero, -large, large));
    T t = s / (one + c);
    for (int halving = 0; halving < 2; ++halving) {
        take_root(one + t * t, root);
        t = t / (one + root);
    }
    const T t2 = t * t;
    const T tail = t2 * (1.0 / 9 + t2 * (-1.0 / 11 + t2 * (1.0 / 13 - t2 / 15.0)));
    angle = 16.0 * t * (one + t2 * (-1.0 / 3 + t2 * (1.0 / 5 + t2 * (-1.0 / 7 + tail))));
}

template <class T>
SELVAGE_INLINE void fold(HingeLanes<T>& h) {
    const T zero = T{}, one = zero + 1.0;
    const T ex = h.bx - h.ax, ey = h.by - h.ay, ez = h.bz - h.az;
    const T cax = h.cx - h.ax, cay = h.cy - h.ay, caz = h.cz - h.az;
    const T cbx = h.cx - h.bx, cby = h.cy - h.by, cbz = h.cz - h.bz;
    const T dax = h.dx - h.ax, day = h.dy - h.ay, daz = h.dz - h.az;
    const T dbx = h.dx - h.bx, dby = h.dy - h.by, dbz = h.dz - h.bz;
    const T n1x = cay * cbz - caz * cby, n1y = caz * cbx - cax * cbz, n1z = cax * cby - cay * cbx;
    const T n2x = dby * daz - dbz * day, n2y = dbz * dax - dbx * daz, n2z = dbx * day - dby * dax;
    T l2 = ex * ex + ey * ey + ez * ez, s1 = n1x * n1x + n1y * n1y + n1z * n1z, s2 = n2x * n2x + n2y * n2y + n2z * n2z;
    T least = SELVAGE_SELECT(l2 < s1, l2, s1);
    least = SELVAGE_SELECT(least < s2, least, s2);
    const T good = SELVAGE_SELECT(least > kNoHinge + zero, one, zero);
    l2 = SELVAGE_SELECT(good > zero, l2, one);
    s1 = SELVAGE_SELECT(good > zero, s1, one);
    s2 = SELVAGE_SELECT(good > zero, s2, one);
    T l;
    take_root(l2, l);
    const T px = n1y * n2z - n1z * n2y, py = n1z * n2x - n1x * n2z, pz = n1x * n2y - n1y * n2x;
    find_angle((px * ex + py * ey + pz * ez) / l, n1x * n2x + n1y * n2y + n1z * n2z, h.angle);
    h.angle = good * h.angle;
    const T w1 = good * l / s1, w2 = good * l / s2; // slopes of c and d
    const T ca = (cax * ex + cay * ey + caz * ez) / l2, cb = (cbx * ex + cby * ey + cbz * ez) / l2;
    const T da = (dax * ex + day * ey + daz * ez) / l2, db = (dbx * ex + dby * ey + dbz * ez) / l2;
    const T first[4] = {-cb * w1, ca * w1, -w1, zero}, second[4] = {-db * w2, da * w2, zero, -w2};
    for (int k = 0; k < 4; ++k) {
        h.slope_x[k] = first[k] * n1x + second[k] * n2x;
        h.slope_y[k] = first[k] * n1y + second[k] * n2y;
        h.slope_z[k] = first[k] * n1z + second[k] * n2z;
    }
}

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
