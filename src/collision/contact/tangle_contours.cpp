#include "collision/contact/tangle_contours.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace selvage {

namespace {

// Of the crossings on a sheet, how much of their directions must agree for all to take the mean.
constexpr double kAgree = 0.6;
// Against the sheet that agrees better: below it the directions of a sheet do more harm than good.
constexpr double kWorse = 0.5;
constexpr double kParallel = 0.8; // cosine of the angle between sheets up to which they are layers
constexpr double kFacing = 0.3;   // cosine from which a collider's surface says where outside is

} // namespace

int TangleContours::root_of(int k, int& parity) {
    parity = 0;
    int root = k;
    while (parent_[root] != root) {
        parity ^= parity_[root];
        root = parent_[root];
    }
    // Shortens the path, so that long curves stay cheap.
    for (int at = k, left = parity; parent_[at] != at;) {
        const int next = parent_[at], own = parity_[at];
        parent_[at] = root;
        parity_[at] = left;
        left ^= own;
        at = next;
    }
    return root;
}

/// Crossings that share a pair of triangles are neighbours on a curve. Whether the edges of two neighbours lie on the
/// same sheet follows from the triangles, so each crossing knows its side though both may be one cloth.
void TangleContours::link(std::span<const SurfaceCrossing> crossings) {
    const int n = static_cast<int>(crossings.size());
    parent_.resize(crossings.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    parity_.assign(crossings.size(), 0);
    links_.clear();
    for (int k = 0; k < n; ++k)
        for (const int face : crossings[k].faces) {
            if (face < 0) continue;
            const int t = crossings[k].triangle;
            links_.push_back({{std::min(face, t), std::max(face, t)}, k, face < t ? 0 : 1});
        }
    std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) {
        return std::tie(a.faces, a.crossing) < std::tie(b.faces, b.crossing);
    });
    for (std::size_t k = 1; k < links_.size(); ++k) {
        const Link &a = links_[k - 1], &b = links_[k];
        if (a.faces != b.faces) continue;
        int parity_a = 0, parity_b = 0;
        const int root_a = root_of(a.crossing, parity_a), root_b = root_of(b.crossing, parity_b);
        if (root_a == root_b) continue;
        const int joined = parity_a ^ parity_b ^ a.role ^ b.role;
        const auto [low, high] = std::minmax(root_a, root_b);
        parent_[high] = low;
        parity_[high] = joined;
    }
    contour_of_.assign(crossings.size(), -1);
    side_.resize(crossings.size());
    contour_count_ = 0;
    for (int k = 0; k < n; ++k) {
        const int root = root_of(k, side_[k]); // never above k
        contour_of_[k] = root == k ? contour_count_++ : contour_of_[root];
    }
}

/// Out of the face, to the side that the deeper end of the edge must go to; zero when neither is deeper.
Vec3 TangleContours::back_direction(const SurfaceCrossing& crossing, int k, std::span<const Vec3> x) const {
    if (depths_[k].first == depths_[k].second) return {};
    const Triangle& t = surface_.triangles[crossing.triangle];
    const Vec3 normal = normalized(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]));
    const int deep = depths_[k].first > depths_[k].second ? 0 : 1;
    const Vec3 out = x[crossing.edge[1 - deep]] - x[crossing.edge[deep]];
    const Vec3 back = dot(normal, out) < 0.0 ? -normal : normal;
    if (!surface_.bodies[crossing.edge_body].is_solid) return back;
    // A collider's edge: the cloth goes the other way, and that must be out of the collider wherever its surface says.
    const bool has_outside = is_closed_[crossing.edge_body] != 0;
    return has_outside && dot(normal_at_edge(crossing, x), back) > kFacing ? -back : back;
}

/// Mean of the faces at the edge.
Vec3 TangleContours::normal_at_edge(const SurfaceCrossing& crossing, std::span<const Vec3> x) const {
    Vec3 sum;
    for (const int face : crossing.faces)
        if (face >= 0) {
            const Triangle& t = surface_.triangles[face];
            sum += normalized(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]));
        }
    return normalized(sum);
}

