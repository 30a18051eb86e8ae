#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <span>
#include <vector>

#include "collision/search/aabb.h"
#include "collision/search/surface_patches.h"
#include "math/simd.h"

namespace selvage {

/// Boxes around the vertices, edges and triangles of patches, in float and a little too large, tested four at a time.
class PatchBoxes {
public:
    /// The patches must outlive it.
    explicit PatchBoxes(const SurfacePatches& patches);

    static constexpr float kMostReach = 1e28F; ///< [m]; so that what is nowhere is near nothing.

    /// Fits a patch's boxes to x, which must be nearer to the origin than that.
    void fit(std::span<const Vec3> x, int patch);

    /// An edge that belongs to a patch; its name is 3 face + place among the face's own.
    struct OwnEdge {
        int name;
        Edge ends;
        std::array<std::uint8_t, 2> place; // of the ends among the patch's vertices
    };

    /// visit(vertex, face) for all vertices that belong to p and faces of q whose boxes are nearer than `reach`, which
    /// is below kMostReach. Both patches must be fitted.
    template <class Visit>
    void for_near_vertices(int p, int q, float reach, const Visit& visit) const {
        const SurfacePatches::Patch& other = patches_.patches()[q];
        const int* vertices = patches_.vertices(patches_.patches()[p]).data();
        for_near(range_[p].vertices, whole_[p], range_[q].faces, whole_[q], reach, [&](int a, unsigned bits, int b) {
            for (; bits; bits &= bits - 1)
                visit(vertices[a], other.face_begin + b + std::countr_zero(bits));
        });
    }
    /// visit(edge, edge) likewise; every pair once.
    template <class Visit>
    void for_near_edges(int p, int q, float reach, const Visit& visit) const {
        const OwnEdge *mine = edge_.data() + range_[p].edge_begin, *others = edge_.data() + range_[q].edge_begin;
        for_near(range_[p].edges, whole_[p], range_[q].edges, whole_[q], reach, [&](int a, unsigned bits, int b) {
            for (; bits; bits &= bits - 1)
                if (const int l = b + std::countr_zero(bits); p != q || a < l) visit(mine[a], others[l]);
        });
    }

private:
    struct Four {
        Floats4 low[3], high[3];
    };
    struct Fours {
        int begin = 0, count = 0; // of fours_
    };
    struct Range {
        Fours vertices, edges, faces;
        int edge_begin = 0; // of edge_
    };
    static constexpr int kMostFeatures = 3 * SurfacePatches::kMostTriangles; // of a kind, of a patch
    struct VertexBoxes {                                                     // of a patch's vertices, by axis
        std::array<std::array<float, 3>, kMostFeatures> low, high;
    };
    int edge_count(int patch) const;
    void put(const Fours& fours, int number, const VertexBoxes& vertex, std::initializer_list<int> places);
    void put_whole(int patch, const Aabb& all);

    /// Which of a four are nearer to the box than the reach it was grown by.
    static unsigned near(const Four& four, const Four& box) {
        return lane_bits((four.low[0] <= box.high[0]) & (box.low[0] <= four.high[0]) & (four.low[1] <= box.high[1]) &
                         (box.low[1] <= four.high[1]) & (four.low[2] <= box.high[2]) & (box.low[2] <= four.high[2]));
    }
    /// One of a four, four times, grown by the reach.
    static Four spread(const Four& four, int lane, float reach) {
        Four all;
        for (int axis = 0; axis < 3; ++axis) {
            const float low = four.low[axis][lane] - reach, high = four.high[axis][lane] + reach;
            all.low[axis] = Floats4{low, low, low, low};
            all.high[axis] = Floats4{high, high, high, high};
        }
        return all;
    }

    /// The box around a four, four times, grown by the reach.
    static Four spread_all(const Four& four, float reach) {
        Four all;
        for (int axis = 0; axis < 3; ++axis) {
            const Floats4 &l = four.low[axis], &h = four.high[axis];
            const float low = std::min(std::min(l[0], l[1]), std::min(l[2], l[3])) - reach;
            const float high = std::max(std::max(h[0], h[1]), std::max(h[2], h[3])) + reach;
            all.low[axis] = Floats4{low, low, low, low};
            all.high[axis] = Floats4{high, high, high, high};
        }
        return all;
    }

    /// visit(a, bits, b): feature a of the first is near those of b to b + 3 of the second that have bits.
    template <class Visit>
    void for_near(const Fours& from, const Four& around_from, const Fours& to, const Four& around_to, float reach,
                  const Visit& visit) const {
        // Only what is near the other patch at all.
        std::array<int, (kMostFeatures + 3) / 4> near_to, near_four;
        int to_count = 0;
        const Four first = spread(around_from, 0, reach), second = spread(around_to, 0, reach);
        for (int k = 0; k < to.count; ++k)
            if (near(fours_[to.begin + k], first)) near_to[to_count++] = k;
        if (to_count == 0) return;
        for (int k = 0; k < from.count; ++k) {
            const Four& four = fours_[from.begin + k];
            unsigned lanes = near(four, second);
            if (!lanes) continue;
            const Four all = spread_all(four, reach); // features of a four lie close together
            int four_count = 0;
            for (int l = 0; l < to_count; ++l) {
                near_four[four_count] = near_to[l];
                four_count += near(fours_[to.begin + near_to[l]], all) != 0;
            }
            for (; lanes; lanes &= lanes - 1) {
                const int lane = std::countr_zero(lanes);
                const Four one = spread(four, lane, reach);
                for (int l = 0; l < four_count; ++l)
                    if (const unsigned bits = near(fours_[to.begin + near_four[l]], one))
                        visit(4 * k + lane, bits, 4 * near_four[l]);
            }
        }
    }

    const SurfacePatches& patches_;
    std::vector<Range> range_; // by patch
    std::vector<OwnEdge> edge_;
    std::vector<Four> fours_;
    std::vector<Four> whole_; // by patch: around all of it, in the first lane
};

} // namespace selvage
