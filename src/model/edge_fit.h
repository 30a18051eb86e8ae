#pragma once

#include <array>

#include "math/vec.h"
#include "model/material.h"

namespace selvage {

/// Of the stiffness that a fabric has along an edge, this much is left to the edge's spring whatever the fit says. A
/// triangle with an edge that yields to nothing has a direction in which it stretches freely.
inline constexpr double kLeastEdge = 0.05;

/// Stiffnesses of springs along a triangle's three edges that stretch as the fabric does [N/m]. `edge`: the edges in the
/// cloth's own axes, x along the warp [m]. None is zero where the fabric has stiffness along the edge; all are for a
/// triangle with an edge without length.
std::array<double, 3> fit_edges(const std::array<Vec2, 3>& edge, double area, const Material& material);

} // namespace selvage
