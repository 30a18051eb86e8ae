#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/grain.h"
#include "render/surface_mesh.h"

namespace selvage {

struct ClothSurfaceSettings {
    double thickness = 0.0003; ///< Of the cloth [m].
    double hem = 0.008;        ///< Width of the doubled band along every border [m]; 0: a rounded edge alone.
    double seam = 0.0; ///< Width on either side of the allowance pressed flat along seams [m]; 0: none is shown.
};

/// Cloth as a body: a front and a back, half the thickness off the simulated surface on either side, and along every
/// border a hem of twice the thickness around a rounded edge.
///
///        lip              border          heights are half the hem's thickness
///         ______________________
///     ___/                      \         front, at +thickness / 2
///     ___  . . . . . . . . . . . )        the simulated surface
///        \______________________/         back, at -thickness / 2
///
/// A seam, where triangles that share vertices have corners of their own in uv, is such a band on both of its panels, with a
/// groove between them.
///
/// Its triangles are fixed; update() follows the positions.
class ClothSurface {
public:
    /// `rest` gives triangles, uv and rest shape, of which the triangles [first, first + count) are this cloth's.
    /// Nothing of it is kept.
    ClothSurface(const TriangleMesh& rest, int triangle_begin, int triangle_count,
                 const ClothSurfaceSettings& settings);

    /// Positions and unit normals of `rest`'s vertices as they are now. `measure` colours the heat map: one value per
    /// vertex of `rest`, or none.
    const SurfaceMesh& update(std::span<const Vec3> positions, std::span<const Vec3f> normals,
                              std::span<const float> measure = {});
    const SurfaceMesh& mesh() const { return mesh_; }
    bool grain_is_derived() const { return grain_is_derived_; }

private:
    /// A point of the surface, given by a triangle of corners.
    struct SurfacePlace {
        std::array<int, 3> corner;
        std::array<float, 3> weight;
    };
    struct BandSection { // across the border or the seam at one corner
        int corner;
        Vec2 inward;            // direction in uv
        SurfacePlace half, lip; // half the band's width inside, and all of it
        float width = 0.0f;     // found [m]; 0: no band here
        float along = 0.0f;     // from where the band begins [m]
    };
    using SurfaceEdge = std::array<int, 2>; // of corners; the cloth lies left of the first to the second

    void find_neighbours(std::vector<SurfaceEdge>& border, std::vector<SurfaceEdge>& seams);
    /// Sections along edges, and strips between them whose points are in the mesh from `first` on.
    void build_band(const std::vector<SurfaceEdge>& edges, double width, bool is_seam, std::vector<BandSection>& out);
    BandSection section_at(int corner, const Vec2& inward, const std::vector<int>& around, double width) const;
    void write_seam(const BandSection& section, bool shows_measure, SurfaceVertex* out) const;
    SurfaceVertex vertex_at(const SurfacePlace& place, const SurfaceVertex& edge) const;
    Vec3f outward_of(const BandSection& section) const;
    SurfacePlace find_inside(int corner, const std::vector<int>& around, const Vec2& target, float& found) const;
    void update_frames(std::span<const Vec3> positions, std::span<const Vec3f> normals);
    void write_hem(const BandSection& section, bool shows_measure, SurfaceVertex* out) const;

    ClothSurfaceSettings settings_;
    bool grain_is_derived_ = false;
    std::vector<int> vertex_;         // of `rest`, per corner: a vertex is two corners where a seam parts its uv
    std::vector<Vec2> uv_;            // per corner [m]
    std::vector<Triangle> triangles_; // of corners
    std::vector<std::array<int, 3>> neighbour_; // across each edge with the same corners; -1: none
    std::vector<BandSection> hem_, seams_;
    std::vector<SurfaceVertex> middle_; // per corner, on the simulated surface
    SurfaceMesh mesh_;
};

/// A solid's triangles with area normals.
SurfaceMesh make_solid_surface(const TriangleMesh& mesh);

} // namespace selvage
