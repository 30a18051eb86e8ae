// The C functions of selvage.h: worlds, fabrics, solvers, queries and snapshots.

#include "api/calls.h"
#include "scene/scene_io.h"

#define SELVAGE_TEXT_OF(x) #x
#define SELVAGE_TEXT(x) SELVAGE_TEXT_OF(x)

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

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
        const Result<SolverSettings> wanted = to_solver(solver, settings, number_in(quality));
        if (!wanted) return fail(wanted.error());
        const Result<int> steps = to_substeps(*wanted, substeps);
        if (!steps) return fail(steps.error());
        w.set_solver(*wanted, *steps);
        return SELVAGE_OK;
    });
}

selvage_result selvage_world_set_budget(selvage_world world, double ms) {
    return with_world(world, Mode::exclusive, [&](World& w) -> selvage_result {
        if (!(ms >= 0.0 && ms <= 1e6))
            return fail(SELVAGE_ERROR_ARGUMENT, concat("ms is ", ms, "; expected 0 (no budget) to 1e6"));
        w.set_budget(ms);
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
        out.budget_level = w.budget().level();
        out.lowest_budget_level = w.budget().lowest_level();
        out.dropped_seconds = w.dropped_seconds();
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

selvage_result selvage_world_colliders(selvage_world world, selvage_collider* colliders, size_t capacity,
                                       size_t* count) {
    return with_world(world, Mode::reader,
                      [&](World& w) { return list_handles(w.colliders().in_order(), colliders, capacity, count); });
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
