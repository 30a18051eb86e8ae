#include "cli.h"
#include "cuda/cuda_backend.h"

#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/suggest.h"
#include "garment/scene_garments.h"
#include "scene/json_document.h"
#include "scene/scene_io.h"

namespace selvage {

int report_error(const Error& error) {
    std::fprintf(stderr, "selvage: %s\n", error.text().c_str());
    return error.kind == ErrorKind::input ? kBadInput : kWorkFailed;
}

Status check_writable(const std::string& path) {
    if (path.empty()) return Done{};
    remove_abandoned(path);
    const Result<AtomicFile> file = AtomicFile::create(path); // removed again when it goes out of scope
    if (!file) return file.error();
    return Done{};
}

void print_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings)
        std::fprintf(stderr, "selvage: warning: %s\n", warning.c_str());
}

namespace {
std::atomic<bool> signalled{false};
} // namespace

void stop_on_signals() {
    const auto handler = [](int) { signalled = true; };
    // A closed terminal as well. What was told to be ignored (nohup, a shell's background job) stays ignored.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool interrupted() {
    return signalled;
}

void SceneFlags::add_to(Command& command, bool with_time) {
    Option chosen = command.add_option("SCENE", scene, "Built-in scene (see: selvage scenes) or scene file");
    if (scene.empty()) chosen.required(); // a command may have one of its own
    command
        .add_option("--solver", solver,
                    "Solver, with its default settings unless the scene uses it, and the scene's substeps for it")
        .one_of(solver_names());
    if (with_time) {
        command.add_seconds("--seconds", seconds, "Simulated time; default: the scene's");
        command.add_seconds("--dt", dt, "Step, such as 1/150; replaces the scene's dt and substeps");
    }
    command.add_option("--set", overrides, "Change the scene: /json/pointer=VALUE; may be repeated")
        .type_name("ASSIGNMENT")
        .one_value_each();
    command.add_option("--threads", threads, "Threads; 0 takes all. Never changes the result").range(0, 256);
    command.add_flag("--quiet", quiet, "No progress, no summary");
}

std::vector<std::string> SceneFlags::all_overrides() const {
    std::vector<std::string> all;
    if (!solver.empty()) {
        const Result<SceneDesc> plain = load_scene(scene);
        if (!plain || solver_name(plain->solver) != solver)
            all.push_back(concat("/solver=", Json{{"type", printable(solver)}}.dump()));
    }
    char number[64];
    if (dt > 0.0) {
        std::snprintf(number, sizeof number, "/dt=%.17g", dt);
        all.insert(all.end(), {number, "/substeps=1"});
    }
    if (seconds > 0.0) {
        std::snprintf(number, sizeof number, "/seconds=%.17g", seconds);
        all.emplace_back(number);
    }
    all.insert(all.end(), overrides.begin(), overrides.end());
    return all;
}

Status dress_loaded(SceneDesc& scene, const SceneFlags& flags) {
    Progress progress("dress " + scene.name, flags.quiet);
    DressSettings settings;
    settings.threads = flags.threads;
    settings.progress = [&](double done, const char*) {
        progress.update(done);
        return !interrupted();
    };
    std::vector<std::string> warnings;
    const Status ok = dress_scene(scene, settings, warnings);
    print_warnings(warnings);
    return ok;
}

void add_device_option(Command& command, std::string& device) {
    command.add_option("--device", device, "cpu, cuda (an NVIDIA GPU), or auto: cuda where it can")
        .one_of({"cpu", "cuda", "auto"})
        .show_default();
}

Device device_of_option(const std::string& device) {
    if (device == "cpu") return {DeviceChoice::cpu, cuda::make_cuda_backend};
    return {device == "cuda" ? DeviceChoice::cuda : DeviceChoice::automatic, cuda::make_cuda_backend,
            cuda::describe_device()};
}

Status use_device(Simulation& sim, const std::string& device, bool quiet) {
    const Status moved = move_to(device_of_option(device), sim);
    if (moved || device == "cuda") return moved;
    if (!quiet) std::fprintf(stderr, "selvage: on the CPU, since %s\n", moved.error().text().c_str());
    return Done{};
}

} // namespace selvage
