#include <cmath>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "cli.h"
#include "drawing/drawn_surface.h"
#include "file_check.h"
#include "geometry/mesh_export.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"
#include "sim/checkpoint.h"
#include "sim/report.h"

namespace selvage {

namespace {

struct RunFlags {
    SceneFlags scene;
    std::string device = "cpu", report, checkpoint, resume;
    std::vector<std::string> outputs;
    double tolerance = 0.0;
    bool strict = false;
};

/// Exports hold at most 60 frames a second, however small the step.
int frames_per_export(double dt) {
    return std::max(1, static_cast<int>(std::ceil(1.0 / 60.0 / dt - 1e-9)));
}

/// Such a file shows where the run ended, between two exported frames or not.
bool holds_one_pose(const std::filesystem::path& path) {
    const std::string extension = lower_extension(path);
    return extension == ".ply" || (extension == ".obj" && path.filename().string().find('%') == std::string::npos);
}

Result<std::vector<std::unique_ptr<FrameWriter>>> open_outputs(const RunFlags& flags, const DrawnSurface& surface,
                                                               double dt) {
    const ExportMesh mesh{&surface.mesh(), surface.parts(), 1.0 / (dt * frames_per_export(dt)), flags.tolerance};
    std::vector<std::unique_ptr<FrameWriter>> writers;
    for (const std::string& path : flags.outputs) {
        Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(path, mesh);
        if (!writer) return writer.error();
        writers.push_back(std::move(*writer));
    }
    return writers;
}

Status finish_outputs(const RunFlags& flags, std::vector<std::unique_ptr<FrameWriter>>& writers,
                      const std::vector<Vec3>& positions) {
    for (std::size_t i = 0; i < writers.size(); ++i) {
        if (holds_one_pose(flags.outputs[i]))
            if (Status ok = writers[i]->add_frame(positions); !ok) return ok;
        if (Status ok = writers[i]->finish(); !ok) return ok;
    }
    return Done{};
}

Status export_frame(std::vector<std::unique_ptr<FrameWriter>>& writers, const std::vector<Vec3>& positions) {
    for (const std::unique_ptr<FrameWriter>& writer : writers)
        if (Status ok = writer->add_frame(positions); !ok) return ok;
    return Done{};
}

RunHistory history_of(const RunRecorder& recorder, const DrawnSurface& surface) {
    RunHistory history = recorder.history();
    history.surface = surface.history();
    return history;
}

struct FrameLoop {
    Simulation& sim;
    RunRecorder& recorder;
    DrawnSurface& surface;
    std::vector<std::unique_ptr<FrameWriter>>& writers;
    const RunFlags& flags;
    CrossingCounter counter = {};
    std::optional<std::string> crossing = {}; // what ended a strict run

