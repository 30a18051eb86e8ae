#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/figure/canvas.h"
#include "scene/json_document.h"
#include "sim/device.h"

namespace selvage {

/// Which runs of the yardsticks to make: every combination of these.
struct YardPlan {
    std::vector<std::string> scenes{"yard-hang", "yard-drape"};
    std::vector<int> sides{32, 64, 128, 256};               ///< Vertices along a side.
    std::vector<double> damping{2.23, 0.0};                 ///< Velocity damping [1/s].
    std::vector<std::string> fabrics{"poplin", "net"};      ///< See yard_fabrics().
    std::vector<std::string> solvers{"xpbd", "multilevel"}; ///< multilevel at low quality.
    std::vector<int> threads{1, 2};
    double seconds = 0.0;               ///< Of each run; 0: as long as the scene says.
    int substeps = 0;                   ///< 0: what the scene has for the solver.
    std::vector<std::string> overrides; ///< "/json/pointer=VALUE", applied last.
    Device device;                      ///< See bench_scene() for what is skipped.
};

/// The fabrics of the yardsticks: "poplin" as the scenes have it, and "net", which hardly stretches in any direction as
/// the cloth of game engines does: 6000 N/m along the threads and 3000 N/m in shear.
std::vector<std::string> yard_fabrics();

/// One run. Stretch is over the last simulated second, or the whole run where it is shorter.
struct YardRow {
    std::string scene, solver, fabric, device = "cpu";
    double damping = 0.0;
    int side = 0, vertices = 0, substeps = 0, threads = 0, frames = 0;
    double cpu_median_ms = 0.0, cpu_p95_ms = 0.0;   ///< Of all threads, per frame after the first, which sets up.
    double wall_median_ms = 0.0, wall_p95_ms = 0.0; ///< The same on the wall's clock.
    double edges_max = 0.0, edges_rms = 0.0;        ///< Stretch of edges.
    double threads_max = 0.0, threads_rms = 0.0;    ///< Stretch along the threads of the fabric.
    int crossings = 0; ///< Of cloth with cloth and with the ball: most in any of the frames looked at, four a second.
    double bytes_per_vertex = 0.0; ///< Heap taken by the simulation, scratch included.
    std::string state_hash;
    std::string failure; ///< How it diverged; empty when it did not.
    std::string skipped; ///< Why the device did not run it; empty: it was run.
};

/// Makes the runs, small ones first, and hands out each row as it is ready. Fails at the first that cannot be set up.
Status run_yard(const YardPlan& plan, const std::function<void(const YardRow&)>& on_row);

/// Cost over vertices of one kind of run, with the exponent of its growth.
struct YardSeries {
    std::string name;
    std::vector<double> vertices, ms; ///< Of processors; on a device, which has no such clock, on the wall's.
    double exponent = 0.0;            ///< ms ~ vertices^exponent; 0 with fewer than two sizes.
};
/// Rows that differ in size alone belong to one series; those that diverged or were skipped to none.
std::vector<YardSeries> yard_series(const std::vector<YardRow>& rows);
/// Processor time over vertices, a panel for each fabric and damping.
Canvas draw_yard(const std::vector<YardRow>& rows);

Json yard_json(const std::vector<YardRow>& rows);       ///< Without those that were skipped.
std::string yard_csv(const std::vector<YardRow>& rows); ///< The same columns.

} // namespace selvage
