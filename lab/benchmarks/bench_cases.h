#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "scene/json_document.h"
#include "sim/device.h"

namespace selvage {

/// One timed run.
struct BenchRow {
    std::string scene, solver;
    int vertices = 0, springs = 0, threads = 0, frames = 0;
    double median_ms = 0.0, p95_ms = 0.0; ///< Per frame.
    double strain_max = 0.0;              ///< Over the last simulated second, or the whole run where it is shorter.
    double strain_rms = 0.0;              ///< At the end.
    double threads_max = 0.0;             ///< Stretch along the threads, as `strain_max`.
    double threads_rms = 0.0;             ///< At the end.
    int crossings = 0;                    ///< Of cloth with cloth, at the end.
    double bytes_per_vertex = 0.0;        ///< Heap of the host taken by the simulation, scratch included.
    std::string state_hash;
    std::string device = "cpu"; ///< Or cuda.
    std::string skipped = {};   ///< Why it was not run, which is no failure; empty: it was.
};

struct BenchCase {
    std::string name; ///< scene/solver/threads; --only matches any part of it.
    std::function<Result<BenchRow>(const Device& device)> run;
};

/// All cases on this machine: the scaling series of kang-table with one thread and all, then the scenes with every
/// solver that survives them.
std::vector<BenchCase> bench_cases();

/// Runs `scene` with warm-up and reports per-frame times. A frame ends when its last number is there, on a device too.
/// Skipped are scenes that a device was asked to step and cannot, and more threads beside a device, which has no use
/// for them.
Result<BenchRow> bench_scene(const std::string& scene, const std::vector<std::string>& overrides, int threads,
                             int warm_up, int frames, const Device& device = {});

/// Moves `sim` to the device as bench_scene() does, and gives why it is to be skipped; empty: it is not.
std::string place_for_timing(const Device& device, Simulation& sim);

/// Fails where there is no device: where even a bare net of springs cannot be stepped there.
Status check_device(const Device& device);

/// Heap in use by the program [bytes]; 0 where the C library does not say.
double heap_bytes();

/// Exponent of time against vertices by least squares in logarithms; 1 is linear.
double fit_exponent(const std::vector<double>& vertices, const std::vector<double>& time);

Json bench_json(const std::vector<BenchRow>& rows);

} // namespace selvage
