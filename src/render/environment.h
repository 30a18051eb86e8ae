#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "math/vec.h"
#include "render/image.h"

namespace selvage {

/// A far light of some size, which casts shadows.
struct KeyLight {
    Vec3f direction{0, 1, 0}; ///< Towards it, unit.
    Vec3f irradiance;         ///< On a surface that faces it [W/m2 per channel].
    float tan_radius = 0.1f;  ///< Of the half angle it is seen under.
};

/// Light from all around: the sharp peak as a key light, the rest as a map. Radiance in arbitrary units, where 1 is
/// what a white sheet sends back in full light.
struct Environment {
    KeyLight key;
    ImageF map; ///< Without the key; longitude by latitude, row 0 is up.
    std::array<Vec3f, 9>
        irradiance; ///< Spherical harmonics of the map's irradiance, order as in Ramamoorthi and Hanrahan 2001.
    /// The map seen through GGX lobes: levels of a cube, from a mirror to fully rough, each half as wide as the one
    /// before.
    struct CubeLevel {
        int side = 0;
        std::array<std::vector<float>, 6> faces; ///< RGBA, GL's order of faces.
    };
    std::vector<CubeLevel> levels;
    bool has_backdrop = false;         ///< Pictures show a plain backdrop instead of the map.
    Vec3f backdrop_low, backdrop_high; ///< Its colours at the bottom and the top of the picture.
};

using Radiance = std::function<Vec3(const Vec3& direction)>;

/// Computes everything from the radiance around and a key light of its own.
Environment make_environment(const Radiance& radiance, const KeyLight& key);

Environment studio_environment(); ///< Soft boxes and a plain backdrop.
Environment sky_environment();    ///< Clear sky and an afternoon sun.

/// From a longitude-latitude picture. What is much brighter than the mean becomes the key light, so that it casts a
/// shadow; all is scaled to the mean brightness of the studio. `turn_deg` turns it about the vertical.
Result<Environment> load_environment(const std::filesystem::path& path, double turn_deg);
Environment environment_from_picture(const ImageF& picture, double turn_deg);

/// Irradiance [W/m2] on a surface with this unit normal, from the harmonics.
Vec3f sky_irradiance(const Environment& environment, const Vec3f& normal);

/// Radiance of the map, between pixels.
Vec3f map_radiance(const ImageF& map, const Vec3f& direction);

} // namespace selvage
