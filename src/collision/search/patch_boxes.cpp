#include "collision/search/patch_boxes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace selvage {

namespace {

// More than a conversion to float, and a sum with the reach, rounds, as a fraction.
constexpr float kRound = 3e-7F;
// Boxes that are missing are from here to minus here: near nothing.
constexpr float kNowhere = 1e30F;

/// One box, in all lanes.
struct Spread {
    Floats8 low[3], high[3];
};

SELVAGE_INLINE void spread(const PatchBoxes::Eight& eight, int lane, float reach, Spread& out) {
    for (int axis = 0; axis < 3; ++axis) {
        fill(eight.low[axis][lane] - reach, out.low[axis]);
        fill(eight.high[axis][lane] + reach, out.high[axis]);
    }
}

/// The box around eight.
SELVAGE_INLINE void spread_all(const PatchBoxes::Eight& eight, float reach, Spread& out) {
    for (int axis = 0; axis < 3; ++axis) {
        fill(eight.all_low[axis] - reach, out.low[axis]);
        fill(eight.all_high[axis] + reach, out.high[axis]);
    }
}

/// Which of eight touch the box.
SELVAGE_INLINE unsigned touching(const PatchBoxes::Eight& eight, const Spread& box) {
    Floats8 low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        load(eight.low[axis], low[axis]);
        load(eight.high[axis], high[axis]);
    }
    return lane_bits((low[0] <= box.high[0]) & (box.low[0] <= high[0]) & (low[1] <= box.high[1]) &
                     (box.low[1] <= high[1]) & (low[2] <= box.high[2]) & (box.low[2] <= high[2]));
}

/// Boxes around a patch's vertices.
struct VertexBoxes {
    Floats4 low[PatchBoxes::kMostFeatures], high[PatchBoxes::kMostFeatures];
};

SELVAGE_INLINE void widen(const Floats4& low, const Floats4& high, Floats4& all_low, Floats4& all_high) {
    take_smaller(low, all_low, all_low);
    take_larger(high, all_high, all_high);
}

/// Boxes around features of kPoints vertices each, by their places in the patch; without `places` around the vertices
/// themselves, in their order. Lanes beyond the last stay near nothing.
template <int kPoints>
SELVAGE_INLINE void put_boxes(const VertexBoxes& vertex, const PointPlaces* places, int count,
                              PatchBoxes::Eight* eights) {
    for (int begin = 0; begin < count; begin += 8) {
        Floats4 low[8], high[8];
        Floats4 all_low = Floats4{kNowhere, kNowhere, kNowhere, kNowhere}, all_high = -all_low;
        for (int lane = 0; lane < 8; ++lane) {
            low[lane] = Floats4{kNowhere, kNowhere, kNowhere, kNowhere};
            high[lane] = -low[lane];
            const int k = begin + lane;
            if (k >= count) continue;
            const auto at = [&](int point) { return places ? static_cast<int>(places[k][point]) : k; };
            low[lane] = vertex.low[at(0)];
            high[lane] = vertex.high[at(0)];
            for (int point = 1; point < kPoints; ++point)
                widen(vertex.low[at(point)], vertex.high[at(point)], low[lane], high[lane]);
            widen(low[lane], high[lane], all_low, all_high);
        }
        PatchBoxes::Eight& eight = eights[begin / 8];
        Points8 lows, highs;
        load(low, lows);
        load(high, highs);
        store(lows.x, eight.low[0]);
        store(lows.y, eight.low[1]);
        store(lows.z, eight.low[2]);
        store(highs.x, eight.high[0]);
        store(highs.y, eight.high[1]);
        store(highs.z, eight.high[2]);
        for (int axis = 0; axis < 3; ++axis) {
            eight.all_low[axis] = all_low[axis];
            eight.all_high[axis] = all_high[axis];
        }
    }
}

/// What a patch has of each kind, where their points are among its vertices, and where their boxes go.
struct PatchFeatures {
    int vertex_count, edge_count, face_count;
    const PointPlaces *edges, *faces;
    PatchBoxes::Eight *vertex_boxes, *edge_boxes, *face_boxes;
};

