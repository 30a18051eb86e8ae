// The C functions of selvage.h: each checks what it is given, takes the world for the length of the call, and lets nothing escape.

#include <algorithm>
#include <cmath>
#include <new>

#include "api/descriptions.h"
#include "api/registry.h"
#include "base/concat.h"
#include "base/float_environment.h"
#include "scene/scene_io.h"

#define SELVAGE_TEXT_OF(x) #x
#define SELVAGE_TEXT(x) SELVAGE_TEXT_OF(x)

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

namespace {

using Mode = Registry::Mode;

/// Runs the body of a call, in the float mode that results are promised for; what it throws becomes a code.
template <class Body>
selvage_result guarded(const Body& body) noexcept {
    const FloatEnvironment plain;
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return SELVAGE_ERROR_MEMORY;
    } catch (const std::exception& error) {
        try {
            return fail(SELVAGE_ERROR_INTERNAL, error.what());
        } catch (...) {
            return SELVAGE_ERROR_INTERNAL;
        }
    } catch (...) {
        return SELVAGE_ERROR_INTERNAL;
    }
}

selvage_result null_argument(const char* name) {
    return fail(SELVAGE_ERROR_ARGUMENT, concat(name, " is null; expected a place"));
}

selvage_result from_status(const Status& status) {
    return status ? SELVAGE_OK : fail(status.error());
}

/// body(World&) with the world for itself, or among readers.
template <class Body>
selvage_result with_world(selvage_world handle, Mode mode, const Body& body) noexcept {
    return guarded([&]() -> selvage_result {
        if (Handle::unpack(handle).kind != HandleKind::world)
            return fail(SELVAGE_ERROR_HANDLE, handle == 0 ? "the world's handle is 0, which names nothing"
                                                          : "the handle names no world; expected one of a world");
        const Registry::Use use(handle, mode);
        if (!use.world()) return use.code();
        return body(*use.world());
    });
}

template <class T>
selvage_result with_object(std::uint64_t handle, Mode mode, const char* kind, SlotMap<T>& (World::*objects)(),
                           const auto& body) noexcept {
    return guarded([&]() -> selvage_result {
        const Registry::Use use(handle, mode);
        if (!use.world()) return use.code();
        T* object = (use.world()->*objects)().find(handle);
        if (!object) return fail(SELVAGE_ERROR_HANDLE, concat("the handle names no ", kind, ", or one that is gone"));
        return body(*use.world(), *object);
    });
}

template <class Body>
selvage_result with_cloth(selvage_cloth handle, Mode mode, const Body& body) noexcept {
    return with_object<WorldCloth>(handle, mode, "cloth", &World::cloths, body);
}
template <class Body>
selvage_result with_collider(selvage_collider handle, Mode mode, const Body& body) noexcept {
    return with_object<WorldCollider>(handle, mode, "collider", &World::colliders, body);
}

/// Hands out a span as a pointer and a count.
template <class T, class Number>
selvage_result give(std::span<const T> from, const Number** data, size_t* count) {
    static_assert(sizeof(T) % sizeof(Number) == 0);
    if (!data) return null_argument("the place for the array");
    *data = reinterpret_cast<const Number*>(from.data());
    if (count) *count = from.size();
    return SELVAGE_OK;
}

template <class T>
selvage_result list_handles(const std::vector<T*>& objects, std::uint64_t* out, size_t capacity, size_t* count) {
    if (!out && capacity > 0) return null_argument("the array of handles");
    for (std::size_t k = 0; k < std::min(capacity, objects.size()); ++k)
        out[k] = objects[k]->handle;
    if (count) *count = objects.size();
    return SELVAGE_OK;
}

/// A count and an array of vertices of a cloth; fails when one of them is wrong.
selvage_result check_vertices(const WorldCloth& cloth, const std::int32_t* vertices, size_t count) {
    if (!vertices && count > 0) return null_argument("the array of vertices");
    if (count > static_cast<std::size_t>(cloth.vertex_count()))
        return fail(SELVAGE_ERROR_ARGUMENT,
                    concat("count is ", count, "; expected at most the cloth's ", cloth.vertex_count(), " vertices"));
    return from_status(check_indices({vertices, count}, cloth.vertex_count(), "entry"));
}

template <class S>
void init_sized(S* desc, size_t struct_size, const S& defaults) noexcept {
    if (!desc || struct_size < sizeof(size_t)) return;
    std::memset(static_cast<void*>(desc), 0, struct_size);
    std::memcpy(static_cast<void*>(desc), &defaults, std::min(struct_size, sizeof(S)));
    desc->struct_size = struct_size;
}

