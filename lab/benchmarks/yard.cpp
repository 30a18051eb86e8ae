#include "lab/benchmarks/yard.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/concat.h"
#include "base/numbers.h"
#include "base/stopwatch.h"
#include "lab/benchmarks/bench_cases.h"
#include "lab/figure/plot.h"
#include "model/measures.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"
#include "sim/report.h"

namespace selvage {

namespace {

struct YardCase {
    std::string scene, solver, fabric;
    int side, threads;
    double damping;
};

/// Root mean square and maximum over the frames of the last second.
class LastSecond {
public:
    void add(const Strain& edges, const ThreadStrain& threads) {
        edges_max_ = std::max(edges_max_, edges.max);
        threads_max_ = std::max(threads_max_, threads.max);
        edges_squares_ += edges.rms * edges.rms;
        threads_squares_ += threads.rms * threads.rms;
        ++frames_;
    }
    void write_to(YardRow& row) const {
        row.edges_max = edges_max_;
        row.threads_max = threads_max_;
        row.edges_rms = std::sqrt(edges_squares_ / std::max(frames_, 1));
        row.threads_rms = std::sqrt(threads_squares_ / std::max(frames_, 1));
    }

private:
    double edges_max_ = 0.0, threads_max_ = 0.0, edges_squares_ = 0.0, threads_squares_ = 0.0;
    int frames_ = 0;
};

double processor_ms() {
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string number(double value, int digits) {
    std::string text;
    append_number(text, value, digits);
    return text;
}

std::vector<std::string> overrides_of(const YardCase& run, const YardPlan& plan) {
    const bool has_quality = run.solver == "multilevel";
    std::vector<std::string> out{
        concat("/solver={\"type\":\"", run.solver, has_quality ? "\",\"quality\":\"low\"}" : "\"}"),
        concat("/cloths/0/mesh/grid/vertices=[", run.side, ",", run.side, "]"),
        concat("/velocity_damping=", number(run.damping, 17)),
    };
    if (run.fabric == "net")
        for (const char* text : {"stretch_warp=6000", "stretch_weft=6000", "shear=3000"})
            out.push_back(concat("/cloths/0/fabric/", text));
    if (plan.substeps > 0) out.push_back(concat("/substeps=", plan.substeps));
    if (plan.seconds > 0.0) out.push_back(concat("/seconds=", number(plan.seconds, 17)));
    out.insert(out.end(), plan.overrides.begin(), plan.overrides.end());
    return out;
}

int count_crossings(Simulation& sim, CrossingCounter& counter) {
    const ClothModel& model = sim.model();
    const std::vector<Vec3>& x = sim.state().position;
    return counter.count(sim.pool(), model.edges, model.mesh.triangles, x).count +
           count_collider_crossings(sim.pool(), sim.colliders(), model.edges, model.mesh.triangles, x).count;
}

Result<YardRow> run_case(const YardCase& run, const YardPlan& plan) {
    const Result<SceneDesc> desc = load_scene(run.scene, overrides_of(run, plan));
    if (!desc) return desc.error();
    const double heap_before = heap_bytes();
    Result<Simulation> sim = Simulation::make(*desc, run.threads);
    if (!sim) return sim.error();
    YardRow row;
    row.scene = run.scene;
    row.solver = run.solver;
    row.fabric = run.fabric;
    row.damping = run.damping;
    row.side = run.side;
    row.vertices = sim->model().vertex_count();
    row.substeps = desc->substeps;
    row.threads = run.threads;
    row.skipped = place_for_timing(plan.device, *sim);
    row.device = row.skipped.empty() ? device_of(*sim) : "cuda";
    if (!row.skipped.empty()) return row;
    const int frames = std::max(2, static_cast<int>(std::lround(desc->seconds / desc->dt)));
    const int per_second = std::max(1, static_cast<int>(std::lround(1.0 / desc->dt)));
    std::vector<double> cpu, wall;
    cpu.reserve(frames);
    wall.reserve(frames);
    sim->step_frame();
    const double heap = heap_bytes() - heap_before; // before what measures allocates
    row.frames = frames;
    const ThreadGauge threads(sim->model());
    CrossingCounter counter;
    LastSecond last_second;
    for (int f = 1; f < frames && !sim->divergence(); ++f) {
        const double cpu_before = processor_ms();
        const Stopwatch clock;
        sim->step_frame();
        wall.push_back(clock.ms());
        cpu.push_back(processor_ms() - cpu_before);
        if (f >= frames - per_second)
            last_second.add(measure_strain(sim->model(), sim->state()), threads.measure(sim->state().position));
        if (f == frames - 1 || f % std::max(1, per_second / 4) == 0)
            row.crossings = std::max(row.crossings, count_crossings(*sim, counter));
    }
    last_second.write_to(row);
    row.cpu_median_ms = percentile(cpu, 50.0);
    row.cpu_p95_ms = percentile(cpu, 95.0);
    row.wall_median_ms = percentile(wall, 50.0);
    row.wall_p95_ms = percentile(wall, 95.0);
    row.bytes_per_vertex = heap / row.vertices;
    row.state_hash = hex(state_hash(sim->state()));
    if (sim->divergence()) row.failure = sim->divergence()->text();
    return row;
}

/// A text as CSV has it: in quotes, those inside doubled.
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string kind_of(const YardRow& row) {
    return concat(row.fabric, ", ", row.damping > 0.0 ? concat("damped ", number(row.damping, 4), "/s") : "undamped");
}

std::string series_name(const YardRow& row) {
    if (row.device != "cpu") return concat(row.scene, " ", row.solver, ", ", row.device);
    return concat(row.scene, " ", row.solver, ", ", row.threads, row.threads == 1 ? " thread" : " threads");
}

} // namespace

std::vector<std::string> yard_fabrics() {
    return {"poplin", "net"};
}

Status run_yard(const YardPlan& plan, const std::function<void(const YardRow&)>& on_row) {
    for (const int side : plan.sides)
        for (const std::string& scene : plan.scenes)
            for (const std::string& fabric : plan.fabrics)
                for (const double damping : plan.damping)
                    for (const std::string& solver : plan.solvers)
                        for (const int threads : plan.threads) {
                            const Result<YardRow> row = run_case({scene, solver, fabric, side, threads, damping}, plan);
                            if (!row) return row.error();
                            on_row(*row);
                        }
    return Done{};
}

std::vector<YardSeries> yard_series(const std::vector<YardRow>& rows) {
    std::vector<YardSeries> out;
    for (const YardRow& row : rows) {
        if (!row.failure.empty() || !row.skipped.empty()) continue;
        const std::string name = concat(series_name(row), ", ", kind_of(row));
        auto series = std::find_if(out.begin(), out.end(), [&](const YardSeries& s) { return s.name == name; });
        if (series == out.end()) series = out.insert(out.end(), {name, {}, {}});
        series->vertices.push_back(row.vertices);
        series->ms.push_back(row.device == "cpu" ? row.cpu_median_ms : row.wall_median_ms);
    }
    for (YardSeries& series : out)
        if (series.vertices.size() > 1) series.exponent = fit_exponent(series.vertices, series.ms);
    return out;
}

Canvas draw_yard(const std::vector<YardRow>& rows) {
    std::vector<std::pair<std::string, std::vector<YardRow>>> panels;
    for (const YardRow& row : rows) {
        if (!row.skipped.empty()) continue;
        const std::string kind = kind_of(row);
        if (panels.empty() || std::none_of(panels.begin(), panels.end(), [&](auto& p) { return p.first == kind; }))
            panels.push_back({kind, {}});
        std::find_if(panels.begin(), panels.end(), [&](auto& p) { return p.first == kind; })->second.push_back(row);
    }
    const int columns = panels.size() > 1 ? 2 : 1, lines = (static_cast<int>(panels.size()) + columns - 1) / columns;
    const Plot sizes;
    Canvas page(columns * sizes.width, std::max(lines, 1) * sizes.height);
    for (std::size_t p = 0; p < panels.size(); ++p) {
        Plot plot;
        const bool has_device = std::any_of(panels[p].second.begin(), panels[p].second.end(),
                                            [](const YardRow& row) { return row.device != "cpu"; });
        plot.title = concat(has_device ? "Time" : "Processor time", " per frame, ", panels[p].first);
        plot.x_label = "vertices";
        plot.y_label = "[ms]";
        plot.log_x = plot.log_y = true;
        for (const YardSeries& series : yard_series(panels[p].second)) {
            const std::string name = series.name.substr(0, series.name.rfind(", " + panels[p].first));
            plot.series.push_back({series.exponent > 0.0 ? concat(name, ": n^", number(series.exponent, 3)) : name,
                                   series.vertices, series.ms});
        }
        page.paste(draw_plot(plot), static_cast<int>(p) % columns * sizes.width,
                   static_cast<int>(p) / columns * sizes.height);
    }
    return page;
}

Json yard_json(const std::vector<YardRow>& rows) {
    Json json = Json::array();
    for (const YardRow& row : rows) {
        if (!row.skipped.empty()) continue;
        json.push_back({{"scene", row.scene},
                        {"solver", row.solver},
                        {"device", row.device},
                        {"fabric", row.fabric},
                        {"damping", row.damping},
                        {"side", row.side},
                        {"vertices", row.vertices},
                        {"substeps", row.substeps},
                        {"threads", row.threads},
                        {"frames", row.frames},
                        {"cpu_median_ms", row.cpu_median_ms},
                        {"cpu_p95_ms", row.cpu_p95_ms},
                        {"wall_median_ms", row.wall_median_ms},
                        {"wall_p95_ms", row.wall_p95_ms},
                        {"edges_max", row.edges_max},
                        {"edges_rms", row.edges_rms},
                        {"threads_max", row.threads_max},
                        {"threads_rms", row.threads_rms},
                        {"crossings", row.crossings},
                        {"bytes_per_vertex", row.bytes_per_vertex},
                        {"state_hash", row.state_hash},
                        {"failure", row.failure}});
    }
    return json;
}

std::string yard_csv(const std::vector<YardRow>& rows) {
    const Json json = yard_json(rows);
    std::string out;
    for (std::size_t r = 0; r < json.size(); ++r) {
        std::string names, values;
        for (const auto& [name, value] : json[r].items()) {
            const char* comma = names.empty() ? "" : ",";
            names += comma + name;
            if (value.is_number_float())
                values += comma + number(value.get<double>(), 6);
            else
                values += comma + (value.is_string() ? quoted(value.get<std::string>()) : value.dump());
        }
        if (r == 0) out += names + "\n";
        out += values + "\n";
    }
    return out;
}

} // namespace selvage