    Status run() {
        const double dt = sim.scene().dt;
        const int substeps = sim.scene().substeps;
        const auto frame_count = static_cast<std::int64_t>(std::llround(std::ceil(sim.scene().seconds / dt - 1e-6)));
        const int export_every = frames_per_export(dt);
        Progress progress("run " + sim.scene().name, flags.scene.quiet);
        Stopwatch since_checkpoint;
        bool saved_once = false;
        if (flags.strict) crossing = first_crossing(sim, counter);
        for (std::int64_t frame = sim.step_count() / substeps; frame < frame_count && !interrupted() && !crossing;
             ++frame) {
            const Stopwatch clock;
            sim.step_frame();
            if (sim.divergence()) return Done{};
            recorder.add_frame(clock.ms());
            // In every frame, exported or not, so that a wrinkle's side does not depend on which ones are.
            const std::vector<Vec3>& positions = surface.update(sim.state().position, sim.pool());
            if ((frame + 1) % export_every == 0)
                if (Status ok = export_frame(writers, positions); !ok) return ok;
            // Once a second costs little and loses little.
            if (!flags.checkpoint.empty() && (!saved_once || since_checkpoint.seconds() > 1.0)) {
                if (Status ok = save_checkpoint(flags.checkpoint, sim, history_of(recorder, surface)); !ok) return ok;
                saved_once = true;
                since_checkpoint.restart();
            }
            if (flags.strict) crossing = first_crossing(sim, counter);
            progress.update(static_cast<double>(frame + 1) / static_cast<double>(frame_count));
        }
        return Done{};
    }
};

void print_summary(const Json& report) {
    std::printf("%s: %d vertices, %s, %.3f s simulated\n", report["scene"].get<std::string>().c_str(),
                report["vertices"].get<int>(), report["solver"].get<std::string>().c_str(),
                report["simulated_s"].get<double>());
    std::printf("  %.3f ms per frame (median), %.3f (p95)\n", report["ms_per_frame"]["median"].get<double>(),
                report["ms_per_frame"]["p95"].get<double>());
    std::printf("  strain: %.2f %% at most, %.3f %% rms; %.2f %% at most over the last second\n",
                100.0 * report["strain"]["max"].get<double>(), 100.0 * report["strain"]["rms"].get<double>(),
                100.0 * report["strain"]["max_last_second"].get<double>());
    std::printf("  crossings: %d of cloth with cloth, %d with colliders; deepest point %.2f mm inside one\n",
                report["intersections"]["self"].get<int>(), report["intersections"]["collider"].get<int>(),
                report["penetration_mm"].get<double>());
    std::printf("  state %s\n", report["state_hash"].get<std::string>().c_str());
}

Status check_files(const RunFlags& flags, const SceneDesc& scene) {
    std::vector<NamedFile> outputs{{"--report", flags.report}, {"--checkpoint", flags.checkpoint}};
    for (const std::string& path : flags.outputs)
        outputs.push_back({"--out", path, true});
    return check_overwriting(flags.scene.scene, scene, {{"--resume", flags.resume}}, outputs);
}

int run(const RunFlags& flags) {
    Result<SceneDesc> scene = load_scene(flags.scene.scene, flags.scene.all_overrides());
    if (!scene) return report_error(scene.error());
    if (const Status ok = check_files(flags, *scene); !ok) return report_error(ok.error());
    stop_on_signals(); // before the first file is opened, so that none is left half written
    if (const Status ok = dress_loaded(*scene, flags.scene); !ok) return report_error(ok.error());
    Result<Simulation> sim = Simulation::make(*scene, flags.scene.threads);
    if (!sim) return report_error(sim.error());
    Result<DrawnSurface> surface = DrawnSurface::make(*scene, sim->model());
    if (!surface) return report_error(surface.error());
    print_warnings(sim->warnings());
    if (const Status ok = use_device(*sim, flags.device, flags.scene.quiet); !ok) return report_error(ok.error());

    for (const std::string& path : {flags.report, flags.checkpoint})
        if (const Status ok = check_writable(path); !ok) return report_error(ok.error());
    Result<std::vector<std::unique_ptr<FrameWriter>>> writers = open_outputs(flags, *surface, scene->dt);
    if (!writers) return report_error(writers.error());
    std::optional<RunHistory> history;
    if (!flags.resume.empty()) {
        Result<RunHistory> loaded = load_checkpoint(flags.resume, *sim);
        if (!loaded) return report_error(loaded.error());
        history = std::move(*loaded);
        surface->set_history(history->surface); // that of another surface tells nothing: wrinkles begin anew
        if (sim->state().time > sim->scene().seconds - 1e-9)
            return report_error({concat("is at ", sim->state().time, " s; expected --seconds beyond that, found ",
                                        sim->scene().seconds),
                                 flags.resume});
    }
    RunRecorder recorder = history ? RunRecorder(*sim, *history) : RunRecorder(*sim);
    if (const Status ok = export_frame(*writers, surface->update(sim->state().position, sim->pool())); !ok)
        return report_error(ok.error());
    FrameLoop loop{*sim, recorder, *surface, *writers, flags};
    if (const Status ok = loop.run(); !ok) return report_error(ok.error());

    const std::vector<Vec3>& last = surface->update(sim->state().position, sim->pool());
    if (const Status ok = finish_outputs(flags, *writers, last); !ok) return report_error(ok.error());
    if (!flags.checkpoint.empty() && !sim->divergence())
        if (const Status ok = save_checkpoint(flags.checkpoint, *sim, history_of(recorder, *surface)); !ok)
            return report_error(ok.error());
    const Json report = recorder.report();
    if (!flags.report.empty())
        if (const Status ok = write_file(flags.report, report.dump(2) + "\n"); !ok) return report_error(ok.error());
    if (!flags.scene.quiet) print_summary(report);
    if (sim->divergence()) return report_error({sim->divergence()->text(), sim->scene().name, ErrorKind::work});
    if (loop.crossing)
        return report_error(
            {concat(*loop.crossing, "; files hold what was done up to it"), sim->scene().name, ErrorKind::work});
    if (interrupted())
        return report_error({concat("stopped by a signal at t = ", sim->state().time, " s; files hold what was done"),
                             sim->scene().name, ErrorKind::work});
    return kDone;
}

} // namespace

void add_run_command(CommandLine& line) {
    Command command = line.add_command("run", "Simulate a scene; export, report, checkpoint");
    auto flags = std::make_shared<RunFlags>();
    flags->scene.add_to(command, true);
    add_device_option(command, flags->device);
    command
        .add_option("--out", flags->outputs,
                    "Export by extension: .obj (last frame; frame%04d.obj a sequence), .ply, .glb (animated), .pc2, "
                    ".mdd (of several cloths name-cloth.pc2 each); may be repeated")
        .type_name("FILE")
        .one_value_each();
    command
        .add_option(
            "--tolerance", flags->tolerance,
            "How far a .glb may be off, for half the size: fewer frames, smaller numbers (KHR_mesh_quantization)")
        .type_name("METRES")
        .range(0.0, 1.0)
        .show_default();
    command.add_option("--report", flags->report, "Write the measurements as JSON").type_name("FILE.json");
    command.add_option("--checkpoint", flags->checkpoint, "Save the state about every second and at the end")
        .type_name("FILE");
    command.add_option("--resume", flags->resume, "Continue from a checkpoint of the same scene and flags")
        .type_name("FILE");
    command.add_flag("--strict", flags->strict, "Stop and fail at the first frame with a crossing");
    command.on_run([flags] { return run(*flags); });
}

} // namespace selvage
