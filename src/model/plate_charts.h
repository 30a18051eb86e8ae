#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/topology.h"

namespace selvage {

/// Lays out the triangles around one vertex after another in a plane, from their shapes and what they share, across seams
/// as across any other edge. Where the angles around a vertex do not add up to a full turn (a dart's tip, a curved seam)
/// each gets its part of the difference; where that is much, there is no chart.
class PlateCharts {
public:
    /// `triangles` of vertices, `corner` their places, each in its own plane. Both must outlive it.
    PlateCharts(int vertex_count, std::span<const Triangle> triangles, std::span<const std::array<Vec2, 3>> corner);

    /// Lays out what is within three edges of `vertex`, that at the origin. False where this cannot be done.
    bool unfold(int vertex);
    std::span<const int> around(int vertex) const { return triangles_of_[vertex]; }

    // Of the last unfold():
    std::span<const Vec2> place() const { return place_; }
    bool is_placed(int vertex) const { return ring_[vertex] >= 0; }
    /// d place / d x and d place / d y, with x and y in the plane of a triangle at the vertex.
    std::array<Vec2, 2> slope_in(int triangle) const;

private:
    bool lay_fan(int vertex);
    void lay_beyond(int triangle, int edge);
    void put(int vertex, int ring, const Vec2& place);
    void clear();
    Vec2 side(int triangle, int from, int to) const;

    std::span<const Triangle> triangles_;
    std::span<const std::array<Vec2, 3>> corner_;
    IndexLists triangles_of_;
    std::vector<std::array<int, 3>> across_; // of each edge, from corner k to k + 1: the other triangle, or -1
    std::vector<Vec2> place_;
    std::vector<int> ring_; // edges from the vertex; kNowhere before, kAmbiguous where two routes disagree
    std::vector<int> touched_, queue_;
    std::vector<std::uint8_t> is_queued_;
};

} // namespace selvage
