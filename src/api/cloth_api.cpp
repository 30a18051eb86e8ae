// The C functions of selvage.h: cloths, attachments and grabs.

#include "api/calls.h"
#include "scene/scene_io.h"

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

extern "C" {

void selvage_cloth_desc_init(selvage_cloth_desc* desc, size_t struct_size) {
    init_sized(desc, struct_size, default_cloth_desc());
}

selvage_result selvage_cloth_create(selvage_world world, const selvage_cloth_desc* desc, selvage_cloth* cloth) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!desc || !cloth) return null_argument(desc ? "cloth" : "desc");
        selvage_cloth_desc wanted = default_cloth_desc();
        if (!read_sized(desc, wanted))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_cloth_desc)");
        Result<ClothDesc> input = to_cloth(wanted);
        if (!input) return fail(input.error());
        if (input->name.empty()) input->name = concat("cloth", w.cloths().in_order().size());
        const Result<std::uint64_t> added = w.add_cloth(std::move(*input), {}, wanted.user_data);
        if (!added) return fail(added.error());
        *cloth = *added;
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_create_from_json(selvage_world world, const char* json, const char* directory,
                                              selvage_cloth* cloth) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!json || !cloth) return null_argument(json ? "cloth" : "json");
        const std::filesystem::path place = directory ? directory : "";
        Result<ClothDesc> input = parse_cloth(json, place);
        if (!input) return fail(input.error());
        const Result<std::uint64_t> added = w.add_cloth(std::move(*input), place, nullptr);
        if (!added) return fail(added.error());
        *cloth = *added;
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_destroy(selvage_cloth cloth) {
    return with_cloth(cloth, Mode::exclusive, [](World& w, WorldCloth& c) {
        w.remove_cloth(c);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_name(selvage_cloth cloth, const char** name) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!name) return null_argument("name");
        *name = c.desc.name.c_str();
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_user_data(selvage_cloth cloth, void** user_data) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!user_data) return null_argument("user_data");
        *user_data = c.user_data;
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_warnings(selvage_cloth cloth, const char** text) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!text) return null_argument("text");
        *text = c.warnings.c_str();
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_positions(selvage_cloth cloth, const double** xyz, size_t* vertex_count) {
    return with_cloth(cloth, Mode::reader,
                      [&](World&, const WorldCloth& c) { return give(c.positions(), xyz, vertex_count); });
}

selvage_result selvage_cloth_velocities(selvage_cloth cloth, const double** xyz, size_t* vertex_count) {
    return with_cloth(cloth, Mode::reader,
                      [&](World&, const WorldCloth& c) { return give(c.velocities(), xyz, vertex_count); });
}

selvage_result selvage_cloth_positions_f(selvage_cloth cloth, const float** xyz, size_t* vertex_count) {
    return with_cloth(cloth, Mode::reader,
                      [&](const World& w, const WorldCloth& c) { return give(w.positions_f(c), xyz, vertex_count); });
}

selvage_result selvage_cloth_velocities_f(selvage_cloth cloth, const float** xyz, size_t* vertex_count) {
    return with_cloth(cloth, Mode::reader,
                      [&](const World& w, const WorldCloth& c) { return give(w.velocities_f(c), xyz, vertex_count); });
}

selvage_result selvage_cloth_normals(selvage_cloth cloth, const double** xyz, size_t* vertex_count) {
    return with_cloth(cloth, Mode::reader,
                      [&](const World& w, const WorldCloth& c) { return give(w.normals(c), xyz, vertex_count); });
}

selvage_result selvage_cloth_normals_f(selvage_cloth cloth, const float** xyz, size_t* vertex_count) {
    return with_cloth(cloth, Mode::reader,
                      [&](const World& w, const WorldCloth& c) { return give(w.normals_f(c), xyz, vertex_count); });
}

selvage_result selvage_cloth_triangles(selvage_cloth cloth, const int32_t** triangles, size_t* triangle_count) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) {
        return give(std::span<const Triangle>(c.desc.given_mesh->mesh.triangles), triangles, triangle_count);
    });
}

