#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "math/vec.h"

namespace selvage {

/// What the yarns around a vertex remember of how they were bent (bend_friction.h).
struct YarnMemory {
    static constexpr float kNothing = 1e30F;              ///< No curvature of a mesh comes near it.
    std::array<float, 3> moment{};                        ///< By friction, per width [N].
    std::array<float, 3> curvature{kNothing, 0.0F, 0.0F}; ///< At which it was [1/m].
    bool is_fresh() const { return curvature[0] == kNothing; }
    bool is_possible() const { ///< Not damaged in a file: finite, and no more than kNothing.
        for (int k = 0; k < 3; ++k)
            if (!(moment[k] >= -kNothing && moment[k] <= kNothing && curvature[k] >= -kNothing &&
                  curvature[k] <= kNothing))
                return false;
        return true;
    }
};

/// What moves: enough to save and resume. One array per attribute, all vertex_count long.
struct ClothState {
    std::vector<Vec3> position;        ///< World space [m].
    std::vector<Vec3> velocity;        ///< [m/s].
    double time = 0.0;                 ///< [s].
    std::vector<YarnMemory> yarn = {}; ///< Empty where no cloth bends with friction.
};

inline std::uint64_t state_hash(const ClothState& state) {
    std::uint64_t hash = hash_bytes(&state.time, sizeof state.time);
    hash = hash_bytes(state.position.data(), state.position.size() * sizeof(Vec3), hash);
    hash = hash_bytes(state.velocity.data(), state.velocity.size() * sizeof(Vec3), hash);
    return hash_bytes(state.yarn.data(), state.yarn.size() * sizeof(YarnMemory), hash);
}

} // namespace selvage
