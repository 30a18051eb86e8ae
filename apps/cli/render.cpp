#include <cmath>
#include <csignal>
#include <cstdio>

#include <unistd.h>

#include "base/concat.h"
#include "cli.h"
#include "draw_scene.h"
#include "scene/scene_io.h"
#include "sim/drawn_surface.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

struct RenderFlags {
    SceneFlags scene;
    std::string out, size = "1280x720", camera;
    double fps = 30.0, at = -1.0;
};

Status parse_size(const std::string& text, int& width, int& height) {
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 16 || height < 16 ||
        width > 8192 || height > 8192)
        return Error{concat("found \"", text, "\"; expected WIDTHxHEIGHT from 16x16 to 8192x8192"), "--size"};
    return Done{};
}

Status parse_camera(const std::string& text, PictureView& view) {
    if (text.empty()) return Done{};
    Vec3 eye, target;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%lf,%lf,%lf:%lf,%lf,%lf%c", &eye.x, &eye.y, &eye.z, &target.x, &target.y, &target.z,
                    &rest) != 6 ||
        !is_finite(eye) || !is_finite(target) || eye == target)
        return Error{concat("found \"", text, "\"; expected EYE:TARGET, such as 0,2,4:0,1.5,0"), "--camera"};
    view.eye = eye;
    view.target = target;
    return Done{};
}

std::string lower_extension(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    for (char& c : extension)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

/// Raw frames into ffmpeg, which writes beside the final name; finish() moves the film there.
class FilmWriter {
public:
    FilmWriter(std::filesystem::path path, int width, int height, double fps) : path_(std::move(path)) {
        const std::string extension = lower_extension(path_);
        // ffmpeg chooses the format by the extension, and takes a leading dash for a flag.
        temporary_ = std::filesystem::absolute(path_);
        temporary_.replace_extension(concat(".", getpid(), ".part", extension));
        std::string codec = "-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p -movflags +faststart";
        if (extension == ".webm")
            codec = "-c:v libvpx-vp9 -deadline realtime -cpu-used 6 -crf 30 -b:v 0 -pix_fmt yuv420p";
        if (extension == ".gif") codec = "-vf \"split[a][b];[a]palettegen[p];[b][p]paletteuse\"";
        std::string quoted = "'";
        for (const char c : temporary_.string())
            quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        const std::string command = concat(
            "ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgb24 -s ", width, "x", height, " -r ", fps, " -i - ",
            // codecs with halved colour need even sizes
            extension == ".gif" ? "" : "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' ", codec, " ", quoted, "'");
        std::signal(SIGPIPE, SIG_IGN); // a dying ffmpeg shows as a failed write
        pipe_ = popen(command.c_str(), "w");
    }
    ~FilmWriter() {
        if (pipe_) pclose(pipe_);
        std::error_code ignored;
        std::filesystem::remove(temporary_, ignored);
    }
    FilmWriter(const FilmWriter&) = delete;
    FilmWriter& operator=(const FilmWriter&) = delete;

    Status add(const Canvas& canvas) {
        const std::vector<Colour> pixels = canvas.pixels();
        if (!pipe_ || std::fwrite(pixels.data(), sizeof(Colour), pixels.size(), pipe_) != pixels.size())
            return failed();
        return Done{};
    }
    Status finish() {
        std::FILE* pipe = std::exchange(pipe_, nullptr);
        if (!pipe || pclose(pipe) != 0) return failed();
        std::error_code code;
        std::filesystem::rename(temporary_, path_, code);
        if (code) return Error{concat("cannot write: ", code.message()), path_.string(), ErrorKind::io};
        return Done{};
    }

private:
    Error failed() const {
        return {"ffmpeg could not make the film; is it installed, and is the place writable?", path_.string(),
                ErrorKind::io};
    }
    std::filesystem::path path_, temporary_;
    std::FILE* pipe_ = nullptr;
};

int render(const RenderFlags& flags) {
    const std::string extension = lower_extension(flags.out);
    const bool still = extension == ".png";
    if (!still && extension != ".mp4" && extension != ".webm" && extension != ".gif")
        return report_error(
            {concat("found extension \"", extension, "\"; expected .png, .mp4, .webm or .gif"), flags.out});
    if (const Status ok = check_writable(flags.out); !ok) return report_error(ok.error());
    int width = 0, height = 0;
    if (const Status ok = parse_size(flags.size, width, height); !ok) return report_error(ok.error());
    const Result<SceneDesc> scene = load_scene(flags.scene.scene, flags.scene.all_overrides());
    if (!scene) return report_error(scene.error());
    PictureView view = scene_view(*scene);
    if (const Status ok = parse_camera(flags.camera, view); !ok) return report_error(ok.error());
    Result<Simulation> sim = Simulation::make(*scene, flags.scene.threads);
    if (!sim) return report_error(sim.error());
    Result<DrawnSurface> surface = DrawnSurface::make(*scene, sim->model());
    if (!surface) return report_error(surface.error());
    print_warnings(sim->warnings());

    const double end = flags.at >= 0.0 ? flags.at : scene->seconds;
    Progress progress("render " + scene->name, flags.scene.quiet);
    const auto draw = [&] { return draw_scene(*sim, *surface, view, width, height); };
    const auto advance_to = [&](double time) {
        while (sim->state().time < time - 1e-9 && !sim->divergence() && !interrupted()) {
            sim->step_frame();
            surface->update(sim->state().position, sim->pool()); // wrinkles live from frame to frame
            progress.update(sim->state().time / end);
        }
    };
    stop_on_signals();
    const Error stopped{"stopped by a signal; nothing written", flags.out, ErrorKind::work};
    if (still) {
        advance_to(end);
        if (interrupted()) return report_error(stopped);
        if (const Status ok = draw().save_png(flags.out); !ok) return report_error(ok.error());
    } else {
        FilmWriter film(flags.out, width, height, flags.fps);
        const int frames = static_cast<int>(end * flags.fps) + 1;
        for (int f = 0; f < frames && !sim->divergence(); ++f) {
            advance_to(f / flags.fps);
            if (interrupted()) return report_error(stopped);
            if (const Status ok = film.add(draw()); !ok) return report_error(ok.error());
        }
        if (const Status ok = film.finish(); !ok) return report_error(ok.error());
    }
    if (sim->divergence()) return report_error({sim->divergence()->text(), scene->name, ErrorKind::work});
    if (!flags.scene.quiet) std::printf("wrote %s\n", flags.out.c_str());
    return kDone;
}

} // namespace

void add_render_command(CLI::App& app, int& code) {
    CLI::App* command = app.add_subcommand("render", "Draw a scene without a display: a picture or a film");
    auto flags = std::make_shared<RenderFlags>();
    flags->scene.add_to(command, true);
    command->add_option("--out", flags->out, "Picture (.png) or film (.mp4, .webm, .gif; needs ffmpeg)")
        ->type_name("FILE")
        ->required();
    command->add_option("--size", flags->size, "Pixels")->type_name("WxH")->capture_default_str();
    command->add_option("--fps", flags->fps, "Frames per second of a film")
        ->check(CLI::Range(1.0, 240.0))
        ->capture_default_str();
    command
        ->add_option("--camera", flags->camera, "Eye and target in metres, such as 0,2,4:0,1.5,0; default: the scene's")
        ->type_name("EYE:TARGET");
    command->add_option("--at", flags->at, "Time of the picture, or end of the film; default: the scene's end")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.0, 1e6));
    command->callback([flags, &code] { code = render(*flags); });
}

} // namespace selvage
