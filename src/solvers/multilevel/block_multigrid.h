#pragma once

#include <span>
#include <vector>

#include "base/large_pages.h"
#include "base/thread_pool.h"
#include "math/block.h"
#include "solvers/multilevel/aggregation.h"
#include "solvers/multilevel/sliced_matrix.h"

namespace selvage {

namespace cuda {
class HostLevels; // the same hierarchy on a device
}

/// A block of the finer matrix, by its place there, and its weight in a coarse one.
struct BlockSource {
    int place;
    float weight;
};

/// What has been added to diagonal blocks of the finest matrix since coarse matrices were made of it.
struct DiagonalChange {
    std::span<const int> index;   ///< By row: its place in `block`, -1 where nothing has changed.
    std::span<const Block> block; ///< Symmetric.
};

/// Places of a coarse block on or above the diagonal, and of its mirror image.
struct BlockSlot {
    int place, mirror;
};

/// The finest system as the hierarchy takes it over.
struct SystemPattern {
    SlicedMatrix matrix; ///< Blocks not yet filled.
    SlicedTies far;      ///< Ties to points beyond the neighbours that act alike in all directions.
    /// Scalar, with the same rows: which points are coupled and how strongly, with a positive diagonal for every row
    /// that has ties.
    SparseMatrix ties;
};

/// A symmetric positive system of 3x3 blocks and the hierarchy that approximately solves it: smoothed aggregation, one
/// V-cycle with a damped block-Jacobi sweep before and after. Patterns and weights are fixed; numbers come with
/// build(). Rows whose blocks are all zero are out of the system and get zeros.
/// All passes gather, so nothing depends on the number of threads. Vectors are padded to whole slices.
class BlockMultigrid {
public:
    explicit BlockMultigrid(SystemPattern pattern);

    SlicedMatrix& matrix() { return levels_[0].matrix; }
    SlicedTies& far() { return far_; }
    int level_count() const { return static_cast<int>(levels_.size()); }
    int row_count(int level) const { return levels_[level].matrix.row_count(); }
    /// With padding.
    int block_count(int level) const { return static_cast<int>(levels_[level].matrix.column.size()); }
    std::size_t bytes() const;
    void add_to(LargePages& pages) const;

    /// To be called when the values of far() have changed: their part in the coarse matrices.
    void gather_far();
    /// Coarse matrices, inverses and the factor of the coarsest, from matrix() and far().
    void build(ThreadPool& pool);
    /// The same for the finest level alone: the coarse matrices stay those of the last build().
    void build_finest(ThreadPool& pool);
    /// Adds to the coarse matrices what a change of the finest one makes of them.
    void add_change(ThreadPool& pool, const DiagonalChange& change);
    /// Damping of the sweeps for the matrix as built, by a few power iterations; stays until called again.
    void measure(ThreadPool& pool);

    /// product = A x, and returns x . A x.
    double multiply(ThreadPool& pool, std::span<const Floats4> x, std::span<Floats4> product);
    /// z = V-cycle of r, and returns r . z.
    double precondition(ThreadPool& pool, std::span<const Floats4> r, std::span<Floats4> z);
    /// z = D^-1 r, and returns r . z: what is left when a V-cycle breaks down.
    double precondition_by_diagonal(ThreadPool& pool, std::span<const Floats4> r, std::span<Floats4> z);

private:
    friend class cuda::HostLevels;
    struct Level {
        SlicedMatrix matrix;
        std::vector<SliceInverse> inverse; // of each slice
        float omega = 0.5F;
        // From the finer level.
        std::vector<BlockSlot> slot;
        std::vector<int> source_start;
        std::vector<BlockSource> source;
        // To the coarser level: parents of each row here, and children of each row there.
        std::vector<int> parent_start, parent, child_start, child;
        std::vector<float> parent_weight, child_weight;
        std::vector<Floats4> b, x, out;
    };

    template <class Visit>
    void for_each_array(const Visit& visit) const;
    void add_coarser_level(const SparseMatrix& weights, const SparseMatrix& meet);
    void gather_level(ThreadPool& pool, int coarse);
    void add_to_coarse(const DiagonalChange& change, int begin, int end);
    void invert_diagonal(ThreadPool& pool, Level& level);
    void factor_coarsest();
    void solve_coarsest();
    void cycle(ThreadPool& pool, int level, const Floats4* b);
    double finish_level(ThreadPool& pool, int level, const Floats4* b, Floats4* out);
    void start_level(ThreadPool& pool, int level, const Floats4* b);

    std::vector<Level> levels_;
    SlicedTies far_;
    std::vector<float> far_base_; // what far ties give each slot and lane of level 1
    std::vector<float> factor_;   // of the coarsest matrix, rows one after another; unit lower triangle
    std::vector<float> pivot_;    // inverses of its diagonal
    std::vector<float> dense_;    // right side and solution
    bool coarsest_is_dense_ = false;
};

} // namespace selvage