void copy_to(const Vec3& from, double to[3]) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

} // namespace

extern "C" {

const char* selvage_version(void) {
    return SELVAGE_TEXT(SELVAGE_VERSION_MAJOR) "." SELVAGE_TEXT(SELVAGE_VERSION_MINOR) "." SELVAGE_TEXT(
        SELVAGE_VERSION_PATCH);
}

const char* selvage_last_error(void) {
    return last_error().c_str();
}

size_t selvage_fabric_count(void) {
    return builtin_fabrics().size();
}

const char* selvage_fabric_name(size_t index) {
    return index < builtin_fabrics().size() ? builtin_fabrics()[index].name.c_str() : nullptr;
}

selvage_result selvage_fabric_material(const char* fabric, selvage_material* material) {
    return guarded([&]() -> selvage_result {
        if (!fabric || !material) return null_argument(fabric ? "material" : "fabric");
        const Result<Fabric> found = load_fabric(fabric);
        if (!found) return fail(found.error());
        if (!write_sized(from_material(found->material), material))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_material)");
        return SELVAGE_OK;
    });
}

size_t selvage_solver_count(void) {
    return solver_catalog().size();
}

const char* selvage_solver_name(size_t index) {
    return index < solver_catalog().size() ? solver_catalog()[index].name.c_str() : nullptr;
}

const char* selvage_solver_summary(size_t index) {
    return index < solver_catalog().size() ? solver_catalog()[index].summary.c_str() : nullptr;
}

void selvage_world_desc_init(selvage_world_desc* desc, size_t struct_size) {
    init_sized(desc, struct_size, default_world_desc());
}
void selvage_cloth_desc_init(selvage_cloth_desc* desc, size_t struct_size) {
    init_sized(desc, struct_size, default_cloth_desc());
}
void selvage_collider_desc_init(selvage_collider_desc* desc, size_t struct_size) {
    init_sized(desc, struct_size, default_collider_desc());
}
void selvage_air_init(selvage_air* air, size_t struct_size) {
    init_sized(air, struct_size, default_air());
}

selvage_result selvage_world_create(const selvage_world_desc* desc, selvage_world* world) {
    return guarded([&]() -> selvage_result {
        if (!world) return null_argument("world");
        selvage_world_desc wanted = default_world_desc();
        if (desc && !read_sized(desc, wanted))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_world_desc)");
        const Result<WorldSettings> settings = to_settings(wanted);
        if (!settings) return fail(settings.error());
        return Registry::instance().add(
            [&](int index) -> Result<std::unique_ptr<World>> { return std::make_unique<World>(*settings, index); },
            world);
    });
}

selvage_result selvage_world_create_from_scene(const char* scene, const selvage_world_desc* desc,
                                               selvage_world* world) {
    return guarded([&]() -> selvage_result {
        if (!world) return null_argument("world");
        selvage_world_desc wanted = default_world_desc();
        if (desc && !read_sized(desc, wanted))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_world_desc)");
        const Result<WorldSettings> settings = to_settings(wanted);
        if (!settings) return fail(settings.error());
        const Result<SceneDesc> loaded = to_scene(scene);
        if (!loaded) return fail(loaded.error());
        return Registry::instance().add([&](int index) { return World::from_scene(*loaded, *settings, index); }, world);
    });
}

selvage_result selvage_world_destroy(selvage_world world) {
    return guarded([&]() -> selvage_result {
        if (Handle::unpack(world).kind != HandleKind::world)
            return fail(SELVAGE_ERROR_HANDLE, "the handle names no world; expected one of a world");
        return Registry::instance().remove(world);
    });
}

selvage_result selvage_world_step(selvage_world world) {
    return with_world(world, Mode::exclusive, [](World& w) -> selvage_result {
        const Status status = w.step();
        return status ? SELVAGE_OK : fail(SELVAGE_ERROR_DIVERGED, status.error().text());
    });
}

