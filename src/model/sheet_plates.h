#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "model/sheet.h"
#include "model/thread_axes.h"

namespace selvage {

/// Angles below this are how triangles of flat cloth come out of a file: the stencil's energy serves them.
inline constexpr double kFlatAngle = 1e-3; // [rad]

/// A part's hinges, with what they lie between.
struct PartHinges {
    const ClothModel& model;
    const ClothPart& part;
    const std::vector<ThreadAxes>& axes; ///< Of each triangle of the part.
    std::span<SheetHinge> hinges;
    std::span<const std::array<int, 2>> hinge_of; ///< Two triangles of each, counted within the part.
};

/// For each vertex: others and the values of the bending form between them.
using PlateRows = std::vector<std::vector<std::pair<int, double>>>;

/// Adds the bending of a part's flat regions (plate_bending.h), and marks the hinges that it stands for.
void add_plates(const PartHinges& of, PlateRows& rows);

} // namespace selvage
