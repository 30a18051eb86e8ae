#include "lab/benchmarks/bench_cases.h"

#include <cmath>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/concat.h"
#include "base/stopwatch.h"
#include "model/measures.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"
#include "sim/report.h"

namespace selvage {

double heap_bytes() {
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
    return 0.0;
#endif
}

Result<BenchRow> bench_scene(const std::string& scene, const std::vector<std::string>& overrides, int threads,
                             int warm_up, int frames, const Device& device) {
    const Result<SceneDesc> desc = load_scene(scene, overrides);
    if (!desc) return desc.error();
    const double heap_before = heap_bytes();
    Result<Simulation> sim = Simulation::make(*desc, threads);
    if (!sim) return sim.error();
    if (const std::string why = place_for_timing(device, *sim); !why.empty()) {
        BenchRow row;
        row.skipped = why;
        return row;
    }
    std::vector<double> ms;
    ms.reserve(frames);
    const int last_second = warm_up + frames - static_cast<int>(std::lround(1.0 / desc->dt));
    const ThreadGauge threads_of(sim->model());
    double largest = 0.0, largest_threads = 0.0;
    for (int f = 0; f < warm_up + frames; ++f) {
        const Stopwatch clock;
        sim->step_frame();
        if (f >= warm_up) ms.push_back(clock.ms());
        if (sim->divergence()) return Error{sim->divergence()->text(), scene, ErrorKind::work};
        if (f < last_second) continue;
        largest = std::max(largest, largest_strain(sim->pool(), sim->model(), sim->state()));
        largest_threads = std::max(largest_threads, threads_of.largest(sim->pool(), sim->state().position));
    }
    const double heap = heap_bytes() - heap_before; // before the counter itself allocates
    const int crossings =
        CrossingCounter()
            .count(sim->pool(), sim->model().edges, sim->model().mesh.triangles, sim->state().position)
            .count;
    return BenchRow{desc->name,
                    solver_name(desc->solver),
                    sim->model().vertex_count(),
                    sim->model().spring_count(),
                    sim->pool().thread_count(),
                    frames,
                    percentile(ms, 50.0),
                    percentile(ms, 95.0),
                    largest,
                    measure_strain(sim->model(), sim->state()).rms,
                    largest_threads,
                    threads_of.measure(sim->state().position).rms,
                    crossings,
                    heap / sim->model().vertex_count(),
                    hex(state_hash(sim->state())),
                    device_of(*sim)};
}

std::string place_for_timing(const Device& device, Simulation& sim) {
    const Status moved = move_to(device, sim);
    if (!moved && device.choice == DeviceChoice::cuda) return moved.error().text();
    if (sim.is_on_device() && sim.pool().thread_count() > 1)
        return "threads make no difference on the device; see the run with one";
    return "";
}

Status check_device(const Device& device) {
    const Result<SceneDesc> net = load_scene("kang-table", {"/cloths/0/mesh/grid/vertices=[4,4]"});
    if (!net) return net.error();
    Result<Simulation> sim = Simulation::make(*net, 1);
    if (!sim) return sim.error();
    return move_to(device, *sim);
}

std::vector<BenchCase> bench_cases() {
    std::vector<BenchCase> cases;
    const auto add = [&](const std::string& name, const std::string& scene, const std::vector<std::string>& overrides,
                         int threads, int warm_up, int frames) {
        cases.push_back({concat(name, "/", threads), [=](const Device& device) {
                             return bench_scene(scene, overrides, threads, warm_up, frames, device);
                         }});
    };
    std::vector<int> thread_counts{1};
    if (const int all = static_cast<int>(std::thread::hardware_concurrency()); all > 1) thread_counts.push_back(all);

    // 1k to 256k points. Few frames suffice: medians of identical work.
    for (const int threads : thread_counts)
        for (const int side : {32, 64, 128, 256, 512}) {
            const int frames = std::max(20, 2'000'000 / (side * side));
            add(concat("scaling/kang-table/", side * side), "kang-table",
                {concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]")}, threads, std::max(2, frames / 10),
                frames);
        }
    for (const char* scene : {"flag", "corner-hang", "curtain", "sphere-drape", "falling-sheet"})
        for (const SolverEntry& entry : solver_catalog())
            for (const int threads : thread_counts) {
                std::vector<std::string> overrides;
                const Result<SceneDesc> own = load_scene(scene);
                if (own && solver_name(own->solver) != entry.name)
                    overrides.push_back(concat("/solver={\"type\":\"", entry.name, "\"}"));
                // `explicit` needs steps below 2/omega: these fabrics ask for about 50 microseconds.
                if (entry.traits.can_diverge) overrides.emplace_back("/substeps=600");
                add(concat(scene, "/", entry.name), scene, overrides, threads, 10, entry.traits.can_diverge ? 30 : 120);
            }
    // The yardstick: how much a cloth of growing size stretches at the same number of substeps, and at enough of them.
    for (const auto& [side, substeps] : {std::pair{32, 20}, {32, 28}, {64, 20}, {64, 80}, {128, 20}, {256, 20}})
        add(concat("yard-hang/xpbd/", side, "x", side, "/", substeps), "yard-hang",
            {concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]"), concat("/substeps=", substeps),
             R"(/solver={"type":"xpbd"})"},
            1, 30, 270);
    for (const int side : {32, 64, 128}) // by itself: contact has its own cases
        add(concat("yard-hang/multilevel/", side, "x", side, "/4"), "yard-hang",
            {concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]"), "/substeps=4",
             "/solver={\"type\":\"multilevel\",\"quality\":\"low\"}", "/cloths/0/self_collision=false"},
            1, 30, 270);
    return cases;
}

double fit_exponent(const std::vector<double>& vertices, const std::vector<double>& time) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const double n = static_cast<double>(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const double x = std::log(vertices[i]), y = std::log(time[i]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Json bench_json(const std::vector<BenchRow>& rows) {
    Json json = Json::array();
    for (const BenchRow& row : rows)
        json.push_back({{"scene", row.scene},
                        {"solver", row.solver},
                        {"device", row.device},
                        {"vertices", row.vertices},
                        {"springs", row.springs},
                        {"threads", row.threads},
                        {"frames", row.frames},
                        {"median_ms", row.median_ms},
                        {"p95_ms", row.p95_ms},
                        {"strain_max", row.strain_max},
                        {"strain_rms", row.strain_rms},
                        {"threads_max", row.threads_max},
                        {"threads_rms", row.threads_rms},
                        {"crossings", row.crossings},
                        {"bytes_per_vertex", row.bytes_per_vertex},
                        {"state_hash", row.state_hash}});
    return json;
}

} // namespace selvage