selvage_result selvage_world_advance(selvage_world world, double seconds, int max_steps, selvage_advance* out) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!(seconds >= 0.0 && seconds <= 1e6))
            return fail(SELVAGE_ERROR_ARGUMENT, concat("seconds is ", seconds, "; expected 0 to 1e6"));
        if (max_steps < 0)
            return fail(SELVAGE_ERROR_ARGUMENT, concat("max_steps is ", max_steps, "; expected 0 or more"));
        selvage_advance known{};
        if (out && !read_sized(out, known))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_advance)");
        const Result<World::Advance> done = w.advance(seconds, max_steps);
        if (!done) return fail(SELVAGE_ERROR_DIVERGED, done.error().text());
        if (out) write_sized(selvage_advance{sizeof(selvage_advance), done->steps, done->alpha, done->dropped}, out);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_time(selvage_world world, double* seconds) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!seconds) return null_argument("seconds");
        *seconds = w.time();
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_set_gravity(selvage_world world, const double gravity[3]) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        const Result<Vec3> wanted = to_vec3(gravity, "gravity");
        if (!wanted) return fail(wanted.error());
        if (!(length(*wanted) <= 1e4))
            return fail(SELVAGE_ERROR_ARGUMENT, concat("gravity is ", length(*wanted), " m/s2; expected at most 1e4"));
        w.set_gravity(*wanted);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_gravity(selvage_world world, double gravity[3]) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!gravity) return null_argument("gravity");
        copy_to(w.settings().gravity, gravity);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_air(selvage_world world, selvage_air* air) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!air) return null_argument("air");
        if (!write_sized(from_air(w.settings().air), air))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_air)");
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_set_air(selvage_world world, const selvage_air* air) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!air) return null_argument("air");
        selvage_air wanted = default_air();
        if (!read_sized(air, wanted))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_air)");
        const Result<AirDesc> desc = to_air(wanted);
        if (!desc) return fail(desc.error());
        w.set_air(*desc);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_set_solver(selvage_world world, const char* solver, const char* settings,
                                        selvage_quality quality, int substeps) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        const Result<SolverSettings> wanted = to_solver(solver, settings, quality);
        if (!wanted) return fail(wanted.error());
        const Result<int> steps = to_substeps(*wanted, substeps);
        if (!steps) return fail(steps.error());
        w.set_solver(*wanted, *steps);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_statistics(selvage_world world, selvage_statistics* statistics) {
    return with_world(world, Mode::reader, [&](World& w) -> selvage_result {
        if (!statistics) return null_argument("statistics");
        const WorldStatistics& last = w.statistics();
        selvage_statistics out{};
        out.struct_size = sizeof out;
        out.frames = w.frames();
        out.time = w.time();
        out.cloths = static_cast<std::int32_t>(w.cloths().in_order().size());
        out.awake_cloths = last.awake_cloths;
        out.islands = static_cast<std::int32_t>(w.island_count());
        out.awake_islands = last.awake_islands;
        for (const WorldCloth* cloth : w.cloths().in_order()) {
            out.vertices += cloth->vertex_count();
            out.triangles += cloth->desc.given_mesh->mesh.triangle_count();
        }
        out.contacts = last.contacts;
        out.limited = last.limited;
        out.frame_ms = last.frame_ms;
        out.solver_ms = last.solver_ms;
        out.contact_ms = last.contact_ms;
        out.max_stretch = w.largest_stretch();
        if (!write_sized(out, statistics))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_statistics)");
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_state_hash(selvage_world world, uint64_t* hash) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!hash) return null_argument("hash");
        *hash = w.hash();
        return SELVAGE_OK;
    });
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
        Result<JsonDocument> document = parse_json(json, "cloth");
        if (!document) return fail(document.error());
        const std::filesystem::path place = directory ? directory : "";
        Result<ClothDesc> input = parse_cloth(std::move(*document), place);
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

selvage_result selvage_world_cloths(selvage_world world, selvage_cloth* cloths, size_t capacity, size_t* count) {
    return with_world(world, Mode::reader,
                      [&](World& w) { return list_handles(w.cloths().in_order(), cloths, capacity, count); });
}

