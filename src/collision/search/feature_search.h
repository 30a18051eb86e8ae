#pragma once

#include <span>
#include <vector>

#include "collision/search/patch_boxes.h"
#include "collision/search/patch_pair.h"
#include "collision/search/surface_patches.h"

namespace selvage {

/// Finds the vertex-triangle and edge-edge pairs of two patches that are near each other.
class FeatureSearch {
public:
    /// Both must outlive it.
    FeatureSearch(const ContactSurface& surface, const SurfacePatches& patches)
        : surface_(surface), patches_(patches), boxes_(patches) {}

    /// Fits a patch's boxes to x: before find(), for both patches.
    void fit(std::span<const Vec3> x, int patch) { boxes_.fit(x, patch); }
    /// Fills the bucket, which must be empty, with all pairs of features nearer than the minimum distance and `ahead` [m],
    /// as they were when fitted, and a few that are a rounding farther.
    void find(const PatchPair& pair, double ahead, CandidateBucket& bucket) const;

private:
    struct Query;
    void add_vertices(const Query& query, int p, int q) const;
    void add_edges(const Query& query, int p, int q) const;
    double vertex_distance(const Query& query, int v, const Triangle& t) const;
    double edge_distance(const Query& query, const Edge& a, const Edge& b) const;

    const ContactSurface& surface_;
    const SurfacePatches& patches_;
    PatchBoxes boxes_;
};

} // namespace selvage
