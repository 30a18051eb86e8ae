#include "collision/contact/tangles.h"

#include <algorithm>
#include <cmath>

#include "collision/shapes/solid_mesh.h"

namespace selvage {

namespace {

// Of vertices around crossings of cloth with cloth that belong to them until the next look. As far as these pairs reach,
// nothing keeps sheets from crossing anew: with two rings, sheets that lie on each other around a curve of crossings do
// so faster than they are pulled apart. A crossing that would move farther is held up until then.
constexpr int kRings = 1;

} // namespace

void CrossedSides::add(int number) {
    for (int& own : side) {
        if (own == number) return;
        if (own < 0) {
            own = number;
            return;
        }
    }
    has_more = true;
}

void CrossedSides::add(const CrossedSides& other) {
    has_more = has_more || other.has_more;
    for (const int number : other.side)
        if (number >= 0) add(number);
}

bool CrossedSides::is_opposite(const CrossedSides& other) const {
    if (!any() || !other.any()) return false;
    if (has_more || other.has_more) return true;
    return std::any_of(side.begin(), side.end(), [&](int number) {
        return number >= 0 && std::find(other.side.begin(), other.side.end(), number ^ 1) != other.side.end();
    });
}

bool Tangles::leaves_alone(const ContactRecord& record) const {
    if (record.is_solid)
        return std::any_of(record.vertex.begin(), record.vertex.begin() + record.count,
                           [&](int v) { return ignores_solids[v] != 0; });
    for (int a = 0; a < record.side_count; ++a)
        for (int b = record.side_count; b < record.count; ++b)
            if (sides[record.vertex[a]].is_opposite(sides[record.vertex[b]])) return true;
    return false;
}

TangleFinder::TangleFinder(const ContactSurface& surface, const SurfacePatches& patches, int cloth_vertex_count)
    : surface_(surface), patches_(patches), cloth_vertex_count_(cloth_vertex_count), crossings_(surface),
      contours_(surface, patches), inside_(surface, patches, cloth_vertex_count), is_left_out_(surface.bodies.size()),
      is_closed_(surface.bodies.size()), collider_of_(surface.bodies.size(), -1), is_pinched_(surface.rest.size()) {}

void TangleFinder::read_colliders(std::span<const Collider> colliders) {
    std::size_t body = 0;
    while (body < surface_.bodies.size() && !surface_.bodies[body].is_solid)
        ++body;
    for (int c = 0; c < static_cast<int>(colliders.size()); ++c) {
        const Collider& collider = colliders[c];
        if (!collider.mesh()) continue;
        collider_of_[body] = c;
        // Ground has no far side; its distance function pushes what is below.
        is_left_out_[body] = !std::holds_alternative<MeshSolid>(collider.shape);
        is_closed_[body] = collider.mesh()->is_closed;
        ++body;
    }
}

/// Curves of two cloths count as one: which lies where is known by the cloth. Within one cloth each counts for itself, or
/// folds near one curve would pass through each other as well.
int TangleFinder::side_of(int k, const SurfaceCrossing& crossing) const {
    const auto [low, high] = std::minmax(crossing.edge_body, crossing.triangle_body);
    if (low == high) return 2 * contours_.contour_of(k) + contours_.side_of(k);
    const int pair = low * static_cast<int>(surface_.bodies.size()) + high;
    return 2 * (contours_.count() + pair) + (crossing.edge_body == low ? 0 : 1);
}

/// What takes part in a crossing, or lies inside, meets the other for now as if it were not there.
void TangleFinder::flag_vertices(std::span<const SurfaceCrossing> crossings, std::span<const InsideVertex> inside,
                                 Tangles& tangles) {
    for (int k = 0; k < static_cast<int>(crossings.size()); ++k) {
        const SurfaceCrossing& crossing = crossings[k];
        const bool is_solid =
            surface_.bodies[crossing.edge_body].is_solid || surface_.bodies[crossing.triangle_body].is_solid;
        const int side = side_of(k, crossing);
        const auto flag = [&](int v, int own_side) {
            if (v >= cloth_vertex_count_) return;
            if (is_solid)
                tangles.ignores_solids[v] = 1;
            else
                tangles.sides[v].add(own_side);
        };
        for (const int v : crossing.edge)
            flag(v, side);
        for (const int v : surface_.triangles[crossing.triangle])
            flag(v, side ^ 1);
    }
    for (const InsideVertex& vertex : inside)
        tangles.ignores_solids[vertex.vertex] = 1;
    for (int ring = 0; ring < kRings; ++ring)
        spread_sides(tangles);
}

/// To the neighbours.
void TangleFinder::spread_sides(Tangles& tangles) {
    spread_from_ = tangles.sides;
    for (int v = 0; v < cloth_vertex_count_; ++v)
        if (spread_from_[v].any())
            for (const int next : patches_.neighbours(v))
                tangles.sides[next].add(spread_from_[v]);
}

TangleCount TangleFinder::find(ThreadPool& pool, std::span<const Collider> colliders, std::span<const Vec3> x,
                               Tangles& tangles) {
    tangles.pulls.clear();
    tangles.exits.clear();
    tangles.sides.assign(surface_.rest.size(), {});
    tangles.ignores_solids.assign(surface_.rest.size(), 0);
    read_colliders(colliders);
    const std::span<const SurfaceCrossing> crossings = crossings_.find(pool, x, is_left_out_);
    TangleCount count;
    for (const SurfaceCrossing& crossing : crossings) {
        const bool is_solid = collider_of_[crossing.edge_body] >= 0 || collider_of_[crossing.triangle_body] >= 0;
        int& number = is_solid ? count.collider : count.cloth;
        if (number++ == 0) (is_solid ? count.first_collider : count.first_cloth) = crossing;
    }
    const std::span<const InsideVertex> inside = inside_.find(pool, colliders, x);
    count.inside = static_cast<int>(inside.size());
    tangles.any = count.any();
    if (!tangles.any) return count;
    contours_.find(crossings, x, is_closed_, tangles.pulls);
    count.contours = contours_.count();
    inside_.find_exits(colliders, x, tangles.pulls, tangles.exits);
    if (!inside.empty()) count.first_inside = inside.front();
    for (const InsideVertex& vertex : inside) {
        count.pinched += vertex.is_pinched;
        is_pinched_[vertex.vertex] = is_pinched_[vertex.vertex] || vertex.is_pinched;
    }
    // What waits between colliders is not pulled by their edges either.
    std::erase_if(tangles.pulls, [&](const ContactRecord& pull) {
        return std::any_of(pull.vertex.begin(), pull.vertex.end(), [&](int v) { return is_pinched_[v] != 0; });
    });
    for (const InsideVertex& vertex : inside)
        is_pinched_[vertex.vertex] = 0;
    flag_vertices(crossings, inside, tangles);
    inside_.find_supports(colliders, x, tangles.ignores_solids, tangles.exits);
    return count;
}

} // namespace selvage
