#include "collision/search/patch_boxes.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

// More than a conversion to float, and a sum with the reach, rounds, as a fraction.
constexpr float kRound = 3e-7F;

} // namespace

PatchBoxes::PatchBoxes(const SurfacePatches& patches)
    : patches_(patches), range_(patches.patches().size()), whole_(range_.size()) {
    const auto take = [&](int count) {
        // Those behind the last are near nothing.
        constexpr float kNowhere = 1e30F;
        Four empty;
        for (int axis = 0; axis < 3; ++axis) {
            empty.low[axis] = Floats4{kNowhere, kNowhere, kNowhere, kNowhere};
            empty.high[axis] = -empty.low[axis];
        }
        const Fours fours{static_cast<int>(fours_.size()), (count + 3) / 4};
        fours_.resize(fours_.size() + static_cast<std::size_t>(fours.count), empty);
        return fours;
    };
    for (std::size_t p = 0; p < range_.size(); ++p) {
        const SurfacePatches::Patch& patch = patches.patches()[p];
        Range& range = range_[p];
        range.edge_begin = static_cast<int>(edge_.size());
        for (int f = patch.face_begin; f < patch.face_begin + patch.face_count; ++f) {
            const SurfacePatches::Face& face = patches.faces()[f];
            for (int k = 0; k < face.own_edge_count; ++k) {
                const int corner = face.own_edge_corner[k];
                edge_.push_back({3 * f + k, face.own_edge[k], {face.place[corner], face.place[(corner + 1) % 3]}});
            }
        }
        range.vertices = take(patch.face_count > 0 ? patch.own_count : 0); // loose vertices meet solids only
        range.edges = take(static_cast<int>(edge_.size()) - range.edge_begin);
        range.faces = take(patch.face_count);
    }
}

void PatchBoxes::fit(std::span<const Vec3> x, int patch) {
    const SurfacePatches::Patch& p = patches_.patches()[patch];
    if (p.face_count == 0) return;
    const Range& range = range_[patch];
    VertexBoxes vertex;
    Aabb all;
    const std::span<const int> vertices = patches_.vertices(p);
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const Vec3& at = x[vertices[k]];
        all.include(at);
        const double parts[3] = {at.x, at.y, at.z};
        for (int axis = 0; axis < 3; ++axis) {
            const auto part = static_cast<float>(parts[axis]);
            vertex.low[k][axis] = part - kRound * std::abs(part);
            vertex.high[k][axis] = part + kRound * std::abs(part);
        }
    }
    for (int k = 0; k < p.own_count; ++k)
        put(range.vertices, k, vertex, {k});
    for (int k = 0; k < edge_count(patch); ++k) {
        const OwnEdge& edge = edge_[range.edge_begin + k];
        put(range.edges, k, vertex, {edge.place[0], edge.place[1]});
    }
    for (int f = 0; f < p.face_count; ++f) {
        const SurfacePatches::Face& face = patches_.faces()[p.face_begin + f];
        put(range.faces, f, vertex, {face.place[0], face.place[1], face.place[2]});
    }
    put_whole(patch, all);
}

int PatchBoxes::edge_count(int patch) const {
    const bool is_last = patch + 1 == static_cast<int>(range_.size());
    return (is_last ? static_cast<int>(edge_.size()) : range_[patch + 1].edge_begin) - range_[patch].edge_begin;
}

/// The box around some of the vertices, by their places in the patch.
void PatchBoxes::put(const Fours& fours, int number, const VertexBoxes& vertex, std::initializer_list<int> places) {
    Four& four = fours_[fours.begin + number / 4];
    const int lane = number % 4;
    for (int axis = 0; axis < 3; ++axis) {
        float least = vertex.low[*places.begin()][axis], most = vertex.high[*places.begin()][axis];
        for (const int place : places) {
            least = std::min(least, vertex.low[place][axis]);
            most = std::max(most, vertex.high[place][axis]);
        }
        four.low[axis][lane] = least;
        four.high[axis][lane] = most;
    }
}

void PatchBoxes::put_whole(int patch, const Aabb& all) {
    const double lows[3] = {all.low.x, all.low.y, all.low.z}, highs[3] = {all.high.x, all.high.y, all.high.z};
    for (int axis = 0; axis < 3; ++axis) {
        const auto least = static_cast<float>(lows[axis]), most = static_cast<float>(highs[axis]);
        whole_[patch].low[axis][0] = least - kRound * std::abs(least);
        whole_[patch].high[axis][0] = most + kRound * std::abs(most);
    }
}

} // namespace selvage
