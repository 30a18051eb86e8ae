#pragma once

#include <span>
#include <vector>

#include "collision/search/aabb.h"
#include "collision/search/feature_distances.h"
#include "collision/search/surface_patches.h"
#include "math/simd.h"

namespace selvage {

/// Boxes around the vertices, edges and triangles of patches, in float and a little too large, tested eight at a time,
/// and the patches' points, each relative to a vertex of its patch.
class PatchBoxes {
public:
    static constexpr int kMostFeatures = 3 * SurfacePatches::kMostTriangles; ///< Of a kind, of a patch.
    static constexpr float kMostReach = 1e28F; ///< [m]; so that what is nowhere is near nothing.
    static_assert(FeaturePairs::kMost == kMostFeatures * kMostFeatures);

    /// Eight boxes.
    struct alignas(32) Eight {
        float low[3][8], high[3][8];
        float all_low[3], all_high[3]; ///< Of the box around them.
    };
    /// An edge that belongs to a patch; its name is 3 face + place among the face's own.
    struct OwnEdge {
        int name;
        Edge ends;
    };

    /// The patches must outlive it.
    explicit PatchBoxes(const SurfacePatches& patches);

    /// Fits a patch's boxes and points to x, which must be nearer to the origin than kMostReach.
    void fit(std::span<const Vec3> x, int patch);

    /// The vertices that belong to p and the faces of q whose boxes are nearer than `reach`, which is below
    /// kMostReach. Both patches must be fitted.
    void find_vertices(int p, int q, float reach, FeaturePairs& found) const;
    /// The edges of both likewise; every pair once.
    void find_edges(int p, int q, float reach, FeaturePairs& found) const;

    PatchPoints points(int p, int q) const;
    double size(int p, int q) const; ///< At least the largest distance between points of both [m].
    const PointPlaces* face_places(int patch) const {
        return face_place_.data() + patches_.patches()[patch].face_begin;
    }
    const PointPlaces* edge_places(int patch) const { return edge_place_.data() + range_[patch].edge_begin; }
    const OwnEdge* edges(int patch) const { return edge_.data() + range_[patch].edge_begin; }

private:
    struct Eights {
        int begin = 0, count = 0; // of eights_
    };
    struct Range {
        Eights vertices, edges, faces;
        int edge_begin = 0; // of edge_
    };
    struct Place {
        Vec3 origin;
        double radius = 0.0; // of its points about it [m]
    };
    int edge_count(int patch) const;
    void find(const Eights& from, int p, const Eights& to, int q, float reach, bool is_same, FeaturePairs& found) const;

    const SurfacePatches& patches_;
    std::vector<Range> range_; // by patch
    std::vector<OwnEdge> edge_;
    std::vector<PointPlaces> edge_place_, face_place_;
    std::vector<Eight> eights_;
    std::vector<Eight> whole_;   // by patch: around all of it, in the first lane
    std::vector<Floats4> point_; // patch by patch, relative to its origin
    std::vector<Place> place_;   // by patch
};

} // namespace selvage
