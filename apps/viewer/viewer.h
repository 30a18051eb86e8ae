#pragma once

#include <string>

#include "base/result.h"
#include "scene/scene_desc.h"

namespace selvage {

struct ViewerOptions {
    SceneDesc scene;
    std::string resume; ///< A saved state of the scene; empty: its start.
    int threads = 0;    ///< Of the simulation; 0: all but one, which draws.
    int width = 1280, height = 720;
    std::string style = "auto"; ///< auto, fabric or quick.
    bool paused = false;
    std::string status;    ///< A file that says what the window shows, kept up to date; empty: none.
    int random_events = 0; ///< Made-up input, and then the end.
    int random_seed = 1;
};

/// Opens the window and stays until it is closed. Fails without a display or a GL driver, and where the scene does.
Status run_viewer(const ViewerOptions& options);

} // namespace selvage
