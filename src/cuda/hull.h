#pragma once

#include <span>
#include <vector>

#include "collision/search/contact_surface.h"
#include "collision/shapes/collider.h"

namespace selvage::cuda {

/// Triangles just outside a collider that is given by a distance, within its thickness: edges and faces of cloth are kept
/// out of it as out of a mesh, where the distance of vertices alone would let them cut corners.
struct Hull {
    int collider = 0;
    std::vector<Vec3> points; ///< In the collider's frame.
    std::vector<Triangle> triangles;

    void add_to(ContactSurface& surface, const Collider& of) const;
};

/// Of every collider but planes, which vertices alone keep cloth out of, and those that cloth starts nearer to than their
/// thickness: what is inside a hull could not come out.
std::vector<Hull> make_hulls(std::span<const Collider> colliders, std::span<const Vec3> cloth);

} // namespace selvage::cuda
