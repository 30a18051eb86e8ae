#include <cstdio>

#include "cli.h"
#include "scene/scene_io.h"
#include "scene/scene_json.h"

namespace selvage {

namespace {

struct ScenesFlags {
    std::string show;
    bool schema = false;
};

int scenes(const ScenesFlags& flags) {
    if (flags.schema) {
        std::printf("%s\n", scene_schema().dump(2).c_str());
        return kDone;
    }
    if (!flags.show.empty()) {
        const Result<SceneDesc> scene = load_scene(flags.show);
        if (!scene) return report_error(scene.error());
        std::printf("%s\n", scene_json(*scene).dump(2).c_str());
        return kDone;
    }
    int code = kDone;
    for (const BuiltinFile& file : builtin_scenes()) {
        const Result<SceneDesc> scene = load_scene(file.name);
        if (!scene) {
            code = report_error(scene.error());
            continue;
        }
        std::printf("%-16s %s\n", file.name.c_str(), scene->description.c_str());
    }
    return code;
}

} // namespace

/// selvage scenes [--schema] [--show NAME]: what is built in.
void add_scenes_command(CommandLine& line) {
    Command command = line.add_command("scenes", "List the built-in scenes");
    auto flags = std::make_shared<ScenesFlags>();
    command.add_flag("--schema", flags->schema, "Print the JSON Schema of scene files instead");
    command.add_option("--show", flags->show, "Print a scene with every key spelled out, as a start for your own")
        .type_name("SCENE");
    command.on_run([flags] { return scenes(*flags); });
}

} // namespace selvage
