#pragma once

#include <array>
#include <cstdint>

#include "math/vec.h"

namespace selvage {

/// Two features that may touch within a step: points of the surface given by weights of at most four vertices, positive on one
/// side and negative on the other, and the plane between them where the step starts. Against a solid there is only one side.
/// What is asked of every record in every round comes first: most have no more to say.
struct alignas(64) ContactRecord {
    std::array<int, 4> vertex{-1, -1, -1, -1};
    int count = 0, side_count = 0; ///< Vertices; those of the side that the normal points to come first.
    int solid = -1;                ///< Which, when the other side is a solid that is no mesh.
    bool is_solid = false;         ///< The other side is one.
    bool may_push = true; ///< Its normal leans towards no neighbour of its features, which would push straighter.
    bool is_active = false;
    std::array<double, 4> weight{};
    Vec3 normal;
    double gap = 0.0;      ///< At the start of the step [m].
    double kept = 0.0;     ///< Distance to be kept [m].
    double least = 0.0;    ///< Gap that the step must leave [m].
    double parting = 0.0;  ///< Speed at which the solver alone would have it open [m/s].
    double friction = 0.0; ///< Coulomb.
    Vec3 carried;          ///< How far the solid goes in the step [m].
    double pushed = 0.0;   ///< So far in this step [kg m].
    Vec3 dragged;          ///< By friction, likewise.
};

} // namespace selvage
