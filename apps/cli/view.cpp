#include <memory>

#include "base/concat.h"
#include "cli.h"
#include "scene/scene_io.h"
#include "viewer.h"

namespace selvage {

namespace {

struct ViewFlags {
    SceneFlags scene;
    ViewerOptions viewer;
    std::string size = "1280x720", device = "cpu";
};

Status parse_window_size(const std::string& text, int& width, int& height) {
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 320 || height < 240 ||
        width > 8192 || height > 8192)
        return Error{concat("found --size ", text, "; expected WxH from 320x240 to 8192x8192, such as 1280x720")};
    return Done{};
}

int view(ViewFlags& flags) {
    if (const Status ok = parse_window_size(flags.size, flags.viewer.width, flags.viewer.height); !ok)
        return report_error(ok.error());
    Result<SceneDesc> scene = load_scene(flags.scene.scene, flags.scene.all_overrides());
    if (!scene) return report_error(scene.error());
    if (const Status ok = dress_loaded(*scene, flags.scene); !ok) return report_error(ok.error());
    flags.viewer.scene = std::move(*scene);
    flags.viewer.threads = flags.scene.threads;
    flags.viewer.device = device_of_option(flags.device);
#ifdef SELVAGE_HAS_VIEWER
    if (const Status ok = run_viewer(flags.viewer); !ok) return report_error(ok.error());
#else
    return report_error({"this program was built without the viewer (SELVAGE_VIEWER=OFF); `selvage render` makes "
                         "pictures and films",
                         "view", ErrorKind::work});
#endif
    return kDone;
}

} // namespace

void add_view_command(CommandLine& line) {
    Command command = line.add_command("view", "Open a scene in a window and grab the cloth");
    auto flags = std::make_shared<ViewFlags>();
    flags->scene.scene = "flag";
    flags->scene.add_to(command, false);
    add_device_option(command, flags->device);
    command.add_option("--resume", flags->viewer.resume, "A state saved with this scene").type_name("FILE");
    command.add_option("--size", flags->size, "Of the window").type_name("WxH").show_default();
    command.add_option("--style", flags->viewer.style, "How to draw: auto, fabric or quick")
        .one_of({"auto", "fabric", "quick"})
        .show_default();
    command.add_flag("--paused", flags->viewer.paused, "Start paused");
    command.add_option("--status", flags->viewer.status, "Keep a JSON file about what the window shows, for scripts")
        .type_name("FILE");
    command.add_option("--random-input", flags->viewer.random_events, "Make up so many events, then close: a test")
        .range(0, 100000000);
    command.add_option("--seed", flags->viewer.random_seed, "Of the made-up events").range(0, 2147483647);
    command.on_run([flags] { return view(*flags); });
}

} // namespace selvage
