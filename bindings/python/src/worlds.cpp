#include "arrays.h"
#include "bindings.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace selvage::python {

namespace {

/// What both ways of making a world share.
selvage_world_desc running_desc(int threads, bool sleeping, double sleep_distance, double sleep_time,
                                double budget_ms) {
    selvage_world_desc desc = selvage_world_desc_default();
    desc.threads = threads;
    desc.sleeping = sleeping ? 1 : 0;
    desc.sleep_distance = sleep_distance;
    desc.sleep_time = sleep_time;
    desc.budget_ms = budget_ms;
    return desc;
}

selvage_world create_world(const Triple& gravity, double time_step, const std::string& solver,
                           const std::optional<std::string>& settings, int quality, int substeps,
                           double velocity_damping, int threads, bool sleeping, double sleep_distance,
                           double sleep_time, double budget_ms) {
    selvage_world_desc desc = running_desc(threads, sleeping, sleep_distance, sleep_time, budget_ms);
    std::copy(gravity.begin(), gravity.end(), desc.gravity);
    desc.time_step = time_step;
    desc.solver = solver.c_str();
    desc.solver_settings = settings ? settings->c_str() : nullptr;
    desc.quality = static_cast<selvage_quality>(quality);
    desc.substeps = substeps;
    desc.velocity_damping = velocity_damping;
    selvage_world world = 0;
    check(selvage_world_create(&desc, &world));
    return world;
}

selvage_world create_world_from_scene(const LoadedScene& scene, int threads, bool sleeping, double sleep_distance,
                                      double sleep_time, double budget_ms) {
    const selvage_world_desc desc = running_desc(threads, sleeping, sleep_distance, sleep_time, budget_ms);
    selvage_world world = 0;
    selvage_result code = SELVAGE_OK;
    {
        const py::gil_scoped_release release;
        code = guarded([&]() -> selvage_result {
            const Result<WorldSettings> settings = to_settings(desc);
            if (!settings) return fail(settings.error());
            return Registry::instance().add([&](int index) { return World::from_scene(scene.desc, *settings, index); },
                                            &world);
        });
    }
    check(code);
    return world;
}

/// Calls that take their time let other Python threads run.
template <class Call>
void without_lock(const Call& call) {
    selvage_result code = SELVAGE_OK;
    {
        const py::gil_scoped_release release;
        code = call();
    }
    check(code);
}

py::dict air_dict(selvage_world world) {
    selvage_air air = selvage_air_default();
    check(selvage_world_air(world, &air));
    py::dict out;
    out["density"] = air.density;
    out["drag"] = air.drag;
    out["lift"] = air.lift;
    out["wind"] = py::make_tuple(air.wind[0], air.wind[1], air.wind[2]);
    out["gust"] = air.gust;
    out["gust_length"] = air.gust_length;
    out["seed"] = air.seed;
    return out;
}

void set_air(selvage_world world, double density, double drag, double lift, const Triple& wind, double gust,
             double gust_length, int seed) {
    selvage_air air = selvage_air_default();
    air.density = density;
    air.drag = drag;
    air.lift = lift;
    std::copy(wind.begin(), wind.end(), air.wind);
    air.gust = gust;
    air.gust_length = gust_length;
    air.seed = seed;
    check(selvage_world_set_air(world, &air));
}

py::dict statistics(selvage_world world) {
    selvage_statistics s{};
    s.struct_size = sizeof s;
    check(selvage_world_statistics(world, &s));
    py::dict out;
    out["frames"] = s.frames;
    out["time"] = s.time;
    out["cloths"] = s.cloths;
    out["awake_cloths"] = s.awake_cloths;
    out["islands"] = s.islands;
    out["awake_islands"] = s.awake_islands;
    out["vertices"] = s.vertices;
    out["triangles"] = s.triangles;
    out["contacts"] = s.contacts;
    out["limited"] = s.limited;
    out["frame_ms"] = s.frame_ms;
    out["solver_ms"] = s.solver_ms;
    out["contact_ms"] = s.contact_ms;
    out["max_stretch"] = s.max_stretch;
    out["budget_level"] = s.budget_level;
    out["lowest_budget_level"] = s.lowest_budget_level;
    out["dropped_seconds"] = s.dropped_seconds;
    return out;
}

std::vector<std::uint64_t> handles(selvage_world world,
                                   selvage_result (*get)(selvage_world, std::uint64_t*, size_t, size_t*)) {
    size_t count = 0;
    check(get(world, nullptr, 0, &count));
    std::vector<std::uint64_t> all(count);
    check(get(world, all.data(), all.size(), &count));
    return all;
}

py::object raycast(selvage_world world, const Triple& origin, const Triple& direction, double max_distance,
                   unsigned flags) {
    selvage_hit hit{};
    hit.struct_size = sizeof hit;
    int found = 0;
    check(selvage_world_raycast(world, origin.data(), direction.data(), max_distance, flags, &hit, &found));
    if (!found) return py::none();
    return py::make_tuple(hit.cloth, hit.collider, hit.triangle,
                          py::make_tuple(hit.weights[0], hit.weights[1], hit.weights[2]),
                          py::make_tuple(hit.point[0], hit.point[1], hit.point[2]), hit.distance);
}

py::list contact_events(selvage_world world) {
    const selvage_contact_event* events = nullptr;
    size_t count = 0;
    check(selvage_world_contact_events(world, &events, &count));
    py::list out;
    for (size_t k = 0; k < count; ++k) {
        const selvage_contact_event& e = events[k];
        out.append(py::make_tuple(static_cast<int>(e.phase), e.cloth, e.other_cloth, e.collider, e.points,
                                  py::make_tuple(e.point[0], e.point[1], e.point[2]),
                                  py::make_tuple(e.normal[0], e.normal[1], e.normal[2])));
    }
    return out;
}

py::bytes snapshot(selvage_world world) {
    size_t size = 0;
    check(selvage_world_snapshot_size(world, &size));
    std::string bytes(size, '\0');
    check(selvage_world_snapshot(world, bytes.data(), bytes.size(), &size));
    return py::bytes(bytes);
}

void restore(selvage_world world, const py::bytes& snapshot) {
    char* data = nullptr;
    py::ssize_t size = 0;
    if (PyBytes_AsStringAndSize(snapshot.ptr(), &data, &size) != 0) throw py::error_already_set();
    without_lock([&] { return selvage_world_restore(world, data, static_cast<size_t>(size)); });
}

void bind_making(py::module_& module) {
    module.def("world_create", &create_world, py::arg("gravity"), py::arg("time_step"), py::arg("solver"),
               py::arg("settings"), py::arg("quality"), py::arg("substeps"), py::arg("velocity_damping"),
               py::arg("threads"), py::arg("sleeping"), py::arg("sleep_distance"), py::arg("sleep_time"),
               py::arg("budget_ms"));
    module.def("world_from_scene", &create_world_from_scene, py::arg("scene"), py::arg("threads"), py::arg("sleeping"),
               py::arg("sleep_distance"), py::arg("sleep_time"), py::arg("budget_ms"));
    module.def("world_destroy", [](selvage_world world) { check(selvage_world_destroy(world)); }, py::arg("world"));
}

void bind_queries(py::module_& module) {
    module.def(
        "world_time",
        [](selvage_world world) {
            double seconds = 0.0;
            check(selvage_world_time(world, &seconds));
            return seconds;
        },
        py::arg("world"));
    module.def(
        "world_gravity",
        [](selvage_world world) {
            Triple gravity{};
            check(selvage_world_gravity(world, gravity.data()));
            return std::make_tuple(gravity[0], gravity[1], gravity[2]);
        },
        py::arg("world"));
    module.def("world_air", &air_dict, py::arg("world"));
    module.def("world_statistics", &statistics, py::arg("world"));
    module.def(
        "world_hash",
        [](selvage_world world) {
            std::uint64_t hash = 0;
            check(selvage_world_state_hash(world, &hash));
            return hash;
        },
        py::arg("world"));
    module.def(
        "world_cloths", [](selvage_world world) { return handles(world, selvage_world_cloths); }, py::arg("world"));
    module.def(
        "world_colliders", [](selvage_world world) { return handles(world, selvage_world_colliders); },
        py::arg("world"));
    module.def(
        "world_find_cloth",
        [](selvage_world world, const std::string& name) {
            selvage_cloth cloth = 0;
            check(selvage_world_find_cloth(world, name.c_str(), &cloth));
            return cloth;
        },
        py::arg("world"), py::arg("name"));
    module.def("world_raycast", &raycast, py::arg("world"), py::arg("origin"), py::arg("direction"),
               py::arg("max_distance"), py::arg("flags"));
    module.def("world_contact_events", &contact_events, py::arg("world"));
    module.def("world_snapshot", &snapshot, py::arg("world"));
}

} // namespace

