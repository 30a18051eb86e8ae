#pragma once

#include <span>
#include <vector>

#include "collision/contact/contact_record.h"
#include "collision/contact/surface_crossings.h"
#include "collision/contact/tangle_regions.h"

namespace selvage {

/// Crossings linked into curves, and for each curve how its two sheets are to move against each other so that it
/// becomes shorter and vanishes. In this order:
///  - A sheet that the curve divides is pulled back through the other, its smaller part after the rest of it. Where
///    both are divided, the one whose directions agree: a ribbon is drawn out of a hole, the hole is not widened.
///  - A curve from the border of one sheet to the border of the other: they slide apart along it.
///  - Any other: towards its middle, as contours are minimised by Volino and Magnenat-Thalmann 2006.
class TangleContours {
public:
    TangleContours(const ContactSurface& surface, const SurfacePatches& patches)
        : surface_(surface), regions_(surface, patches) {}

    /// `is_closed`: one flag per body: colliders with an inside; what of cloth lies in them comes out otherwise. Adds
    /// records of a vertex that must go along their normal, against a face.
    void find(std::span<const SurfaceCrossing> crossings, std::span<const Vec3> x,
              std::span<const std::uint8_t> is_closed, std::vector<ContactRecord>& pulls);
    int count() const { return contour_count_; } ///< Of the last find(), as are those below.
    int contour_of(int crossing) const { return contour_of_[crossing]; }
    int side_of(int crossing) const { return side_[crossing]; } ///< On which of its two sheets the edge is: 0 or 1.

private:
    struct Sheet { // one of the two sides of a curve
        int edges = 0, divided = 0, ends = 0;
        Vec3 back;       // sum of the directions that pull it back
        Vec3 end_points; // sum of the places where it ends at this sheet's border
        double agreement() const { return edges > 0 ? length(back) / edges : 0.0; }
    };
    struct Contour {
        std::array<Sheet, 2> sheet;
        Vec3 points; // sum
        int count = 0;
    };
    void link(std::span<const SurfaceCrossing> crossings);
    void order_layers(std::span<const SurfaceCrossing> crossings, std::span<const Vec3> x);
    Vec3 normal_at_edge(const SurfaceCrossing& crossing, std::span<const Vec3> x) const;
    int root_of(int k, int& parity);
    Vec3 back_direction(const SurfaceCrossing& crossing, int k, std::span<const Vec3> x) const;
    Vec3 direction_of(const SurfaceCrossing& crossing, int k, const Contour& contour, std::span<const Vec3> x) const;
    int vertex_of(const SurfaceCrossing& crossing, int k) const;

    const ContactSurface& surface_;
    TangleRegions regions_;
    std::span<const std::uint8_t> is_closed_; // by body, during find()
    std::vector<TangleRegions::Depths> depths_;
    struct Link { // a crossing at a pair of triangles
        Edge faces;
        int crossing, role;
    };
    std::vector<Link> links_;
    std::vector<int> parent_, parity_; // union-find: towards the root, and on which sheet seen from there
    std::vector<int> contour_of_, side_;
    std::vector<Contour> contours_;
    int contour_count_ = 0;
};

} // namespace selvage
