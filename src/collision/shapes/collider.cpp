#include "collision/shapes/collider.h"

#include <algorithm>

#include "collision/shapes/height_grid.h"
#include "collision/shapes/solid_mesh.h"

namespace selvage {

const SolidMesh* Collider::mesh() const {
    if (const auto* ground = std::get_if<HeightField>(&shape)) return &ground->grid->surface;
    const auto* solid = std::get_if<MeshSolid>(&shape);
    return solid ? solid->surface.get() : nullptr;
}

void Collider::fit_tree() {
    if (is_tree_stale) moved_tree.refit(mesh()->mesh.triangles, points_now);
    is_tree_stale = false;
}

bool Collider::may_touch(const Vec3& world) const {
    const auto* solid = std::get_if<MeshSolid>(&shape);
    if (!solid) return true; // their distances are as quick
    const Aabb box = is_deforming() ? moved_tree.bounds() : solid->surface->tree.bounds();
    const Vec3 p = is_deforming() ? world : now.to_local(world);
    // Twice the thickness: what rests at it must not be decided by rounding.
    const Vec3 reach = 2.0 * thickness * Vec3{1, 1, 1};
    return box.touches({p - reach, p + reach});
}

SurfacePoint Collider::nearest(const Vec3& world) const {
    if (is_deforming()) return mesh()->nearest(moved_tree, points_now, world).surface;
    SurfacePoint point = nearest_surface(shape, now.to_local(world));
    point.normal = now.turn * point.normal;
    return point;
}

Vec3 Collider::displacement(const Vec3& world) const {
    if (!is_deforming()) return world - before.to_world(now.to_local(world));
    const MeshPoint at = mesh()->nearest(moved_tree, points_now, world);
    const Triangle& t = mesh()->mesh.triangles[at.triangle];
    return at.weight.x * (points_now[t[0]] - points_before[t[0]]) +
           at.weight.y * (points_now[t[1]] - points_before[t[1]]) +
           at.weight.z * (points_now[t[2]] - points_before[t[2]]);
}

Aabb Collider::bounds() const {
    Aabb box;
    if (const auto* solid = std::get_if<MeshSolid>(&shape)) {
        for (const int v : solid->surface->vertices)
            box.include(points_now[v]);
        return box;
    }
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
        for (const double side : {-1.0, 1.0}) {
            const std::optional<Vec3> farthest = support_point(shape, now.turn.transposed(side * axis));
            constexpr double kEverywhere = std::numeric_limits<double>::infinity();
            if (!farthest) return {{-kEverywhere, -kEverywhere, -kEverywhere}, {kEverywhere, kEverywhere, kEverywhere}};
            box.include(now.to_world(*farthest));
        }
    return box;
}

TriangleMesh drawn_mesh(const Collider& collider) {
    TriangleMesh mesh = collider_mesh(collider.shape);
    if (collider.mesh()) {
        mesh.positions = collider.points_now;
        return std::holds_alternative<MeshSolid>(collider.shape) ? with_sharp_creases(mesh) : mesh;
    }
    for (Vec3& p : mesh.positions)
        p = collider.now.to_world(p);
    return mesh;
}

double deepest_penetration(ThreadPool& pool, std::span<const Collider> colliders, const std::vector<Vec3>& positions) {
    return pool
        .sum<Largest>(static_cast<int>(positions.size()),
                      [&](int i) {
                          Largest deepest;
                          for (const Collider& collider : colliders)
                              deepest += Largest{-collider.nearest(positions[i]).distance};
                          return deepest;
                      })
        .value;
}

} // namespace selvage
