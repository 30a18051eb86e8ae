#include "lab/compare/compare.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "cli.h"
#include "file_check.h"
#include "lab/figure/plot.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

struct CompareFlags {
    SceneFlags scene;
    double dt = 0.0, reference_dt = 1.0 / 30000.0, check = 1.0 / 30.0;
    int count = 18;
    std::string json, plot;
};

Json to_json(const SceneDesc& scene, const CompareFlags& flags, const std::vector<MotionError>& errors) {
    Json json{{"solver", solver_name(scene.solver)},
              {"dt", flags.dt},
              {"reference_dt", flags.reference_dt},
              {"checkpoints", Json::array()}};
    for (std::size_t c = 0; c < errors.size(); ++c)
        json["checkpoints"].push_back({{"index", c + 1},
                                       {"time", static_cast<double>(c + 1) * flags.check},
                                       {"E", errors[c].error},
                                       {"S", errors[c].similarity}});
    return json;
}

Plot error_plot(const SceneDesc& scene, const CompareFlags& flags, const std::vector<MotionError>& errors) {
    Plot plot{
        concat(scene.name, ", ", solver_name(scene.solver), ", dt ", flags.dt, " s against ", flags.reference_dt, " s"),
        "check point",
        "E and S",
        false,
        false,
        {{"E", {}, {}}, {"S", {}, {}}}};
    for (std::size_t c = 0; c < errors.size(); ++c)
        for (Series& series : plot.series) {
            series.x.push_back(static_cast<double>(c + 1));
            series.y.push_back(&series == &plot.series[0] ? errors[c].error : errors[c].similarity);
        }
    return plot;
}

int compare(const CompareFlags& flags) {
    Result<SceneDesc> scene = load_scene(flags.scene.scene, flags.scene.all_overrides());
    if (!scene) return report_error(scene.error());
    if (const Status ok =
            check_overwriting(flags.scene.scene, *scene, {}, {{"--json", flags.json}, {"--plot", flags.plot}});
        !ok)
        return report_error(ok.error());
    for (const std::string& path : {flags.json, flags.plot})
        if (const Status ok = check_writable(path); !ok) return report_error(ok.error());
    if (const Status ok = dress_loaded(*scene, flags.scene); !ok) return report_error(ok.error());
    Progress progress("compare", flags.scene.quiet);
    ComparePlan plan{flags.check, flags.count, flags.scene.threads,
                     [&](double fraction) { progress.update(fraction); }};
    const Result<Motion> motion = record_motion(*scene, flags.dt, {flags.check, flags.count, flags.scene.threads, {}});
    if (!motion) return report_error(motion.error());
    const Result<Motion> reference = record_motion(*scene, flags.reference_dt, plan);
    if (!reference) return report_error(reference.error());
    const std::vector<MotionError> errors = compare_motions(*reference, *motion);

    if (!flags.json.empty())
        if (const Status ok = write_file(flags.json, to_json(*scene, flags, errors).dump(2) + "\n"); !ok)
            return report_error(ok.error());
    if (!flags.plot.empty())
        if (const Status ok = draw_plot(error_plot(*scene, flags, errors)).save_png(flags.plot); !ok)
            return report_error(ok.error());
    if (flags.scene.quiet) return kDone;
    std::printf("%s, %s, dt = %g s against the same at %g s\n%6s %10s %12s %10s\n", scene->name.c_str(),
                solver_name(scene->solver).c_str(), flags.dt, flags.reference_dt, "check", "time [s]", "E", "S");
    for (std::size_t c = 0; c < errors.size(); ++c)
        std::printf("%6zu %10.4f %12.6f %10.6f\n", c + 1, static_cast<double>(c + 1) * flags.check, errors[c].error,
                    errors[c].similarity);
    return kDone;
}

} // namespace

void add_compare_command(CommandLine& line) {
    Command command =
        line.add_command("compare", "How far a run strays from the same run with tiny steps: E and S per check point");
    auto flags = std::make_shared<CompareFlags>();
    flags->scene.add_to(command, false);
    command.add_seconds("--dt", flags->dt, "Step of the run under test").required();
    command.add_seconds("--reference-dt", flags->reference_dt, "Step of the reference; default 1/30000");
    command.add_seconds("--check", flags->check, "Time between check points; default 1/30");
    command.add_option("--count", flags->count, "Check points").range(1, 1000000).show_default();
    command.add_option("--json", flags->json, "Write the numbers").type_name("FILE");
    command.add_option("--plot", flags->plot, "Draw E and S").type_name("FILE.png");
    command.on_run([flags] { return compare(*flags); });
}

} // namespace selvage
