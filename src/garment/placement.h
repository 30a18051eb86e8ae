#pragma once

#include "garment/sewing.h"
#include "garment/wrap_tube.h"

namespace selvage {

struct PlacementSettings {
    double clearance = 0.008; ///< Between the body and the first layer, and between layers, to begin with [m].
};

/// Puts the vertices of a sewn cloth around the body, as its panels' places say. Rows of panels in a ring become as long
/// as the loop that they lie on, so that seams meet; where a row is longer than the body's girth, the loop is as long as
/// the row. Seam vertices lie in the middle of where their panels have them. Fails on parts and levels that the body does
/// not have.
Result<std::vector<Vec3>> place_cloth(const Pattern& pattern, const SewnCloth& cloth, const WrapBody& body,
                                      const PlacementSettings& settings = {});

} // namespace selvage
