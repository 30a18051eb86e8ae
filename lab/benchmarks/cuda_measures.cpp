// Measures a GPU: agreement of the device with the CPU, time per step of the spring methods, time
// per frame and stretch of multilevel, alone and in contact.
//   cuda_measures agreement | springs SIDE... | swing SIDE SUBSTEPS LINEARISATIONS ITERATIONS [SECONDS]
//     | pile SIDE GAP_MM SUBSTEPS LINEARISATIONS ITERATIONS [SECONDS] | scene NAME SECONDS [/POINTER=VALUE]...

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

double farthest_apart(const ClothState& a, const ClothState& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.position.size(); ++i)
        most = std::max(most, length(a.position[i] - b.position[i]));
    return most;
}

void measure_agreement(const char* name, const SceneDesc& scene) {
    Simulation host = on_host(scene), device = on_device(scene), again = on_device(scene);
    std::printf("| %s | %d |", name, host.model().vertex_count());
    int done = 0;
    for (const int steps : {1, 10, 100}) {
        for (; done < steps; ++done) {
            host.step_frame();
            device.step_frame();
            again.step_frame();
        }
        std::printf(" %.2e |", farthest_apart(host.state(), device.state()));
    }
    std::printf(" %s |\n", state_hash(device.state()) == state_hash(again.state()) ? "same" : "DIFFERENT");
    std::fflush(stdout);
}

SceneDesc builtin(const std::string& name, const std::vector<std::string>& overrides) {
    return or_exit(load_scene(name, overrides));
}

void agreement() {
    std::printf("| case | vertices | 1 step [m] | 10 | 100 | twice |\n|---|---|---|---|---|---|\n");
    for (const char* solver : {"implicit-jacobi", "harmonic", "harmonic-published"})
        measure_agreement(solver, builtin("kang-table", {concat("/solver={\"type\":\"", solver, "\"}")}));
    measure_agreement("implicit-jacobi, 3 sweeps, mean velocity",
                      builtin("kang-table", {"/solver={\"type\":\"implicit-jacobi\",\"sweeps\":3,"
                                             "\"position_update\":\"mean\"}"}));
    const std::vector<std::string> wind{"/air={\"density\":1.2,\"wind\":{\"velocity\":[1,3,0],\"gust\":0.3}}",
                                        "/velocity_damping=0.5"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), wind.begin(), wind.end());
        return more;
    };
    measure_agreement("implicit-jacobi, gusts", builtin("kang-table", with({})));
    measure_agreement("harmonic, nothing held",
                      builtin("kang-table", {"/solver={\"type\":\"harmonic\"}", "/cloths/0/pins=[]"}));
    measure_agreement("implicit-jacobi, nothing held", builtin("kang-table", {"/cloths/0/pins=[]"}));
    measure_agreement("multilevel, irregular", swing(33, MultilevelSettings{}));
    measure_agreement("multilevel, yard-hang", builtin("yard-hang", {"/cloths/0/self_collision=false"}));
    measure_agreement("multilevel, damped, gusts",
                      builtin("yard-hang", with({"/cloths/0/self_collision=false", "/cloths/0/fabric/damping=0.002"})));
    measure_agreement("multilevel, nothing held",
                      builtin("yard-hang", with({"/cloths/0/self_collision=false", "/cloths/0/pins=[]"})));
    measure_agreement("multilevel, springs", builtin("kang-table", {"/solver={\"type\":\"multilevel\"}"}));
}

void springs(int side) {
    for (const char* solver : {"implicit-jacobi", "harmonic", "harmonic-published"}) {
        constexpr int kSteps = 200;
        SceneDesc scene = builtin("kang-table", {concat("/solver={\"type\":\"", solver, "\"}"),
                                                 concat("/cloths/0/mesh/grid/vertices=[", side, ",", side, "]"),
                                                 "/cloths/0/net={\"structural\":true,\"shear\":true,\"bend\":true,"
                                                 "\"stiffness_times_length\":0.03}"});
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
        std::printf("| %s | %d | %.2f | %.1f %% | %s |\n", solver, sim.model().vertex_count(), percentile(us, 50.0),
                    100.0 * measure_strain(sim.model(), sim.state()).max,
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

/// Time, stretch and crossings of a scene with contact, every frame looked at.
void run_contact(const std::string& name, const SceneDesc& scene, double seconds) {
    Simulation sim = on_device(scene);
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

} // namespace

int measure(int count, char** argument) {
    const std::string what = count > 1 ? argument[1] : "";
    const auto number = [&](int k, double otherwise) { return k < count ? std::atof(argument[k]) : otherwise; };
    std::printf("%s\n", cuda::describe_device().c_str());
    if (what == "agreement") {
        agreement();
    } else if (what == "springs") {
        for (int k = 2; k < count; ++k)
            springs(static_cast<int>(number(k, 0)));
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
                    pile(static_cast<int>(number(2, 0)), 1e-3 * number(3, 2), solver), number(7, 1.0));
    } else if (what == "scene" && count >= 4) {
        const std::vector<std::string> overrides(argument + 4, argument + count);
        run_contact(argument[2], builtin(argument[2], overrides), number(3, 1.0));
    } else {
        std::fprintf(stderr, "usage: cuda_measures agreement | springs SIDE... | swing SIDE SUBSTEPS LINEARISATIONS "
                             "ITERATIONS [SECONDS]\n  | pile SIDE GAP_MM SUBSTEPS LINEARISATIONS ITERATIONS [SECONDS] "
                             "| scene NAME SECONDS [/POINTER=VALUE]...\n");
        return 2;
    }
    return 0;
}

} // namespace selvage

int main(int count, char** argument) {
    return selvage::measure(count, argument);
}
