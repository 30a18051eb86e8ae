#pragma once

#include "lab/papers/report.h"
#include "scene/scene_desc.h"

namespace selvage {

/// The report on Desbrun, Schroeder and Barr 1999: measurements in desbrun.cpp, figures 3 to 5 in desbrun_method.cpp, the
/// others in desbrun_figures.cpp.
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
    Status filter_rows();    ///< Fig. 3.
    Status limited_spring(); ///< Fig. 4.
    Status grabbed_point();  ///< Fig. 5.
    Status hanging();        ///< Figs. 7 and 8 (a) to (c).
    struct Hold;
    Result<std::string> hang_one(double k, const Hold& hold, Canvas& sheet, int x, int y);
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
