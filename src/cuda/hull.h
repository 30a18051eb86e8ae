#pragma once

#include <span>
#include <vector>

#include "collision/search/contact_surface.h"
#include "collision/shapes/collider.h"

namespace selvage::cuda {

/// Triangles just inside a collider that is given by a distance: edges and faces of cloth are kept out of it as out of a
/// mesh, where the distance of its vertices alone would let them cut corners.
struct Hull {
    int collider = 0;
    std::vector<Vec3> points; ///< In the collider's frame.
    std::vector<Triangle> triangles;

    void add_to(ContactSurface& surface, const Collider& of) const;
};

/// Of every collider that has an inside with edges of its own or a curvature, and of which no cloth starts inside: what is
/// inside could not come out. Within a quarter of the thickness of the true surface.
std::vector<Hull> make_hulls(std::span<const Collider> colliders, std::span<const Vec3> cloth);

} // namespace selvage::cuda
