#pragma once

#include <array>

#include "math/vec.h"
#include "model/fabric_look.h"

namespace selvage {

/// Is the warp yarn on top in column `i` (along u) of row `j` (along v), seen from the front?
bool warp_on_top(const FabricLook& look, long i, long j);
/// Fraction of elements with the warp on top, over the whole weave.
double warp_fraction(const FabricLook& look);

/// Part of a weave under a pixel that shares one kind of yarn and nearly one normal: mean and variance of the normal's
/// components in the surface's plane (x along u, y along v).
struct WeaveLobe {
    double weight = 0.0; ///< Fraction of the pixel.
    bool warp = true;
    double x = 0.0, y = 0.0;                   ///< Mean of the normal's components.
    double variance_x = 0.0, variance_y = 0.0; ///< Around it.
    double brightness = 1.0;                   ///< Of this yarn against the others.
    double contrast = 0.0; ///< Fraction by which it is brighter one standard deviation farther across the yarn.
    int half = 0;          ///< Which half of a fibre.
};

inline constexpr int kNearElements = 4; ///< Elements a pixel of at most one element's size touches.
inline constexpr int kFibreParts = 2;   ///< Halves of a twisted fibre.
inline constexpr int kAcrossParts = 4;  ///< Most parts a round yarn is cut into when seen from afar.
inline constexpr int kNearLobes = kNearElements * kFibreParts;
inline constexpr int kFarLobes = 2 * kAcrossParts * kFibreParts;

/// Parts that yarns of this look are cut into: flat ones need none.
int across_parts(const FabricLook& look);
int fibre_parts(const FabricLook& look);

struct WeaveLobes {
    std::array<WeaveLobe, kNearLobes + kFarLobes> lobe;
    int count = 0;
};

/// A place on the cloth and what a pixel sees of it.
struct WeaveSite {
    Vec2 uv;        ///< [m].
    Vec2 footprint; ///< Size of the pixel along u and v [m].
    bool back = false;
};

/// All lobes of a pixel; their weights add up to 1. Pixels up to a quarter of an element wide see single elements, each
/// cut to the pixel; from half on they see the distribution of the whole weave, with the local fraction of warp.
/// `whole`: yarns seen from afar stay one lobe each, which is enough for means.
WeaveLobes weave_lobes(const FabricLook& look, const WeaveSite& site, bool whole = false);

/// What light meets on its way through the cloth: the warp and the weft there, the same from both sides.
struct WeavePassage {
    double warp = 1.0, weft = 1.0; ///< Brightness of the yarns against others of their kind.
    double groove = 1.0;           ///< Shade of the grooves of both, over the pixel.
};
WeavePassage weave_passage(const FabricLook& look, const WeaveSite& site);

/// Variances of the slopes over the whole weave along u and v.
Vec2 weave_slope_variance(const FabricLook& look);

/// Fraction of the light leaving facets, as much to every side of theirs, that meets another one. Whatever the shapes of
/// yarns: the sky lights facets of the area 1 / n_z through an opening of area 1, and light can go back the same path.
double weave_trapped_fraction(const FabricLook& look);

/// Of 2 fract(p) - 1 over an interval of width `width` around p, where it is negative (half 0) or not (half 1):
/// fraction of the interval, mean and variance there.
struct SawtoothMoments {
    double fraction = 0.0, mean = 0.0, variance = 0.0;
};
SawtoothMoments sawtooth_moments(double p, double width, int half);

} // namespace selvage