SELVAGE_WIDE void put_all_boxes(const VertexBoxes& vertex, const PatchFeatures& patch) {
    put_boxes<1>(vertex, nullptr, patch.vertex_count, patch.vertex_boxes);
    put_boxes<2>(vertex, patch.edges, patch.edge_count, patch.edge_boxes);
    put_boxes<3>(vertex, patch.faces, patch.face_count, patch.face_boxes);
}

/// Boxes of two patches, and around all of each.
struct BoxLists {
    const PatchBoxes::Eight *from, *to;
    int from_count, to_count;
    const PatchBoxes::Eight &around_from, &around_to;
};

/// For each set of lanes their numbers, lowest first, one byte each.
constexpr std::array<std::uint64_t, 256> lane_numbers() {
    std::array<std::uint64_t, 256> table{};
    for (unsigned bits = 0; bits < 256; ++bits)
        for (unsigned lane = 0, shift = 0; lane < 8; ++lane)
            if ((bits >> lane & 1U) != 0) {
                table[bits] |= std::uint64_t{lane} << shift;
                shift += 8;
            }
    return table;
}
constexpr std::array<std::uint64_t, 256> kLaneNumbers = lane_numbers();
constexpr std::uint64_t kEveryByte = 0x0101010101010101U;

/// Eight bytes, the lowest first on any machine.
SELVAGE_INLINE void write_bytes(std::uint64_t bytes, std::uint8_t* to) {
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(to, &bytes, sizeof(bytes));
    else
        for (int k = 0; k < 8; ++k)
            to[k] = static_cast<std::uint8_t>(bytes >> (8 * k));
}

/// No branch depends on what is found: how many boxes touch is hard to foretell.
SELVAGE_WIDE void list_touching(const BoxLists& boxes, float reach, bool is_same, FeaturePairs& found) {
    constexpr int kMostEights = (PatchBoxes::kMostFeatures + 7) / 8;
    found.count = 0;
    // Only what is near the other patch at all.
    int near_to[kMostEights], near_eight[kMostEights];
    int to_count = 0, count = 0;
    Spread around;
    spread(boxes.around_from, 0, reach, around);
    for (int k = 0; k < boxes.to_count; ++k) {
        near_to[to_count] = k;
        to_count += touching(boxes.to[k], around) != 0;
    }
    if (to_count == 0) return;
    spread(boxes.around_to, 0, reach, around);
    for (int k = 0; k < boxes.from_count; ++k) {
        const PatchBoxes::Eight& eight = boxes.from[k];
        unsigned lanes = touching(eight, around);
        if (!lanes) continue;
        Spread box;
        spread_all(eight, reach, box); // features of an eight lie close together
        int eight_count = 0;
        for (int l = 0; l < to_count; ++l) {
            near_eight[eight_count] = near_to[l];
            eight_count += touching(boxes.to[near_to[l]], box) != 0;
        }
        for (; lanes; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes), a = 8 * k + lane;
            spread(eight, lane, reach, box);
            for (int l = 0; l < eight_count; ++l) {
                const int b = 8 * near_eight[l];
                unsigned bits = touching(boxes.to[near_eight[l]], box);
                if (is_same && b <= a) bits &= a - b >= 7 ? 0U : ~((2U << (a - b)) - 1U); // each pair once
                write_bytes(kEveryByte * static_cast<unsigned>(a), found.first + count);
                write_bytes(kLaneNumbers[bits] + kEveryByte * static_cast<unsigned>(b), found.second + count);
                count += std::popcount(bits);
            }
        }
    }
    found.count = count;
}

} // namespace

