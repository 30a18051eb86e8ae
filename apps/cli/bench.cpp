#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/numbers.h"
#include "cli.h"
#include "lab/benchmarks/bench_cases.h"
#include "lab/benchmarks/yard.h"
#include "solvers/catalog.h"

namespace selvage {

namespace {

struct BenchFlags {
    std::string what, only, json, device = "cpu";
    bool quiet = false;
};

/// One line at once where there is no device, instead of one for each case.
Status check_device_flag(const Device& device) {
    return device.choice == DeviceChoice::cuda ? check_device(device) : Status(Done{});
}

int report_all_skipped(int count) {
    return report_error({concat("nothing was timed: the device can step none of the ", count, " cases"),
                         "bench --device cuda", ErrorKind::work});
}

int bench(const BenchFlags& flags) {
    if (const Status ok = check_writable(flags.json); !ok) return report_error(ok.error());
    const Device device = device_of_option(flags.device);
    if (const Status ok = check_device_flag(device); !ok) return report_error(ok.error());
    int code = kDone, skipped = 0;
    std::vector<BenchRow> rows;
    std::vector<double> scaling_vertices, scaling_ms;
    if (!flags.quiet)
        std::printf("%-16s %-16s %6s %9s %9s %7s %11s %11s %9s %8s  %s\n", "scene", "solver", "device", "vertices",
                    "springs", "threads", "median ms", "p95 ms", "strain %", "B/vertex", "state");
    for (const BenchCase& bench : bench_cases()) {
        if (bench.name.find(flags.only) == std::string::npos) continue;
        Result<BenchRow> row = bench.run(device);
        if (!row) {
            std::fprintf(stderr, "selvage: %s: %s\n", bench.name.c_str(), row.error().text().c_str());
            code = kWorkFailed;
            continue;
        }
        if (!row->skipped.empty()) {
            ++skipped;
            if (!flags.quiet) std::printf("%s: skipped, since %s\n", bench.name.c_str(), row->skipped.c_str());
            continue;
        }
        if (!flags.quiet) {
            std::printf("%-16s %-16s %6s %9d %9d %7d %11.4f %11.4f %9.2f %8.0f  %s\n", row->scene.c_str(),
                        row->solver.c_str(), row->device.c_str(), row->vertices, row->springs, row->threads,
                        row->median_ms, row->p95_ms, 100.0 * row->strain_max, row->bytes_per_vertex,
                        row->state_hash.c_str());
            std::fflush(stdout);
        }
        if (bench.name.starts_with("scaling") && row->threads == 1) {
            scaling_vertices.push_back(row->vertices);
            scaling_ms.push_back(row->median_ms);
        }
        rows.push_back(std::move(*row));
    }
    if (rows.empty() && code == kDone && skipped > 0) return report_all_skipped(skipped);
    if (rows.empty() && code == kDone) {
        std::string names;
        for (const BenchCase& bench : bench_cases())
            names += "\n  " + bench.name;
        return report_error(
            {concat("no case contains \"", flags.only, "\"; expected part of one of:", names), "--only"});
    }
    if (!flags.quiet && scaling_vertices.size() > 1)
        std::printf("cost per step grows as vertices^%.3f (one thread)\n", fit_exponent(scaling_vertices, scaling_ms));
    if (!flags.json.empty())
        if (const Status ok = write_file(flags.json, bench_json(rows).dump(2) + "\n"); !ok)
            return report_error(ok.error());
    return code;
}

/// Flags of `bench yard`, as typed.
struct YardFlags {
    std::string scenes, sides, damping, fabrics, solvers, threads, output, plot;
    double seconds = 0.0;
    int substeps = 0;
    std::vector<std::string> overrides;
};

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end > begin) out.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

/// Replaces `names` by those in `list`, where there is any; each must be one of `known`.
Status choose(const std::string& list, const char* flag, const std::vector<std::string>& known,
              std::vector<std::string>& names) {
    if (list.empty()) return Done{};
    names = words_of(list);
    if (names.empty()) return Error{concat("found \"", list, "\"; expected one or more of: ", join(known)), flag};
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            return Error{concat("found \"", name, "\"; expected one or more of: ", join(known)), flag};
    return Done{};
}

template <class Number>
Status choose(const std::string& list, const char* flag, double lowest, double highest, std::vector<Number>& numbers) {
    if (list.empty()) return Done{};
    numbers.clear();
    for (const std::string& word : words_of(list)) {
        double value = 0.0;
        if (read_number(word, value) != word.size() || !(value >= lowest && value <= highest) ||
            static_cast<double>(static_cast<Number>(value)) != value)
            return Error{concat("found \"", word, "\"; expected numbers from ", lowest, " to ", highest,
                                ", with commas between"),
                         flag};
        numbers.push_back(static_cast<Number>(value));
    }
    if (numbers.empty()) return Error{concat("found \"", list, "\"; expected numbers with commas between"), flag};
    return Done{};
}

Result<YardPlan> yard_plan(const YardFlags& flags) {
    YardPlan plan;
    std::vector<std::string> solvers;
    for (const SolverEntry& entry : solver_catalog())
        solvers.push_back(entry.name);
    const YardPlan all;
    for (const Status& ok :
         {choose(flags.scenes, "--scenes", all.scenes, plan.scenes),
          choose(flags.sides, "--sides", 4, 2048, plan.sides), choose(flags.damping, "--damping", 0, 1e4, plan.damping),
          choose(flags.fabrics, "--fabrics", all.fabrics, plan.fabrics),
          choose(flags.solvers, "--solvers", solvers, plan.solvers),
          choose(flags.threads, "--threads", 1, ThreadPool::kMaxThreads, plan.threads)})
        if (!ok) return ok.error();
    plan.seconds = flags.seconds;
    plan.substeps = flags.substeps;
    plan.overrides = flags.overrides;
    return plan;
}

void print_yard_row(const YardRow& row) {
    std::printf("%-10s %-15s %6s %-6s %7g %9d %8d %7d", row.scene.c_str(), row.solver.c_str(), row.device.c_str(),
                row.fabric.c_str(), row.damping, row.vertices, row.substeps, row.threads);
    if (!row.skipped.empty())
        std::printf(" skipped, since %s\n", row.skipped.c_str());
    else if (row.failure.empty())
        std::printf(" %9.3f %9.3f %9.3f %9.3f %7.2f %6.3f %8.2f %6.3f %9d %8.0f\n", row.cpu_median_ms, row.cpu_p95_ms,
                    row.wall_median_ms, row.wall_p95_ms, 100.0 * row.edges_max, 100.0 * row.edges_rms,
                    100.0 * row.threads_max, 100.0 * row.threads_rms, row.crossings, row.bytes_per_vertex);
    else
        std::printf(" %s\n", row.failure.c_str());
    std::fflush(stdout);
}

Status write_yard(const YardFlags& flags, const std::vector<YardRow>& rows) {
    if (!flags.plot.empty())
        if (const Status ok = draw_yard(rows).save_png(flags.plot); !ok) return ok.error();
    if (flags.output.empty()) return Done{};
    const bool is_json = lower_extension(flags.output) == ".json";
    return write_file(flags.output, is_json ? yard_json(rows).dump(2) + "\n" : yard_csv(rows));
}

int bench_yard(const YardFlags& flags, const std::string& device, bool quiet) {
    const std::string extension = lower_extension(flags.output);
    if (!flags.output.empty() && extension != ".csv" && extension != ".json")
        return report_error(
            {concat("found \"", flags.output, "\"; expected a name that ends in .csv or .json"), "--output"});
    for (const std::string& file : {flags.output, flags.plot})
        if (const Status ok = check_writable(file); !ok) return report_error(ok.error());
    Result<YardPlan> plan = yard_plan(flags);
    if (!plan) return report_error(plan.error());
    plan->device = device_of_option(device);
    if (const Status ok = check_device_flag(plan->device); !ok) return report_error(ok.error());
    if (!quiet)
        std::printf("%-10s %-15s %6s %-6s %7s %9s %8s %7s %9s %9s %9s %9s %7s %6s %8s %6s %9s %8s\n", "scene", "solver",
                    "device", "fabric", "1/s", "vertices", "substeps", "threads", "CPU ms", "p95", "wall ms", "p95",
                    "edges %", "rms %", "thread %", "rms %", "crossings", "B/vertex");
    std::vector<YardRow> rows;
    bool all_finite = true;
    int skipped = 0;
    const Status done = run_yard(*plan, [&](const YardRow& row) {
        rows.push_back(row);
        all_finite = all_finite && row.failure.empty();
        if (!row.skipped.empty()) ++skipped;
        if (!quiet) print_yard_row(row);
    });
    if (!done) return report_error(done.error());
    if (skipped > 0 && skipped == static_cast<int>(rows.size())) return report_all_skipped(skipped);
    for (const YardSeries& series : yard_series(rows))
        if (!quiet && series.vertices.size() > 1)
            std::printf("%s: %stime grows as vertices^%.3f\n", series.name.c_str(),
                        series.name.find(", cuda") == std::string::npos ? "processor " : "", series.exponent);
    if (const Status ok = write_yard(flags, rows); !ok) return report_error(ok.error());
    return all_finite ? kDone : kWorkFailed;
}

bool is_given(const YardFlags& f) {
    for (const std::string* text :
         {&f.scenes, &f.sides, &f.damping, &f.fabrics, &f.solvers, &f.threads, &f.output, &f.plot})
        if (!text->empty()) return true;
    return f.seconds > 0.0 || f.substeps > 0 || !f.overrides.empty();
}

void add_yard_options(Command& command, YardFlags& flags) {
    command.add_option("--scenes", flags.scenes, "yard: of yard-hang,yard-drape").type_name("LIST");
    command.add_option("--sides", flags.sides, "yard: vertices along a side; default 32,64,128,256").type_name("LIST");
    command.add_option("--damping", flags.damping, "yard: velocity damping [1/s]; default 2.23,0").type_name("LIST");
    command
        .add_option("--fabrics", flags.fabrics,
                    "yard: of poplin,net; net is 6000 N/m along the threads and 3000 N/m in shear")
        .type_name("LIST");
    command.add_option("--solvers", flags.solvers, "yard: default xpbd,multilevel; multilevel at low quality")
        .type_name("LIST");
    command.add_option("--threads", flags.threads, "yard: default 1,2").type_name("LIST");
    command.add_seconds("--seconds", flags.seconds, "yard: of each run; default the scene's");
    command.add_option("--substeps", flags.substeps, "yard: solver steps per frame; default the scene's for the solver")
        .range(1, 1000000);
    command.add_option("--set", flags.overrides, "yard: change a value of the scene, such as /solver/tethers=false")
        .type_name("/POINTER=VALUE")
        .one_value_each();
    command.add_option("--output", flags.output, "yard: write the rows, by extension .csv or .json").type_name("FILE");
    command.add_option("--plot", flags.plot, "yard: draw processor time over vertices").type_name("FILE.png");
}

} // namespace

