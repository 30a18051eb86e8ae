#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/simd.h"
#include "model/solver.h"
#include "solvers/parts/tethers.h"

namespace selvage {

/// The tethers of a cloth in the order of the solver's points, eight points at a time.
class TetherBatches {
public:
    static constexpr int kBatch = 8;
    struct alignas(32) Batch {
        float reach[kBatch];   // [m]; infinite where there is no tether
        float edge[3][kBatch]; // from the held point where the step starts [m]
    };
    struct alignas(32) Motion {
        float of_held[3][kBatch]; // displacement of the held point in the step [m]
    };

    /// `order`: the vertex of each point. Searches the paths again only when what is held has changed.
    void fit(const ClothModel& model, std::span<const int> order, const StepInput& input, double slack);
    bool any() const { return !batches_.empty(); }
    bool tie(int vertex) const { return any() && tethers_.of(vertex)[0].anchor >= 0; }
    /// Where the step starts; held points go straight to their targets in it.
    void start(ThreadPool& pool, std::span<const int> order, std::span<const Vec3> position, const StepInput& input);
    /// Pulls points [begin, end), multiples of eight, back to where their tethers reach, when `fraction` of the step is over.
    void project(int begin, int end, float fraction, Floats4* displacement) const;

    std::size_t bytes() const;

private:
    Tethers tethers_;
    std::vector<Batch> batches_;
    std::vector<Motion> motion_;
    std::vector<std::array<int, kBatch>> anchor_; // vertices; -1: none
    std::vector<float> stretch_;                  // of the tethers of each part
    std::vector<int> part_of_;                    // by vertex
    std::vector<int> start_;                      // batches of each eight points
    std::vector<Vec3> held_motion_;               // by vertex [m]
    bool is_moving_ = false;                      // some held point moves in this step
};

} // namespace selvage
