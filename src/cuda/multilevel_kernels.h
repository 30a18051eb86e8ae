#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/step_parameters.h"
#include "cuda/types.h"

namespace selvage::cuda {

// Layout, as on the host (solvers/multilevel/sliced_matrix.h): rows in slices of eight, slot after slot one entry of each
// row; entry = 8 slot + row % 8. But a 3x3 block is whole: three float4, its rows, 48 bytes; the first one's w is the
// column. Four threads share a row, and a warp has a slice: it reads 1.5 kB that lie together.

inline constexpr int kSliceRows = 8;

/// Scalar ties to other rows: column and, as bits, value; in slices.
struct TieView {
    const int* start = nullptr; ///< First slot of each slice.
    int2* tie = nullptr;
};

/// Some rows of a finer or coarser level and their weights (as bits).
struct WeightView {
    const int* start = nullptr;
    const int2* item = nullptr;
};

/// A level of the hierarchy.
struct LevelView {
    int rows = 0;
    float omega = 0.5F;
    const int* start = nullptr; ///< First slot of each slice.
    const int* column = nullptr;
    float4* block = nullptr;   ///< Three of each entry.
    float4* inverse = nullptr; ///< Two of each row: xx xy xz yy, yz zz.
    int entries = 0;           ///< Of the matrix, with those that fill slices up.
    TieView far;               ///< Finest level only; null elsewhere.
    // How its blocks come from the finer level's: entry and mirror of each on or above the diagonal, and its sources.
    int slot_count = 0;
    const int2* slot = nullptr;
    WeightView source;
    const float* base = nullptr; ///< What far ties give each entry; level 1 only.
    WeightView parent, child;    ///< In the coarser level of each row here, and here of each row there.
    int weight_count = 0;        ///< Of parents, and of children.
    float4 *b = nullptr, *x = nullptr, *r = nullptr, *out = nullptr;
};

inline constexpr int kMostLevels = 12;
struct LevelViews {
    int count = 0;
    LevelView level[kMostLevels];
};

/// The elements of a cloth, and what its rows gather from them; see SheetSystem.
struct SheetView {
    int rows = 0, triangle_count = 0, spring_count = 0, hinge_count = 0, part_count = 0;
    const int4* corner = nullptr;        ///< Of each triangle: rows, and its part.
    const Double4* weight = nullptr;     ///< u1 v1 u2 v2.
    const float4* stretch = nullptr;     ///< Stiffness along u, along v, of shear.
    float4* before = nullptr;            ///< Strains at the start of the small step; null without damping.
    float4* record = nullptr;            ///< Three of each triangle, then of each spring, then one of zeros.
    const float4* slot_weight = nullptr; ///< ub vb uc vc of each entry but the diagonal ones.
    const int2* slot_element = nullptr;  ///< Record, with the sign bit where the fan closes; and, as bits, a near tie.
    const int4* spring = nullptr;        ///< Rows of its ends, part.
    const float2* spring_law = nullptr;  ///< Rest length, stiffness.
    float4* spring_before = nullptr;
    const int4* hinge = nullptr;         ///< Rows of a hinge that is bent at rest.
    const Double4* hinge_law = nullptr;  ///< Stiffness, angle at rest, part.
    const Double4* hinge_most = nullptr; ///< Of its slopes.
    double* hinge_before = nullptr;
    float4* hinge_force = nullptr; ///< On its four rows.
    WeightView hinge_end;          ///< Of each row: 4 hinge + corner.
    const float* far_sum = nullptr;
    TieView bend;
    float4* bend_force = nullptr;
    const unsigned char *is_held = nullptr, *falls = nullptr;
    const float* mass = nullptr;
    const float *area = nullptr, *velocity_damping = nullptr;
    const int* fan_start = nullptr; ///< For air: the other two corners of each triangle at a row.
    const int2* fan = nullptr;
    float compression = 0.1F;
    bool damped = false;
};

/// State and vectors of the solve, by row.
struct SolveView {
    Double4* start = nullptr; ///< Position at the start of the small step: the state between steps.
    Double4* x = nullptr;     ///< Where the iteration is.
    float4* v = nullptr;      ///< Velocity; the state between steps.
    float4* off = nullptr;    ///< y - x, and m/h^2.
    float4 *r = nullptr, *z = nullptr, *p[2] = {nullptr, nullptr}, *q = nullptr, *dx = nullptr;
    double* partial = nullptr; ///< Sums of blocks; see Partial.
    int* stopped = nullptr;    ///< By iteration: the solve has broken down before it.
    int block_count = 0;
};

/// Pieces that nothing holds, cut into chunks whose sums are added in a fixed order.
struct PieceView {
    const int *row = nullptr, *chunk_start = nullptr, *piece_chunks = nullptr;
    const int* piece_of = nullptr; ///< By row; -1: held.
    Double4* chunk_sum = nullptr;
    Double4* shift = nullptr; ///< By piece.
    int chunk_count = 0, piece_count = 0;
};

struct ContactArrays;

/// Where a small step is within its step.
struct SmallPart {
    int number = 0, count = 1;
};

struct SmallStep {
    double h = 0.0;              ///< [s].
    const float4* law = nullptr; ///< By part: scale of the stiffness; damping of strains and of springs over h.
    float farthest = 0.0F;       ///< That a linearisation may move a point [m].
    FrameInput frame;
    int step = 0;
};

// Held points: row of each.
/// Gives them the velocity that takes them to their targets in what is left of the step.
void start_held(const SolveView& solve, const FrameInput& frame, int step, const SmallPart& part, const int* held,
                int count, cudaStream_t stream);
/// After predict() of the last small step: exactly there, where contact may still stop them.
void place_held(const SolveView& solve, const FrameInput& frame, int step, const int* held, int count,
                cudaStream_t stream);
void finish_held(const SolveView& solve, const FrameInput& frame, int step, const int* held, int count,
                 cudaStream_t stream);

/// Where they are now.
void find_held(const SolveView& solve, const int* held, int count, Vec3* place, cudaStream_t stream);

// Phases of a small step, in this order; sheet_kernels.cu.
void predict(const SheetView& sheet, const SolveView& solve, const SmallStep& step, bool has_air, cudaStream_t stream);
void measure_strains(const SheetView& sheet, const SolveView& solve, cudaStream_t stream);
/// Adds up the triangles whose stretch has grown by more than so much since the small step began.
void count_stretched(const SheetView& sheet, const SolveView& solve, float most, int* count, cudaStream_t stream);
/// Fills the finest matrix, its inverses, the right side, and the first sweep from it. `moved`: bending goes on from the
/// last linearisation by what dx has moved.
void linearise(const SheetView& sheet, const SolveView& solve, const LevelView& finest, const SmallStep& step,
               bool moved, cudaStream_t stream);
/// What free pieces have to be shifted by to keep their momentum.
void add_up_pieces(const SolveView& solve, const PieceView& pieces, cudaStream_t stream);
/// New velocities and starts. Shifts pieces, if there are any.
void finish_small_step(const SheetView& sheet, const SolveView& solve, const PieceView& pieces, const SmallStep& step,
                       cudaStream_t stream);

// The linear solve; multigrid_kernels.cu.
struct Hierarchy {
    LevelViews view;                       ///< For kernels of one level.
    const LevelViews* on_device = nullptr; ///< The same, for the kernel of the small ones.
    int first_small = 1;                   ///< From this level on one block does all.
    std::size_t small_bytes = 0;           ///< Of shared memory that it takes.
};
/// Bytes of shared memory that levels from `first` on take, or 0: there is not so much.
std::size_t allow_small_levels(const LevelViews& views, int first);
/// Blocks that leave partial sums, for so many rows.
int sum_blocks(int rows, int multiprocessors);
void build_coarse(const Hierarchy& hierarchy, cudaStream_t stream);
/// From the first sweep of the finest level, which is done, to the correction of it by the coarser ones.
void correct_by_coarse(const Hierarchy& hierarchy, cudaStream_t stream);
/// dx with A dx = r, as far as the iterations go; then x += dx and off -= dx, dx limited to `farthest`. `contact`: its
/// pairs are a part of A; or null.
void solve_linear(const Hierarchy& hierarchy, const SolveView& solve, const ContactArrays* contact, int iterations,
                  float farthest, cudaStream_t stream);
/// out = D^-1 A x of a level, and partial sums of its square.
void apply_sweep(const LevelView& level, const float4* x, float4* out, double* partial, int block_count,
                 cudaStream_t stream);
void scale(float4* x, float by, int rows, cudaStream_t stream);

void find_diverged(const SolveView& solve, const unsigned char* is_held, const int* vertex_of, int rows, int* found,
                   cudaStream_t stream);
void unpack(const SolveView& solve, const int* vertex_of, int rows, Vec3* position, Vec3* velocity,
            cudaStream_t stream);
void pack(const Vec3* position, const Vec3* velocity, const int* vertex_of, int rows, const SolveView& solve,
          cudaStream_t stream);

} // namespace selvage::cuda
