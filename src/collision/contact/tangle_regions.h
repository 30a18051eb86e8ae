#pragma once

#include <span>
#include <vector>

#include "collision/contact/surface_crossings.h"
#include "collision/search/surface_patches.h"

namespace selvage {

/// The parts that crossings cut bodies into, and which of them are to be pulled back through what they crossed. Edges
/// of a body that pass through another an odd number of times are taken away; what still hangs together is a region.
/// The largest region of a piece of cloth is where it belongs; every other one is as deep as the number of crossings on
/// the way from there (after the global intersection analysis of Baraff, Witkin and Kass 2003).
class TangleRegions {
public:
    TangleRegions(const ContactSurface& surface, const SurfacePatches& patches)
        : surface_(surface), patches_(patches), region_(surface.rest.size()), has_cut_(surface.rest.size()) {}

    /// How deep the ends of each crossing's edge lie, on the body of the edge and seen from that of the triangle. Both
    /// 0 where the crossings divide nothing.
    struct Depths {
        int first = 0, second = 0;
        bool is_even = false; ///< The regions on both sides are of about one size: it says little which is smaller.
    };
    void find(std::span<const SurfaceCrossing> crossings, std::vector<Depths>& depths);

private:
    void find_of_pair(std::span<const SurfaceCrossing> crossings, std::span<const int> pair,
                      std::vector<Depths>& depths);
    void list_cut_edges(std::span<const SurfaceCrossing> crossings, std::span<const int> pair);
    bool is_cut(int a, int b) const;
    void flood(const ContactBody& body);
    void set_depths();

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    std::vector<int> order_; // of the crossings, pair of bodies by pair of bodies
    std::vector<Edge> cut_;  // edges of a body, sorted
    std::vector<int> region_;
    std::vector<std::uint8_t> has_cut_;    // vertices
    std::vector<std::uint8_t> is_bounded_; // regions that end at a cut edge
    std::vector<int> size_, depth_;        // of regions
    std::vector<int> open_, by_size_;
};

} // namespace selvage
