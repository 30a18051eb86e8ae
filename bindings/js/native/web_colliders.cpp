// Colliders: how they are made, and how they are drawn.

#include <cstring>

#include "collision/shapes/solid_mesh.h"
#include "web_module.h"

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

namespace {

/// In the order of the world's colliders: found by handle, since those of a World are as they are now.
selvage_result with_collider_now(selvage_collider handle, const auto& body) {
    return with_collider(handle, Mode::reader, [&](World& w, const WorldCollider& c) -> selvage_result {
        const std::vector<WorldCollider*> all = w.colliders().in_order();
        const std::vector<Collider> now = w.colliders_now();
        for (std::size_t k = 0; k < all.size(); ++k)
            if (all[k] == &c) return body(now[k]);
        return fail(SELVAGE_ERROR_INTERNAL, "the collider is not among those of its world");
    });
}

} // namespace

/// `numbers`: shape, size (3), resolution (2), position (3), rotation (4), friction, thickness.
SELVAGE_WEB selvage_result web_collider_create(selvage_world world, const double* numbers, const double* vertices,
                                               size_t vertex_count, const std::int32_t* triangles,
                                               size_t triangle_count, const double* heights, const char* file,
                                               selvage_collider* collider) {
    selvage_collider_desc desc = selvage_collider_desc_default();
    const int shape = static_cast<int>(numbers[0]);
    std::memcpy(&desc.shape, &shape, sizeof shape);
    std::copy(numbers + 1, numbers + 4, desc.size);
    desc.resolution[0] = static_cast<int>(numbers[4]), desc.resolution[1] = static_cast<int>(numbers[5]);
    std::copy(numbers + 6, numbers + 9, desc.position);
    std::copy(numbers + 9, numbers + 13, desc.rotation);
    desc.friction = numbers[13], desc.thickness = numbers[14];
    desc.vertices = vertices, desc.vertex_count = vertex_count;
    desc.triangles = triangles, desc.triangle_count = triangle_count;
    desc.heights = heights;
    desc.file = web::text_or_null(file);
    return selvage_collider_create(world, &desc, collider);
}

/// `out`: a selvage_shape, and whether its vertices move.
SELVAGE_WEB selvage_result web_collider_kind(selvage_collider collider, double* out) {
    return with_collider_now(collider, [&](const Collider& now) -> selvage_result {
        struct Kind {
            int operator()(const Sphere&) const { return SELVAGE_SHAPE_SPHERE; }
            int operator()(const Box&) const { return SELVAGE_SHAPE_BOX; }
            int operator()(const Capsule&) const { return SELVAGE_SHAPE_CAPSULE; }
            int operator()(const Cylinder&) const { return SELVAGE_SHAPE_CYLINDER; }
            int operator()(const Plane&) const { return SELVAGE_SHAPE_PLANE; }
            int operator()(const HeightField&) const { return SELVAGE_SHAPE_HEIGHT; }
            int operator()(const MeshSolid&) const { return SELVAGE_SHAPE_MESH; }
        };
        out[0] = std::visit(Kind{}, now.shape);
        out[1] = now.is_deforming() ? 1.0 : 0.0;
        return SELVAGE_OK;
    });
}

/// 3 floats per vertex, in the collider's own frame unless its vertices move; then in the world.
SELVAGE_WEB selvage_result web_collider_surface(selvage_collider collider, web::Range* points, web::Range* triangles) {
    return with_collider_now(collider, [&](Collider now) -> selvage_result {
        static std::vector<Vec3f> drawn_points;
        static std::vector<Triangle> drawn_triangles;
        // Creases come and go while a surface moves: its vertices are not split at them, so that there are always as many.
        TriangleMesh mesh = now.is_deforming() ? now.mesh()->mesh : drawn_mesh(now);
        if (now.is_deforming()) mesh.positions = now.points_now;
        drawn_points.clear();
        for (const Vec3& p : mesh.positions)
            drawn_points.push_back(Vec3f(now.is_deforming() ? p : now.now.to_local(p)));
        drawn_triangles = mesh.triangles;
        *points = {drawn_points.data(), static_cast<std::uint32_t>(3 * drawn_points.size())};
        *triangles = {drawn_triangles.data(), static_cast<std::uint32_t>(3 * drawn_triangles.size())};
        return SELVAGE_OK;
    });
}
