// spring_fit moduli: how springs stretch on irregular meshes, by the fit in use and by the one before it, as Markdown.
// spring_fit garments [SECONDS]: strain of three garments hanging at rest, all solvers, as Markdown.
// spring_fit files FOLDER: the garments as OBJ files with scenes, for other builds of the program.
// The tables of docs/records/spring-fit.md.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numbers>

#include "base/concat.h"
#include "geometry/weld.h"
#include "lab/validate/spring_moduli.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/garments.h"
#include "sim/simulation.h"

using namespace selvage;

namespace {

/// The fit before: non-negative least squares of the stiffness at equal strain. Zero for many edges.
std::vector<Spring> springs_before(const TriangleMesh& mesh, const Material& m) {
    constexpr double kCouplingWeight = 1e-3;
    const double target[3] = {m.stretch_warp, m.stretch_weft, m.shear};
    std::vector<Spring> springs;
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const RestTriangle rest = rest_triangle(mesh, RestShape::uv, t);
        const Vec2 edge[3] = {rest.e1, {rest.e2.x - rest.e1.x, rest.e2.y - rest.e1.y}, {-rest.e2.x, -rest.e2.y}};
        double q[3][3], l2[3], normal[3][3] = {}, right[3] = {}, k[3] = {};
        for (int e = 0; e < 3; ++e) {
            l2[e] = edge[e].x * edge[e].x + edge[e].y * edge[e].y;
            q[e][0] = edge[e].x * edge[e].x / l2[e];
            q[e][1] = edge[e].y * edge[e].y / l2[e];
            q[e][2] = edge[e].x * edge[e].y / l2[e];
        }
        for (int e = 0; e < 3; ++e) {
            for (int f = 0; f < 3; ++f)
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b)
                        normal[e][f] += (a == b ? 1.0 : kCouplingWeight) * q[e][a] * q[e][b] * q[f][a] * q[f][b];
            for (int a = 0; a < 3; ++a)
                right[e] += q[e][a] * q[e][a] * target[a];
        }
        for (int round = 0; round < 200; ++round)
            for (int e = 0; e < 3; ++e) {
                double left = right[e];
                for (int f = 0; f < 3; ++f)
                    if (f != e) left -= normal[e][f] * k[f];
                k[e] = std::max(0.0, left / normal[e][e]);
            }
        for (int e = 0; e < 3; ++e) {
            const int a = mesh.triangles[t][e], b = mesh.triangles[t][(e + 1) % 3];
            const double stiffness = k[e] * rest_area(mesh, RestShape::uv, t) / l2[e];
            springs.push_back(
                {std::min(a, b), std::max(a, b), static_cast<float>(std::sqrt(l2[e])), static_cast<float>(stiffness)});
        }
    }
    // The two triangles of an edge add up; slack springs go.
    std::sort(springs.begin(), springs.end(),
              [](const Spring& x, const Spring& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
    std::vector<Spring> joined;
    for (const Spring& s : springs) {
        if (!joined.empty() && joined.back().a == s.a && joined.back().b == s.b)
            joined.back().stiffness += s.stiffness;
        else
            joined.push_back(s);
    }
    return joined;
}

int print_moduli() {
    for (const char* fabric : {"cotton-poplin", "cotton-jersey"}) {
        const Material material = load_fabric(fabric)->material;
        const SpringModuli wanted = fabric_moduli(material);
        std::printf("\n%s\n\n| mesh | grain | slack before | warp before | after | weft before | after | bias before | "
                    "after | shear before | after |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
                    fabric);
        for (NamedMesh& named : irregular_meshes())
            for (const int degrees : {0, 15, 30, 45}) {
                const double grain = degrees * std::numbers::pi / 180.0;
                cut_from_cloth(named.mesh, grain, true);
                const SpringModuli old = measure_moduli(named.mesh, springs_before(named.mesh, material), grain);
                const SpringModuli now = measure_moduli(named.mesh, edge_springs(named.mesh, material), grain);
                std::printf("| %s | %d | %.1f %% | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f |\n",
                            named.name.c_str(), degrees, 100.0 * old.slack, old.warp / wanted.warp,
                            now.warp / wanted.warp, old.weft / wanted.weft, now.weft / wanted.weft,
                            old.bias_least / wanted.bias_least, now.bias_least / wanted.bias_least,
                            old.shear / wanted.shear, now.shear / wanted.shear);
            }
    }
    return 0;
}

std::vector<Garment> garments() {
    return {gored_skirt(), tunic(), bias_leg()};
}

SceneDesc scene_of(const Garment& garment, const SolverEntry& solver) {
    SceneDesc scene;
    scene.name = garment.name;
    scene.solver = solver.defaults;
    scene.substeps = solver.traits.usual_substeps;
    ClothDesc cloth;
    cloth.name = garment.name;
    cloth.material = load_fabric("cotton-poplin")->material;
    cloth.self_collision = false; // springs are the subject
    GeneratedMesh mesh;
    mesh.mesh = garment.mesh;
    mesh.rest = RestShape::uv;
    const Weld weld = *weld_borders(mesh.mesh, kWeldRounding);
    std::vector<int> held;
    for (const int v : garment.held)
        held.push_back(weld.vertex_of.empty() ? v : weld.vertex_of[v]);
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    PinDesc pin;
    pin.select = held;
    cloth.pins = {pin};
    cloth.given_mesh = std::make_shared<const GeneratedMesh>(std::move(mesh));
    scene.cloths = {cloth};
    return scene;
}

int print_garments(double seconds) {
    std::printf("| solver | garment | largest stretch | 99.9 %% below | rms | after |\n|---|---|---|---|---|---|\n");
    for (const Garment& garment : garments())
        for (const SolverEntry& solver : solver_catalog()) {
            Result<Simulation> sim = Simulation::make(scene_of(garment, solver), 1);
            if (!sim) {
                std::fprintf(stderr, "%s\n", sim.error().text().c_str());
                return 1;
            }
            while (!sim->divergence() && sim->state().time < seconds)
                sim->step_frame();
            const Strain strain = measure_strain(sim->model(), sim->state());
            std::printf("| %s | %s | %.2f %% | %.2f %% | %.3f %% | %s |\n", solver.name.c_str(), garment.name.c_str(),
                        100.0 * strain.max, 100.0 * strain.p999, 100.0 * strain.rms,
                        !sim->divergence() ? concat(sim->state().time, " s").c_str() : "diverged");
            std::fflush(stdout);
        }
    return 0;
}

int write_files(const std::string& folder) {
    for (const Garment& garment : garments()) {
        std::string name = garment.name;
        std::replace(name.begin(), name.end(), ' ', '-');
        std::ofstream obj(folder + "/" + name + ".obj"), scene(folder + "/" + name + ".json");
        TriangleMesh mesh = garment.mesh;
        const Weld weld = *weld_borders(mesh, kWeldRounding); // older builds do not weld
        obj.precision(9);
        for (const Vec3& p : mesh.positions)
            obj << "v " << p.x << " " << p.y << " " << p.z << "\n";
        for (const Vec2& p : mesh.uv)
            obj << "vt " << p.x << " " << p.y << "\n";
        for (int t = 0; t < mesh.triangle_count(); ++t) {
            obj << "f";
            for (int k = 0; k < 3; ++k)
                obj << " " << mesh.triangles[t][k] + 1 << "/" << mesh.uv_corners(t)[k] + 1;
            obj << "\n";
        }
        std::vector<int> held;
        for (const int v : garment.held)
            held.push_back(weld.vertex_of.empty() ? v : weld.vertex_of[v]);
        std::sort(held.begin(), held.end());
        held.erase(std::unique(held.begin(), held.end()), held.end());
        scene << "{ \"air\": {}, \"cloths\": [ { \"name\": \"" << garment.name << "\", \"mesh\": { \"file\": \"" << name
              << ".obj\" }, \"fabric\": \"cotton-poplin\", \"pins\": [ { \"vertices\": [";
        for (std::size_t k = 0; k < held.size(); ++k)
            scene << (k > 0 ? ", " : "") << held[k];
        scene << "] } ] } ] }\n";
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "moduli") return print_moduli();
    if (what == "garments") return print_garments(argc > 2 ? std::atof(argv[2]) : 2.0);
    if (what == "files" && argc > 2) return write_files(argv[2]);
    std::fprintf(stderr, "usage: spring_fit moduli | garments [SECONDS] | files FOLDER\n");
    return 2;
}
