#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/numbers.h"
#include "character/character_motion.h"
#include "character/motions.h"
#include "cli.h"
#include "drawing/drawn_scene.h"
#include "garment/dressing.h"
#include "garment/pattern_json.h"
#include "garment/ready_garments.h"
#include "geometry/mesh_export.h"
#include "render/image_file.h"
#include "scene/json_document.h"
#include "sim/collider_motion.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

struct DressFlags {
    std::string garment, body = "female", out, picture, pattern, motion;
    DressSettings settings;
    bool quiet = false;
};

bool is_body_file(const std::string& text) {
    const std::string extension = lower_extension(text);
    return extension == ".glb" || extension == ".gltf";
}

/// "female", "male,height=1.85", "female,waist=0.8,hip=1.05": standard measurements, scaled to a height, then changed.
Result<Measurements> parse_body(const std::string& text) {
    std::vector<std::string> words{""};
    for (const char c : text)
        if (c == ',')
            words.emplace_back();
        else
            words.back() += c;
    const std::vector<std::string>& figures = figure_names();
    const auto figure = std::find(figures.begin(), figures.end(), words.front());
    if (figure == figures.end())
        return Error{concat("found \"", words.front(), "\"; expected one of: ", join(figures),
                            ", then measurements such as ,height=1.75,waist=0.8; or a skinned body (.glb, .gltf)"),
                     "--body"};
    Measurements m = standard_measurements(static_cast<Figure>(figure - figures.begin()));
    std::vector<std::pair<const MeasurementField*, double>> given;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        const std::string key = words[i].substr(0, equals);
        const MeasurementField* field = nullptr;
        std::vector<std::string> keys;
        for (const MeasurementField& f : measurement_fields()) {
            keys.emplace_back(f.key);
            if (key == f.key) field = &f;
        }
        if (!field) return Error{concat("unknown measurement \"", key, "\"; expected one of: ", join(keys)), "--body"};
        double value = 0.0;
        const std::string number = equals == std::string::npos ? "" : words[i].substr(equals + 1);
        if (number.empty() || read_number(number, value) != number.size() || !std::isfinite(value))
            return Error{concat("found \"", words[i], "\"; expected ", key, "=METRES"), "--body"};
        given.emplace_back(field, value);
        if (key == "height") m = measurements_for(m.figure, value);
    }
    for (const auto& [field, value] : given)
        m.*(field->member) = value;
    if (const Status ok = check_measurements(m); !ok) return Error{ok.error().message, "--body"};
    return m;
}

Status write_garment(const std::string& path, const Simulation& sim) {
    std::vector<ExportPart> parts;
    for (std::size_t c = 0; c < sim.model().parts.size(); ++c) {
        const ClothPart& part = sim.model().parts[c];
        parts.push_back({part.name, part.vertex_begin, part.vertex_count, part.triangle_begin, part.triangle_count,
                         sim.scene().cloths[c].fabric});
    }
    Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(path, {&sim.model().mesh, parts, 60.0});
    if (!writer) return writer.error();
    if (Status ok = (*writer)->add_frame(sim.state().position); !ok) return ok;
    return (*writer)->finish();
}

/// What --body says as a character of a scene.
Result<CharacterDesc> body_desc(const DressFlags& flags) {
    CharacterDesc desc;
    if (is_body_file(flags.body)) {
        desc.file = flags.body;
        desc.motion = flags.motion.empty() ? "rest" : flags.motion;
        return desc;
    }
    const Result<Measurements> measurements = parse_body(flags.body);
    if (!measurements) return measurements.error();
    desc.figure = measurements->figure;
    desc.height = measurements->height;
    for (const MeasurementField& field : measurement_fields())
        if (std::string(field.key) != "height") desc.measurements[field.key] = (*measurements).*(field.member);
    desc.motion = flags.motion.empty() ? "walk" : flags.motion;
    return desc;
}

/// A body to dress, in the pose that its motion begins with.
struct BodyToDress {
    CharacterDesc desc;
    StandingBody standing;
    BodyPose start;
    Character at_start; ///< Its mesh in that pose.
};

