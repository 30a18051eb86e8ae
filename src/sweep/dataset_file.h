#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scene/json_document.h"
#include "sim/simulation.h"

namespace selvage {

/// Numbers of one kept frame, beside the positions.
struct FrameMeasures {
    double time = 0.0;                                  ///< [s].
    double kinetic = 0.0, elastic = 0.0, gravity = 0.0; ///< [J].
    double strain_max = 0.0;
    Vec3 low = {}, high = {}; ///< Corners of a box around the cloth [m].
};

/// Where a collider is in each kept frame.
struct ColliderTrack {
    std::vector<float> points; ///< Frames times vertices times xyz of a mesh [m]; empty for other shapes.
    std::vector<double> poses; ///< Frames times 3 x 4, rotation beside translation, from its own frame to the world.
};

/// A simulation while it runs, frame by frame, as it will be kept.
class DatasetRecord {
public:
    explicit DatasetRecord(Simulation& sim);
    void add_frame();

    const std::vector<FrameMeasures>& measures() const { return measures_; }
    const std::vector<float>& positions() const { return positions_; } ///< Frames times vertices times xyz.
    const std::vector<ColliderTrack>& colliders() const { return colliders_; }
    const Simulation& simulation() const { return sim_; }

private:
    Simulation& sim_;
    std::vector<float> positions_;
    std::vector<FrameMeasures> measures_;
    std::vector<ColliderTrack> colliders_;
};

/// What identifies a job, kept as attributes of its file.
struct DatasetLabels {
    std::string version = {}, sweep = {}, scene = {}, settings = {}, state_hash = {};
    std::string row = {}; ///< Of the manifest, up to what only the finished file tells.
    std::int64_t job = 0;
};

/// Fails in programs built without HDF5.
Status check_dataset_support();

/// The HDF5 file of a job; docs/reference/datasets.md describes it. The same job gives the same bytes.
Result<std::string> dataset_bytes(const DatasetRecord& record, const DatasetLabels& labels, int compression);

/// Back from a file: its labels' row, and the positions of its last frame.
Result<std::string> dataset_row(const std::string& bytes);
Result<std::vector<Vec3>> dataset_last_positions(const std::string& bytes);

} // namespace selvage