PatchBoxes::PatchBoxes(const SurfacePatches& patches)
    : patches_(patches), range_(patches.patches().size()), whole_(range_.size()), place_(range_.size()) {
    const auto take = [&](int count) {
        // Those behind the last are near nothing.
        Eight empty;
        for (int axis = 0; axis < 3; ++axis) {
            std::fill_n(empty.low[axis], 8, kNowhere);
            std::fill_n(empty.high[axis], 8, -kNowhere);
            empty.all_low[axis] = kNowhere;
            empty.all_high[axis] = -kNowhere;
        }
        const Eights eights{static_cast<int>(eights_.size()), (count + 7) / 8};
        eights_.resize(eights_.size() + static_cast<std::size_t>(eights.count), empty);
        return eights;
    };
    for (std::size_t p = 0; p < range_.size(); ++p) {
        const SurfacePatches::Patch& patch = patches.patches()[p];
        Range& range = range_[p];
        range.edge_begin = static_cast<int>(edge_.size());
        for (int f = patch.face_begin; f < patch.face_begin + patch.face_count; ++f) {
            const SurfacePatches::Face& face = patches.faces()[f];
            for (int k = 0; k < face.own_edge_count; ++k) {
                const int corner = face.own_edge_corner[k];
                edge_.push_back({3 * f + k, face.own_edge[k]});
                edge_place_.push_back({face.place[corner], face.place[(corner + 1) % 3], 0, 0});
            }
            face_place_.push_back({face.place[0], face.place[1], face.place[2], 0});
        }
        range.vertices = take(patch.face_count > 0 ? patch.own_count : 0); // loose vertices meet solids only
        range.edges = take(static_cast<int>(edge_.size()) - range.edge_begin);
        range.faces = take(patch.face_count);
        point_.resize(std::max(point_.size(), static_cast<std::size_t>(patch.vertex_begin + patch.vertex_count)));
    }
}

void PatchBoxes::fit(std::span<const Vec3> x, int patch) {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    if (p.face_count == 0) return;
    const Range& range = range_[patch];
    VertexBoxes vertex;
    const std::span<const int> vertices = patches_.vertices(p);
    const Vec3 origin = x[p.middle];
    double radius2 = 0.0;
    Floats4 least = Floats4{kNowhere, kNowhere, kNowhere, kNowhere}, most = -least;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const Vec3 &at = x[vertices[k]], from = at - origin;
        radius2 = std::max(radius2, length_squared(from));
        point_[static_cast<std::size_t>(p.vertex_begin) + k] =
            Floats4{static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(from.z), 0.0F};
        const Floats4 part{static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z), 0.0F};
        const Floats4 round{kRound * std::abs(part[0]), kRound * std::abs(part[1]), kRound * std::abs(part[2]), 0.0F};
        vertex.low[k] = part - round;
        vertex.high[k] = part + round;
        widen(vertex.low[k], vertex.high[k], least, most);
    }
    place_[patch] = {origin, std::sqrt(radius2)};
    for (int axis = 0; axis < 3; ++axis) {
        whole_[patch].low[axis][0] = least[axis];
        whole_[patch].high[axis][0] = most[axis];
    }
    put_all_boxes(vertex, {p.own_count, edge_count(patch), p.face_count, edge_places(patch), face_places(patch),
                           eights_.data() + range.vertices.begin, eights_.data() + range.edges.begin,
                           eights_.data() + range.faces.begin});
}

int PatchBoxes::edge_count(int patch) const {
    const bool is_last = patch + 1 == static_cast<int>(range_.size());
    return (is_last ? static_cast<int>(edge_.size()) : range_[patch + 1].edge_begin) - range_[patch].edge_begin;
}

void PatchBoxes::find(const Eights& from, int p, const Eights& to, int q, float reach, bool is_same,
                      FeaturePairs& found) const {
    list_touching({eights_.data() + from.begin, eights_.data() + to.begin, from.count, to.count, whole_[p], whole_[q]},
                  reach, is_same, found);
}

void PatchBoxes::find_vertices(int p, int q, float reach, FeaturePairs& found) const {
    find(range_[p].vertices, p, range_[q].faces, q, reach, false, found);
}

void PatchBoxes::find_edges(int p, int q, float reach, FeaturePairs& found) const {
    find(range_[p].edges, p, range_[q].edges, q, reach, p == q, found);
}

PatchPoints PatchBoxes::points(int p, int q) const {
    const Vec3 offset = place_[q].origin - place_[p].origin;
    return {point_.data() + patches_.patches()[p].vertex_begin,
            point_.data() + patches_.patches()[q].vertex_begin,
            {static_cast<float>(offset.x), static_cast<float>(offset.y), static_cast<float>(offset.z)}};
}

double PatchBoxes::size(int p, int q) const {
    return place_[p].radius + place_[q].radius + length(place_[q].origin - place_[p].origin);
}

} // namespace selvage
