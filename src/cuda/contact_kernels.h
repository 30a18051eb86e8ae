#pragma once

#include "cuda/contact_formula.h"
#include "cuda/multilevel_kernels.h"

// Contact of multilevel on the device. A small step looks ahead along the motion foreseen and lists the pairs of features
// that push; they are springs in its linear systems, as on the host (solvers/multilevel/contact_forces.h). After the
// solve it looks again, along the motion solved for, at all pairs that could meet, and cuts motions until a plane parts
// every pair at the start and at the end. All counts stay on the device.
//
// Vertices of contact: the cloths' rows first, then the vertices of colliders that are meshes. Places are floats from the
// cloths' mean.

namespace selvage::cuda {

inline constexpr int kGroup = 8;        // children of a node; features that a warp looks around together
inline constexpr int kRefitBlock = 512; // features of a block: three levels of the tree
inline constexpr int kTreeLevels = 9;

/// Numbers of a cloth or a collider; see ContactBody.
struct BodyNumbers {
    float distance, friction;
    int meets_itself, is_solid;
    int is_hull; ///< Stands for a collider given by a distance, which pushes vertices itself.
};

/// Boxes over features, fixed by the mesh and only refitted. Level 0: the features; box 2k, 2k + 1: low and high.
struct TreeView {
    int level_count = 0;
    int offset[kTreeLevels] = {}, size[kTreeLevels] = {};
    float4* box = nullptr;
};

/// Triangles or edges in patches, filled up to whole blocks.
struct FeatureView {
    int count = 0;
    const int* corner = nullptr; ///< Three or two vertices of each; -1: filled up.
    TreeView tree;
};

enum Side { kCloth, kSolid };

struct SurfaceView {
    int cloth_count = 0, vertex_count = 0;
    const float4* rest = nullptr;         ///< At rest [m].
    const unsigned short* body = nullptr; ///< Of each vertex.
    const BodyNumbers* numbers = nullptr;
    FeatureView face[2], edge[2];
    const int* query[2] = {nullptr, nullptr}; ///< Vertices in patches; -1: filled up.
    int query_count[2] = {0, 0};
    bool meets_cloth = false; ///< Some cloth is kept off itself or others.
    float reach = 0.0F;       ///< Pairs push only when nearer than this [m].
    float least_gap = 0.0F;   ///< That no motion may leave, above the rounding of places [m].
    float slack = 0.0F;       ///< How far a cut may take a vertex out of the box of its motion [m].
    Vec3 *solid_before = nullptr, *solid_now = nullptr; ///< Colliders' vertices in the step.
};

/// Motions of a small step, by vertex of contact. Ends are in a frame that moves with the cloths' mean where nothing holds.
struct SweepView {
    float4* start = nullptr; ///< Place; w: h^2/m, 0 where the motion is given.
    float4 *end = nullptr, *now = nullptr;
    float4 *low = nullptr, *high = nullptr; ///< Box of the motion.
    double* sums = nullptr;                 ///< Six of each block: of motions and of places.
    int sum_blocks = 0;
    bool moves = false; ///< The frame.
};

/// A look around: features of one kind against a tree.
struct SearchPass {
    FeatureView own, target;    ///< Edges; of vertices only the target.
    const int* query = nullptr; ///< Vertices; null: edges.
    int group_count = 0, first_group = 0;
    bool is_same = false; ///< Both are the same features: each pair once.
};
inline constexpr int kMostPasses = 5;

/// Pairs as they are found, a segment for each group; edges have ~ on their last vertex.
struct Listing {
    int4* pair = nullptr;
    float4* plane = nullptr; ///< Normal and gap along it at the start; null where pairs push.
    int* count = nullptr;    ///< Of each group; more than `most`: not all are there.
    int most = 0;
};

/// Pairs that push.
struct PairView {
    int capacity = 0, blocks = 1; ///< Of kernels that go through all of them.
    int* total = nullptr;         ///< How many there are.
    int4* vertex = nullptr;
    float4* start = nullptr;  ///< Normal and gap at the start of the small step.
    float4* law = nullptr;    ///< Target gap, friction, stiffening, normal force of the last linearisation.
    float4* normal = nullptr; ///< And the stiffness along it; 0: does not act.
    float4* slip = nullptr;   ///< Direction of the slip, 0 while it sticks; and the stiffness across.
    float4* weight = nullptr; ///< Of its vertices in the nearest points.
    float4* force = nullptr;  ///< On its first side; w: sum of the absolute weights of free vertices.
    // Who takes part in what: 4 pair + corner, ascending, for each row.
    int *count = nullptr, *begin = nullptr, *block_sum = nullptr, *filled = nullptr, *unsorted = nullptr,
        *list = nullptr;
    float4* bound = nullptr; ///< Two of each row: what the preconditioner sees of its pairs.
};

/// Colliders given by a distance, in a small step.
struct SolidView {
    int count = 0;
    const SolidShape* shape = nullptr;
    float4* slip = nullptr;  ///< Of the touch of a row that pushes hardest: as of a pair.
    float4* force = nullptr; ///< Its normal force, its collider as a number, its stiffness.
};

struct CutView {
    Listing listing;
    int group_count = 0;
    unsigned long long* best = nullptr;
    unsigned* scale = nullptr;
    float4* carry = nullptr; ///< Of each listed pair: the motion that its cloth is to follow.
    unsigned char *is_cut = nullptr, *is_carried = nullptr;
    int* violated = nullptr; ///< By round.
    int blocks = 1;
};

/// What contact did, added up.
enum Count { kPairs, kListed, kCutMotions, kRounds, kConflicts, kOverflows, kMore, kCounts };

/// What decides about another linearisation: pairs that have come too near, triangles that have been drawn out, further
/// linearisations so far, whether there is to be one.
enum Overrun { kTooNear, kStretched, kSoFar, kGoesOn, kOverruns };

struct ContactArrays {
    SurfaceView surface;
    SweepView sweep;
    SearchPass pass[kMostPasses];
    int pass_count = 0;
    Listing pushing;
    PairView pairs;
    SolidView solids;
    CutView cut;
    int group_count = 0;
    int *group_begin = nullptr, *group_sum = nullptr;
    int* piece_meets = nullptr; ///< By piece: something else acts on it.
    int piece_count = 0;
    int* counts = nullptr;  ///< See Count.
    int* overrun = nullptr; ///< See Overrun.
    int few_overrun = 0;    ///< So many are left to the cut.
};

/// Colliders' vertices at the start and the end of a step, where their places came with its input.
void place_solids(const ContactArrays& c, const FrameInput& frame, int step, cudaStream_t stream);
/// Pairs that are near or foreseen to be; after predict().
void look_ahead(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const SmallStep& step,
                const SmallPart& part, cudaStream_t stream);
/// Adds contact to a linearisation: right side, diagonal, its inverse and the first sweep.
void linearise_contact(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const PieceView& pieces,
                       const LevelView& finest, const SmallStep& step, const SmallPart& part, cudaStream_t stream);
/// Whether another linearisation is to follow, up to a few: while threads have been drawn out, or too many pairs have used
/// up most of their gap although their springs act. These become stiffer. Returns where the device says so.
const int* ask_for_more(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, cudaStream_t stream);
/// q += what pairs add to A p beyond their bound on the diagonal.
void multiply_pairs(const ContactArrays& c, const SolveView& solve, int iteration, cudaStream_t stream);
/// Free pieces get their momentum, what sticks goes with its collider, what is too deep comes out.
void settle(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const PieceView& pieces,
            const SmallStep& step, const SmallPart& part, cudaStream_t stream);
/// Motions are cut until nothing can have crossed.
void cut_motions(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const SmallStep& step,
                 const SmallPart& part, cudaStream_t stream);
/// Blocks that can run at the same time, for the kernel that cuts.
int cut_blocks(int multiprocessors);

} // namespace selvage::cuda
