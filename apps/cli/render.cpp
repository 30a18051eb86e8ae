#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/stopwatch.h"
#include "cli.h"
#include "drawing/drawn_scene.h"
#include "drawing/film_writer.h"
#include "file_check.h"
#include "render/image_file.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

struct RenderFlags {
    SceneFlags scene;
    std::string out, size = "1280x720", camera, environment, dialect = "gl33", device = "cpu";
    std::vector<std::string> overlays;
    double fps = 30.0, at = -1.0, turntable = 0.0;
};

Status parse_size(const std::string& text, int& width, int& height) {
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 16 || height < 16 ||
        width > 8192 || height > 8192)
        return Error{concat("found \"", text, "\"; expected WIDTHxHEIGHT from 16x16 to 8192x8192"), "--size"};
    return Done{};
}

Status parse_camera(const std::string& text, std::optional<CameraDesc>& camera) {
    if (text.empty()) return Done{};
    CameraDesc asked = camera.value_or(CameraDesc{});
    Triple &eye = asked.eye, &target = asked.target;
    char rest = 0;
    const bool whole = std::sscanf(text.c_str(), "%lf,%lf,%lf:%lf,%lf,%lf%c", &eye[0], &eye[1], &eye[2], &target[0],
                                   &target[1], &target[2], &rest) == 6;
    bool finite = true;
    for (const double value : {eye[0], eye[1], eye[2], target[0], target[1], target[2]})
        finite = finite && std::isfinite(value);
    if (!whole || !finite || eye == target)
        return Error{concat("found \"", text, "\"; expected EYE:TARGET, such as 0,2,4:0,1.5,0"), "--camera"};
    camera = asked;
    return Done{};
}

/// The view turned about the vertical through its target.
RenderView turned(const RenderView& view, double fraction) {
    const double angle = 2.0 * std::numbers::pi * fraction;
    const Vec3 d = view.eye - view.target;
    RenderView out = view;
    out.eye = view.target +
              Vec3{std::cos(angle) * d.x + std::sin(angle) * d.z, d.y, std::cos(angle) * d.z - std::sin(angle) * d.x};
    return out;
}

/// Everything a picture or a film is made from.
struct Studio {
    Simulation& sim;
    SceneDrawer& drawer;
    Progress& progress;
    std::vector<double> ms = {}; // per picture

    Result<Image8> draw(const RenderView& view) {
        const Stopwatch clock;
        Result<Image8> image = drawer.draw(view);
        ms.push_back(clock.ms());
        return image;
    }

    double median_ms() {
        if (ms.empty()) return 0.0;
        std::nth_element(ms.begin(), ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2), ms.end());
        return ms[ms.size() / 2];
    }

    void advance_to(double time, double end, double progress_fraction = 1.0) {
        while (sim.state().time < time - 1e-9 && !sim.divergence() && !interrupted()) {
            sim.step_frame();
            drawer.follow();
            progress.update(progress_fraction * sim.state().time / end);
        }
    }
};

const char* const kStopped = "stopped by a signal; nothing written";

Status make_picture(const RenderFlags& flags, Studio& studio, double end) {
    studio.advance_to(end, end);
    if (interrupted()) return Error{kStopped, flags.out, ErrorKind::work};
    const Result<Image8> image = studio.draw(studio.drawer.view());
    if (!image) return image.error();
    return write_png(flags.out, *image);
}

Status make_film(const RenderFlags& flags, Studio& studio, FilmWriter& film, double end) {
    const bool turning = flags.turntable > 0.0;
    // Once around without showing the first view twice.
    const int frames = turning ? std::max(1, static_cast<int>(std::lround(flags.turntable * flags.fps)))
                               : static_cast<int>(end * flags.fps) + 1;
    if (turning) studio.advance_to(end, end, 0.3);
    const RenderView view = studio.drawer.view();
    for (int f = 0; f < frames && !studio.sim.divergence(); ++f) {
        if (!turning) studio.advance_to(f / flags.fps, std::max(end, 1e-9));
        if (interrupted()) return Error{kStopped, flags.out, ErrorKind::work};
        const Result<Image8> image = studio.draw(turning ? turned(view, f / static_cast<double>(frames)) : view);
        if (!image) return image.error();
        if (const Status ok = film.add(*image); !ok) return ok;
        if (turning) studio.progress.update(0.3 + 0.7 * f / frames);
    }
    return film.finish();
}

