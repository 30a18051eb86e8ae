// Measures a GPU: agreement of the device with the CPU, time per step of the spring methods, time
// per frame and stretch of multilevel.
//   cuda_measures agreement [PART] | springs [SOLVER] SIDE... | swing SIDE SUBSTEPS LINEARISATIONS ITERATIONS [SECONDS]
//   cuda_measures pile SIDE GAP_MM SUBSTEPS LINEARISATIONS ITERATIONS [SECONDS]
//   cuda_measures scene NAME SECONDS [/POINTER=VALUE]...
//   cuda_measures host THREADS NAME SECONDS [/POINTER=VALUE]...    the same on the CPU
//   cuda_measures batch SOLVER COUNT...          so many cloths of 1,024 vertices at once
//   cuda_measures cost SIDE...                   what reading the state and hands add to a short frame
//   cuda_measures small [--list | CASE...]       a few frames of every method, for the tools of scripts/cuda_check

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "cuda/cuda_backend.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/simulation.h"
#include "solvers/irregular_square.h"

namespace selvage {

namespace {

template <class T>
T or_exit(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "cuda_measures: %s\n", result.error().text().c_str());
    std::exit(1);
}

Simulation on_host(const SceneDesc& scene, int threads = 1) {
    return or_exit(Simulation::make(scene, threads));
}
Simulation on_device(const SceneDesc& scene) {
    Simulation sim = on_host(scene, 0); // its threads only count
    sim.set_backend(or_exit(cuda::make_cuda_backend(sim)));
    return sim;
}

/// The swing of docs/records/multilevel.md: an irregular square metre held along one edge, let go from the horizontal.
SceneDesc swing(int side, const SolverSettings& solver) {
    SceneDesc scene;
    scene.name = "swing";
    scene.dt = 1.0 / 60.0;
    scene.substeps = 1;
    scene.solver = solver;
    ClothDesc cloth;
    cloth.name = "square";
    cloth.given_mesh = std::make_shared<const GeneratedMesh>(irregular_square(side, 0.25));
    cloth.material = yardstick_fabric();
    cloth.self_collision = false;
    std::vector<int> edge(side);
    for (int i = 0; i < side; ++i)
        edge[i] = i;
    PinDesc pin;
    pin.select = edge;
    cloth.pins.push_back(pin);
    scene.cloths.push_back(cloth);
    return scene;
}

/// Ten sheets, each turned, that fall on the ground one upon the other; SIDE x SIDE vertices in all, with edges as in a
/// square metre of so many.
SceneDesc pile(int side, double gap, const MultilevelSettings& solver) {
    constexpr int kSheets = 10;
    const int own = static_cast<int>(std::lround(side / std::sqrt(static_cast<double>(kSheets))));
    const double edge = 1.0 / (side - 1);
    SceneDesc scene;
    scene.name = "pile";
    scene.dt = 1.0 / 60.0;
    scene.substeps = 1;
    scene.solver = solver;
    for (int k = 0; k < kSheets; ++k) {
        ClothDesc cloth;
        cloth.name = concat("sheet ", k);
        GeneratedMesh mesh = irregular_square(own, 0.25); // a square metre
        const Rotation turn = rotation_from_degrees({0.0, 17.0 * k, 0.0});
        for (Vec3& p : mesh.mesh.positions)
            p = turn * ((own - 1) * edge * (p - Vec3{0.5, 0.0, 0.5})) + Vec3{0.0, 0.002 + gap * (k + 1), 0.0};
        for (Vec2& uv : mesh.mesh.uv)
            uv = {(own - 1) * edge * uv.x, (own - 1) * edge * uv.y};
        cloth.given_mesh = std::make_shared<const GeneratedMesh>(std::move(mesh));
        cloth.material = yardstick_fabric();
        cloth.material.friction = 0.3;
        cloth.contact_distance = 0.00125;
        scene.cloths.push_back(cloth);
    }
    ColliderDesc ground;
    ground.shape = Plane{};
    ground.thickness = 0.001;
    scene.colliders.push_back(ground);
    return scene;
}

double farthest_apart(const ClothState& a, const ClothState& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.position.size(); ++i)
        most = std::max(most, length(a.position[i] - b.position[i]));
    return most;
}

