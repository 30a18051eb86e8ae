#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "model/measures.h"
#include "scene/json_document.h"
#include "sim/checkpoint.h"
#include "sim/simulation.h"

namespace selvage {

/// The share `percent` of the values lies at or below the result; 0 for none.
double percentile(std::vector<double> values, double percent);

/// Says where cloth passes through cloth or into a solid right now, and how often; nothing when it does not.
std::optional<std::string> first_crossing(Simulation& sim, CrossingCounter& counter);

/// Watches a run frame by frame and sums it up.
class RunRecorder {
public:
    explicit RunRecorder(Simulation& sim);
    /// Continues after a checkpoint.
    RunRecorder(Simulation& sim, const RunHistory& history);

    void add_frame(double ms);
    RunHistory history() const;
    Json report() const; ///< As promised in docs/reference/reports.md.

private:
    Simulation& sim_;
    ThreadGauge threads_;
    double first_energy_;
    std::size_t frames_per_second_;
    std::int64_t steps_ = 0; // in the frames that were added
    std::vector<double> frame_ms_;
    ContactStats contact_;                               // of all frames
    std::vector<double> recent_strain_, recent_threads_; // rings over the last simulated second
    std::size_t next_strain_ = 0;
};

} // namespace selvage
