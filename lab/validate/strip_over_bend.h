#pragma once

#include <vector>

#include "math/vec.h"

namespace selvage {

/// A limp strip of uniform weight that passes over a rounded solid and hangs down on the far side. On the near side it
/// hangs as well (turn = pi), or lies on a table level with the top (turn = pi/2). Lengths are the strip's at rest.
///
///          turn = pi                    turn = pi/2
///            ____                  near
///     near  /    \  far          ========\  far
///           |    |               table    |
///           |    |                        |
///                |                        |
struct StripOverBend {
    double length = 1.0;         ///< Of the whole strip [m].
    double radius = 0.1;         ///< Of its path over the bend [m].
    double turn = 0.0;           ///< How far it turns there: pi or pi/2 [rad].
    double table_friction = 0.0; ///< Under the near side, where that lies on a table.
    double bend_friction = 0.0;

    bool lies_on_table() const { return turn < 3.0; }
    /// Tension where the near side of that length meets the bend, over the weight per length [m].
    double near_pull(double near_length) const;
    /// Tension over the weight per length at `angle` along the bend, when the strip is about to slip to the far side
    /// [m].
    double pull_on_bend(double near_length, double angle) const;
    /// The near length at which the far side is just heavy enough for the strip to slip [m].
    double near_length_at_slip() const;
    double far_length(double near_length) const { return length - near_length - radius * turn; }
};

/// Where the strip is when it rests with that near length: the path's plane is x-y, the middle of its bend at the
/// origin, the far side towards +x. `rows` points, evenly spaced at rest, stretched by pull / stretch_length (stiffness
/// over weight, both per width [m]) as at the verge of slipping of a strip whose frictions are scaled to balance there.
std::vector<Vec3> resting_strip(StripOverBend strip, double near_length, int rows, double stretch_length);

} // namespace selvage
