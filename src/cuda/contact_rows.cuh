#pragma once

// What kernels of contact share.

#include <algorithm>

#include "cuda/contact_kernels.h"
#include "cuda/rows.cuh"
#include "cuda/sums.cuh"

namespace selvage::cuda {

inline constexpr int kSumThreads = 256;
inline constexpr float kSlackOfMotion = 0.1F; // of a motion: that far a cut may take a vertex out of its box

/// Where places are counted from, and how boxes and planes move: with the cloth's mean where nothing holds it, or with
/// colliders that all move alike.
struct Frame {
    Vec3 origin, motion;
    /// All threads of a block take part.
    __device__ Frame(const SweepView& w, const StepParameters& step, int rows) {
        double sum[6];
        for (int c = 0; c < 6; ++c)
            sum[c] = total(w.sums + c * w.sum_blocks, w.sum_blocks) / rows;
        origin = {sum[3], sum[4], sum[5]};
        motion = w.moves ? Vec3{sum[0], sum[1], sum[2]} : step.frame;
    }
};

/// Vertices of a listed pair.
struct PairCorners {
    int v[4];
    bool is_edges;
    __device__ explicit PairCorners(const int4& pair)
        : v{pair.x, pair.y, pair.z, pair.w < 0 ? ~pair.w : pair.w}, is_edges(pair.w < 0) {}
    __device__ int side_count() const { return is_edges ? 2 : 1; } ///< Of vertices on the first side.
};

/// Places, motions and boxes of a small step, and the trees over them.
void find_motions(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const SmallStep& step,
                  const SmallPart& part, bool is_solved, cudaStream_t stream);
/// Pairs that are near enough to push or are foreseen to be, and pairs that motions could bring together.
void find_pushing(const ContactArrays& c, cudaStream_t stream);
void find_crossing(const ContactArrays& c, cudaStream_t stream);

} // namespace selvage::cuda
