#include "collision/contact/solid_edges.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "collision/search/proximity.h"

namespace selvage {

double longest_edge(const SurfacePatches& patches, const SurfacePatches::Patch& patch, std::span<const Vec3> x) {
    double longest = 0.0; // squared
    for (const SurfacePatches::Face& face : patches.faces(patch)) {
        const Vec3 &a = x[face.v[0]], &b = x[face.v[1]], &c = x[face.v[2]];
        longest = std::max({longest, length_squared(b - a), length_squared(c - b), length_squared(a - c)});
    }
    return std::sqrt(longest);
}

bool needs_edges(const MovingSolid& solid, double longest_edge) {
    const bool is_smooth = longest_edge * longest_edge < 2.0 * solid.thickness * smallest_radius(*solid.shape);
    return is_convex(*solid.shape) && !is_smooth;
}

void SolidEdgeSearch::find(std::vector<ContactRecord>& records) const {
    for (const SurfacePatches::Face& face : q_.patches.faces(q_.patch)) {
        const int a = face.place[0], b = face.place[1], c = face.place[2];
        const double lowest = std::min({q_.at[a].distance, q_.at[b].distance, q_.at[c].distance});
        if (lowest > q_.reach + q_.longest_edge) continue;
        for (int k = 0; k < face.own_edge_count; ++k)
            test_edge(face.place[face.own_edge_corner[k]], face.place[(face.own_edge_corner[k] + 1) % 3], records);
        test_face(a, b, c, records);
    }
}

/// A plane through the solid's nearest point to one corner keeps a convex solid on one side: where such a plane clears
/// the other corners too there is nothing to do.
bool SolidEdgeSearch::clears(int from, int to) const {
    return q_.at[from].distance + dot(q_.at[from].normal, x(to) - x(from)) >= q_.reach;
}

/// Where on a segment the distance to the convex solid stops falling, as a fraction of the segment.
double SolidEdgeSearch::nearest_fraction(const Vec3& a, const Vec3& b) const {
    const MovingSolid& solid = q_.solid;
    const Vec3 pa = solid.before.to_local(a), pb = solid.before.to_local(b), along = pb - pa;
    if (std::holds_alternative<Sphere>(*solid.shape)) return nearest_on_segment({}, pa, pb);
    double low = 0.0, high = 1.0;
    constexpr int kHalvings = 12;
    for (int k = 0; k < kHalvings; ++k) {
        const double middle = 0.5 * (low + high);
        (dot(nearest_surface(*solid.shape, pa + middle * along).normal, along) < 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

void SolidEdgeSearch::test_edge(int a, int b, std::vector<ContactRecord>& records) const {
    if (clears(a, b) || clears(b, a)) return;
    const double fraction = nearest_fraction(x(a), x(b));
    if (fraction < 1e-3 || fraction > 1.0 - 1e-3) return; // at a corner, which is pushed itself
    const SurfacePoint surface = q_.solid.nearest_before((1.0 - fraction) * x(a) + fraction * x(b));
    if (surface.distance < q_.reach)
        add(surface.normal, surface.distance, std::array{Corner{a, 1.0 - fraction}, Corner{b, fraction}}, records);
}

/// The solid's farthest point towards the face, when it lies before the face's inside.
void SolidEdgeSearch::test_face(int a, int b, int c, std::vector<ContactRecord>& records) const {
    const auto clears_both = [&](int from, int to, int other) { return clears(from, to) && clears(from, other); };
    if (clears_both(a, b, c) || clears_both(b, a, c) || clears_both(c, a, b)) return;
    const Vec3 &xa = x(a), &xb = x(b), &xc = x(c);
    const Vec3 area = doubled_area_normal(xa, xb, xc);
    const double size = length(area);
    if (!(size > 0.0)) return;
    const Vec3 out = q_.solid.nearest_before((xa + xb + xc) / 3.0).normal;
    const Vec3 normal = (dot(area, out) < 0.0 ? -1.0 : 1.0) / size * area;
    const std::optional<Vec3> far = support_point(*q_.solid.shape, q_.solid.before.turn.transposed(normal));
    if (!far) return;
    const Vec3 tip = q_.solid.before.to_world(*far);
    const double gap = dot(normal, xa - tip);
    if (!(gap < q_.reach) || gap < -q_.longest_edge) return;
    const double wa = dot(cross(xb - tip, xc - tip), area) / (size * size);
    const double wb = dot(cross(xc - tip, xa - tip), area) / (size * size);
    if (wa > 0.0 && wb > 0.0 && wa + wb < 1.0)
        add(normal, gap, std::array{Corner{a, wa}, Corner{b, wb}, Corner{c, 1.0 - wa - wb}}, records);
}

void SolidEdgeSearch::add(const Vec3& normal, double gap, std::span<const Corner> corners,
                          std::vector<ContactRecord>& records) const {
    ContactRecord record;
    Vec3 middle;
    for (const auto& [place, weight] : corners) {
        record.vertex[record.count] = vertices_[place];
        record.weight[record.count++] = weight;
        middle += weight * x(place);
    }
    record.side_count = record.count;
    record.normal = normal;
    record.gap = gap;
    record.minimum_distance = minimum_distance_;
    record.friction = q_.solid.friction;
    record.solid_displacement = q_.motion.at(q_.solid, middle - gap * normal);
    record.is_solid = true;
    record.solid = q_.solid_index;
    records.push_back(record);
}

} // namespace selvage
