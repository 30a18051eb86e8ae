#include <cstdio>

#include "cli.h"
#include "scene/scene_io.h"

namespace selvage {

/// selvage scenes [--schema] [--show NAME]: what is built in.
void add_scenes_command(CLI::App& app, int& code) {
    CLI::App* command = app.add_subcommand("scenes", "List the built-in scenes");
    auto schema = std::make_shared<bool>(false);
    auto show = std::make_shared<std::string>();
    command->add_flag("--schema", *schema, "Print the JSON Schema of scene files instead");
    command->add_option("--show", *show, "Print a scene with every key spelled out, as a start for your own")
        ->type_name("SCENE");
    command->callback([=, &code] {
        if (*schema) {
            std::printf("%s\n", scene_schema().dump(2).c_str());
            return;
        }
        if (!show->empty()) {
            const Result<SceneDesc> scene = load_scene(*show);
            if (scene)
                std::printf("%s\n", scene_json(*scene).dump(2).c_str());
            else
                code = report_error(scene.error());
            return;
        }
        for (const BuiltinFile& file : builtin_scenes()) {
            const Result<SceneDesc> scene = load_scene(file.name);
            if (!scene) {
                code = report_error(scene.error());
                continue;
            }
            std::printf("%-16s %s\n", file.name.c_str(), scene->description.c_str());
        }
    });
}

} // namespace selvage
