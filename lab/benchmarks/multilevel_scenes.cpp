// Scenes that are hard for a solver for different reasons, at the default setting and solved much further at the same
// ten small steps per frame: the table of docs/records/multilevel.md. Usage: multilevel_scenes [POINTS [SCENE...]]
// Fabric 5000 N/m, shear 300 N/m, B = 1e-5 N m, 0.2 kg/m2, no damping, `compression` 1; no contact but the disc's and
// the tunic's.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <string>

#include "geometry/mesh_export.h"
#include "model/bare_net.h"
#include "model/measures.h"
#include "sim/simulation.h"
#include "solvers/irregular_square.h"
#include "solvers/multilevel.h"

namespace {

using namespace selvage;

constexpr int kSteps = 10; // small steps per frame

struct Setting {
    const char* name;
    int linearisations, iterations; // 0: as the quality has it
};

struct Tally {
    double worst = 0.0, p999 = 0.0, squares = 0.0, cpu_ms = 0.0, wall_ms = 0.0;
    double assembly = 0.0, galerkin = 0.0, cycle = 0.0, cg = 0.0; // [ms]
    double solver = 0.0, contact = 0.0;                           // [ms], where there is contact
    int frames = 0;

    void add(const ThreadStrain& strain) {
        worst = std::max(worst, strain.max);
        p999 = std::max(p999, strain.p999);
        squares += strain.rms * strain.rms;
        ++frames;
    }
    void print(const std::string& scene, int points, const char* setting) const {
        const double n = frames;
        std::printf("| %s | %d | %s | %.2f / %.2f / %.4f | %.1f |", scene.c_str(), points, setting, 100 * worst,
                    100 * p999, 100 * std::sqrt(squares / n), cpu_ms / n);
        if (wall_ms > 0.0) {
            const double scale = cpu_ms / wall_ms / n; // phases by the wall clock, scaled to processor time
            std::printf(" %.1f + %.1f + %.1f + %.1f |", scale * assembly, scale * galerkin, scale * cycle, scale * cg);
        } else {
            const double scale = cpu_ms / (solver + contact) / n;
            std::printf(" solver %.1f, contact %.1f |", scale * solver, scale * contact);
        }
        std::printf("\n");
        std::fflush(stdout);
    }
};

MultilevelSettings settings_of(const Setting& setting) {
    MultilevelSettings s;
    s.substeps = kSteps;
    s.linearisations = setting.linearisations;
    s.iterations = setting.iterations;
    s.compression = 1.0;
    return s;
}

/// Where held points are at a time; called once per frame.
using Hold = std::function<void(double time, const ClothModel& model, Hands& hands)>;

Tally run(const GeneratedMesh& mesh, const Setting& setting, int frames, const Hold& hold, int* points) {
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model({{"cloth", mesh, yardstick_fabric(), {}}}, warnings);
    *points = model.vertex_count();
    ThreadPool pool(1);
    MultilevelSolver solver(model, settings_of(setting), pool);
    const ThreadGauge gauge(model);
    ClothState state = at_rest(model);
    Tally tally;
    for (int k = 1; k <= frames; ++k) {
        Hands hands(model.vertex_count());
        hold(k / 60.0, model, hands);
        const std::clock_t before = std::clock();
        tally.wall_ms += solver.step(state, hands.input(1.0 / 60.0, {0, -9.81, 0})).ms;
        tally.cpu_ms += 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        tally.add(gauge.measure(state.position));
        const MultilevelStats& s = solver.stats();
        tally.assembly += s.assemble_ms;
        tally.galerkin += s.coarsen_ms;
        tally.cycle += s.cycle_ms;
        tally.cg += s.cg_ms;
    }
    return tally;
}

/// Rings about the y axis, `around` points each; straight = a tube of one radius, else flat between two radii. The uv
/// are per corner: the seam is welded, and the panel's two ends meet there.
GeneratedMesh rings(int around, int along, double inner, double outer, double height) {
    GeneratedMesh g;
    TriangleMesh& m = g.mesh;
    for (int j = 0; j < along; ++j) {
        const double fraction = static_cast<double>(j) / (along - 1), radius = inner + fraction * (outer - inner);
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * std::numbers::pi * (i + 0.5 * (j % 2)) / around;
            m.positions.emplace_back(radius * std::cos(angle), -height * fraction, radius * std::sin(angle));
        }
    }
    // A tube's panel runs around it; a flat ring is cut from a square of cloth.
    const auto uv_of = [&](int i, int j) {
        const double fraction = static_cast<double>(j) / (along - 1), radius = inner + fraction * (outer - inner);
        const double turn = 2.0 * std::numbers::pi * (i + 0.5 * (j % 2)) / around;
        return height > 0.0 ? Vec2{inner * turn, height * fraction}
                            : Vec2{radius * std::cos(turn), radius * std::sin(turn)};
    };
    const auto add = [&](const std::array<std::array<int, 2>, 3>& corner) { // (i, j), i past the seam for its uv
        Triangle t{}, c{};
        for (int k = 0; k < 3; ++k) {
            t[k] = corner[k][1] * around + corner[k][0] % around;
            c[k] = static_cast<int>(m.uv.size());
            m.uv.push_back(uv_of(corner[k][0], corner[k][1]));
        }
        m.triangles.push_back(t);
        m.uv_triangles.push_back(c);
    };
    for (int j = 0; j + 1 < along; ++j)
        for (int i = 0; i < around; ++i) {
            if (j % 2 == 0) {
                add({{{i, j}, {i + 1, j}, {i, j + 1}}});
                add({{{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}});
            } else {
                add({{{i, j}, {i + 1, j}, {i + 1, j + 1}}});
                add({{{i, j}, {i + 1, j + 1}, {i, j + 1}}});
            }
        }
    return g;
}

/// A cloth of the yardstick's fabric among solids; contact takes part in each of the ten steps, and follows it.
SceneDesc contact_scene(const char* name, const Setting& setting) {
    SceneDesc scene;
    scene.name = name;
    scene.dt = 1.0 / 60.0;
    scene.substeps = kSteps;
    MultilevelSettings s = settings_of(setting);
    s.substeps = 1;
    scene.solver = s;
    scene.cloths.resize(1);
    ClothDesc& cloth = scene.cloths[0];
    cloth.name = name;
    cloth.material = yardstick_fabric();
    cloth.inline_fabric = true;
    scene.colliders.resize(1);
    return scene;
}

/// `before_step(sim, time)` with the time that the step ends at [s]; frames before `first` are not counted.
Tally run_scene(const SceneDesc& scene, int first, int frames,
                const std::function<void(Simulation& sim, double time)>& before_step, int* points) {
    Result<Simulation> sim = Simulation::make(scene, 1);
    if (!sim) {
        std::fprintf(stderr, "%s\n", sim.error().text().c_str());
        std::exit(1);
    }
    *points = sim->model().vertex_count();
    const ThreadGauge gauge(sim->model());
    Tally tally;
    for (int k = 0; k < frames; ++k) {
        const std::clock_t before = std::clock();
        sim->step_frame([&](double fraction) {
            if (before_step) before_step(*sim, (k + fraction) * scene.dt);
        });
        if (k < first) continue;
        tally.cpu_ms += 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        tally.add(gauge.measure(sim->state().position));
        const ContactStats& c = sim->contact_stats();
        tally.solver += c.solver_ms;
        tally.contact += c.search_ms + c.narrow_ms + c.response_ms;
    }
    return tally;
}

Tally disc_on_ball(int points_wanted, const Setting& setting, int* points) {
    SceneDesc scene = contact_scene("disc", setting);
    DiscDesc disc;
    disc.rings = static_cast<int>(std::lround(std::sqrt(points_wanted / 3.0)));
    scene.cloths[0].mesh = disc;
    scene.cloths[0].place.rotate_deg = {-90, 0, 0};
    scene.cloths[0].place.translate = {0, 0.3, 0};
    scene.colliders[0].shape = Sphere{0.25};
    return run_scene(scene, 0, 60, {}, points);
}

/// Front and back, 0.6 m wide and high, welded at the sides up to two thirds and at the shoulders, with a neck, arm
/// holes and a hem. At the start they gape by at most 3 cm each; the uv are those of the flat panels.
TriangleMesh tunic(int side) {
    constexpr double kSize = 0.6, kArms = 0.65, kNeck = 0.17,
                     kNeckDepth = 0.15; // the last three as fractions of the size
    const TriangleMesh panel = irregular_square(side, 0.25).mesh;
    const auto is_welded = [&](int v) {
        const int i = v % side, j = v / side;
        const Vec2& p = panel.uv[v];
        return ((i == 0 || i == side - 1) && p.y <= kArms) || (j == side - 1 && std::abs(p.x - 0.5) >= kNeck);
    };
    const auto gape = [&](const Vec2& p) { // twice the distance from what is welded, up to 1
        const double sides = std::hypot(std::min(p.x, 1.0 - p.x), std::max(0.0, p.y - kArms));
        const double shoulder = std::hypot(std::max(0.0, kNeck - std::abs(p.x - 0.5)), 1.0 - p.y);
        return std::min(1.0, 2.0 * std::min(sides, shoulder));
    };
    TriangleMesh out;
    const int n = static_cast<int>(panel.uv.size());
    std::vector<int> vertex(2 * n, -1); // of the front and of the back
    for (const int sign : {1, -1})
        for (Triangle t : panel.triangles) {
            const Vec2 middle{(panel.uv[t[0]].x + panel.uv[t[1]].x + panel.uv[t[2]].x) / 3.0,
                              (panel.uv[t[0]].y + panel.uv[t[1]].y + panel.uv[t[2]].y) / 3.0};
            if (std::abs(middle.x - 0.5) < kNeck && middle.y > 1.0 - kNeckDepth) continue;
            if (sign < 0) std::swap(t[1], t[2]);
            Triangle own{}, corner{};
            for (int k = 0; k < 3; ++k) {
                const Vec2& p = panel.uv[t[k]];
                int& at = vertex[sign < 0 && !is_welded(t[k]) ? n + t[k] : t[k]];
                if (at < 0) {
                    at = static_cast<int>(out.positions.size());
                    out.positions.emplace_back(kSize * (p.x - 0.5), kSize * p.y,
                                               is_welded(t[k]) ? 0.0 : sign * 0.03 * gape(p));
                }
                own[k] = at;
                corner[k] = static_cast<int>(out.uv.size());
                out.uv.push_back({sign * kSize * (p.x - 0.5), kSize * p.y});
            }
            out.triangles.push_back(own);
            out.uv_triangles.push_back(corner);
        }
    return out;
}

/// Of radius 1: rings of points between two poles.
TriangleMesh ball(int around) {
    TriangleMesh m;
    const int rings = around / 2 - 1;
    m.positions.emplace_back(0, 1, 0);
    for (int j = 0; j < rings; ++j)
        for (int i = 0; i < around; ++i) {
            const double a = std::numbers::pi * (j + 1) / (rings + 1), b = 2.0 * std::numbers::pi * i / around;
            m.positions.emplace_back(std::sin(a) * std::cos(b), std::cos(a), -std::sin(a) * std::sin(b));
        }
    m.positions.emplace_back(0, -1, 0);
    const int last = static_cast<int>(m.positions.size()) - 1;
    for (int i = 0; i < around; ++i) {
        const int next = (i + 1) % around;
        m.triangles.push_back({0, 1 + i, 1 + next});
        for (int j = 0; j + 1 < rings; ++j) {
            const int a = 1 + j * around + i, b = 1 + j * around + next;
            m.triangles.push_back({a, a + around, b});
            m.triangles.push_back({b, a + around, b + around});
        }
        m.triangles.push_back({1 + (rings - 1) * around + i, last, 1 + (rings - 1) * around + next});
    }
    return m;
}

void write(const std::filesystem::path& path, const TriangleMesh& mesh) {
    const ExportPart all{path.stem().string(), 0, static_cast<int>(mesh.positions.size()), 0,
                         static_cast<int>(mesh.triangles.size())};
    std::ofstream(path) << obj_text({&mesh, {all}}, mesh.positions);
}

/// Hangs by two places on its shoulders; after half a second a ball grows in it from 1 to 17 cm within a second.
Tally tunic_round_ball(int points_wanted, const Setting& setting, int* points) {
    const std::filesystem::path directory = std::filesystem::temp_directory_path();
    const TriangleMesh unit = ball(48);
    constexpr double kStart = 0.5, kFirst = 0.01, kLast = 0.17;
    const auto grown = [&](double time) {
        std::vector<Vec3> x = unit.positions;
        const double radius = kFirst + (kLast - kFirst) * std::clamp(time - kStart, 0.0, 1.0);
        for (Vec3& p : x)
            p = Vec3{0, 0.3, 0} + radius * p;
        return x;
    };
    TriangleMesh small = unit;
    small.positions = grown(0.0);
    const std::string name = "selvage-tunic.obj", solid = "selvage-tunic-ball.obj";
    write(directory / name, tunic(static_cast<int>(std::lround(std::sqrt(0.53 * points_wanted)))));
    write(directory / solid, small);
    SceneDesc scene = contact_scene("tunic", setting);
    scene.directory = directory;
    scene.cloths[0].mesh = FileMeshDesc{name};
    for (const double x : {-0.2, 0.2}) {
        PinDesc pin;
        pin.select = BoxDesc{{x - 0.03, 0.599, -0.01}, {x + 0.03, 0.601, 0.01}};
        scene.cloths[0].pins.push_back(pin);
    }
    scene.colliders[0].shape = SolidMeshDesc{FileMeshDesc{solid}};
    const auto grow = [&](Simulation& sim, double time) {
        const Status done = sim.set_collider_points(0, grown(time));
        if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
    };
    const Tally tally = run_scene(scene, 30, 120, grow, points);
    std::filesystem::remove(directory / name);
    std::filesystem::remove(directory / solid);
    return tally;
}

/// Holds the points of the first row, and of the last when `both`, where `place(end, rest position)` says.
auto hold_edges(int side, bool both, const std::function<Vec3(int, const Vec3&)>& place) {
    return [=](double, const ClothModel& model, Hands& hands) {
        for (int i = 0; i < side; ++i) {
            hands.grab(i, place(0, model.mesh.positions[i]));
            const int last = side * (side - 1) + i;
            if (both) hands.grab(last, place(1, model.mesh.positions[last]));
        }
    };
}

auto hold_first_ring(int around) {
    return [around](double, const ClothModel& model, Hands& hands) {
        for (int i = 0; i < around; ++i)
            hands.grab(i, model.mesh.positions[i]);
    };
}

Tally skirt(int wanted, const Setting& setting, int* points) {
    const int around = static_cast<int>(std::lround(std::sqrt(wanted * 4.7))), along = wanted / around;
    return run(rings(around, along, 0.12, 0.6, 0.0), setting, 60, hold_first_ring(around), points);
}

/// Hung by one end from the horizontal: its axis is turned instead of gravity.
Tally hung_tube(int wanted, const Setting& setting, int* points) {
    const int around = static_cast<int>(std::lround(std::sqrt(wanted * 0.8))), along = wanted / around;
    GeneratedMesh tube = rings(around, along, 0.8 / (2.0 * std::numbers::pi), 0.8 / (2.0 * std::numbers::pi), 1.0);
    for (Vec3& p : tube.mesh.positions)
        p = {-p.y, p.x, p.z};
    return run(tube, setting, 42, hold_first_ring(around), points);
}

/// Hangs by two patches of 4 cm; one moves half a metre in three frames.
Tally yank(const GeneratedMesh& square, const Setting& setting, int* points) {
    const auto hold = [](double time, const ClothModel& model, Hands& hands) {
        const double fraction = std::clamp((time - 0.5) / 0.05, 0.0, 1.0);
        for (int i = 0; i < model.vertex_count(); ++i) {
            const Vec3& p = model.mesh.positions[i];
            if (p.z > 0.04) continue;
            if (p.x < 0.04) hands.grab(i, p);
            if (p.x > 0.96) hands.grab(i, p + fraction * Vec3{-0.3, 0.3, 0.25});
        }
    };
    return run(square, setting, 60, hold, points);
}

/// One edge turns by 1.8 rad within a second and comes nearer, so that the straight lines along the sides keep their
/// length: (angle/2)^2 + distance^2 = 1. The cloth between them has too much length and wrinkles.
Tally twist(const GeneratedMesh& square, int side, const Setting& setting, int* points) {
    const auto hold = [side](double time, const ClothModel& model, Hands& hands) {
        const double a = 1.8 * std::min(time, 1.0), distance = std::sqrt(1 - 0.25 * a * a);
        hold_edges(side, true, [a, distance](int end, const Vec3& p) {
            const double x = p.x - 0.5;
            return end == 0 ? p : Vec3{0.5 + std::cos(a) * x, std::sin(a) * x, distance};
        })(time, model, hands);
    };
    return run(square, setting, 60, hold, points);
}

} // namespace

