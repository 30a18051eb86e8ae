#pragma once

#include "lab/figure/canvas.h"
#include "lab/papers/report.h"

namespace selvage {

/// A scene with bodies, by Kang and Cho's method with the engine's contact.
struct KangScene {
    std::string name;                   ///< Of a built-in scene.
    std::vector<std::string> overrides; ///< Beside solver and step.
    std::vector<double> times;          ///< Of the pictures [s]; the last ends the run.
    int width = 400, height = 400;      ///< Of each.
    int per_row = 3;
};

struct KangSceneRun {
    Canvas sheet{1, 1};
    int vertices = 0;
    double frame_ms = 0.0; ///< Median.
    double stretch = 0.0;  ///< Largest of any frame, of edges.
    double within = 0.0;   ///< Stretch that 99.9 % of edges stay under in any frame.
    int crossings = 0;     ///< Most in any frame, with cloth or body.
    double without = 0.0;  ///< Largest stretch of any frame with one sweep and no limit; as the print has it.
};

/// The solver that the runs use: three sweeps, and a limit on stretch after each step of 1/300 s.
inline constexpr const char* kKangSolver =
    R"(/solver={"type":"implicit-jacobi","sweeps":3,"strain_limit":0.03,"strain_passes":60})";

Result<KangSceneRun> run_kang_scene(const KangScene& wanted);

} // namespace selvage
