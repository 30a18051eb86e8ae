#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/cloth_model.h"

namespace selvage {

/// How much of a cloth's bending goes back and forth from vertex to vertex. Over all edges inside the cloth, products of
/// the heights of their ends (above the mean of their neighbours, along the normal, less the same at rest) that differ in
/// sign, over all products. 0 on a cylinder, 0.5 for heights at random, 2/3 where every other row of a grid stands up.
double roughness(const ClothModel& model, std::span<const Vec3> position);

/// Cells of a cloth against what its fabric needs.
struct Resolution {
    std::string cloth;
    double cell = 0.0;        ///< Side of a square of two triangles of mean area [m].
    double fold_radius = 0.0; ///< The fabric folds to about this under its own weight [m]; 0 without bending stiffness.
    /// Folds are resolved by cells of this size, and look coarse with larger ones [m].
    double wanted_cell() const { return 0.7 * fold_radius; }
    bool is_coarse() const { return fold_radius > 0.0 && cell > fold_radius; }
};
/// Of every woven part; blocks and bare nets have none.
std::vector<Resolution> resolutions(const ClothModel& model);

} // namespace selvage
