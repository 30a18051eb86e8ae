#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collision/search/box_tree.h"
#include "geometry/topology.h"

namespace selvage {

/// An edge that passes through a triangle it has no corner in common with.
struct Crossing {
    int edge = -1;     ///< Of the given edges; -1: none.
    int triangle = -1; ///< Of the given triangles.
};

struct CrossingCount {
    int count = 0;
    Crossing first; ///< The one with the lowest edge, then triangle.
};

/// True when the segment pq passes through the triangle: its ends lie strictly on different sides of the plane and it
/// meets the triangle, border included. Exact. Touching is not crossing; neither is anything within one plane, nor a
/// triangle without area. A segment through the common border of two triangles crosses both.
bool segment_crosses_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

/// Counts crossings of a surface with itself, exactly, in double precision. Keeps its memory from call to call.
class CrossingCounter {
public:
    /// Positions must be finite. A crossing counts unless `counts(edge, triangle)`, called by any thread, says no.
    CrossingCount count(ThreadPool& pool, std::span<const Edge> edges, std::span<const Triangle> triangles,
                        std::span<const Vec3> positions, const std::function<bool(int, int)>& counts = {});

private:
    std::vector<Aabb> box_;
    BoxTree tree_;
};

} // namespace selvage
