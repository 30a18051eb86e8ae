#pragma once

#include "model/material.h"

namespace selvage {

/// Yarns that rub on each other resist bending by a moment per width m that depends on where the bending came from.
/// Dahl's law (1968), in the curvature k:
///   dm/dk = K (1 - m sgn(dk) / H),   |m| <= H.
/// Along a long bend m tends to H, after a reversal to -H: the loop of moment over curvature is 2 H wide, which is what
/// KES measures as 2HB. K is how stiff the yarns are while they still stick.
/// m and k are symmetric tensors in the axes of warp and weft; where the two directions rub differently, k is scaled by
/// the roots of their shares and m likewise, so that bending at an angle phi to the warp meets
///   H(phi) = H_warp cos^2 phi + H_weft sin^2 phi.
struct YarnLaw {
    double stick = 0.0;            ///< K [N m].
    double slip = 0.0;             ///< H, the mean of warp and weft [N].
    double warp = 1.0, weft = 1.0; ///< Of H; their mean is 1.
    bool is_present() const { return stick > 0.0 && slip > 0.0; }
};

/// K over the fabric's bending rigidity. KES' loops turn from one branch to the other within 0.3 to 0.5 /cm; with 2HB/B
/// of 0.4 to 1 /cm that is a K of 3 to 8 B.
inline constexpr double kYarnStick = 5.0;

/// Without friction where either number of the fabric is nothing.
YarnLaw yarn_law(const Material& material);

} // namespace selvage
