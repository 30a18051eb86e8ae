#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/search/box_tree.h"
#include "collision/search/contact_surface.h"

// Every place where cloth passes through cloth or through the mesh of a collider, as a list: what untangling starts
// from. Crossings are counted elsewhere (crossings.h, solid_crossings.h) where only their number matters.

namespace selvage {

/// An edge of the surface that passes through one of its triangles. At least one of the two is cloth.
struct SurfaceCrossing {
    Edge edge{};                      ///< Vertices of the surface.
    int triangle = -1;                ///< Of the surface.
    std::array<int, 2> faces{-1, -1}; ///< Triangles that have the edge; the second is -1 at a border.
    int edge_body = 0, triangle_body = 0;
    double along = 0.0;             ///< Where on the edge, as a fraction from its first vertex.
    std::array<double, 3> weight{}; ///< Where on the triangle: weights of its corners.
    Vec3 point;                     ///< [m].
};

/// The edges of a surface with the triangles at them, each once, sorted.
struct SurfaceEdges {
    explicit SurfaceEdges(const ContactSurface& surface);

    std::vector<Edge> edge;
    std::vector<std::array<int, 2>> faces; ///< The second is -1 at a border; a third is left out.
    std::vector<int> body;
};

/// Finds them exactly, as segment_crosses_triangle. Keeps its memory from call to call.
class SurfaceCrossingFinder {
public:
    explicit SurfaceCrossingFinder(const ContactSurface& surface); // which must outlive it

    /// One flag per body: those set take no part. Positions must be finite. Sorted by edge, then triangle; the same on
    /// any number of threads.
    std::span<const SurfaceCrossing> find(ThreadPool& pool, std::span<const Vec3> x,
                                          std::span<const std::uint8_t> is_left_out);

    std::span<const SurfaceCrossing> last() const { return all_; } ///< Of the last find().

private:
    bool may_cross(int body, int other) const;
    void list_triangles(std::span<const Vec3> x, std::span<const std::uint8_t> is_left_out);
    void find_at_edge(int edge, std::span<const Vec3> x, std::vector<SurfaceCrossing>& found) const;

    const ContactSurface& surface_;
    SurfaceEdges edges_;
    std::vector<int> triangle_body_;
    std::vector<int> listed_; // triangles that can take part
    std::vector<Aabb> box_;   // of the listed ones
    std::vector<int> listed_edges_;
    BoxTree tree_;
    std::vector<std::vector<SurfaceCrossing>> by_chunk_;
    std::vector<SurfaceCrossing> all_;
};

} // namespace selvage
