#pragma once

#include <array>
#include <vector>

#include "garment/plane.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

/// A constrained Delaunay triangulation that points are added to one by one. Triangles outside the fixed edges stay in
/// the list, marked; nothing is inserted into them.
class Triangulation {
public:
    struct Face {
        std::array<int, 3> vertex;    ///< Counter-clockwise.
        std::array<int, 3> neighbour; ///< Across the edge opposite each vertex; -1 around everything.
        std::array<bool, 3> fixed{};  ///< That edge is part of the outline.
        bool inside = true;
    };

    /// `loops` are closed: the outline and its holes, which neither cross nor touch. False when they do after all.
    bool start(const std::vector<std::vector<Vec2>>& loops);

    /// Adds a point to a face that contains it, or on its border, and restores the Delaunay property. Gives its vertex.
    int insert(const Vec2& point, int face);
    /// The face that holds the point, found by walking from `face`; -1 when a fixed edge is in between.
    int locate(const Vec2& point, int face) const;
    /// Flips what is not Delaunay anywhere, as after vertices were moved. No face may be turned over.
    void restore();
    void move(int vertex, const Vec2& to) { points_[vertex] = to; }
    /// Takes out an inner vertex by filling the hole with the best ears. False: nothing was done.
    bool remove(int vertex);

    const std::vector<Vec2>& points() const { return points_; }
    const std::vector<Face>& faces() const { return faces_; }
    int outline_count() const { return outline_count_; } ///< Vertices of the loops; they come first.
    bool is_removed(int vertex) const { return face_of_[vertex] < 0; }
    std::vector<int> star(int vertex) const; ///< Faces around it, in order.

    /// The faces inside, with vertices that were removed left out.
    std::vector<Triangle> triangles(std::vector<Vec2>& points) const;

private:
    void split_face(int face, int vertex);
    void split_edge(int face, int k, int vertex);
    void flip(int face, int k);
    void legalize(std::vector<std::array<int, 2>> stack);
    bool is_illegal(int face, int k) const;
    bool fix_edge(int a, int b);
    bool find_crossed(int a, int b, std::vector<std::array<int, 2>>& crossed) const;
    bool find_edge(int a, int b, int& face, int& k) const;
    void mark_inside();
    int side_of(int face, int neighbour) const;
    void set_neighbour(int face, int from, int to);

    std::vector<Vec2> points_;
    std::vector<Face> faces_;
    std::vector<int> face_of_; // one of each vertex; -1: removed
    int outline_count_ = 0;
};

} // namespace selvage
