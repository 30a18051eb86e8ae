#include <cstdio>
#include <map>
#include <optional>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "cli.h"
#include "drawing/drawn_scene.h"
#include "file_check.h"
#include "garment/scene_garments.h"
#include "geometry/mesh_export.h"
#include "model/measures.h"
#include "render/image_file.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

struct UntangleFlags {
    std::string file, out, report, picture, solver;
    double seconds = 5.0;
    int threads = 0;
    bool quiet = false;
};

/// A scene, or a mesh as the one cloth of a scene of its own. Nothing but what is tangled moves in it.
Result<SceneDesc> load_still(const UntangleFlags& flags) {
    const std::string extension = lower_extension(flags.file);
    const bool is_mesh = extension == ".obj" || extension == ".ply" || extension == ".glb";
    const auto one_mesh = [&]() -> Result<SceneDesc> {
        const std::filesystem::path path = std::filesystem::absolute(flags.file);
        const Json cloth{{"name", path.stem().string()}, {"mesh", {{"file", path.filename().string()}}}};
        Result<JsonDocument> document = parse_json(Json{{"cloths", Json::array({cloth})}}.dump(), flags.file);
        if (!document) return document.error();
        Result<SceneDesc> made = parse_scene(std::move(*document), path.parent_path());
        if (made) made->name = path.stem().string();
        return made;
    };
    Result<SceneDesc> loaded = is_mesh ? one_mesh() : load_scene(flags.file);
    if (!loaded) return loaded.error();
    SceneDesc scene = std::move(*loaded);
    if (const Status ok = dress_scene(scene, flags.threads); !ok) return ok.error();
    for (const SolverEntry& entry : solver_catalog())
        if (entry.name == flags.solver) choose_solver(scene, entry.defaults);
    scene.gravity = {0, 0, 0};
    scene.air = {};
    scene.velocity_damping = 3.0; // what was pulled apart soon rests
    for (ClothDesc& cloth : scene.cloths)
        cloth.velocity = cloth.spin = {0, 0, 0};
    for (ColliderDesc& collider : scene.colliders) {
        collider.keyframes.clear();
        collider.spin = {0, 0, 0};
    }
    return scene;
}

Json counts_json(const TangleCount& count) {
    return {{"cloth", count.cloth}, {"collider", count.collider}, {"inside", count.inside}, {"waiting", count.pinched}};
}

std::string owner_of(const Simulation& sim, int body) {
    const int cloths = static_cast<int>(sim.model().parts.size());
    return body < cloths ? sim.model().parts[body].name : concat("mesh collider ", body - cloths);
}

/// For every two things that cross: how often, and the middle of these places.
Json places_json(const Simulation& sim) {
    struct Place {
        int count = 0;
        Vec3 sum;
    };
    std::map<std::pair<int, int>, Place> places;
    for (const SurfaceCrossing& crossing : sim.crossings()) {
        Place& place = places[std::minmax(crossing.edge_body, crossing.triangle_body)];
        ++place.count;
        place.sum += crossing.point;
    }
    Json list = Json::array();
    for (const auto& [bodies, place] : places) {
        const Vec3 at = place.sum / static_cast<double>(place.count);
        list.push_back({{"between", Json::array({owner_of(sim, bodies.first), owner_of(sim, bodies.second)})},
                        {"crossings", place.count},
                        {"at", Json::array({at.x, at.y, at.z})}});
    }
    return list;
}

Status write_mesh(const std::string& path, const Simulation& sim) {
    std::vector<ExportPart> parts;
    for (const ClothPart& part : sim.model().parts)
        parts.push_back({part.name, part.vertex_begin, part.vertex_count, part.triangle_begin, part.triangle_count});
    Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(path, {&sim.model().mesh, parts, 60.0});
    if (!writer) return writer.error();
    if (Status ok = (*writer)->add_frame(sim.state().position); !ok) return ok;
    return (*writer)->finish();
}

Status check_files(const UntangleFlags& flags, const SceneDesc& scene) {
    if (const Status ok =
            check_overwriting(flags.file, scene, {{"FILE", flags.file}},
                              {{"--out", flags.out, true}, {"--report", flags.report}, {"--picture", flags.picture}});
        !ok)
        return ok;
    for (const std::string& path : {flags.out, flags.report, flags.picture})
        if (const Status ok = check_writable(path); !ok) return ok;
    return Done{};
}

