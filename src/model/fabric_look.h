#pragma once

#include <string>
#include <vector>

#include "base/fields.h"

namespace selvage {

enum class Construction { woven, knit, felt };
enum class LobeModel { ashikhmin, ward };

/// How a fabric looks: what light does with it, from one yarn to the whole sheet. Warp yarns run along u, weft yarns
/// along v. Colours are linear reflectances.
struct FabricLook {
    Construction construction = Construction::woven;
    IntTriple weave{1, 1,
                    1}; ///< Weft elements, then warp elements in a row; shift of the next row (n_w, n_pi, n_sigma).
    double yarn_width = 0.0004;   ///< From one yarn to the next [m].
    double yarn_curvature = 0.6;  ///< Normal across the yarn at its edge; 0 is flat.
    double fibre_twist = 1.0;     ///< Twists per element; 0 for filaments.
    double fibre_slope = 0.3;     ///< 2 theta / pi of the twist's angle theta.
    double fibre_curvature = 0.2; ///< Normal along the yarn at a fibre's edge.
    double groove = 0.4;          ///< How much darker yarns are at their edges and where they dive.
    LobeModel model = LobeModel::ashikhmin;
    Pair roughness{0.3, 0.5};             ///< Along and across a yarn; the root of twice the variance of slopes.
    Triple reflectance{0.04, 0.04, 0.04}; ///< Of fibres at normal incidence.
    Triple warp_colour{0.6, 0.6, 0.6}, weft_colour{0.6, 0.6, 0.6};
    Triple back_tint{1, 1, 1};     ///< Multiplies the yarns' colours on the back.
    double colour_variation = 0.1; ///< Fraction by which yarns differ in brightness.
    Triple sheen_colour{0, 0, 0};
    double sheen_roughness = 0.5;
    double translucency = 0.1; ///< Fraction of the diffuse light that leaves on the other side.
    double openness = 0.0;     ///< Fraction of the area that is holes between yarns.
    std::string print;         ///< Image file printed on the front, relative to the fabric file; empty: none.
    Pair print_size{0.5, 0.5}; ///< Of one repeat of the print [m].

    friend bool operator==(const FabricLook&, const FabricLook&) = default;
};

const Fields<FabricLook>& look_fields();

} // namespace selvage
