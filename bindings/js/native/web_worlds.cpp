// Worlds: the functions of selvage.h that take structs.

#include <cstring>
#include <sstream>

#include "scene/scene_io.h"
#include "web_module.h"

using namespace selvage; // NOLINT(google-build-using-namespace): this file is the engine's outer face

namespace {

/// threads, sleeping, sleep distance, sleep time, budget.
selvage_world_desc running_desc(const double* numbers) {
    selvage_world_desc desc = selvage_world_desc_default();
    web::use_shared_threads(desc, static_cast<int>(numbers[0]));
    desc.sleeping = numbers[1] != 0.0 ? 1 : 0;
    desc.sleep_distance = numbers[2];
    desc.sleep_time = numbers[3];
    desc.budget_ms = numbers[4];
    return desc;
}

/// "/json/pointer=VALUE", a line each.
std::vector<std::string> lines_of(const char* text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

} // namespace

/// `numbers`: those of running_desc, gravity (3), time step, quality, substeps, velocity damping.
SELVAGE_WEB selvage_result web_world_create(const double* numbers, const char* solver, const char* settings,
                                            selvage_world* world) {
    selvage_world_desc desc = running_desc(numbers);
    std::copy(numbers + 5, numbers + 8, desc.gravity);
    desc.time_step = numbers[8];
    desc.solver = web::text_or_null(solver);
    desc.solver_settings = web::text_or_null(settings);
    const int quality = static_cast<int>(numbers[9]);
    std::memcpy(&desc.quality, &quality, sizeof quality);
    desc.substeps = static_cast<int>(numbers[10]);
    desc.velocity_damping = numbers[11];
    return selvage_world_create(&desc, world);
}

/// `overrides` change a built-in scene or file; the text of a scene takes none.
SELVAGE_WEB selvage_result web_world_load(const char* scene, const char* overrides, const double* numbers,
                                          selvage_world* world) {
    const selvage_world_desc desc = running_desc(numbers);
    const char* changes = web::text_or_null(overrides);
    if (!changes) return selvage_world_create_from_scene(scene, &desc, world);
    return guarded([&]() -> selvage_result {
        const Result<WorldSettings> settings = to_settings(desc);
        if (!settings) return fail(settings.error());
        const Result<SceneDesc> loaded = load_scene(scene, lines_of(changes));
        if (!loaded) return fail(loaded.error());
        return Registry::instance().add([&](int index) { return World::from_scene(*loaded, *settings, index); }, world);
    });
}

/// steps, alpha, dropped.
SELVAGE_WEB selvage_result web_world_advance(selvage_world world, double seconds, int max_steps, double* out) {
    selvage_advance done{};
    done.struct_size = sizeof done;
    const selvage_result code = selvage_world_advance(world, seconds, max_steps, &done);
    out[0] = done.steps, out[1] = done.alpha, out[2] = done.dropped;
    return code;
}

/// density, drag, lift, wind (3), gust, gust length, seed.
SELVAGE_WEB selvage_result web_world_air(selvage_world world, double* out) {
    selvage_air air = selvage_air_default();
    const selvage_result code = selvage_world_air(world, &air);
    const double numbers[] = {air.density, air.drag,        air.lift,
                              air.wind[0], air.wind[1],     air.wind[2],
                              air.gust,    air.gust_length, static_cast<double>(air.seed)};
    std::copy(std::begin(numbers), std::end(numbers), out);
    return code;
}

SELVAGE_WEB selvage_result web_world_set_air(selvage_world world, const double* numbers) {
    selvage_air air = selvage_air_default();
    air.density = numbers[0], air.drag = numbers[1], air.lift = numbers[2];
    std::copy(numbers + 3, numbers + 6, air.wind);
    air.gust = numbers[6], air.gust_length = numbers[7];
    air.seed = static_cast<int>(numbers[8]);
    return selvage_world_set_air(world, &air);
}

/// In the order that src/world.js has.
SELVAGE_WEB selvage_result web_world_statistics(selvage_world world, double* out) {
    selvage_statistics s{};
    s.struct_size = sizeof s;
    const selvage_result code = selvage_world_statistics(world, &s);
    const auto number = [](auto n) { return static_cast<double>(n); };
    const double numbers[] = {number(s.frames),
                              s.time,
                              number(s.cloths),
                              number(s.awake_cloths),
                              number(s.islands),
                              number(s.awake_islands),
                              number(s.vertices),
                              number(s.triangles),
                              number(s.contacts),
                              number(s.limited),
                              s.frame_ms,
                              s.solver_ms,
                              s.contact_ms,
                              s.max_stretch,
                              number(s.budget_level),
                              number(s.lowest_budget_level),
                              s.dropped_seconds};
    std::copy(std::begin(numbers), std::end(numbers), out);
    return code;
}

/// `ray`: origin (3), direction (3), greatest distance. `out`: found, triangle, weights (3), point (3), distance;
/// `handles`: cloth, collider.
SELVAGE_WEB selvage_result web_world_raycast(selvage_world world, const double* ray, unsigned flags, double* out,
                                             std::uint64_t* handles) {
    selvage_hit hit{};
    hit.struct_size = sizeof hit;
    int found = 0;
    const selvage_result code = selvage_world_raycast(world, ray, ray + 3, ray[6], flags, &hit, &found);
    out[0] = found, out[1] = hit.triangle;
    std::copy(hit.weights, hit.weights + 3, out + 2);
    std::copy(hit.point, hit.point + 3, out + 5);
    out[8] = hit.distance;
    handles[0] = hit.cloth, handles[1] = hit.collider;
    return code;
}

/// One event: `out` phase, points, point (3), normal (3); `handles` cloth, other cloth, collider.
SELVAGE_WEB selvage_result web_world_contact(selvage_world world, int index, double* out, std::uint64_t* handles) {
    const selvage_contact_event* events = nullptr;
    size_t count = 0;
    const selvage_result code = selvage_world_contact_events(world, &events, &count);
    if (code != SELVAGE_OK || index < 0 || static_cast<size_t>(index) >= count) return code;
    const selvage_contact_event& event = events[index];
    out[0] = number_in(event.phase), out[1] = event.points;
    std::copy(event.point, event.point + 3, out + 2);
    std::copy(event.normal, event.normal + 3, out + 5);
    handles[0] = event.cloth, handles[1] = event.other_cloth, handles[2] = event.collider;
    return code;
}

/// Lines of 7 words: from and to as floats, 0xRRGGBB. Valid until the next call.
SELVAGE_WEB selvage_result web_world_debug_lines(selvage_world world, unsigned flags, web::Range* out) {
    static_assert(sizeof(selvage_debug_line) == 28);
    return guarded([&]() -> selvage_result {
        static std::vector<selvage_debug_line> lines;
        size_t count = 0;
        if (const selvage_result code = selvage_world_debug_lines(world, flags, nullptr, 0, &count)) return code;
        lines.resize(count);
        const selvage_result code = selvage_world_debug_lines(world, flags, lines.data(), lines.size(), &count);
        web::give_range(std::span<const selvage_debug_line>(lines), out);
        return code;
    });
}
