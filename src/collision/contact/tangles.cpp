#include "collision/contact/tangles.h"

#include <algorithm>
#include <cmath>

#include "collision/shapes/solid_mesh.h"

namespace selvage {

namespace {

constexpr int kRings = 2; // of vertices around what is tangled: so far a crossing may move until the next look

} // namespace

bool Tangles::leaves_alone(const ContactRecord& record, std::span<const int> vertex_body) const {
    for (int k = 0; k < record.count; ++k) {
        const int v = record.vertex[k];
        if (record.is_solid) {
            if (ignores_solids[v]) return true;
            continue;
        }
        const int met = vertex_body[record.vertex[k < record.side_count ? record.side_count : 0]];
        if (ignored_body[v] == met || ignored_body[v] == kEveryBody) return true;
    }
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

/// What takes part in a crossing, or lies inside, meets the other for now as if it were not there.
void TangleFinder::flag_vertices(std::span<const SurfaceCrossing> crossings, std::span<const InsideVertex> inside,
                                 Tangles& tangles) {
    const auto ignore = [&](int v, int body) {
        if (v >= cloth_vertex_count_) return;
        if (surface_.bodies[body].is_solid)
            tangles.ignores_solids[v] = 1;
        else
            tangles.ignored_body[v] = tangles.ignored_body[v] == Tangles::kNoBody || tangles.ignored_body[v] == body
                                          ? body
                                          : Tangles::kEveryBody;
    };
    for (const SurfaceCrossing& crossing : crossings) {
        for (const int v : crossing.edge)
            ignore(v, crossing.triangle_body);
        for (const int v : surface_.triangles[crossing.triangle])
            ignore(v, crossing.edge_body);
    }
    for (const InsideVertex& vertex : inside)
        tangles.ignores_solids[vertex.vertex] = 1;
    for (int ring = 0; ring < kRings; ++ring)
        spread_flags(tangles);
}

/// To the neighbours.
void TangleFinder::spread_flags(Tangles& tangles) {
    spread_.clear();
    for (int v = 0; v < cloth_vertex_count_; ++v)
        if (tangles.ignored_body[v] != Tangles::kNoBody || tangles.ignores_solids[v]) spread_.push_back(v);
    std::vector<int>& ignored = tangles.ignored_body;
    for (const int v : spread_)
        for (const int next : patches_.neighbours(v)) {
            if (tangles.ignores_solids[v] == 1 && !tangles.ignores_solids[next]) tangles.ignores_solids[next] = 2;
            if (ignored[v] == Tangles::kNoBody || ignored[next] == ignored[v]) continue;
            ignored[next] = ignored[next] == Tangles::kNoBody ? ignored[v] : Tangles::kEveryBody;
        }
    for (int v = 0; v < cloth_vertex_count_; ++v)
        tangles.ignores_solids[v] = tangles.ignores_solids[v] != 0;
}

TangleCount TangleFinder::find(ThreadPool& pool, std::span<const Collider> colliders, std::span<const Vec3> x,
                               Tangles& tangles) {
    tangles.pulls.clear();
    tangles.exits.clear();
    tangles.ignored_body.assign(surface_.rest.size(), Tangles::kNoBody);
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
