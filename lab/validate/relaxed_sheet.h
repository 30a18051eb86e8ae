#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/sheet.h"

namespace selvage {

/// A solid cylinder below y = 0, its axis the y axis, for cloth to lie on: it pushes and rubs (Coulomb), nothing else.
struct RoundPlate {
    double radius = 0.0; ///< [m]; 0: there is none.
    double friction = 0.0;
};

/// The shape that cloth takes at rest under a force on each of its points, by its energies alone: no solver, no steps
/// in time. Explicit relaxation with made-up masses, velocities turned downhill (FIRE: Bitzek and others 2006): slow,
/// sure, and independent of everything it is compared with.
struct RelaxedSheet {
    std::vector<Vec3> position;
    long long iterations = 0;
    double imbalance = 0.0; ///< Largest force left on a free point, over the mean load of a point.
};

/// Starts from `position`; points flagged in `is_held` stay. Ends when the imbalance is below `tolerance`. `watch`,
/// where given, is called every thousand iterations.
RelaxedSheet relax_sheet(const Sheet& sheet, std::vector<Vec3> position, std::span<const Vec3> load,
                         std::span<const std::uint8_t> is_held, double tolerance = 1e-4,
                         long long most_iterations = 400000, const RoundPlate& plate = {},
                         const std::function<void(const RelaxedSheet&)>& watch = {});

} // namespace selvage
