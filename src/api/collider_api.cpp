// The C functions of selvage.h: colliders.

#include "api/calls.h"
#include "collision/shapes/solid_mesh.h"
#include "scene/scene_io.h"

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

namespace {

template <class Number>
selvage_result set_vertices(selvage_collider collider, const Number* xyz, size_t vertex_count) noexcept {
    return with_collider(collider, Mode::exclusive, [&](World& w, WorldCollider& c) -> selvage_result {
        if (!xyz) return null_argument("xyz");
        if (const selvage_result code = from_status(w.check_collider_points(c, vertex_count)); code != SELVAGE_OK)
            return code;
        const Result<std::vector<Vec3>> points = to_points(xyz, vertex_count, "vertex");
        if (!points) return fail(points.error());
        w.set_collider_points(c, *points);
        return SELVAGE_OK;
    });
}

/// The mesh lives as long as the collider.
const SolidMesh* mesh_of(const WorldCollider& collider) {
    const auto* mesh = std::get_if<MeshSolid>(&collider.motion.shape());
    return mesh ? mesh->surface.get() : nullptr;
}

selvage_result check_mesh(const WorldCollider& collider) {
    if (mesh_of(collider)) return SELVAGE_OK;
    return fail(SELVAGE_ERROR_ARGUMENT, "the collider is no mesh; expected a mesh or a character");
}

} // namespace

extern "C" {

void selvage_collider_desc_init(selvage_collider_desc* desc, size_t struct_size) {
    init_sized(desc, struct_size, default_collider_desc());
}

selvage_result selvage_collider_create(selvage_world world, const selvage_collider_desc* desc,
                                       selvage_collider* collider) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!desc || !collider) return null_argument(desc ? "collider" : "desc");
        selvage_collider_desc wanted = default_collider_desc();
        if (!read_sized(desc, wanted))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_collider_desc)");
        const Result<ColliderInput> input = to_collider(wanted);
        if (!input) return fail(input.error());
        const Result<std::uint64_t> added = w.add_collider(input->desc, input->pose, wanted.user_data);
        if (!added) return fail(added.error());
        *collider = *added;
        return SELVAGE_OK;
    });
}

selvage_result selvage_collider_create_from_json(selvage_world world, const char* json, const char* directory,
                                                 selvage_collider* collider) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!json || !collider) return null_argument(json ? "collider" : "json");
        const Result<ColliderDesc> input = parse_collider(json);
        if (!input) return fail(input.error());
        const Result<std::uint64_t> added = w.add_moving_collider(*input, directory ? directory : "");
        if (!added) return fail(added.error());
        *collider = *added;
        return SELVAGE_OK;
    });
}

selvage_result selvage_collider_destroy(selvage_collider collider) {
    return with_collider(collider, Mode::exclusive, [](World& w, WorldCollider& c) {
        w.remove_collider(c);
        return SELVAGE_OK;
    });
}

selvage_result selvage_collider_user_data(selvage_collider collider, void** user_data) {
    return with_collider(collider, Mode::reader, [&](World&, const WorldCollider& c) -> selvage_result {
        if (!user_data) return null_argument("user_data");
        *user_data = c.user_data;
        return SELVAGE_OK;
    });
}

selvage_result selvage_collider_move(selvage_collider collider, const double position[3], const double rotation[4]) {
    return with_collider(collider, Mode::exclusive, [&](World& w, WorldCollider& c) -> selvage_result {
        const Result<Pose> pose = to_pose(position, rotation);
        if (!pose) return fail(pose.error());
        w.move_collider(c, *pose);
        return SELVAGE_OK;
    });
}

selvage_result selvage_collider_teleport(selvage_collider collider, const double position[3],
                                         const double rotation[4]) {
    return with_collider(collider, Mode::exclusive, [&](World& w, WorldCollider& c) -> selvage_result {
        const Result<Pose> pose = to_pose(position, rotation);
        if (!pose) return fail(pose.error());
        w.teleport_collider(c, *pose);
        return SELVAGE_OK;
    });
}

selvage_result selvage_collider_set_vertices(selvage_collider collider, const double* xyz, size_t vertex_count) {
    return set_vertices(collider, xyz, vertex_count);
}

selvage_result selvage_collider_set_vertices_f(selvage_collider collider, const float* xyz, size_t vertex_count) {
    return set_vertices(collider, xyz, vertex_count);
}

selvage_result selvage_collider_vertices(selvage_collider collider, const double** xyz, size_t* vertex_count) {
    return with_collider(collider, Mode::reader, [&](const World& w, const WorldCollider& c) -> selvage_result {
        if (const selvage_result code = check_mesh(c); code != SELVAGE_OK) return code;
        const selvage_result code = give(w.collider_vertices(c), xyz, vertex_count);
        return code;
    });
}

selvage_result selvage_collider_triangles(selvage_collider collider, const int32_t** triangles,
                                          size_t* triangle_count) {
    return with_collider(collider, Mode::reader, [&](const World&, const WorldCollider& c) -> selvage_result {
        if (const selvage_result code = check_mesh(c); code != SELVAGE_OK) return code;
        return give(std::span<const Triangle>(mesh_of(c)->mesh.triangles), triangles, triangle_count);
    });
}

selvage_result selvage_collider_pose(selvage_collider collider, double position[3], double rotation[4]) {
    return with_collider(collider, Mode::reader, [&](const World& w, const WorldCollider& c) -> selvage_result {
        if (!position || !rotation) return null_argument(position ? "rotation" : "position");
        const Pose pose = w.collider_pose(c);
        copy_to(pose.centre, position);
        const std::array<double, 4> quaternion = to_quaternion(pose.turn);
        std::copy(quaternion.begin(), quaternion.end(), rotation);
        return SELVAGE_OK;
    });
}

} // extern "C"
