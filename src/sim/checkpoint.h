#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "sim/simulation.h"

namespace selvage {

/// What a report needs from before the checkpoint.
struct RunHistory {
    double first_energy = 0.0;               ///< [J].
    std::vector<double> recent_strain;       ///< Largest strain of each frame of the last second, oldest first.
    std::vector<std::int8_t> surface = {};   ///< DrawnSurface::history(); not about the simulation, but its pictures.
    std::vector<double> recent_threads = {}; ///< Largest stretch along the threads, alongside `recent_strain`.
};

/// Saves all that the rest of the run depends on; a resumed run continues bit for bit.
Status save_checkpoint(const std::filesystem::path& path, const Simulation& sim, const RunHistory& history);

/// Restores into a simulation of the same scene. Fails, leaving `sim` as it was, on a file that is not a checkpoint, is
/// cut short or damaged, or belongs to another scene, solver or step.
Result<RunHistory> load_checkpoint(const std::filesystem::path& path, Simulation& sim);
/// The same from the bytes of such a file.
Result<RunHistory> parse_checkpoint(const std::string& content, const std::string& location, Simulation& sim);

} // namespace selvage