int main(int count, char** argument) {
    const int wanted = count > 1 ? std::atoi(argument[1]) : 1024;
    if (wanted < 64) {
        std::fprintf(stderr,
                     "usage: multilevel_scenes [POINTS [SCENE...]]; POINTS from 64 on; scenes: swing skirt tube "
                     "tunic disc yank twist\n");
        return 2;
    }
    const auto chosen = [&](const char* scene) {
        return count < 3 ||
               std::any_of(argument + 2, argument + count, [&](const char* a) { return std::string(a) == scene; });
    };
    const int side = static_cast<int>(std::lround(std::sqrt(wanted)));
    const GeneratedMesh square = irregular_square(side, 0.25);
    std::printf(
        "| scene | points | setting | worst / 99.9 %% / rms stretch %% | processor ms per frame | assembly + coarse "
        "matrices + cycles + cg |\n|---|---|---|---|---|---|\n");
    for (const Setting& setting : {Setting{"default", 0, 0}, Setting{"reference 6 x 15", 6, 15}}) {
        int points = 0;
        const auto report = [&](const char* name, const Tally& tally) { tally.print(name, points, setting.name); };
        const auto in_place = [](int, const Vec3& p) { return p; };
        if (chosen("swing")) report("swing", run(square, setting, 42, hold_edges(side, false, in_place), &points));
        if (chosen("skirt")) report("skirt", skirt(wanted, setting, &points));
        if (chosen("tube")) report("tube", hung_tube(wanted, setting, &points));
        if (chosen("tunic")) report("tunic", tunic_round_ball(wanted, setting, &points));
        if (chosen("disc")) report("disc on ball", disc_on_ball(wanted, setting, &points));
        if (chosen("yank")) report("yank", yank(square, setting, &points));
        if (chosen("twist")) report("twist", twist(square, side, setting, &points));
    }
    return 0;
}
