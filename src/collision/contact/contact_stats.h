#pragma once

#include <cstdint>
#include <span>

#include "collision/shapes/collider.h"

namespace selvage {

/// What a contact stage is given.
struct ContactInput {
    double dt = 0.0;                       ///< [s].
    std::span<const std::uint8_t> is_held; ///< One flag per vertex.
    std::span<const Collider> colliders;
};

/// What the contact stage did in a step.
struct ContactStats {
    std::int64_t records = 0;   ///< Pairs of features whose distance was taken.
    std::int64_t contacts = 0;  ///< Of them, those that pushed.
    std::int64_t truncated = 0; ///< Vertices whose displacement was cut short.
    std::int64_t listings = 0, searches = 0;
    int rounds = 0;             ///< Of cutting,
    std::int64_t tests = 0;     ///< and the tests of records in them.
    std::int64_t conflicts = 0; ///< On a device: small steps in which planes contradicted each other to the last,
    std::int64_t overflows = 0; ///< and those whose lists of pairs were too short.
    double smallest_gap = 0.0;  ///< Of the records at the start of the step [m]; 0 when there are none.
    double solid_depth = 0.0;   ///< Deepest that something was left inside a collider that is no mesh, at the end [m].
    double solver_ms = 0.0, search_ms = 0.0, narrow_ms = 0.0, response_ms = 0.0;

    ContactStats& operator+=(const ContactStats& other);
};

} // namespace selvage