selvage_result selvage_cloth_uv(selvage_cloth cloth, const double** uv, size_t* uv_count,
                                const int32_t** uv_triangles) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!uv || !uv_triangles) return null_argument(uv ? "uv_triangles" : "uv");
        const TriangleMesh& mesh = c.desc.given_mesh->mesh;
        const bool has_uv = !mesh.uv.empty();
        *uv = has_uv ? &mesh.uv.front().x : nullptr;
        const std::vector<Triangle>& corners = mesh.uv_triangles.empty() ? mesh.triangles : mesh.uv_triangles;
        *uv_triangles = has_uv ? corners.front().data() : nullptr;
        if (uv_count) *uv_count = mesh.uv.size();
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_group(selvage_cloth cloth, const char* name, const int32_t** vertices, size_t* count) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!name || !vertices) return null_argument(name ? "vertices" : "name");
        const VertexGroup* found = find_group(*c.desc.given_mesh, name);
        if (!found) return fail(SELVAGE_ERROR_ARGUMENT, unknown_group(*c.desc.given_mesh, name));
        return give(std::span<const int>(found->vertices), vertices, count);
    });
}

selvage_result selvage_cloth_bounds(selvage_cloth cloth, double low[3], double high[3]) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!low || !high) return null_argument(low ? "high" : "low");
        Aabb box;
        for (const Vec3& p : c.positions())
            box.include(p);
        copy_to(box.low, low);
        copy_to(box.high, high);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_set_state(selvage_cloth cloth, const double* positions, const double* velocities,
                                       size_t vertex_count) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (vertex_count != static_cast<std::size_t>(c.vertex_count()))
            return fail(SELVAGE_ERROR_ARGUMENT,
                        concat("vertex_count is ", vertex_count, "; expected the cloth's ", c.vertex_count()));
        if (!positions) return null_argument("positions");
        const Result<std::vector<Vec3>> x = to_points(positions, vertex_count, "position");
        if (!x) return fail(x.error());
        Result<std::vector<Vec3>> v = std::vector<Vec3>(c.velocities().begin(), c.velocities().end());
        if (velocities) v = to_points(velocities, vertex_count, "velocity");
        if (!v) return fail(v.error());
        w.set_state(c, *x, *v);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_teleport(selvage_cloth cloth, const double rotation[4], const double translation[3],
                                      int stop) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        const Result<Pose> by = to_pose(translation, rotation);
        if (!by) return fail(by.error());
        w.teleport(c, by->turn, by->centre, stop != 0);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_reset(selvage_cloth cloth) {
    return with_cloth(cloth, Mode::exclusive, [](World& w, WorldCloth& c) {
        w.reset(c);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_pin(selvage_cloth cloth, const int32_t* vertices, size_t count) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (const selvage_result code = check_vertices(c, vertices, count); code != SELVAGE_OK) return code;
        w.pin(c, {vertices, count});
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_move_pins(selvage_cloth cloth, const int32_t* vertices, const double* targets,
                                       size_t count) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (const selvage_result code = check_vertices(c, vertices, count); code != SELVAGE_OK) return code;
        if (!targets && count > 0) return null_argument("targets");
        const Result<std::vector<Vec3>> points = to_points(targets, count, "target");
        if (!points) return fail(points.error());
        w.move_pins(c, {vertices, count}, *points);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_unpin(selvage_cloth cloth, const int32_t* vertices, size_t count) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (!vertices && count == 0) {
            w.unpin_all(c);
            return SELVAGE_OK;
        }
        if (const selvage_result code = check_vertices(c, vertices, count); code != SELVAGE_OK) return code;
        w.unpin(c, {vertices, count});
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_attach(selvage_cloth cloth, const int32_t* vertices, size_t count,
                                    const double position[3], const double rotation[4],
                                    selvage_attachment* attachment) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (!attachment) return null_argument("attachment");
        if (count == 0) return fail(SELVAGE_ERROR_ARGUMENT, "count is 0; expected at least one vertex");
        if (const selvage_result code = check_vertices(c, vertices, count); code != SELVAGE_OK) return code;
        const Result<Pose> pose = to_pose(position, rotation);
        if (!pose) return fail(pose.error());
        const WorldAttachment* made = w.attach(c, {vertices, count}, *pose);
        if (!made) return fail(SELVAGE_ERROR_MEMORY, "the world has as many attachments as it can have");
        *attachment = made->handle;
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_attach_to_skin(selvage_cloth cloth, const int32_t* vertices, size_t count,
                                            selvage_collider collider, selvage_attachment* attachment) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (!attachment) return null_argument("attachment");
        if (count == 0) return fail(SELVAGE_ERROR_ARGUMENT, "count is 0; expected at least one vertex");
        if (const selvage_result code = check_vertices(c, vertices, count); code != SELVAGE_OK) return code;
        WorldCollider* skin = w.colliders().find(collider);
        if (!skin)
            return fail(SELVAGE_ERROR_HANDLE, "the handle names no collider of the cloth's world, or one that is gone");
        const Result<WorldAttachment*> made = w.attach_to_skin(c, {vertices, count}, *skin);
        if (!made) return fail(made.error());
        *attachment = (*made)->handle;
        return SELVAGE_OK;
    });
}