/// selvage bench [yard] [--only NAME] [--json FILE] [--device cpu|cuda|auto]: times on this machine. Cases that a device
/// cannot step are skipped, with the reason.
void add_bench_command(CommandLine& line) {
    Command command = line.add_command("bench", "Time the solvers on the built-in scenes, or on the yardsticks alone");
    auto flags = std::make_shared<BenchFlags>();
    auto yard = std::make_shared<YardFlags>();
    command
        .add_option(
            "WHAT", flags->what,
            "yard: both yardsticks over sizes, fabrics, damping, solvers and threads; left out: every scene and "
            "solver")
        .one_of({"yard"});
    command.add_option("--only", flags->only,
                       "Run the cases whose name contains this, such as scaling or flag/implicit-cg");
    command.add_option("--json", flags->json, "Write the rows").type_name("FILE");
    add_device_option(command, flags->device);
    add_yard_options(command, *yard);
    command.add_flag("--quiet", flags->quiet, "Print nothing but errors");
    command.on_run([flags, yard] {
        if (flags->what.empty() && is_given(*yard))
            return report_error({"found a flag of the yardsticks; expected bench yard before it", "bench"});
        if (!flags->what.empty() && !(flags->only.empty() && flags->json.empty()))
            return report_error({"found --only or --json; expected --output and the flags marked yard", "bench yard"});
        return flags->what.empty() ? bench(*flags) : bench_yard(*yard, flags->device, flags->quiet);
    });
}

} // namespace selvage
