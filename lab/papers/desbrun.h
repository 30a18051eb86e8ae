#pragma once

#include "lab/papers/report.h"
#include "scene/scene_desc.h"

namespace selvage {

/// The report on Desbrun, Schroeder and Barr 1999: measurements in paper_desbrun.cpp, figures in
/// paper_desbrun_figures.cpp.
class DesbrunPaper : PaperReport {
public:
    DesbrunPaper(std::filesystem::path folder, bool quiet) : PaperReport(std::move(folder), "paper desbrun", quiet) {}
    Status run();

private:
    Status momentum();
    Status stability();
    Status cost();
    Status accuracy();
    Status grabs();
    Status hanging();
    Status scarf();
    Status organ();
};

namespace desbrun {

inline constexpr double kStep = 0.02; ///< The paper's [s].
inline const Vec3 kDown{0, -9.81, 0};

/// A sheet of one square metre and 0.2 kg, lying in the horizontal.
SceneDesc sheet_scene(const SolverSettings& settings, IntPair vertices, double dt = kStep);
/// 24 x 18 x 24 cm of something soft, 1 kg per litre.
SceneDesc block_scene(const SolverSettings& settings, IntTriple vertices, double modulus);

inline double percent(double fraction) {
    return 100.0 * fraction;
}

double median(std::vector<double> values);

} // namespace desbrun

} // namespace selvage