selvage_result selvage_attachment_move(selvage_attachment attachment, const double position[3],
                                       const double rotation[4]) {
    return with_object<WorldAttachment>(attachment, Mode::exclusive, "attachment", &World::attachments,
                                        [&](World& w, WorldAttachment& a) -> selvage_result {
                                            const Result<Pose> pose = to_pose(position, rotation);
                                            if (!pose) return fail(pose.error());
                                            if (a.skin)
                                                return fail(SELVAGE_ERROR_ARGUMENT,
                                                            "the attachment follows a skin, which moves it; expected "
                                                            "one to a frame");
                                            w.move_attachment(a, *pose);
                                            return SELVAGE_OK;
                                        });
}

selvage_result selvage_attachment_destroy(selvage_attachment attachment) {
    return with_object<WorldAttachment>(attachment, Mode::exclusive, "attachment", &World::attachments,
                                        [&](World& w, WorldAttachment& a) {
                                            w.remove_attachment(a);
                                            return SELVAGE_OK;
                                        });
}

selvage_result selvage_cloth_grab(selvage_cloth cloth, int32_t triangle, const double weights[3], selvage_grab* grab) {
    return with_cloth(cloth, Mode::exclusive, [&](World& w, WorldCloth& c) -> selvage_result {
        if (!grab) return null_argument("grab");
        const int count = c.desc.given_mesh->mesh.triangle_count();
        if (triangle < 0 || triangle >= count)
            return fail(SELVAGE_ERROR_ARGUMENT, concat("triangle is ", triangle, "; expected 0 to ", count - 1));
        const Result<Vec3> weight = to_vec3(weights, "weights");
        if (!weight) return fail(weight.error());
        const double sum = weight->x + weight->y + weight->z;
        if (!(weight->x >= 0.0 && weight->y >= 0.0 && weight->z >= 0.0 && std::abs(sum - 1.0) < 1e-6))
            return fail(SELVAGE_ERROR_ARGUMENT, concat("the weights are (", weight->x, ", ", weight->y, ", ", weight->z,
                                                       "); expected none below 0 and a sum of 1"));
        const WorldGrab* made = w.grab(c, triangle, *weight);
        if (!made) return fail(SELVAGE_ERROR_MEMORY, "the world has as many grabs as it can have");
        *grab = made->handle;
        return SELVAGE_OK;
    });
}

selvage_result selvage_grab_move(selvage_grab grab, const double target[3]) {
    return with_object<WorldGrab>(grab, Mode::exclusive, "grab", &World::grabs,
                                  [&](World& w, WorldGrab& g) -> selvage_result {
                                      const Result<Vec3> point = to_vec3(target, "the target");
                                      if (!point) return fail(point.error());
                                      w.move_grab(g, *point);
                                      return SELVAGE_OK;
                                  });
}

selvage_result selvage_grab_position(selvage_grab grab, double point[3]) {
    return with_object<WorldGrab>(grab, Mode::reader, "grab", &World::grabs,
                                  [&](const World& w, const WorldGrab& g) -> selvage_result {
                                      if (!point) return null_argument("point");
                                      copy_to(w.point_of(g), point);
                                      return SELVAGE_OK;
                                  });
}

selvage_result selvage_grab_release(selvage_grab grab) {
    return with_object<WorldGrab>(grab, Mode::exclusive, "grab", &World::grabs, [&](World& w, WorldGrab& g) {
        w.release(g);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_wake(selvage_cloth cloth) {
    return with_cloth(cloth, Mode::exclusive, [](World& w, WorldCloth& c) {
        w.wake(c);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_sleep(selvage_cloth cloth) {
    return with_cloth(cloth, Mode::exclusive, [](World& w, WorldCloth& c) {
        w.sleep(c);
        return SELVAGE_OK;
    });
}

selvage_result selvage_cloth_is_awake(selvage_cloth cloth, int* awake) {
    return with_cloth(cloth, Mode::reader, [&](World&, const WorldCloth& c) -> selvage_result {
        if (!awake) return null_argument("awake");
        *awake = c.island->is_awake ? 1 : 0;
        return SELVAGE_OK;
    });
}

} // extern "C"