selvage_result selvage_world_find_cloth(selvage_world world, const char* name, selvage_cloth* cloth) {
    return with_world(world, Mode::reader, [&](World& w) -> selvage_result {
        if (!name || !cloth) return null_argument(name ? "cloth" : "name");
        for (const WorldCloth* one : w.cloths().in_order())
            if (one->desc.name == name) {
                *cloth = one->handle;
                return SELVAGE_OK;
            }
        return fail(SELVAGE_ERROR_ARGUMENT, concat("no cloth is named \"", name, "\""));
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

selvage_result selvage_attachment_move(selvage_attachment attachment, const double position[3],
                                       const double rotation[4]) {
    return with_object<WorldAttachment>(attachment, Mode::exclusive, "attachment", &World::attachments,
                                        [&](World& w, WorldAttachment& a) -> selvage_result {
                                            const Result<Pose> pose = to_pose(position, rotation);
                                            if (!pose) return fail(pose.error());
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

selvage_result selvage_collider_destroy(selvage_collider collider) {
    return with_collider(collider, Mode::exclusive, [](World& w, WorldCollider& c) {
        w.remove_collider(c);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_colliders(selvage_world world, selvage_collider* colliders, size_t capacity,
                                       size_t* count) {
    return with_world(world, Mode::reader,
                      [&](World& w) { return list_handles(w.colliders().in_order(), colliders, capacity, count); });
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

selvage_result selvage_collider_set_vertices_f(selvage_collider collider, const float* xyz, size_t vertex_count) {
    return with_collider(collider, Mode::exclusive, [&](World& w, WorldCollider& c) -> selvage_result {
        if (!xyz) return null_argument("xyz");
        if (const selvage_result code = from_status(w.check_collider_points(c, vertex_count)); code != SELVAGE_OK)
            return code;
        const std::vector<double> exact(xyz, xyz + 3 * vertex_count);
        const Result<std::vector<Vec3>> points = to_points(exact.data(), vertex_count, "vertex");
        if (!points) return fail(points.error());
        w.set_collider_points(c, *points);
        return SELVAGE_OK;
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

selvage_result selvage_world_raycast(selvage_world world, const double origin[3], const double direction[3],
                                     double max_distance, unsigned flags, selvage_hit* hit, int* found) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!found) return null_argument("found");
        if (!hit) return null_argument("hit");
        const Result<Vec3> from = to_vec3(origin, "the origin"), along = to_vec3(direction, "the direction");
        if (!from) return fail(from.error());
        if (!along) return fail(along.error());
        if (!(length(*along) > 1e-12))
            return fail(SELVAGE_ERROR_ARGUMENT, "the direction has no length; expected one to look along");
        if (!(max_distance >= 0.0 && max_distance <= 1e9))
            return fail(SELVAGE_ERROR_ARGUMENT, concat("max_distance is ", max_distance, "; expected 0 to 1e9 m"));
        selvage_hit known{};
        if (!read_sized(hit, known))
            return fail(SELVAGE_ERROR_ARGUMENT, "struct_size is wrong; expected sizeof(selvage_hit)");
        const std::optional<RayHit> first =
            w.raycast({*from, *along / length(*along)}, max_distance, (flags & SELVAGE_RAY_CLOTH) != 0,
                      (flags & SELVAGE_RAY_COLLIDERS) != 0);
        *found = first ? 1 : 0;
        if (!first) return SELVAGE_OK;
        selvage_hit out{sizeof(selvage_hit), first->cloth, first->collider, first->hit.triangle, {}, {},
                        first->hit.distance};
        copy_to(first->hit.weight, out.weights);
        copy_to(first->hit.point, out.point);
        write_sized(out, hit);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_contact_events(selvage_world world, const selvage_contact_event** events, size_t* count) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!events || !count) return null_argument(events ? "count" : "events");
        *events = w.contact_events().data();
        *count = w.contact_events().size();
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_debug_lines(selvage_world world, unsigned flags, selvage_debug_line* lines,
                                         size_t capacity, size_t* count) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!count) return null_argument("count");
        if (!lines && capacity > 0) return null_argument("lines");
        *count = w.debug_lines(flags, {lines, capacity});
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_snapshot_size(selvage_world world, size_t* bytes) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!bytes) return null_argument("bytes");
        *bytes = w.snapshot_size();
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_snapshot(selvage_world world, void* buffer, size_t capacity, size_t* bytes) {
    return with_world(world, Mode::reader, [&](const World& w) -> selvage_result {
        if (!buffer) return null_argument("buffer");
        const std::size_t size = w.snapshot_size();
        if (capacity < size)
            return fail(SELVAGE_ERROR_ARGUMENT,
                        concat("the buffer has ", capacity, " bytes; expected at least ", size));
        w.snapshot({static_cast<char*>(buffer), capacity});
        if (bytes) *bytes = size;
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_restore(selvage_world world, const void* buffer, size_t bytes) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!buffer) return null_argument("buffer");
        Status status = w.restore({static_cast<const char*>(buffer), bytes});
        return status ? SELVAGE_OK : fail(SELVAGE_ERROR_DATA, "the snapshot " + status.error().text());
    });
}

} // extern "C"
