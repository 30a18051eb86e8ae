#include "collision/contact/contact_data.h"

#include <algorithm>

namespace selvage {

ContactModel::ContactModel(ContactSurface contact_surface, std::span<const double> mass)
    : surface(std::move(contact_surface)), patches(surface), cloth_vertex_count(static_cast<int>(mass.size())) {
    for (const SurfacePatches::Face& face : patches.faces())
        for (int k = 0; k < face.own_edge_count; ++k)
            if (face.own_edge[k][0] < cloth_vertex_count) edges.push_back(face.own_edge[k]);
    std::sort(edges.begin(), edges.end());
    for (const ContactBody& body : surface.bodies) {
        if (body.is_solid) continue;
        meets_cloth = meets_cloth || body.meets_itself;
        triangles.insert(triangles.end(), surface.triangles.begin() + body.triangle_begin,
                         surface.triangles.begin() + body.triangle_begin + body.triangle_count);
    }
    vertex_body.resize(surface.rest.size());
    for (int b = 0; b < static_cast<int>(surface.bodies.size()); ++b) {
        const auto first = vertex_body.begin() + surface.bodies[b].vertex_begin;
        std::fill(first, first + surface.bodies[b].vertex_count, b);
    }
    for (const double m : mass)
        inverse_mass.push_back(m > 0.0 ? 1.0 / m : 0.0);
    inverse_mass.resize(surface.rest.size()); // nothing moves solids
}

StepMotion::StepMotion(const ContactModel& model)
    : start(model.surface.rest), displacement(start.size()), correction(start.size()), inverse_mass(start.size()),
      extents(model.surface.bodies.size()), cloth_vertex_count(model.cloth_vertex_count) {
    for (int b = 0; b < static_cast<int>(model.surface.bodies.size()); ++b)
        if (model.surface.bodies[b].is_solid) {
            PlacedSolid solid;
            solid.body = b;
            solid.vertex_begin = model.surface.bodies[b].vertex_begin;
            placed.push_back(solid);
        }
}

ContactPairs::ContactPairs(const ContactModel& model)
    : near(model.surface, model.patches),
      solids(model.patches, static_cast<int>(model.surface.rest.size()), model.cloth_vertex_count),
      is_touching(model.surface.rest.size()), since_push_out(model.cloth_vertex_count),
      since_cut(model.cloth_vertex_count) {}

bool ContactPairs::any_records() const {
    const auto any = [](std::span<const std::vector<ContactRecord>> lists) {
        return std::any_of(lists.begin(), lists.end(), [](const auto& list) { return !list.empty(); });
    };
    return any(records) || any(solids.records());
}

std::int64_t ContactPairs::record_count() const {
    std::size_t count = 0;
    for (const std::span<const std::vector<ContactRecord>> lists :
         {std::span<const std::vector<ContactRecord>>(records), solids.records()})
        for (const std::vector<ContactRecord>& list : lists)
            count += list.size();
    return static_cast<std::int64_t>(count);
}

} // namespace selvage