/// How far apart positions may be after 1, 10 and 100 steps [m].
using Bounds = std::array<double, 3>;
constexpr Bounds kOfFloats{1e-7, 1e-6, 2e-5}; // see tests/cuda/cuda_agreement_test.cpp
// Two iterations leave much of a frame's linear systems undone, and on either side something else of it: these bounds
// only say that it is the same cloth.
constexpr Bounds kOfUnfinishedSolves{1e-3, 5e-2, 0.5};
constexpr Bounds kOfFinishedSolves{1e-6, 5e-6, 2e-4}; // ten times what the emulated device shows

/// Whether the device stays within the bounds of the CPU and gives the same bits twice.
bool measure_agreement(const char* name, const SceneDesc& scene, const Bounds& bounds) {
    Simulation host = on_host(scene), device = on_device(scene), again = on_device(scene);
    std::printf("| %s | %d |", name, host.model().vertex_count());
    constexpr std::array<int, 3> kSteps{1, 10, 100};
    bool is_near = true;
    int done = 0;
    for (std::size_t k = 0; k < kSteps.size(); ++k) {
        for (; done < kSteps[k]; ++done) {
            host.step_frame();
            device.step_frame();
            again.step_frame();
        }
        const double apart = farthest_apart(host.state(), device.state());
        const bool is_within = apart <= bounds[k]; // not so where it is no number
        std::printf(" %.2e%s |", apart, is_within ? "" : " FAR");
        std::fflush(stdout);
        is_near = is_near && is_within;
    }
    const bool is_same = state_hash(device.state()) == state_hash(again.state());
    std::printf(" %s |\n", is_same ? "same" : "DIFFERENT");
    if (device.divergence()) std::printf("%s\n", device.divergence()->text().c_str());
    std::fflush(stdout);
    return is_near && is_same && !device.divergence();
}

SceneDesc builtin(const std::string& name, const std::vector<std::string>& overrides) {
    return or_exit(load_scene(name, overrides));
}

const std::vector<std::string> kWind{"/air={\"density\":1.2,\"wind\":{\"velocity\":[1,3,0],\"gust\":0.3}}",
                                     "/velocity_damping=0.5"};

std::vector<std::string> in_wind(std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), kWind.begin(), kWind.end());
    return overrides;
}

/// Of the cases whose names contain `part`.
bool agreement(const std::string& part) {
    std::printf("| case | vertices | 1 step [m] | 10 | 100 | twice |\n|---|---|---|---|---|---|\n");
    bool all = true;
    const auto add = [&](const std::string& name, const SceneDesc& scene, const Bounds& bounds) {
        if (name.find(part) != std::string::npos) all = measure_agreement(name.c_str(), scene, bounds) && all;
    };
    const auto springs = [&](const char* name, const std::vector<std::string>& overrides) {
        add(name, builtin("kang-table", overrides), kOfFloats);
    };
    const auto sheet = [&](const char* name, std::vector<std::string> overrides) {
        overrides.insert(overrides.begin(), "/cloths/0/self_collision=false");
        add(name, builtin("yard-hang", overrides), kOfUnfinishedSolves);
    };
    springs("implicit-jacobi", {});
    springs("harmonic", {"/solver={\"type\":\"harmonic\"}"});
    // At the scene's own 1/150 s this one diverges, on the CPU too.
    springs("harmonic-published", {"/solver={\"type\":\"harmonic-published\"}", "/dt=1/600"});
    springs("implicit-jacobi, 3 sweeps, mean velocity",
            {"/solver={\"type\":\"implicit-jacobi\",\"sweeps\":3,\"position_update\":\"mean\"}"});
    springs("implicit-jacobi, gusts", in_wind({"/dt=1/600"}));
    springs("harmonic, nothing held", {"/solver={\"type\":\"harmonic\"}", "/cloths/0/pins=[]"});
    springs("implicit-jacobi, nothing held", {"/cloths/0/pins=[]"});
    MultilevelSettings solved; // until nothing is left but rounding
    solved.substeps = 1;
    solved.iterations = 8;
    SceneDesc short_steps = swing(17, solved);
    short_steps.dt = 1.0 / 240.0;
    add("multilevel, solved", short_steps, kOfFinishedSolves);
    add("multilevel, irregular", swing(33, MultilevelSettings{}), kOfUnfinishedSolves);
    sheet("multilevel, yard-hang", {});
    sheet("multilevel, damped, gusts", in_wind({"/cloths/0/fabric/damping=0.002"}));
    sheet("multilevel, nothing held", in_wind({"/cloths/0/pins=[]"}));
    add("multilevel, springs", builtin("kang-table", {"/solver={\"type\":\"multilevel\"}"}), kOfUnfinishedSolves);
    return all;
}