void bind_worlds(py::module_& module) {
    bind_making(module);
    bind_queries(module);
    module.def(
        "world_step", [](selvage_world world) { without_lock([&] { return selvage_world_step(world); }); },
        py::arg("world"));
    module.def(
        "world_advance",
        [](selvage_world world, double seconds, int max_steps) {
            selvage_advance done{};
            done.struct_size = sizeof done;
            without_lock([&] { return selvage_world_advance(world, seconds, max_steps, &done); });
            return std::make_tuple(done.steps, done.alpha, done.dropped);
        },
        py::arg("world"), py::arg("seconds"), py::arg("max_steps"));
    module.def(
        "world_set_gravity",
        [](selvage_world world, const Triple& gravity) { check(selvage_world_set_gravity(world, gravity.data())); },
        py::arg("world"), py::arg("gravity"));
    module.def("world_set_air", &set_air, py::arg("world"), py::arg("density"), py::arg("drag"), py::arg("lift"),
               py::arg("wind"), py::arg("gust"), py::arg("gust_length"), py::arg("seed"));
    module.def(
        "world_set_solver",
        [](selvage_world world, const std::string& solver, const std::optional<std::string>& settings, int quality,
           int substeps) {
            without_lock([&] {
                return selvage_world_set_solver(world, solver.c_str(), settings ? settings->c_str() : nullptr,
                                                static_cast<selvage_quality>(quality), substeps);
            });
        },
        py::arg("world"), py::arg("solver"), py::arg("settings"), py::arg("quality"), py::arg("substeps"));
    module.def(
        "world_set_budget", [](selvage_world world, double ms) { check(selvage_world_set_budget(world, ms)); },
        py::arg("world"), py::arg("ms"));
    module.def("world_restore", &restore, py::arg("world"), py::arg("snapshot"));
}

} // namespace selvage::python
