#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collision/contact/contact_record.h"
#include "collision/contact/inside_vertices.h"
#include "collision/contact/surface_crossings.h"
#include "collision/contact/tangle_contours.h"

namespace selvage {

/// What a look for tangles found.
struct TangleCount {
    int cloth = 0;    ///< Edges of cloth through triangles of cloth.
    int collider = 0; ///< Edges of cloth through triangles of a collider's mesh, or the other way round.
    int inside = 0;   ///< Vertices of cloth inside a collider,
    int pinched = 0;  ///< and those of them that wait for colliders to part.
    int contours = 0; ///< Curves that the crossings form.
    /// The first of each; meaningless where there is none. A collider's index is one of the given colliders.
    SurfaceCrossing first_cloth, first_collider;
    InsideVertex first_inside;

    bool any() const { return cloth > 0 || collider > 0 || inside > 0; }
};

/// The curves of crossings that a vertex is near, and on which of the two sheets of each: these do not meet each other
/// there for now. A number is even for one sheet, and one more for the other.
struct CrossedSides {
    static constexpr int kMost = 4;
    std::array<int, kMost> side{-1, -1, -1, -1}; ///< Those it has come first.
    bool has_more = false;                       ///< Than there is room for.

    bool any() const { return side[0] >= 0; }
    void add(int number);
    void add(const CrossedSides& other);
    /// Whether the other is on the other sheet of some curve, as far as that is known.
    bool is_opposite(const CrossedSides& other) const;
};

/// What is tangled, and how it is pulled apart until somebody looks again.
struct Tangles {
    std::vector<CrossedSides> sides;          ///< By vertex: the curves of crossings of cloth with cloth it is near.
    std::vector<std::uint8_t> ignores_solids; ///< By vertex: meets no mesh of a collider for now.
    std::vector<ContactRecord> pulls;         ///< A vertex against a face, along `normal`, at `separation_speed`.
    std::vector<ContactRecord> exits;         ///< Vertices that come out of colliders, by `target_gap` in all.
    bool any = false;                         ///< When false all lists are empty, and nobody looks at the flags.

    bool leaves_alone(const ContactRecord& record) const; ///< Whether a pair of features is.
};

/// Looks for tangles and decides how to undo them. What comes out depends on positions alone.
class TangleFinder {
public:
    TangleFinder(const ContactSurface& surface, const SurfacePatches& patches, int cloth_vertex_count);

    /// x: of the cloths, then of the colliders' meshes, in their order.
    TangleCount find(ThreadPool& pool, std::span<const Collider> colliders, std::span<const Vec3> x, Tangles& tangles);
    std::span<const SurfaceCrossing> crossings() const { return crossings_.last(); } ///< Of the last find().

private:
    void read_colliders(std::span<const Collider> colliders);
    void flag_vertices(std::span<const SurfaceCrossing> crossings, std::span<const InsideVertex> inside,
                       Tangles& tangles);
    void spread_sides(Tangles& tangles);
    int side_of(int k, const SurfaceCrossing& crossing) const;

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    int cloth_vertex_count_;
    SurfaceCrossingFinder crossings_;
    TangleContours contours_;
    InsideVertices inside_;
    std::vector<std::uint8_t> is_left_out_, is_closed_; // by body
    std::vector<int> collider_of_;                      // by body; -1: cloth
    std::vector<CrossedSides> spread_from_;
    std::vector<std::uint8_t> is_pinched_; // by vertex
};

} // namespace selvage