/// Small enough for a tool that is a hundred times as slow, and together they launch every kernel.
struct SmallCase {
    std::string name; // one word
    std::function<SceneDesc()> scene;
};

std::vector<SmallCase> small_cases() {
    std::vector<SmallCase> cases;
    const std::string side = "/cloths/0/mesh/grid/vertices=[17,17]";
    const auto springs = [&](const std::string& name, std::vector<std::string> overrides) {
        overrides.push_back(side);
        cases.push_back({name, [=] { return builtin("kang-table", overrides); }});
    };
    for (const char* solver : {"harmonic", "harmonic-published", "implicit-jacobi"}) {
        const std::string type = concat("/solver={\"type\":\"", solver, "\"}");
        springs(solver, {type});
        springs(concat(solver, "-gusts"), in_wind({type}));
        springs(concat(solver, "-free"), {type, "/cloths/0/pins=[]"});
    }
    springs("implicit-jacobi-sweeps", {"/solver={\"type\":\"implicit-jacobi\",\"sweeps\":3}"});
    const auto sheet = [&](const std::string& name, std::vector<std::string> overrides) {
        overrides.insert(overrides.end(), {side, "/cloths/0/self_collision=false"});
        cases.push_back({name, [=] { return builtin("yard-hang", overrides); }});
    };
    sheet("multilevel", {});
    sheet("multilevel-gusts", in_wind({"/cloths/0/fabric/damping=0.002"}));
    sheet("multilevel-free", {"/cloths/0/pins=[]"});
    springs("multilevel-springs", {"/solver={\"type\":\"multilevel\"}"});
    const auto in_contact = [&](const std::string& name, const std::string& scene, int vertices) {
        cases.push_back({name, [=] {
                             return builtin(scene,
                                            {concat("/cloths/0/mesh/grid/vertices=[", vertices, ",", vertices, "]"),
                                             "/solver={\"type\":\"multilevel\",\"substeps\":2}"});
                         }});
    };
    cases.push_back({"contact-pile", [] {
                         MultilevelSettings solver;
                         solver.substeps = 2;
                         return pile(24, 0.002, solver);
                     }});
    in_contact("contact-sphere", "yard-drape", 17);
    in_contact("contact-moving-mesh", "moving-mesh", 17);
    for (const char* solver : {"harmonic", "implicit-jacobi"})
        cases.push_back({concat("contact-", solver), [=] {
                             return builtin("yard-drape", {"/cloths/0/mesh/grid/vertices=[17,17]", "/substeps=4",
                                                           concat("/solver={\"type\":\"", solver, "\"}")});
                         }});
    cases.push_back({"multilevel-irregular", [] { return swing(17, MultilevelSettings{}); }});
    cases.push_back({"multilevel-levels", [] { return swing(72, MultilevelSettings{}); }}); // more than one block holds
    return cases;
}

/// Whether the cloth is well after a few frames, with a hand that comes and goes.
bool run_small(const SmallCase& small) {
    Simulation sim = on_device(small.scene());
    const int vertex = sim.model().vertex_count() / 2;
    constexpr int kFrames = 4;
    for (int frame = 0; frame < kFrames; ++frame) {
        if (frame == 1) sim.grab(vertex, sim.state().position[vertex] + Vec3{0.0, 0.001, 0.0});
        if (frame == 2) sim.release(vertex);
        sim.step_frame();
    }
    const std::string end = sim.divergence() ? sim.divergence()->text() : hex(state_hash(sim.state()));
    std::printf("| %s | %d | %s |\n", small.name.c_str(), sim.model().vertex_count(), end.c_str());
    std::fflush(stdout);
    return !sim.divergence();
}