int render(const RenderFlags& flags) {
    const std::string extension = lower_extension(flags.out);
    const bool still = extension == ".png";
    if (!still && extension != ".mp4" && extension != ".webm" && extension != ".gif")
        return report_error(
            {concat("found extension \"", extension, "\"; expected .png, .mp4, .webm or .gif"), flags.out});
    if (still && flags.turntable > 0.0)
        return report_error({"found --turntable with a picture; expected a film (.mp4, .webm, .gif)", flags.out});
    DrawSettings settings;
    if (const Status ok = parse_size(flags.size, settings.width, settings.height); !ok) return report_error(ok.error());
    for (const std::string& name : flags.overlays)
        switch_on(settings.overlays, name);
    if (!still) settings.triangles = 12000; // a film has many pictures
    if (flags.dialect == "gles30") settings.dialect = GlDialect::es_30;
    Result<SceneDesc> scene = load_scene(flags.scene.scene, flags.scene.all_overrides());
    if (!scene) return report_error(scene.error());
    if (flags.scene.seconds > 0.0 && flags.at > scene->seconds + 1e-9)
        return report_error(
            {concat("found ", flags.at, "; expected at most the ", scene->seconds, " of --seconds"), "--at"});
    if (const Status ok = parse_camera(flags.camera, scene->camera); !ok) return report_error(ok.error());
    if (!flags.environment.empty()) {
        scene->render.environment = flags.environment;
        // A file named on the command line is looked for where the command is given.
        if (flags.environment != "studio" && flags.environment != "sky")
            scene->render.environment = std::filesystem::absolute(flags.environment).string();
    }
    if (const Status ok = check_overwriting(flags.scene.scene, *scene, {}, {{"--out", flags.out}}); !ok)
        return report_error(ok.error());
    if (const Status ok = check_writable(flags.out); !ok) return report_error(ok.error());
    scene->budget_ms = 0.0; // pictures take the time they need: a film of dropped frames would be in slow motion
    stop_on_signals();
    if (const Status ok = dress_loaded(*scene, flags.scene); !ok) return report_error(ok.error());
    Result<Simulation> sim = Simulation::make(*scene, flags.scene.threads);
    if (!sim) return report_error(sim.error());
    Result<SceneDrawer> drawer = SceneDrawer::make(*sim, settings);
    if (!drawer) return report_error(drawer.error());
    print_warnings(sim->warnings());
    if (const Status ok = use_device(*sim, flags.device, flags.scene.quiet); !ok) return report_error(ok.error());

    const double end = flags.at >= 0.0 ? flags.at : scene->seconds;
    Progress progress("render " + scene->name, flags.scene.quiet);
    Studio studio{*sim, *drawer, progress};
    if (still) {
        if (const Status ok = make_picture(flags, studio, end); !ok) return report_error(ok.error());
    } else {
        Result<FilmWriter> film = FilmWriter::make(flags.out, settings.width, settings.height, flags.fps);
        if (!film) return report_error(film.error());
        if (const Status ok = make_film(flags, studio, *film, end); !ok) return report_error(ok.error());
    }
    if (sim->divergence()) return report_error({sim->divergence()->text(), scene->name, ErrorKind::work});
    if (!flags.scene.quiet)
        std::printf("wrote %s: %zu of %dx%d drawn in %.0f ms each (median) by %s\n", flags.out.c_str(),
                    studio.ms.size(), settings.width, settings.height, studio.median_ms(), drawer->device().c_str());
    return kDone;
}

} // namespace

void add_render_command(CommandLine& line) {
    Command command = line.add_command("render", "Draw a scene without a display: a picture or a film");
    auto flags = std::make_shared<RenderFlags>();
    flags->scene.add_to(command, true);
    add_device_option(command, flags->device);
    command.add_option("--out", flags->out, "Picture (.png) or film (.mp4, .webm, .gif; needs ffmpeg)")
        .type_name("FILE")
        .required();
    command.add_option("--size", flags->size, "Pixels").type_name("WxH").show_default();
    command.add_option("--fps", flags->fps, "Frames per second of a film").range(1.0, 240.0).show_default();
    command
        .add_option("--camera", flags->camera,
                    "Eye and target in metres, such as 0,2,4:0,1.5,0; default: the scene's, or all of it in view")
        .type_name("EYE:TARGET");
    command.add_option("--at", flags->at, "Time of the picture, or end of the film; default: the scene's end")
        .type_name("SECONDS")
        .range(0.0, 1e6);
    command
        .add_option("--turntable", flags->turntable,
                    "Film of the cloth as it is at the end (or --at), turned once in this time")
        .type_name("SECONDS")
        .range(0.1, 3600.0);
    command
        .add_option("--environment", flags->environment,
                    "Light: studio, sky or a Radiance picture (.hdr); default: the scene's")
        .type_name("NAME");
    command
        .add_option("--show", flags->overlays,
                    "Drawn on top; may be repeated: wireframe, strain, contacts, normals, particles")
        .type_name("OVERLAY")
        .one_of(overlay_names());
    command.add_option("--gl", flags->dialect, "Which GL draws: gl33 or gles30, with the same picture")
        .type_name("NAME")
        .one_of({"gl33", "gles30"})
        .show_default();
    command.on_run([flags] { return render(*flags); });
}

} // namespace selvage
