#pragma once

#include "sweep/sweep.h"

namespace selvage {

struct SlurmSettings {
    std::filesystem::path program; ///< `selvage`, where every node finds it.
    int tasks = 256;               ///< Of the array, at most; each does its part of the jobs, one after the other.
    std::string sbatch_options;    ///< As typed, such as "--partition=long --time=4:00:00".
};

/// The same sweep as an array job of Slurm: writes and submits it, waits, and collects what it did. An array of this
/// folder that is still at work is waited for instead; a signal ends the waiting, not the array.
Result<SweepOutcome> run_slurm(const SweepRequest& request, const SlurmSettings& settings);

} // namespace selvage