/// The exit code.
int run_small_cases(const std::vector<std::string>& names) {
    int code = 0;
    for (const std::string& name : names) {
        const std::vector<SmallCase> cases = small_cases();
        const auto found = std::find_if(cases.begin(), cases.end(), [&](const SmallCase& c) { return c.name == name; });
        if (found == cases.end()) {
            std::fprintf(stderr, "cuda_measures: no case \"%s\"; see: cuda_measures small --list\n", name.c_str());
            return 2;
        }
        if (!run_small(*found)) code = 1;
    }
    return code;
}

void springs(int side, const std::string& only) {
    for (const std::string solver : {"implicit-jacobi", "harmonic", "harmonic-published"}) {
        if (!only.empty() && solver != only) continue;
        constexpr int kSteps = 200;
        SceneDesc scene = builtin("kang-table", {concat("/solver={\"type\":\"", solver, "\"}"),
                                                 concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]"),
                                                 "/cloths/0/net={\"structural\":true,\"shear\":true,\"bend\":true,"
                                                 "\"stiffness_times_length\":0.03}",
                                                 "/gravity=[0,-0.01,0]"}); // it shall look like cloth at the end
        scene.dt = kSteps / 600.0;
        scene.substeps = kSteps;
        Simulation sim = on_device(scene);
        std::vector<double> us;
        for (int frame = 0; frame < 12; ++frame) {
            const Stopwatch clock;
            sim.step_frame();
            if (frame > 1) us.push_back(1e3 * clock.ms() / kSteps);
            if (sim.divergence()) break;
        }
        std::printf("| %s | %d | %.2f | %.1f %% | %s |\n", solver.c_str(), sim.model().vertex_count(),
                    percentile(us, 50.0), 100.0 * measure_strain(sim.model(), sim.state()).max,
                    sim.divergence() ? sim.divergence()->text().c_str() : hex(state_hash(sim.state())).c_str());
        std::fflush(stdout);
    }
}

void run_swing(int side, int substeps, int linearisations, int iterations, double seconds) {
    MultilevelSettings settings;
    settings.substeps = substeps;
    settings.linearisations = linearisations;
    settings.iterations = iterations;
    settings.compression = 1.0;
    const Stopwatch set_up;
    Simulation sim = on_device(swing(side, settings));
    const double set_up_s = set_up.seconds();
    const ThreadGauge gauge(sim.model());
    double worst = 0.0, rms = 0.0, lowest = 0.0;
    std::vector<double> ms;
    const int frames = static_cast<int>(seconds * 60.0 + 0.5);
    for (int f = 0; f < frames && !sim.divergence(); ++f) {
        const Stopwatch clock;
        sim.step_frame();
        if (f > 1) ms.push_back(clock.ms());
        const ThreadStrain strain = gauge.measure(sim.state().position);
        worst = std::max(worst, strain.max);
        rms = std::max(rms, strain.rms);
    }
    for (const Vec3& p : sim.state().position)
        lowest = std::min(lowest, p.y);
    std::printf("| %d | %d x %d x %d | %.3f | %.1f | %.3f %% | %.3f %% | %.4f | %.1f | %s |\n", side * side, substeps,
                linearisations, iterations, percentile(ms, 50.0), 1e3 * percentile(ms, 50.0) / substeps, 100.0 * worst,
                100.0 * rms, lowest, set_up_s,
                sim.divergence() ? sim.divergence()->text().c_str() : hex(state_hash(sim.state())).c_str());
    std::fflush(stdout);
}

