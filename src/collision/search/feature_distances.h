#pragma once

#include <array>
#include <cstdint>

#include "math/simd.h"

namespace selvage {

/// Features of one patch and of another, in pairs, each by its number in its patch.
struct FeaturePairs {
    static constexpr int kMost = 60 * 60; ///< As many as two patches can have.
    int count = 0;
    std::uint8_t first[kMost + 8], second[kMost + 8]; ///< With room for eight that do not count.
};
using PointPlaces = std::array<std::uint8_t, 4>; ///< Of a feature's points among its patch's.

/// The points of two patches, each relative to a place of its own [m].
struct PatchPoints {
    const Floats4 *first, *second;
    float offset[3]; ///< From the first patch's place to the second's.
};

/// Distances are wrong by less than this times the largest distance between points of the two patches.
inline constexpr float kDistanceRounding = 4e-6F;

/// Squared distances of vertices of the first patch and faces of the second, pairs [begin, end), eight at a time [m2].
/// `squared` has room for a multiple of eight.
void vertex_face_distances(const PatchPoints& points, const PointPlaces* faces, const FeaturePairs& pairs, int begin,
                           int end, float* squared);
/// Likewise of edges.
void edge_edge_distances(const PatchPoints& points, const PointPlaces* first_edges, const PointPlaces* second_edges,
                         const FeaturePairs& pairs, int begin, int end, float* squared);

} // namespace selvage
