// Runs every solver on small scenes, and a world through selvage.h, and prints a hash of each final state: the same lines must come out whatever compiler,
// C library and machine it was built with and for. See docs/explanation/determinism.md.
//
//   golden_hashes                    prints "CASE SOLVER HASH" lines
//   golden_hashes EXPECTED           also compares them with a file of such lines; exit code 1 on any difference
//   golden_hashes --save FOLDER      runs half of each case of one solver a case, saves a checkpoint and prints the final hash
//   golden_hashes --resume FOLDER    goes on from those checkpoints, perhaps on another machine, and prints the final hash
//   --only TEXT                      cases and solvers whose "CASE SOLVER" has this text

#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/hash.h"
#include "lab/portability/world_run.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "sim/checkpoint.h"
#include "sim/simulation.h"

namespace selvage {
namespace {

constexpr int kSteps = 600;

struct Case {
    const char* name;
    const char* scene;
};

const Case kCases[] = {
    {"gusty-flag", R"({
        "dt": "1/60", "substeps": SUBSTEPS,
        "air": { "density": 1.2, "drag": 1.2, "lift": 0.6,
                 "wind": { "velocity": [6, 0, 1], "gust": 0.3, "gust_length": 0.8, "seed": 7 } },
        "cloths": [ { "name": "flag", "mesh": { "grid": { "size": [0.6, 0.4], "vertices": [13, 9], "jitter": 0.2 } },
                      "place": { "rotate_deg": [10, 20, 30] }, "fabric": FABRIC, "self_collision": false,
                      "pins": [ { "edge": "left" } ] } ] })"},
    {"skirt", R"({
        "dt": "1/60", "substeps": SUBSTEPS, "air": { "density": 1.2 },
        "cloths": [ { "name": "skirt",
                      "mesh": { "tube": { "radius": 0.3, "top_radius": 0.16, "height": 0.4, "vertices": [16, 7] } },
                      "fabric": FABRIC,
                      "pins": [ { "edge": "top", "keyframes": [ { "t": 0 }, { "t": 0.3, "rotate_deg": [0, 50, 10] } ] } ] }
                  ] })"},
    {"disc-on-sphere", R"({
        "dt": "1/60", "substeps": SUBSTEPS, "air": { "density": 1.2 },
        "cloths": [ { "name": "disc", "mesh": { "disc": { "radius": 0.3, "rings": 6 } },
                      "place": { "rotate_deg": [-90, 0, 0], "translate": [0.02, 0.16, 0] }, "fabric": FABRIC,
                      "velocity": [0, -1, 0] } ],
        "colliders": [ { "sphere": { "radius": 0.15 }, "motion": { "spin": [0, 4, 1] }, "friction": 0.5 } ] })"},
    {"box-and-capsule", R"({
        "dt": "1/60", "substeps": SUBSTEPS,
        "cloths": [ { "name": "sheet", "mesh": { "grid": { "size": [0.5, 0.5], "vertices": [12, 12] } },
                      "place": { "rotate_deg": [-90, 15, 0], "translate": [0, 0.11, 0] }, "fabric": FABRIC,
                      "velocity": [0, -1, 0] } ],
        "colliders": [ { "box": { "size": [0.2, 0.2, 0.2] }, "place": { "rotate_deg": [0, 25, 0], "translate": [-0.12, 0, 0] } },
                       { "capsule": { "radius": 0.06, "length": 0.3 },
                         "place": { "rotate_deg": [80, 0, 0], "translate": [0.16, 0.03, 0] }, "friction": 0.2 } ] })"},
    {"moving-mesh", R"({
        "dt": "1/60", "substeps": SUBSTEPS,
        "cloths": [ { "name": "sheet", "mesh": { "grid": { "size": [0.3, 0.5], "vertices": [10, 15] } },
                      "place": { "rotate_deg": [-90, 0, 0], "translate": [0, 0.13, 0] }, "fabric": FABRIC,
                      "velocity": [0, -1, 0] } ],
        "colliders": [ { "mesh": { "tube": { "radius": 0.12, "top_radius": 0.09, "height": 0.5, "vertices": [12, 5] } },
                         "place": { "rotate_deg": [0, 0, 90] },
                         "motion": { "keyframes": [ { "t": 0 },
                                     { "t": 0.3, "translate": [0, 0.05, 0.08], "rotate_deg": [40, 10, 0] } ] },
                         "friction": 0.6 } ] })"},
    {"twisted-strip", R"({
        "dt": "1/60", "substeps": SUBSTEPS, "air": { "density": 1.2 },
        "cloths": [ { "name": "strip", "mesh": { "grid": { "size": [0.4, 0.1], "vertices": [17, 5] } },
                      "fabric": FABRIC,
                      "pins": [ { "edge": "left", "keyframes": [ { "t": 0 },
                                  { "t": 0.33, "translate": [0.08, 0, 0], "rotate_deg": [400, 0, 0] } ] },
                                { "edge": "right", "keyframes": [ { "t": 0 },
                                  { "t": 0.33, "translate": [-0.08, 0, 0], "rotate_deg": [-400, 0, 0] } ] } ] } ] })"},
    {"two-sheets", R"({
        "dt": "1/60", "substeps": SUBSTEPS,
        "cloths": [ { "name": "lower", "mesh": { "grid": { "size": [0.3, 0.3], "vertices": [10, 10] } },
                      "place": { "rotate_deg": [-90, 0, 0] }, "fabric": FABRIC, "pins": [ { "edge": "left" }, { "edge": "right" } ] },
                    { "name": "upper", "mesh": { "grid": { "size": [0.3, 0.3], "vertices": [9, 9], "jitter": 0.2 } },
                      "place": { "rotate_deg": [-90, 40, 0], "translate": [0, 0.01, 0] }, "fabric": FABRIC,
                      "velocity": [0, -1, 0.3] } ] })"},
};