/// Time, stretch and crossings of a scene with contact, every frame looked at.
void run_contact(const std::string& name, Simulation sim, double seconds) {
    const SceneDesc& scene = sim.scene();
    const ThreadGauge gauge(sim.model());
    CrossingCounter counter;
    ContactStats stats;
    std::string first;
    int crossed = 0, frames = 0;
    double worst = 0.0, rms = 0.0, worst_late = 0.0, deepest = 0.0;
    std::vector<double> ms;
    const int most = static_cast<int>(std::lround(seconds / scene.dt));
    for (; frames < most && !sim.divergence(); ++frames) {
        const Stopwatch clock;
        sim.step_frame();
        if (frames > 1) ms.push_back(clock.ms());
        stats += sim.contact_stats();
        const ThreadStrain strain = gauge.measure(sim.state().position);
        worst = std::max(worst, strain.max);
        rms = std::max(rms, strain.rms);
        if ((frames + 1) * scene.dt > seconds - 1.0) worst_late = std::max(worst_late, strain.max);
        deepest = std::max(deepest, deepest_penetration(sim.pool(), sim.colliders(), sim.state().position));
        if (const std::optional<std::string> crossing = first_crossing(sim, counter)) {
            ++crossed;
            if (first.empty()) first = *crossing;
        }
    }
    const double n = sim.model().vertex_count();
    std::printf(
        "| %s | %.0f | %.3f | %.3f | %.3f %% | %.3f %% | %.4f %% | %d of %d | %.2f | %.4f %% | %.1f | %lld | %lld "
        "| %.3f | %s |\n",
        name.c_str(), n, percentile(ms, 50.0), percentile(ms, 95.0), 100.0 * worst, 100.0 * worst_late, 100.0 * rms,
        crossed, frames, static_cast<double>(stats.contacts) / n / frames,
        100.0 * static_cast<double>(stats.truncated) / n / frames, static_cast<double>(stats.rounds) / frames,
        static_cast<long long>(stats.conflicts), static_cast<long long>(stats.overflows), 1e3 * deepest,
        sim.divergence() ? sim.divergence()->text().c_str()
        : first.empty()  ? hex(state_hash(sim.state())).c_str()
                         : first.c_str());
    std::fflush(stdout);
}

/// Many small cloths at once: steps of all of them per second.
void run_batch(const std::string& solver, int count) {
    constexpr int kSteps = 20, kFrames = 12;
    SceneDesc scene = builtin("yard-hang", {concat("/solver={\"type\":\"", solver, "\"}"),
                                            "/cloths/0/mesh/grid/vertices=[32,32]", "/cloths/0/self_collision=false"});
    for (int k = 1; k < count; ++k) {
        scene.cloths.push_back(scene.cloths[0]);
        scene.cloths.back().name = concat("cloth ", k);
    }
    scene.substeps = kSteps;
    if (auto* multilevel = std::get_if<MultilevelSettings>(&scene.solver)) {
        multilevel->substeps = 1;
        multilevel->linearisations = multilevel->iterations = 2;
    }
    Simulation sim = on_device(scene);
    std::vector<double> ms;
    for (int frame = 0; frame < kFrames && !sim.divergence(); ++frame) {
        const Stopwatch clock;
        sim.step_frame();
        if (frame > 1) ms.push_back(clock.ms());
    }
    const double median = percentile(ms, 50.0);
    std::printf("| %s | %d | %.3f | %.0f | %s |\n", solver.c_str(), count, median, 1e3 * kSteps * count / median,
                sim.divergence() ? sim.divergence()->text().c_str() : hex(state_hash(sim.state())).c_str());
    std::fflush(stdout);
}

