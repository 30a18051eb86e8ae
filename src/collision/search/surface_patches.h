#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/search/contact_surface.h"

namespace selvage {

/// A surface cut into small pieces that hang together at rest, each a short run of triangles. The cut is made once:
/// pieces of cloth stay compact however it is folded. Every vertex and edge belongs to one of its triangles.
class SurfacePatches {
public:
    static constexpr int kMostTriangles = 20; ///< Of a patch.
    static constexpr int kBlock = 4;          ///< Triangles that lie together: they are tested at once.

    /// A triangle with the vertices and edges that belong to it.
    struct Face {
        Triangle v{};
        std::array<std::uint8_t, 3> place{}; ///< Of v among the patch's vertices.
        std::array<int, 3> own_vertex{};
        std::array<Edge, 3> own_edge{};
        std::array<std::uint8_t, 3> own_edge_corner{}; ///< Where it starts: it joins v[corner] and the next.
        std::array<int, 3> across{-1, -1, -1};         ///< The neighbour's vertex beyond v[k] and the next; -1: none.
        int own_vertex_count = 0, own_edge_count = 0;
    };
    struct Patch {
        int face_begin = 0, face_count = 0;     // of faces()
        int vertex_begin = 0, vertex_count = 0; // of vertices()
        int own_count = 0;                      // the first of them are in no earlier patch
        int body = 0;
        bool is_solid = false;
        int middle = 0;           // the vertex nearest to its middle
        double edge_length = 0.0; // mean at rest [m]
    };

    /// How the vertices of a patch move in a step: like a rigid body, mean + turn x (x - centre), and a rest.
    struct Motion {
        Vec3 centre; ///< One of its vertices.
        Vec3 mean, turn;
        double radius = 0.0; ///< About the centre [m].
        double rest = 0.0;   ///< Largest difference from the rigid motion [m].

        double spread() const {
            return length(turn) * radius + rest;
        } ///< At least the largest difference from the mean.
    };

    explicit SurfacePatches(const ContactSurface& surface);

    /// Of the first patches, as many as there is room for, from the positions and displacements of the vertices.
    void measure(ThreadPool& pool, std::span<const Vec3> x, std::span<const Vec3> displacement,
                 std::span<Motion> patch_motion) const;

    Motion measure_patch(std::span<const Vec3> x, std::span<const Vec3> displacement, int patch) const;

    std::span<const Patch> patches() const { return patch_; }
    std::span<const Face> faces() const { return face_; } ///< Patch by patch.
    std::span<const Face> faces(const Patch& patch) const {
        return {face_.data() + patch.face_begin, static_cast<std::size_t>(patch.face_count)};
    }
    /// Vertices joined to a vertex by an edge.
    std::span<const int> neighbours(int vertex) const { return neighbours_[vertex]; }
    std::span<const int> vertices(const Patch& patch) const {
        return {vertex_.data() + patch.vertex_begin, static_cast<std::size_t>(patch.vertex_count)};
    }

private:
    struct Cut;
    void split(Cut& cut, std::span<int> triangles);
    void add_patch(Cut& cut, std::span<int> triangles);
    Face take_face(Cut& cut, const Triangle& triangle, Patch& patch, std::vector<int>& others);
    void add_loose_vertices(Cut& cut);
    void link_neighbours(int vertex_count);

    std::vector<Patch> patch_;
    std::vector<Face> face_;
    std::vector<int> vertex_;
    IndexLists neighbours_;
};

} // namespace selvage