Result<BodyToDress> load_body(const DressFlags& flags) {
    Result<CharacterDesc> desc = body_desc(flags);
    if (!desc) return desc.error();
    std::vector<std::string> warnings;
    Result<Character> character = load_character(*desc, {}, warnings);
    if (!character) return character.error();
    print_warnings(warnings);
    Result<StandingBody> standing = standing_body(*character);
    if (!standing) return standing.error();
    const auto shared = std::make_shared<const Character>(*character);
    Result<CharacterMotion> motion = CharacterMotion::make(shared, {.motion = desc->motion});
    if (!motion) return Error{motion.error().message, "--motion"};
    BodyToDress body{std::move(*desc), std::move(*standing), motion->pose(0.0), std::move(*character)};
    motion->place(0.0, body.at_start.mesh.positions);
    return body;
}

/// A scene in which the body moves, with the cloths as meshes beside it: FILE.obj, or FILE-0.obj and so on.
Status write_scene(const DressFlags& flags, const CharacterDesc& body, const SceneDesc& draped,
                   const DressedGarment& garment) {
    const std::filesystem::path path = flags.out;
    Json scene{{"name", path.stem().string()}, {"dt", "1/60"}, {"seconds", 10}};
    scene["substeps"] = {{"multilevel", 4}, {"other", 20}};
    scene["solver"] = {{"type", "multilevel"}, {"quality", "low"}};
    scene["air"] = {{"density", 1.2}};
    for (std::size_t c = 0; c < garment.cloths.size(); ++c) {
        const std::string file = concat(path.stem().string(), garment.cloths.size() == 1 ? "" : concat("-", c), ".obj");
        const TriangleMesh& mesh = draped.cloths[c].given_mesh->mesh;
        Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(path.parent_path() / file, {&mesh, {}, 60.0});
        if (!writer) return writer.error();
        if (Status ok = (*writer)->add_frame(mesh.positions); !ok) return ok;
        if (Status ok = (*writer)->finish(); !ok) return ok;
        scene["cloths"].push_back({{"name", draped.cloths[c].name},
                                   {"mesh", {{"file", file}}},
                                   {"rest", "uv"},
                                   {"fabric", draped.cloths[c].fabric}});
    }
    Json character{{"motion", body.motion}};
    if (body.file.empty()) {
        character["figure"] = figure_names()[static_cast<std::size_t>(body.figure)];
        character["height"] = body.height;
        character["measurements"] = body.measurements;
    } else {
        // Names in a scene start at its folder, so that both can be moved together.
        const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
        character["file"] = std::filesystem::proximate(std::filesystem::absolute(body.file), folder).generic_string();
    }
    scene["colliders"].push_back({{"character", character}, {"friction", draped.colliders[0].friction}});
    return write_file(path, scene.dump(2) + "\n");
}

/// Front and side, next to each other.
Status draw_garment(const std::string& path, Simulation& sim, const Vec3& place) {
    constexpr int kWidth = 800, kHeight = 1200;
    DrawSettings settings;
    settings.width = kWidth;
    settings.height = kHeight;
    Result<SceneDrawer> drawer = SceneDrawer::make(sim, settings);
    if (!drawer) return drawer.error();
    RenderView view = drawer->view();
    std::vector<Image8> halves;
    const Vec3 target{0.0, 0.84, 0.0};
    for (const Vec3& eye : {Vec3{0.35, 1.1, 3.6}, Vec3{3.5, 1.1, 0.9}, Vec3{-1.2, 1.2, -3.4}}) {
        view.eye = place + eye;
        view.target = place + target;
        view.fov_deg = 32.0;
        Result<Image8> half = drawer->draw(view);
        if (!half) return half.error();
        halves.push_back(std::move(*half));
    }
    Image8 whole{kWidth * static_cast<int>(halves.size()), kHeight, {}};
    for (int y = 0; y < kHeight; ++y)
        for (const Image8& half : halves) {
            const auto row = half.rgb.begin() + std::ptrdiff_t{3} * y * kWidth;
            whole.rgb.insert(whole.rgb.end(), row, row + std::ptrdiff_t{3} * kWidth);
        }
    return write_png(path, whole);
}

void print_garment(const DressedGarment& garment, const Simulation& sim) {
    std::printf("%d vertices, %d triangles in %zu cloths; sewn in %.2f s, draped in %.2f s\n",
                sim.model().vertex_count(), sim.model().mesh.triangle_count(), garment.cloths.size(), garment.sewing_s,
                garment.draping_s);
    std::printf("panel areas within %.2f %%, threads stretched by %.2f %% at most (rms %.2f %%)\n",
                100.0 * garment.largest_area_error, 100.0 * garment.largest_strain, 100.0 * garment.rms_strain);
    std::printf("%d crossings, moving at %.1f mm/s (rms)\n", garment.crossings, 1e3 * garment.speed);
}

