#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "math/vec.h"

namespace selvage {

/// What moves: enough to save and resume. One array per attribute, all vertex_count long.
struct ClothState {
    std::vector<Vec3> position; ///< World space [m].
    std::vector<Vec3> velocity; ///< [m/s].
    double time = 0.0;          ///< [s].
};

inline std::uint64_t state_hash(const ClothState& state) {
    std::uint64_t hash = hash_bytes(&state.time, sizeof state.time);
    hash = hash_bytes(state.position.data(), state.position.size() * sizeof(Vec3), hash);
    return hash_bytes(state.velocity.data(), state.velocity.size() * sizeof(Vec3), hash);
}

} // namespace selvage
