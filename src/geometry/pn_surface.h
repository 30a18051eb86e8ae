#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "geometry/edge_curve.h"
#include "geometry/subdivision.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

inline constexpr int kMostPerEdge = kMostSegments; ///< Of a surface: 4096 triangles per face.

struct PnSettings {
    enum class Normals { forces, area };
    int per_edge = 8;                  ///< Segments each triangle edge is cut into, 1 to kMostPerEdge.
    Normals normals = Normals::forces; ///< Turned so that the surface is tangent to the elastic forces, or plain.
    bool keep_length = true;           ///< Edges shorter than at rest rise into wrinkles of the rest length.
    /// DrawnSurface flattens patches that pass through others although their triangles do not. Not in scene files.
    bool keep_clear = false;
};

/// A smooth surface over the triangles of a coarse, moving mesh: a curved patch per face that passes through its
/// corners (PN triangles: Vlachos et al. 2001), with the two controls that make it cloth (Oshita and Makinouchi 2001).
/// Reads positions only. All it remembers from one update to the next is on which side each wrinkle stands.
class PnSurface {
public:
    /// `rest` gives the triangles and, by its positions, the edges' rest lengths. Fails when the surface would be too
    /// large to hold.
    static Result<PnSurface> make(const TriangleMesh& rest, const PnSettings& settings);

    /// The fine mesh: its first vertices are the coarse ones, in their order; its positions are the surface at rest.
    const TriangleMesh& mesh() const { return mesh_; }

    /// Fits the surface to the coarse vertices' positions. Same bits on any number of threads; allocates nothing.
    void update(std::span<const Vec3> coarse, ThreadPool& pool);
    const std::vector<Vec3>& positions() const { return position_; }
    const std::vector<Vec3f>& normals() const { return normal_; } ///< For shading; unit, or zero without any direction.

    int edge_count() const { return static_cast<int>(shape_.edges.size()); }
    const Edge& edge(int index) const { return shape_.edges[index]; }
    double rest_length(int edge) const { return rest_length_[edge]; }
    const EdgeCurve& edge_curve(int edge) const { return curve_[edge]; } ///< From the edge's lower end.

    /// +1 or -1 where an edge has a wrinkle, towards or against its first face's front; 0 where it has none.
    std::span<const std::int8_t> wrinkle_sides() const { return side_; }
    /// Edges that are straight from the next update on, one entry per edge; a face between three of them is flat.
    /// Shading stays smooth there.
    void set_straight(std::span<const std::uint8_t> edges);
    int edge_of_face(int face, int side) const { return shape_.faces[face][side].edge; }
    int fine_triangles_of_face() const { return shape_.per_edge * shape_.per_edge; }
    bool keeps_clear() const { return settings_.keep_clear; }

    /// Puts back what wrinkle_sides() said, as when a run is resumed. One entry per edge.
    void set_wrinkle_sides(std::span<const std::int8_t> sides);

private:
    struct CornerNormal {
        Vec3 direction;     // unit, or zero
        double trust = 0.0; // 0 where the faces around a vertex point in all directions, 1 where they mostly agree
    };
    static constexpr int kControls = 16; // 10 points of a cubic triangle, 3 wrinkles, 3 pairs of opposite ones
    struct PointWeights {
        double value[kControls], along_1[kControls], along_2[kControls]; // position, derivatives to corners 1 and 2
    };

    PnSurface() = default;
    void measure_faces(std::span<const Vec3> coarse, ThreadPool& pool);
    void turn_normals(std::span<const Vec3> coarse, ThreadPool& pool);
    void bend_edges(std::span<const Vec3> coarse, ThreadPool& pool);
    void place_edge_points(std::span<const Vec3> coarse, ThreadPool& pool);
    void place_face_points(std::span<const Vec3> coarse, ThreadPool& pool);
    CornerNormal corner_normal(std::span<const Vec3> coarse, int vertex) const;
    void raise_wrinkle(int edge, EdgeCurve& curve);
    void gather_controls(std::span<const Vec3> coarse, int face, Vec3 (&controls)[kControls]) const;
    static Vec3 patch_normal(const PointWeights& weights, const Vec3 (&controls)[kControls]);
    int side_point(int k, int along) const;
    int lattice_index(int p, int q) const { return q * (shape_.per_edge + 1) - q * (q - 1) / 2 + p; }

    PnSettings settings_;
    std::vector<std::uint8_t> straight_; // per edge
    Subdivision shape_;
    TriangleMesh mesh_;
    std::vector<Triangle> faces_;       // of the coarse mesh
    IndexLists vertex_faces_;           // of the coarse mesh
    std::vector<double> rest_length_;   // per edge [m]
    std::vector<double> rest_area_;     // per face, doubled [m2]
    std::vector<PointWeights> weights_; // per point of a face's lattice
    // Per update.
    std::vector<Vec3> face_normal_;    // doubled area times unit normal
    std::vector<double> edge_strain_;  // length / rest - 1
    std::vector<CornerNormal> corner_; // per coarse vertex
    std::vector<EdgeCurve> curve_;     // per edge
    std::vector<std::int8_t> side_;    // per edge; the only history
    std::vector<Vec3> position_;
    std::vector<Vec3f> normal_;
};

} // namespace selvage