/// Sheets that cross at a small angle through their middles: either half could be pulled through. In a stack that must
/// be decided alike for all, or layers are pulled in circles: later bodies go to the front of earlier ones.
void TangleContours::order_layers(std::span<const SurfaceCrossing> crossings, std::span<const Vec3> x) {
    for (std::size_t k = 0; k < crossings.size(); ++k) {
        const SurfaceCrossing& crossing = crossings[k];
        if (!depths_[k].is_even || crossing.edge_body == crossing.triangle_body) continue;
        if (surface_.bodies[crossing.edge_body].is_solid || surface_.bodies[crossing.triangle_body].is_solid) continue;
        const Triangle& t = surface_.triangles[crossing.triangle];
        const Vec3 face = normalized(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]));
        const Vec3 own = normal_at_edge(crossing, x);
        if (!(std::abs(dot(face, own)) > kParallel)) continue;
        const bool is_later = crossing.edge_body > crossing.triangle_body;
        // The side of the face that the edge must go to, from the normal of the earlier body.
        const Vec3 to = is_later ? face : dot(face, own) > 0.0 ? -face : face;
        const bool second_is_there = dot(to, x[crossing.edge[1]] - x[crossing.edge[0]]) > 0.0;
        depths_[k] = {second_is_there ? 1 : 0, second_is_there ? 0 : 1, true};
    }
}

/// The end of the edge that is moved: the deeper one, or the nearer to the crossing.
int TangleContours::vertex_of(const SurfaceCrossing& crossing, int k) const {
    if (depths_[k].first != depths_[k].second) return crossing.edge[depths_[k].first > depths_[k].second ? 0 : 1];
    return crossing.edge[crossing.along < 0.5 ? 0 : 1];
}

Vec3 TangleContours::direction_of(const SurfaceCrossing& crossing, int k, const Contour& contour,
                                  std::span<const Vec3> x) const {
    const Sheet &own = contour.sheet[side_[k]], &other = contour.sheet[1 - side_[k]];
    if (own.divided > 0 || other.divided > 0) {
        if (own.agreement() < kWorse * other.agreement()) return {};
        return own.agreement() > kAgree ? normalized(own.back) : back_direction(crossing, k, x);
    }
    if (own.ends > 0 && other.ends > 0)
        return normalized(other.end_points / static_cast<double>(other.ends) -
                          own.end_points / static_cast<double>(own.ends));
    return normalized(contour.points / static_cast<double>(contour.count) - crossing.point);
}

void TangleContours::find(std::span<const SurfaceCrossing> crossings, std::span<const Vec3> x,
                          std::span<const std::uint8_t> is_closed, std::vector<ContactRecord>& pulls) {
    is_closed_ = is_closed;
    link(crossings);
    regions_.find(crossings, depths_);
    order_layers(crossings, x);
    contours_.assign(static_cast<std::size_t>(contour_count_), {});
    const int n = static_cast<int>(crossings.size());
    const auto comes_out = [&](const SurfaceCrossing& crossing) { return is_closed[crossing.triangle_body] != 0; };
    for (int k = 0; k < n; ++k) {
        const SurfaceCrossing& crossing = crossings[k];
        Contour& contour = contours_[contour_of_[k]];
        contour.points += crossing.point;
        ++contour.count;
        if (comes_out(crossing)) continue;
        Sheet& sheet = contour.sheet[side_[k]];
        ++sheet.edges;
        sheet.back += back_direction(crossing, k, x);
        sheet.divided += depths_[k].first != depths_[k].second;
        if (crossing.faces[1] < 0) {
            ++sheet.ends;
            sheet.end_points += crossing.point;
        }
    }
    for (int k = 0; k < n; ++k) {
        const SurfaceCrossing& crossing = crossings[k];
        if (comes_out(crossing)) continue;
        ContactRecord pull;
        pull.normal = direction_of(crossing, k, contours_[contour_of_[k]], x);
        if (!(length_squared(pull.normal) > 0.0)) continue;
        const Triangle& t = surface_.triangles[crossing.triangle];
        pull.count = 4;
        pull.side_count = 1;
        pull.vertex = {vertex_of(crossing, k), t[0], t[1], t[2]};
        pull.weight = {1.0, -crossing.weight[0], -crossing.weight[1], -crossing.weight[2]};
        pulls.push_back(pull);
    }
}

} // namespace selvage
