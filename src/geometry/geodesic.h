#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/topology.h"

namespace selvage {

struct GeodesicSettings {
    /// Two windows become one where that changes a distance by less than this fraction of it; 0: only where they are
    /// the same, which keeps the method exact and makes it slow on large curved meshes.
    double merge_tolerance = 1e-6;
    double most_error = 5e-4; ///< Bound on the sum of such changes, as a fraction of the distance.
    /// Where a search needs more windows it gives up. 8 million take about two seconds and half a gigabyte.
    std::int64_t most_windows = 8'000'000;
};

/// Lengths of shortest paths over a triangle mesh, across triangles and not along edges alone, around holes and concave
/// outlines. Flat and developable parts are exact to round-off. The same bits on every machine.
class Geodesics {
public:
    /// Keeps nothing of the mesh.
    explicit Geodesics(const TriangleMesh& mesh, const GeodesicSettings& settings = {});

    /// Fills in for each vertex the distance to the nearest of `sources` [m] and which one that is; infinity and -1
    /// where no path leads. False when it gave up: the results then mean nothing. Allocates.
    bool find(std::span<const int> sources, std::span<double> distance, std::span<int> nearest);

    std::int64_t window_count() const { return window_count_; } ///< Made in the last search.

private:
    /// A stretch [a, b] of an edge whose points have their shortest path through one unfolded point: the path from
    /// there is straight through the triangles between. Coordinates along the edge and away from it [m].
    struct Window {
        double a, b;
        double px, py; // the point, py >= 0
        double sigma;  // its own distance from the source
        int root;      // the source
        int side;      // that the window came from; -1: along the edge
        float error;   // how much merging may have changed its distances [m]
        bool is_done;  // its children have been made
        double distance(double x) const;
        bool continues(const Window& before) const; // the same function, right behind it
    };
    /// One triangle at an edge from v0 to v1, laid in the plane with the edge along x: the corner opposite, and the
    /// edges from v0 and v1 to it.
    struct Side {
        double x, y;
        int corner, triangle;
        int base; // the edge it is a side of
        int edge[2], edge_side[2];
        bool is_turned[2]; // the edge starts at the corner
    };
    struct MeshEdge {
        int v[2];
        int side_begin, side_end;
        double length;
    };
    struct Row { // the windows of an edge in windows_, sorted, without overlap
        int begin = 0, count = 0, capacity = 0;
        double key = 0.0; // when its turn comes; infinity: nothing to do
    };
    struct Turn {
        double key;
        int item; // an edge, or edges_.size() + a vertex
        bool operator>(const Turn& other) const { return key > other.key || (key == other.key && item > other.item); }
    };

    static Window part(const Window& window, double a, double b);
    void build_edges(const TriangleMesh& mesh);
    void build_sides(const TriangleMesh& mesh);
    void mark_bends(const TriangleMesh& mesh);
    bool is_one_fan(const TriangleMesh& mesh, int vertex) const;
    void start(std::span<const int> sources, std::span<double> distance, std::span<int> nearest);
    bool spread();
    void push(double key, int item);
    void improve(int vertex, double distance, int root);
    void spread_from_vertex(int vertex);
    void spread_edge(int edge);
    void propagate(const Window& window, int edge, int side);
    void propagate_to(const Window& window, int side, int which, double from, double to);
    void insert(int edge, const Window& window);
    void contest(const Window& old, const Window& window, double from, double to);
    void emit(Window window);
    bool absorb(Window& before, const Window& window) const;
    void close_ends();
    void store(int edge);
    void relax_along_edges();

    GeodesicSettings settings_;
    std::vector<MeshEdge> edges_;
    std::vector<Side> sides_;
    std::vector<std::array<int, 3>> triangle_edges_, triangle_sides_; // opposite each corner
    IndexLists vertex_triangles_;
    std::vector<std::uint8_t> may_bend_; // shortest paths can turn at this vertex
    double mean_length_ = 0.0;

    // Of a search.
    std::span<double> distance_;
    std::span<int> nearest_;
    std::vector<Row> rows_;
    std::vector<Window> windows_, row_, spreading_;
    std::vector<Turn> turns_; // a heap
    std::int64_t window_count_ = 0;
    double row_length_ = 0.0; // of the edge whose windows are in row_
    bool won_ = false;        // the new window has got a part of it
};

} // namespace selvage