/// What a frame of ten steps costs by itself, and with what a caller may ask for around it.
void run_cost(int side) {
    constexpr int kFrames = 200;
    for (const char* what : {"nothing", "the state is read", "a hand moves", "a hand comes or goes"}) {
        const std::string task = what;
        Simulation sim =
            on_device(builtin("kang-table", {"/solver={\"type\":\"harmonic\"}", "/dt=1/60", "/substeps=10",
                                             concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]")}));
        const int vertex = sim.model().vertex_count() / 2;
        const Vec3 start = sim.state().position[vertex];
        double sum = 0.0;
        std::vector<double> us;
        for (int frame = 0; frame < kFrames && !sim.divergence(); ++frame) {
            const Stopwatch clock;
            if (task == "a hand moves") sim.grab(vertex, start + Vec3{0.0, 1e-5 * frame, 0.0});
            if (task == "a hand comes or goes" && frame % 2 == 0) sim.grab(vertex, start);
            if (task == "a hand comes or goes" && frame % 2 == 1) sim.release(vertex);
            sim.step_frame();
            if (task == "the state is read") sum += sim.state().position[vertex].y;
            if (frame > 9) us.push_back(1e3 * clock.ms());
        }
        std::printf("| %s | %d | %.1f | %.1f | %s |\n", what, side * side, percentile(us, 50.0), percentile(us, 95.0),
                    sim.divergence() ? sim.divergence()->text().c_str()
                    : sum < 1e9      ? "well"
                                     : "far away");
        std::fflush(stdout);
    }
}

} // namespace

int measure(int count, char** argument) {
    const std::string what = count > 1 ? argument[1] : "";
    const auto number = [&](int k, double otherwise) { return k < count ? std::atof(argument[k]) : otherwise; };
    const std::vector<std::string> words(argument + std::min(count, 2), argument + count);
    if (what == "small" && words == std::vector<std::string>{"--list"}) {
        for (const SmallCase& small : small_cases())
            std::printf("%s\n", small.name.c_str());
        return 0;
    }
    std::printf("%s\n", cuda::describe_device().c_str());
    if (what == "agreement") return agreement(words.empty() ? "" : words[0]) ? 0 : 1;
    if (what == "small") {
        std::vector<std::string> names = words;
        for (const SmallCase& small : small_cases())
            if (words.empty()) names.push_back(small.name);
        return run_small_cases(names);
    }
    if (what == "springs") {
        const bool has_solver = !words.empty() && std::isdigit(words[0][0]) == 0;
        for (int k = has_solver ? 3 : 2; k < count; ++k)
            springs(static_cast<int>(number(k, 0)), has_solver ? words[0] : "");
    } else if (what == "swing" && count >= 6) {
        run_swing(static_cast<int>(number(2, 0)), static_cast<int>(number(3, 0)), static_cast<int>(number(4, 0)),
                  static_cast<int>(number(5, 0)), number(6, 1.0));
    } else if (what == "pile" && count >= 7) {
        MultilevelSettings solver;
        solver.substeps = static_cast<int>(number(4, 0));
        solver.linearisations = static_cast<int>(number(5, 0));
        solver.iterations = static_cast<int>(number(6, 0));
        solver.compression = 1.0;
        run_contact(concat("pile ", argument[3], " mm ", argument[4], "x", argument[5], "x", argument[6]),
                    on_device(pile(static_cast<int>(number(2, 0)), 1e-3 * number(3, 2), solver)), number(7, 1.0));
    } else if (what == "scene" && count >= 4) {
        run_contact(argument[2], on_device(builtin(argument[2], {words.begin() + 2, words.end()})), number(3, 1.0));
    } else if (what == "host" && count >= 5) {
        run_contact(concat(argument[3], ", ", argument[2], " threads"),
                    on_host(builtin(argument[3], {words.begin() + 3, words.end()}), static_cast<int>(number(2, 1))),
                    number(4, 1.0));
    } else if (what == "batch" && count >= 4) {
        for (int k = 3; k < count; ++k)
            run_batch(argument[2], static_cast<int>(number(k, 1)));
    } else if (what == "cost" && count >= 3) {
        for (int k = 2; k < count; ++k)
            run_cost(static_cast<int>(number(k, 2)));
    } else {
        std::fprintf(
            stderr,
            "usage: cuda_measures agreement [PART] | springs [SOLVER] SIDE... | swing SIDE SUBSTEPS LINEARISATIONS "
            "ITERATIONS [SECONDS]\n  | pile SIDE GAP_MM SUBSTEPS LINEARISATIONS ITERATIONS [SECONDS] "
            "| scene NAME SECONDS [/POINTER=VALUE]...\n  | host THREADS NAME SECONDS [/POINTER=VALUE]... | "
            "batch SOLVER COUNT... | cost SIDE... | small [--list | CASE...]\n");
        return 2;
    }
    return 0;
}

} // namespace selvage

int main(int count, char** argument) {
    return selvage::measure(count, argument);
}
