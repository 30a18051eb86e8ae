#include <cmath>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "cli.h"
#include "lab/benchmarks/bench_cases.h"

namespace selvage {

namespace {

struct BenchFlags {
    std::string only, json;
    bool quiet = false;
};

int bench(const BenchFlags& flags) {
    if (const Status ok = check_writable(flags.json); !ok) return report_error(ok.error());
    int code = kDone;
    std::vector<BenchRow> rows;
    std::vector<double> scaling_vertices, scaling_ms;
    if (!flags.quiet)
        std::printf("%-16s %-16s %9s %9s %7s %11s %11s %9s %8s  %s\n", "scene", "solver", "vertices", "springs",
                    "threads", "median ms", "p95 ms", "strain %", "B/vertex", "state");
    for (const BenchCase& bench : bench_cases()) {
        if (bench.name.find(flags.only) == std::string::npos) continue;
        Result<BenchRow> row = bench.run();
        if (!row) {
            std::fprintf(stderr, "selvage: %s: %s\n", bench.name.c_str(), row.error().text().c_str());
            code = kWorkFailed;
            continue;
        }
        if (!flags.quiet) {
            std::printf("%-16s %-16s %9d %9d %7d %11.4f %11.4f %9.2f %8.0f  %s\n", row->scene.c_str(),
                        row->solver.c_str(), row->vertices, row->springs, row->threads, row->median_ms, row->p95_ms,
                        100.0 * row->strain_max, row->bytes_per_vertex, row->state_hash.c_str());
            std::fflush(stdout);
        }
        if (bench.name.starts_with("scaling") && row->threads == 1) {
            scaling_vertices.push_back(row->vertices);
            scaling_ms.push_back(row->median_ms);
        }
        rows.push_back(std::move(*row));
    }
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

} // namespace

/// selvage bench [--only NAME] [--json FILE]: times on this machine.
void add_bench_command(CommandLine& line) {
    Command command = line.add_command("bench", "Time the solvers on the built-in scenes");
    auto flags = std::make_shared<BenchFlags>();
    command.add_option("--only", flags->only,
                       "Run the cases whose name contains this, such as scaling or flag/implicit-cg");
    command.add_option("--json", flags->json, "Write the rows").type_name("FILE");
    command.add_flag("--quiet", flags->quiet, "Print nothing but errors");
    command.on_run([flags] { return bench(*flags); });
}

} // namespace selvage
