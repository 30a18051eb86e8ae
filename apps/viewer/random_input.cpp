#include "random_input.h"

#include <cmath>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "scene/scene_io.h"
#include "viewer_state.h"

namespace selvage {

void RandomInput::change_setting(ViewerState& state) {
    if (state.settings.empty()) return;
    const Setting setting = state.settings[static_cast<std::size_t>(below(static_cast<int>(state.settings.size())))];
    // A million triangles, or cloth a metre thick, would test patience and not input.
    if (setting.key == "smooth" || setting.key == "substeps" || setting.key == "contact_distance" ||
        setting.key == "thickness")
        return;
    SettingValue value = setting.get(*state.snapshot->scene);
    const double fraction = below(1001) / 1000.0;
    if (double* number = std::get_if<double>(&value)) *number = setting.low + fraction * (setting.high - setting.low);
    if (bool* flag = std::get_if<bool>(&value)) *flag = !*flag;
    if (int* index = std::get_if<int>(&value); index && !setting.choices.empty())
        *index = below(static_cast<int>(setting.choices.size()));
    if (Triple* triple = std::get_if<Triple>(&value))
        for (double& number : *triple)
            number = setting.low + below(1001) / 1000.0 * (setting.high - setting.low);
    state.sim.post([setting, value](Session& s) {
        s.edit(setting.pointer, [&](SceneDesc& scene) { setting.set(scene, value); });
    });
}

void RandomInput::act(ViewerState& state) {
    const double width = state.window.width(), height = state.window.height();
    ++events_;
    const int kind = below(1000);
    if (kind < 500) { // beyond the edges too, and now and then across the whole window
        const double x = below(20) == 0 ? below(4000) - 1000 : state.drag.x + below(121) - 60;
        const double y = below(20) == 0 ? below(4000) - 1000 : state.drag.y + below(121) - 60;
        state.on_move(std::fmod(x + 10 * width, 1.2 * width) - 0.1 * width,
                      std::fmod(y + 10 * height, 1.2 * height) - 0.1 * height);
        if (below(8) == 0) state.window.set_cursor(state.drag.x, state.drag.y); // so that the panels see it too
    } else if (kind < 740) {
        state.on_button(below(3), below(2) == 0, below(4) == 0 ? GLFW_MOD_SHIFT : 0);
    } else if (kind < 800) {
        state.on_scroll(below(7) - 3);
    } else if (kind < 960) {
        static constexpr int kKeys[] = {GLFW_KEY_SPACE,
                                        GLFW_KEY_PERIOD,
                                        GLFW_KEY_RIGHT,
                                        GLFW_KEY_LEFT,
                                        GLFW_KEY_LEFT_BRACKET,
                                        GLFW_KEY_RIGHT_BRACKET,
                                        GLFW_KEY_R,
                                        GLFW_KEY_P,
                                        GLFW_KEY_P,
                                        GLFW_KEY_L,
                                        GLFW_KEY_K,
                                        GLFW_KEY_X,
                                        GLFW_KEY_V,
                                        GLFW_KEY_W,
                                        GLFW_KEY_S,
                                        GLFW_KEY_C,
                                        GLFW_KEY_N,
                                        GLFW_KEY_F,
                                        GLFW_KEY_TAB,
                                        GLFW_KEY_F1,
                                        GLFW_KEY_H,
                                        GLFW_KEY_F2,
                                        GLFW_KEY_ESCAPE,
                                        GLFW_KEY_1,
                                        GLFW_KEY_2,
                                        GLFW_KEY_3,
                                        GLFW_KEY_4,
                                        GLFW_KEY_5,
                                        GLFW_KEY_6,
                                        GLFW_KEY_7,
                                        GLFW_KEY_8,
                                        GLFW_KEY_9,
                                        GLFW_KEY_A};
        state.on_key(kKeys[below(static_cast<int>(std::size(kKeys)))], true, 0);
        if (below(10) == 0) state.on_key(below(2) ? GLFW_KEY_Z : GLFW_KEY_Y, true, GLFW_MOD_CONTROL);
    } else if (kind < 985) {
        change_setting(state);
    } else if (kind < 992) {
        state.window.resize(320 + below(300), 240 + below(200));
    } else if (kind < 996) {
        // Scenes small enough for the slowest solver.
        static constexpr const char* kScenes[] = {"oshita-cloth", "oshita-skirt"};
        const int which = below(4);
        if (which < 2)
            state.open(kScenes[which]);
        else if (which == 2)
            state.sim.post([choice = static_cast<DeviceChoice>(below(3))](Session& s) { s.set_device(choice); });
        else
            state.sim.post([scene = first_scene_](Session& s) { s.open_scene(scene); });
    } else {
        static constexpr const char* kBroken[] = {"/nowhere.json", "/etc/passwd", "no-such-scene",
                                                  "/dev/null.obj", "x.state",     ""};
        state.on_drop({kBroken[below(static_cast<int>(std::size(kBroken)))]});
    }
}

} // namespace selvage