/// Solver steps per frame: the two methods that diverge at large steps get small ones. They fall less far in their 600, so
/// everything starts close to what it will meet.
constexpr char kSubsteps[] = R"({ "explicit": 600, "harmonic-published": 600, "other": 30 })";

/// Soft, and not the same along warp and weft.
constexpr char kFabric[] =
    R"({ "density": 0.2, "stretch_warp": 60, "stretch_weft": 50, "shear": 4, "bend_warp": 2e-5, "bend_weft": 1e-5, "damping": 0.02 })";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

Result<Simulation> make(const Case& scene_case, const SolverEntry& solver) {
    Result<JsonDocument> document =
        parse_json(replaced(replaced(scene_case.scene, "FABRIC", kFabric), "SUBSTEPS", kSubsteps), scene_case.name);
    if (!document) return document.error();
    Result<SceneDesc> scene = parse_scene(std::move(*document), {});
    if (!scene) return scene.error();
    choose_solver(*scene, solver.defaults);
    return Simulation::make(*scene, 1);
}

/// "" or what went wrong.
std::string run_to(Simulation& sim, int steps) {
    while (sim.step_count() < steps) {
        sim.step();
        if (sim.divergence()) return sim.divergence()->text();
    }
    return {};
}

struct Options {
    std::string expected, save, resume, only;
};

/// The hash after kSteps, or an error. With a folder to save to or resume from, by way of a checkpoint at half time.
Result<std::string> hash_of(const Case& scene_case, const SolverEntry& solver, const Options& options) {
    Result<Simulation> sim = make(scene_case, solver);
    if (!sim) return sim.error();
    const std::string name = concat(scene_case.name, "-", solver.name, ".checkpoint");
    if (!options.resume.empty())
        if (const Result<RunHistory> read = load_checkpoint(std::filesystem::path(options.resume) / name, *sim); !read)
            return read.error();
    if (!options.save.empty()) {
        if (const std::string wrong = run_to(*sim, kSteps / 2); !wrong.empty()) return Error{wrong};
        if (const Status ok = save_checkpoint(std::filesystem::path(options.save) / name, *sim, {}); !ok)
            return ok.error();
    }
    if (const std::string wrong = run_to(*sim, kSteps); !wrong.empty()) return Error{wrong};
    return hex(state_hash(sim->state()));
}

/// The same of a world made through the front door, by way of a snapshot.
Result<std::string> hash_of_world(const SolverEntry& solver, const Options& options) {
    const auto file = [&](const std::string& folder) {
        const std::string name = concat("world-", solver.name, ".snapshot");
        return folder.empty() ? folder : (std::filesystem::path(folder) / name).string();
    };
    const portability::WorldRun run =
        portability::run_world(std::string(solver.name), file(options.save), file(options.resume));
    if (!run.error.empty()) return Error{run.error};
    return run.hash;
}

/// Lines "CASE SOLVER HASH" by "CASE SOLVER"; lines that start with # are remarks.
std::map<std::string, std::string> read_expected(const std::string& text) {
    std::map<std::string, std::string> expected;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string scene, solver, hash;
        if (words >> scene >> solver >> hash && scene[0] != '#') expected[scene + " " + solver] = hash;
    }
    return expected;
}

/// Compares hashes with expected ones and prints them.
class Comparison {
public:
    explicit Comparison(const Options& options) : options_(options) {}

    bool is_wanted(const std::string& name) const { return name.find(options_.only) != std::string::npos; }
    void read(const std::string& text) { expected_ = read_expected(text); }
    void add(const std::string& name, const Result<std::string>& hash) {
        const std::string text = hash ? *hash : hash.error().text();
        ++count_;
        const bool is_equal = hash && (options_.expected.empty() || expected_[name] == text);
        different_ += is_equal ? 0 : 1;
        std::printf("%s %s%s\n", name.c_str(), text.c_str(), is_equal ? "" : "  DIFFERENT");
        std::fflush(stdout);
    }
    int finish() const {
        if (!options_.expected.empty() || different_ > 0)
            std::printf("# %d of %d equal\n", count_ - different_, count_);
        return different_ > 0 ? 1 : 0;
    }

private:
    const Options& options_;
    std::map<std::string, std::string> expected_;
    int count_ = 0, different_ = 0;
};

int run(const Options& options) {
    Comparison comparison(options);
    if (!options.expected.empty()) {
        const Result<std::string> text = read_file(options.expected);
        if (!text) return std::fprintf(stderr, "%s\n", text.error().text().c_str()), 2;
        comparison.read(*text);
    }
    for (const Case& scene_case : kCases)
        for (const SolverEntry& solver : solver_catalog()) {
            const std::string name = concat(scene_case.name, " ", solver.name);
            if (comparison.is_wanted(name)) comparison.add(name, hash_of(scene_case, solver, options));
        }
    for (const SolverEntry& solver : solver_catalog()) {
        const std::string name = concat(portability::kWorldCase, " ", solver.name);
        if (portability::runs_in_a_world(std::string(solver.name)) && comparison.is_wanted(name))
            comparison.add(name, hash_of_world(solver, options));
    }
    return comparison.finish();
}

} // namespace
} // namespace selvage

int main(int count, char** words) {
    selvage::Options options;
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k];
        std::string* to = word == "--save"     ? &options.save
                          : word == "--resume" ? &options.resume
                          : word == "--only"   ? &options.only
                                               : &options.expected;
        if (to != &options.expected && ++k == count) {
            std::fprintf(stderr, "%s needs a value\n", word.c_str());
            return 2;
        }
        *to = words[k];
    }
    return selvage::run(options);
}
