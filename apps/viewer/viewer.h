#pragma once

#include <string>

#include "base/result.h"
#include "scene/scene_desc.h"
#include "sim/device.h"

namespace selvage {

struct ViewerOptions {
    SceneDesc scene;
    std::string resume; ///< A saved state of the scene; empty: its start.
    int threads = 0;    ///< Of the simulation; 0: all but one, which draws.
    Device device;      ///< Where it is stepped at first.
    int width = 1280, height = 720;
    std::string style = "auto"; ///< auto, fabric or quick.
    bool paused = false;
    std::string status;    ///< A file to write what the window shows to, again and again; empty: none.
    int random_events = 0; ///< Made up, after which the window closes; 0: none.
    int random_seed = 1;
};

/// Opens the window and stays until it is closed. Fails without a display or a GL driver, and where the scene does.
Status run_viewer(const ViewerOptions& options);

} // namespace selvage
