#pragma once

#include <array>

#include "math/vec.h"
#include "model/fabric_look.h"
#include "render/shading/weave.h"

namespace selvage {

/// What light of radiance 1 from everywhere gives at one angle of view: the white furnace in parts, as the sheen above
/// the yarns leaves them.
struct FurnaceParts {
    double warp = 0.0, weft = 0.0; ///< Diffuse light from all of one yarn's fraction, times its colour.
    double specular_scale = 0.0;   ///< Times the fibres' reflectance ...
    double specular_bias = 0.0;    ///< ... plus this.
};

inline constexpr int kFurnaceSteps = 16; ///< Evenly over the cosine of the view, from 0 to 1.

/// Light of one side that leaves after more than one reflection: what one reflection lacks of all the light.
struct Bounces {
    /// Of the albedo of white yarns, over the cosine, at the turn t of the direction from u:
    /// part[0] - reflectance part[1] + part[2] cos 2t + part[3] cos 4t.
    std::array<std::array<double, 4>, kFurnaceSteps> missing;
    Vec3 mean;      ///< Of `missing`, weighted by the cosine.
    Vec3 same_side; ///< Times `missing` of view and light over pi: BRDF of white yarns.
};

/// A look with all that is computed once; what the shader gets as uniforms.
struct PreparedLook {
    FabricLook look;
    std::array<Bounces, 2> bounces;     ///< Of the front and of the back.
    Vec3 bounces_through;               ///< As `same_side`, for view and light on different sides.
    std::array<double, 2> diffuse;      ///< Mean of the diffuse albedo of white yarns, weighted by the cosine.
    double through = 0.0;               ///< Times the diffuse albedos of view and light over pi: BTDF of white yarns.
    double trapped = 0.0;               ///< weave_trapped_fraction.
    std::array<Vec2, 2> slope_variance; ///< Along u and v; of the front and of the back.
    std::array<std::array<FurnaceParts, kFurnaceSteps>, 2> furnace; ///< Of the front and of the back.
    std::array<double, kFurnaceSteps> sheen;                        ///< Albedo of the sheen alone, for colour 1.
};

PreparedLook prepare_look(const FabricLook& look);

/// Linear between the steps.
FurnaceParts furnace_at(const PreparedLook& prepared, bool back, double cosine);
double sheen_albedo(const PreparedLook& prepared, double cosine);

/// Where the shader is asked about: the place, the printed colour there (white: none).
struct FabricSite {
    Vec2 uv;        ///< [m].
    Vec2 footprint; ///< Size of the pixel along u and v [m].
    Vec3 print{1, 1, 1};
};

/// Radiance towards `view` under a light that gives irradiance 1 to a plane facing it, from direction `light`. Both are
/// unit vectors in tangent space (u, v, normal of the front); a view with negative z sees the back.
Vec3 fabric_radiance(const PreparedLook& prepared, const FabricSite& site, Vec3 view, Vec3 light);

/// A mirror that stands for a part of the weave under image-based light: a normal (negative z on
/// the back), how wide the reflection is to be
/// blurred (as Ward's alpha), and its fraction.
struct FabricMirror {
    Vec3 normal;
    double roughness = 0.0;
    double weight = 0.0;
};
inline constexpr int kFabricMirrors = 4;
std::array<FabricMirror, kFabricMirrors> fabric_mirrors(const PreparedLook& prepared, const FabricSite& site,
                                                        bool back);

/// Light from all around, gathered by the caller: irradiance on the side of the view and on the other [W/m2 per unit
/// radiance; pi in a white furnace], and the radiance that the mirrors show, by their weights.
struct FabricSurroundings {
    Vec3 irradiance_front, irradiance_back, reflected;
};
Vec3 fabric_environment(const PreparedLook& prepared, const FabricSite& site, Vec3 view,
                        const FabricSurroundings& surroundings);

/// Fraction of a pixel that the yarns hide along `view`: holes close up at grazing angles.
double fabric_opacity(const FabricLook& look, double n_dot_view);

} // namespace selvage