/// A garment through itself or the body is not draped; what was asked for is written all the same, to look at.
Error crossings_left(const DressFlags& flags, const DressedGarment& garment, const std::string& name) {
    std::string written;
    for (const std::string& path : {flags.out, flags.pattern, flags.picture})
        if (!path.empty()) written += (written.empty() ? "" : ", ") + path;
    return Error{concat(garment.crossings, " crossings of cloth with cloth or the body are left; expected none",
                        written.empty() ? "" : "; written nevertheless: ", written),
                 name, ErrorKind::work};
}

int dress_body(DressFlags& flags) {
    for (const std::string& path : {flags.out, flags.picture, flags.pattern})
        if (const Status ok = check_writable(path); !ok) return report_error(ok.error());
    const Result<BodyToDress> body = load_body(flags);
    if (!body) return report_error(body.error());
    const Result<Pattern> pattern = cut_garment(flags.garment, body->standing.body);
    if (!pattern) return report_error(pattern.error());
    if (!flags.pattern.empty())
        if (const Status ok = save_pattern(flags.pattern, *pattern); !ok) return report_error(ok.error());
    stop_on_signals();
    Progress progress("dress " + pattern->name, flags.quiet);
    flags.settings.progress = [&](double done, const char*) {
        progress.update(done);
        return !interrupted();
    };
    const Result<DressedGarment> garment = dress(*pattern, body->standing, body->start, flags.settings);
    if (!garment) return report_error(garment.error());
    const Result<SceneDesc> scene = dressed_scene(*pattern, body->at_start, flags.settings, *garment);
    if (!scene) return report_error(scene.error());
    Result<Simulation> sim = Simulation::make(*scene, flags.settings.threads);
    if (!sim) return report_error(sim.error());
    print_warnings(garment->warnings);
    const bool as_scene = flags.out.ends_with(".json");
    if (!flags.out.empty())
        if (const Status ok =
                as_scene ? write_scene(flags, body->desc, *scene, *garment) : write_garment(flags.out, *sim);
            !ok)
            return report_error(ok.error());
    if (!flags.picture.empty())
        if (const Status ok = draw_garment(flags.picture, *sim, body->standing.place); !ok)
            return report_error(ok.error());
    if (!flags.quiet) print_garment(*garment, *sim);
    return garment->crossings > 0 ? report_error(crossings_left(flags, *garment, pattern->name)) : kDone;
}

} // namespace

void add_dress_command(CommandLine& line) {
    Command command = line.add_command("dress", "Sew a garment around a body and let it fall to rest");
    auto flags = std::make_shared<DressFlags>();
    command
        .add_option("GARMENT", flags->garment, concat("Pattern file (.json, .svg), or one of: ", join(garment_names())))
        .required();
    command
        .add_option("--body", flags->body,
                    "Mannequin: female, male or child, then measurements in metres, such as "
                    "female,height=1.75,waist=0.8; or a skinned body of a file (.glb, .gltf)")
        .type_name("BODY")
        .show_default();
    std::vector<std::string> motions;
    for (const MotionInfo& motion : mannequin_motions())
        motions.emplace_back(motion.name);
    command
        .add_option("--motion", flags->motion,
                    concat("What the body does in the scene, dressed in its first pose. Of a mannequin: ",
                           join(motions), "; default: walk. Of a file: its animations; default: its pose at rest"))
        .type_name("NAME");
    command.add_option("--fabric", flags->settings.fabric, "Fabric instead of the pattern's").type_name("NAME");
    command.add_option("--edge", flags->settings.edge, "Length of mesh edges, about [m]")
        .range(0.002, 0.2)
        .show_default();
    command.add_option("--seconds", flags->settings.seconds, "Draped for at most this long")
        .range(0.0, 60.0)
        .show_default();
    command
        .add_option("--out", flags->out,
                    "The draped garment (.obj, .glb, .ply), its flat pattern as uv; or a scene (.json) with the body")
        .type_name("FILE");
    command.add_option("--pattern", flags->pattern, "The pattern as cut for the body (.json, .svg)").type_name("FILE");
    command.add_option("--picture", flags->picture, "From the front, the side and behind (.png)").type_name("FILE");
    command.add_option("--threads", flags->settings.threads, "Threads; 0 takes all. Never changes the result")
        .range(0, 256);
    command.add_flag("--quiet", flags->quiet, "No progress, no summary");
    command.on_run([flags] { return dress_body(*flags); });
}

} // namespace selvage