/// The cloth before and after, side by side, with what crosses marked.
class Picture {
public:
    static Result<Picture> make(Simulation& sim) {
        DrawSettings settings;
        settings.width = kWidth, settings.height = kHeight;
        settings.overlays.wireframe = true; // marks lie on the simulated triangles, so these are drawn
        Result<SceneDrawer> drawer = SceneDrawer::make(sim, settings);
        if (!drawer) return drawer.error();
        return Picture(std::move(*drawer));
    }
    /// Adds the state as it is at the right.
    Status add(const Simulation& sim) {
        std::vector<Vec3> marks;
        for (const SurfaceCrossing& crossing : sim.crossings())
            marks.push_back(crossing.point);
        Result<Image8> half = drawer_.draw(drawer_.view(), marks);
        if (!half) return half.error();
        halves_.push_back(std::move(*half));
        return Done{};
    }
    Status write(const std::string& path) const {
        Image8 whole{kWidth * static_cast<int>(halves_.size()), kHeight, {}};
        for (int y = 0; y < kHeight; ++y)
            for (const Image8& half : halves_) {
                const auto row = half.rgb.begin() + std::ptrdiff_t{3} * y * kWidth;
                whole.rgb.insert(whole.rgb.end(), row, row + std::ptrdiff_t{3} * kWidth);
            }
        return write_png(path, whole);
    }

private:
    static constexpr int kWidth = 960, kHeight = 960;
    explicit Picture(SceneDrawer drawer) : drawer_(std::move(drawer)) {}

    SceneDrawer drawer_;
    std::vector<Image8> halves_;
};

int untangle(const UntangleFlags& flags) {
    const Result<SceneDesc> scene = load_still(flags);
    if (!scene) return report_error(scene.error());
    Result<Simulation> sim = Simulation::make(*scene, flags.threads);
    if (!sim) return report_error(sim.error());
    stop_on_signals();
    if (const Status ok = check_files(flags, *scene); !ok) return report_error(ok.error());
    print_warnings(sim->warnings());
    const TangleCount before = sim->count_tangles();
    std::optional<Picture> picture;
    if (!flags.picture.empty()) {
        Result<Picture> made = Picture::make(*sim);
        if (!made) return report_error(made.error());
        picture.emplace(std::move(*made));
        if (const Status ok = picture->add(*sim); !ok) return report_error(ok.error());
    }
    Json report{{"scene", scene->name}, {"before", counts_json(before)}, {"found", places_json(*sim)}};
    double strain = 0.0;
    bool is_free = !before.any();
    Progress progress("untangle " + scene->name, flags.quiet);
    while (!is_free && sim->state().time < flags.seconds && !interrupted()) {
        sim->step_frame();
        if (sim->divergence()) return report_error({sim->divergence()->text(), scene->name, ErrorKind::work});
        strain = std::max(strain, largest_strain(sim->pool(), sim->model(), sim->state()));
        is_free = !sim->count_tangles().any();
        progress.update(sim->state().time / flags.seconds);
    }
    const TangleCount after = sim->count_tangles();
    report["after"] = counts_json(after);
    report["left"] = places_json(*sim);
    report["seconds"] = sim->state().time;
    report["largest_strain"] = strain;
    if (const Status ok = write_mesh(flags.out, *sim); !ok) return report_error(ok.error());
    if (!flags.report.empty())
        if (const Status ok = write_file(flags.report, report.dump(2) + "\n"); !ok) return report_error(ok.error());
    if (picture) {
        if (const Status ok = picture->add(*sim); !ok) return report_error(ok.error());
        if (const Status ok = picture->write(flags.picture); !ok) return report_error(ok.error());
    }
    if (!flags.quiet)
        std::printf("%s: %d crossings of cloth with cloth, %d with colliders, %d vertices inside; now %d, %d, %d after "
                    "%.2f s; largest stretch %.1f %%\n",
                    scene->name.c_str(), before.cloth, before.collider, before.inside, after.cloth, after.collider,
                    after.inside, sim->state().time, 100.0 * strain);
    if (!after.any()) return kDone;
    return report_error({concat("is still tangled: ", report["left"].dump(), ", ", after.inside,
                                " vertices inside colliders; the files hold what was done"),
                         scene->name, ErrorKind::work});
}

} // namespace

/// selvage untangle FILE --out FILE: pulls apart what starts tangled, without gravity and wind.
void add_untangle_command(CommandLine& line) {
    Command command = line.add_command("untangle", "Pull apart cloth that starts in itself, other cloth or colliders");
    auto flags = std::make_shared<UntangleFlags>();
    command.add_option("FILE", flags->file, "A scene, or a mesh: .obj, .ply, .glb").required();
    command.add_option("--out", flags->out, "Write the cloth as it is then: .obj, .ply or .glb")
        .type_name("FILE")
        .required();
    command.add_option("--report", flags->report, "Write what was found, what is left and where, as JSON")
        .type_name("FILE.json");
    command.add_option("--picture", flags->picture, "Draw the cloth before and after, with what crosses marked")
        .type_name("FILE.png");
    command.add_seconds("--seconds", flags->seconds, "Give up after so much simulated time; default 5");
    command.add_option("--solver", flags->solver, "Solver, with its default settings").one_of(solver_names());
    command.add_option("--threads", flags->threads, "Threads; 0 takes all. Never changes the result").range(0, 256);
    command.add_flag("--quiet", flags->quiet, "No progress, no summary");
    command.on_run([flags] { return untangle(*flags); });
}

} // namespace selvage
