#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geometry/triangle_mesh.h"

namespace selvage {

/// Rows of indices of different lengths in one array: row i is items[start[i]] .. items[start[i + 1]].
struct IndexLists {
    std::vector<int> start{0};
    std::vector<int> items;

    int row_count() const { return static_cast<int>(start.size()) - 1; }
    std::span<const int> operator[](int row) const {
        return {items.data() + start[row], static_cast<std::size_t>(start[row + 1] - start[row])};
    }
};

/// Rows of items from (row, item) pairs, in the order given.
IndexLists lists_of(int row_count, std::span<const std::pair<int, int>> pairs);

using Edge = std::array<int, 2>; ///< First index smaller.

/// Two triangles sharing edge (a, b), c opposite in the first and d in the second:  c above, d below  a---b.
struct Hinge {
    int a, b, c, d;
};

/// A hinge and its two triangles: `first` has c, `second` has d.
struct HingeTriangles {
    Hinge hinge;
    int first, second;
};

/// What follows from the triangles alone.
struct Topology {
    std::vector<Edge> edges;              ///< Each once, sorted.
    std::vector<Hinge> hinges;            ///< One per edge with exactly two triangles.
    std::vector<Edge> non_manifold_edges; ///< With three triangles or more: they get springs but no hinge.
};

Topology build_topology(const TriangleMesh& mesh);
/// The hinges once more, with their triangles; reads nothing but mesh.triangles.
std::vector<HingeTriangles> hinge_triangles(const TriangleMesh& mesh);

IndexLists vertex_triangles(const TriangleMesh& mesh);
IndexLists vertex_neighbours(int vertex_count, std::span<const Edge> edges);

/// Gives each pair a colour so that pairs of one colour share no vertex; greedy, in the given order. Row c of the
/// result lists the pairs of colour c. At most 2 d - 1 colours for vertex degree d.
IndexLists colour_pairs(int vertex_count, std::span<const Edge> pairs);

} // namespace selvage
