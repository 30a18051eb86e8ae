// Finding pairs of features on the device: boxes of motions, trees over them, and the walk of a warp through a tree.
// Trees are fixed by the mesh and only refitted. A warp looks around eight features that lie together: it walks with their
// common box, four nodes at a time, eight children each; candidates are gathered and tried 32 at a time. Pairs go to the
// warp's own segment in the order found, so that the list is the same in every run.

#include "cuda/contact_rows.cuh"

namespace selvage::cuda {

namespace {

constexpr int kSearchThreads = 128, kWarps = kSearchThreads / 32;
constexpr int kMostOpen = 256;      // nodes: four taken, 32 added, through at most seven levels
constexpr int kMostCandidates = 96; // fewer than 32 wait when eight times eight are tried in two halves
constexpr int kTopThreads = 1024;
constexpr float kFar = 1e30F;

struct Box {
    Vec3f low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
};
__device__ __forceinline__ Box joined(const Box& a, const Box& b) {
    return {{fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)},
            {fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z)}};
}
__device__ __forceinline__ bool meet(const Box& a, const Box& b, float apart) {
    return a.low.x - apart <= b.high.x && b.low.x <= a.high.x + apart && a.low.y - apart <= b.high.y &&
           b.low.y <= a.high.y + apart && a.low.z - apart <= b.high.z && b.low.z <= a.high.z + apart;
}
__device__ __forceinline__ Box load_box(const float4* box, int k) {
    return {xyz(box[2 * k]), xyz(box[2 * k + 1])};
}
__device__ __forceinline__ void store_box(float4* box, int k, const Box& b) {
    box[2 * k] = with_w(b.low, 0.0F);
    box[2 * k + 1] = with_w(b.high, 0.0F);
}
__device__ __forceinline__ Vec3f other_lane(const Vec3f& v, int mask) {
    return {__shfl_xor_sync(0xffffffffU, v.x, mask), __shfl_xor_sync(0xffffffffU, v.y, mask),
            __shfl_xor_sync(0xffffffffU, v.z, mask)};
}
/// Of eight neighbouring lanes.
__device__ __forceinline__ Box group_box(Box b) {
    for (int mask = 1; mask < kGroup; mask *= 2)
        b = joined(b, {other_lane(b.low, mask), other_lane(b.high, mask)});
    return b;
}

/// From where a row starts to where it is foreseen to be without its neighbours, or to where the solve has brought it.
__device__ __forceinline__ Vec3 motion_of(const SolveView& solve, int i, bool is_solved) {
    const Vec3 moved = position(solve.x[i]) - position(solve.start[i]);
    return is_solved ? moved : moved + Vec3(xyz(solve.off[i]));
}

/// Sums of motions and of places, by block.
__global__ void __launch_bounds__(kSumThreads)
    sum_motions_kernel(const __grid_constant__ SolveView solve, const __grid_constant__ SweepView w, int rows,
                       bool is_solved) {
    after_last_kernel();
    double sum[6] = {};
    for (int i = thread_index(); i < rows; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const Vec3 motion = motion_of(solve, i, is_solved), place = position(solve.start[i]);
        sum[0] += motion.x, sum[1] += motion.y, sum[2] += motion.z;
        sum[3] += place.x, sum[4] += place.y, sum[5] += place.z;
    }
    for (int c = 0; c < 6; ++c)
        leave_sum(sum[c], w.sums + c * w.sum_blocks);
}

/// Places, motions and their boxes.
__global__ void __launch_bounds__(kSumThreads)
    sweep_cloth_kernel(const __grid_constant__ SheetView s, const __grid_constant__ SolveView solve,
                       const __grid_constant__ SweepView w, const StepParameters* step, float slack, bool is_solved) {
    after_last_kernel();
    const Frame frame(w, *step, s.rows);
    const float least_slack = slack + step->solid_motion; // what a collider carries leaves its box as far
    for (int i = thread_index(); i < s.rows; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const Vec3f start(position(solve.start[i]) - frame.origin);
        const Vec3f d(motion_of(solve, i, is_solved) - frame.motion), end = start + d;
        const float more = is_solved ? least_slack + kSlackOfMotion * length(d) : 0.0F;
        w.start[i] = with_w(start, s.is_held[i] ? 0.0F : 1.0F / solve.off[i].w);
        w.end[i] = with_w(end, 0.0F);
        w.low[i] =
            make_float4(fminf(start.x, end.x) - more, fminf(start.y, end.y) - more, fminf(start.z, end.z) - more, 0.0F);
        w.high[i] =
            make_float4(fmaxf(start.x, end.x) + more, fmaxf(start.y, end.y) + more, fmaxf(start.z, end.z) + more, 0.0F);
    }
}

/// Vertices of colliders, which move straight in a step.
__global__ void __launch_bounds__(kSumThreads)
    sweep_solids_kernel(const __grid_constant__ SurfaceView surface, const __grid_constant__ SweepView w,
                        const StepParameters* step, const SmallPart part) {
    after_last_kernel();
    const Frame frame(w, *step, surface.cloth_count);
    const double from = static_cast<double>(part.number) / part.count,
                 to = static_cast<double>(part.number + 1) / part.count;
    const int solid_count = surface.vertex_count - surface.cloth_count;
    for (int k = thread_index(); k < solid_count; k += static_cast<int>(gridDim.x * blockDim.x)) {
        const Vec3 before = surface.solid_before[k], moved = surface.solid_now[k] - before;
        const Vec3f start(before + from * moved - frame.origin), now(before + to * moved - frame.origin);
        const Vec3f end(before + to * moved - frame.origin - frame.motion);
        const int i = surface.cloth_count + k;
        w.start[i] = with_w(start, 0.0F);
        w.now[i] = with_w(now, 0.0F);
        w.end[i] = with_w(end, 0.0F);
        w.low[i] = make_float4(fminf(start.x, end.x), fminf(start.y, end.y), fminf(start.z, end.z), 0.0F);
        w.high[i] = make_float4(fmaxf(start.x, end.x), fmaxf(start.y, end.y), fmaxf(start.z, end.z), 0.0F);
    }
}

/// Where colliders that have come with the input start and end.
__global__ void __launch_bounds__(kSumThreads)
    place_solids_kernel(const FrameInput frame, int step, Vec3* before, Vec3* now, int count) {
    after_last_kernel();
    const int first = frame.step[step].first_point, k = thread_index();
    if (first < 0 || k >= count) return;
    before[k] = frame.point[first + k];
    now[k] = frame.point[first + count + k];
}

/// Boxes of features and the two levels above them.
template <int kCorners>
__global__ void __launch_bounds__(kRefitBlock)
    refit_kernel(const __grid_constant__ FeatureView features, const __grid_constant__ SweepView w) {
    after_last_kernel();
    __shared__ float4 shared[2 * kRefitBlock / kGroup];
    const TreeView& tree = features.tree;
    const int i = thread_index(), t = static_cast<int>(threadIdx.x);
    Box box;
    for (int k = 0; k < kCorners; ++k) {
        const int v = features.corner[kCorners * i + k];
        if (v >= 0) box = joined(box, {xyz(w.low[v]), xyz(w.high[v])});
    }
    store_box(tree.box, i, box);
    box = group_box(box);
    if (t % kGroup == 0) {
        store_box(shared, t / kGroup, box);
        store_box(tree.box, tree.offset[1] + i / kGroup, box);
    }
    __syncthreads();
    if (t >= kRefitBlock / kGroup) return;
    box = group_box(load_box(shared, t));
    if (t % kGroup == 0)
        store_box(tree.box, tree.offset[2] + (static_cast<int>(blockIdx.x) * kRefitBlock / kGroup + t) / kGroup, box);
}

struct Trees {
    TreeView tree[4];
};
/// The levels above, a block for each tree.
__global__ void __launch_bounds__(kTopThreads) refit_top_kernel(const __grid_constant__ Trees trees) {
    after_last_kernel();
    const TreeView& tree = trees.tree[blockIdx.x];
    for (int l = 3; l < tree.level_count; ++l) {
        for (int i = static_cast<int>(threadIdx.x); i < tree.size[l]; i += static_cast<int>(blockDim.x)) {
            Box box;
            for (int k = kGroup * i; k < kGroup * i + kGroup; ++k)
                if (k < tree.size[l - 1]) box = joined(box, load_box(tree.box, tree.offset[l - 1] + k));
            store_box(tree.box, tree.offset[l] + i, box);
        }
        __syncthreads();
    }
}

/// Whether two features are of bodies that are kept apart, and one of them can give way.
__device__ __forceinline__ bool may_meet(const SurfaceView& s, const SweepView& w, const int (&v)[4], bool is_edges) {
    const int a = v[0], b = is_edges ? v[2] : v[1], body_a = s.body[a], body_b = s.body[b];
    const BodyNumbers one = s.numbers[body_a], other = s.numbers[body_b];
    if (body_a == body_b ? !one.meets_itself
                         : !one.is_solid && !other.is_solid && !one.meets_itself && !other.meets_itself)
        return false;
    return w.start[v[0]].w > 0.0F || w.start[v[1]].w > 0.0F || w.start[v[2]].w > 0.0F || w.start[v[3]].w > 0.0F;
}

/// How far a vertex may go along n at most, over its box.
__device__ __forceinline__ float reach_along(const SweepView& w, const Vec3f& n, int v) {
    const Vec3f x = xyz(w.start[v]), low = xyz(w.low[v]) - x, high = xyz(w.high[v]) - x;
    return fmaxf(n.x * low.x, n.x * high.x) + fmaxf(n.y * low.y, n.y * high.y) + fmaxf(n.z * low.z, n.z * high.z);
}

/// Whether the motions allowed could bring the sides of a pair together; the plane between them.
__device__ __forceinline__ bool could_cross(const SurfaceView& s, const SweepView& w, bool is_edges, const int (&v)[4],
                                            const Vec3f (&x)[4], const Vec3f& n, float4& plane) {
    const float gap = gap_along(is_edges, n, x);
    plane = with_w(n, gap);
    const float a = reach_along(w, -n, v[0]), b = reach_along(w, is_edges ? -n : n, v[1]),
                others = fmaxf(reach_along(w, n, v[2]), reach_along(w, n, v[3]));
    const float closing = is_edges ? fmaxf(a, b) + others : a + fmaxf(b, others);
    return closing > gap - s.least_gap;
}

/// Whether a pair is near enough to push, or is foreseen to be.
__device__ __forceinline__ bool could_push(const SurfaceView& s, const SweepView& w, bool is_edges, const int (&v)[4],
                                           const PairPlace& place, const Vec3f& n) {
    if (!is_inside(is_edges, place.weight)) return false;
    if (!is_edges && s.numbers[s.body[v[1]]].is_hull != 0) return false;
    if (place.distance < s.reach) return true;
    float foreseen = 0.0F; // from the first vertex, as the weights add up to nothing
    for (int k = 1; k < 4; ++k)
        foreseen += place.weight.w[k] * dot(n, xyz(w.end[v[k]]) - xyz(w.end[v[0]]));
    return foreseen < s.reach;
}

/// A warp's walk through a tree.
template <bool kEdges, bool kCut>
struct Walk {
    const SurfaceView& surface;
    const SweepView& sweep;
    const SearchPass& pass;
    const Listing& out;
    int* open;
    int2* waiting;
    int lane, group, found = 0, waiting_count = 0;

    __device__ Box own_box(int& feature) const {
        const int k = kGroup * (group - pass.first_group) + lane % kGroup;
        feature = k;
        if (kEdges) return load_box(pass.own.tree.box, k);
        feature = pass.query[k];
        return feature >= 0 ? Box{xyz(sweep.low[feature]), xyz(sweep.high[feature])} : Box{};
    }

    __device__ bool is_pair(const int2& candidate, int4& pair, float4& plane) const {
        int v[4];
        if (kEdges) {
            v[0] = pass.own.corner[2 * candidate.x], v[1] = pass.own.corner[2 * candidate.x + 1];
            v[2] = pass.target.corner[2 * candidate.y], v[3] = pass.target.corner[2 * candidate.y + 1];
            if (v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3]) return false;
        } else {
            v[0] = candidate.x;
            for (int k = 0; k < 3; ++k)
                v[k + 1] = pass.target.corner[3 * candidate.y + k];
            if (v[0] == v[1] || v[0] == v[2] || v[0] == v[3]) return false;
        }
        if (!may_meet(surface, sweep, v, kEdges)) return false;
        const Vec3f x[4] = {xyz(sweep.start[v[0]]), xyz(sweep.start[v[1]]), xyz(sweep.start[v[2]]),
                            xyz(sweep.start[v[3]])};
        const PairPlace place = place_pair(kEdges, x);
        const Vec3f n = direction(place, {0.0F, 1.0F, 0.0F});
        pair = {v[0], v[1], v[2], kEdges ? ~v[3] : v[3]};
        return kCut ? could_cross(surface, sweep, kEdges, v, x, n, plane)
                    : could_push(surface, sweep, kEdges, v, place, n);
    }

    /// Tries the last `count` candidates, one for each lane.
    __device__ void try_waiting(int count) {
        __syncwarp();
        int4 pair{};
        float4 plane{};
        const bool takes = lane < count && is_pair(waiting[waiting_count - count + lane], pair, plane);
        const unsigned all = __ballot_sync(0xffffffffU, takes);
        const int at = found + __popc(all & ((1U << lane) - 1U));
        if (takes && at < out.most) {
            const std::size_t to = static_cast<std::size_t>(group) * out.most + at;
            out.pair[to] = pair;
            if (kCut) out.plane[to] = plane;
        }
        found += __popc(all);
        waiting_count -= count;
        __syncwarp();
    }

    /// Features under a node of the second level that meet one of ours.
    __device__ void look_into(int node, int feature, const Box& own, float apart) {
        const bool is_real = kEdges || feature >= 0;
        for (int half = 0; half < 2; ++half) {
            const int other = kGroup * node + lane / kGroup + half * 4;
            bool hit = is_real && other < pass.target.count && meet(own, load_box(pass.target.tree.box, other), apart);
            if (kEdges && pass.is_same) hit = hit && other > feature;
            const unsigned all = __ballot_sync(0xffffffffU, hit);
            if (hit) waiting[waiting_count + __popc(all & ((1U << lane) - 1U))] = {feature, other};
            waiting_count += __popc(all);
            __syncwarp();
        }
        while (waiting_count >= 32)
            try_waiting(32);
    }

    __device__ void run(float apart) {
        const TreeView& tree = pass.target.tree;
        int feature = 0;
        const Box own = own_box(feature), common = group_box(own);
        const int top = tree.level_count - 1;
        int count = tree.size[top];
        if (lane < count) open[lane] = top << 27 | lane;
        __syncwarp();
        while (count > 0) {
            const int taken = min(count, 4), mine = lane / kGroup;
            const int node = mine < taken ? open[count - 1 - mine] : -1;
            __syncwarp();
            count -= taken;
            const int level = node >> 27, child = kGroup * (node & 0x7ffffff) + lane % kGroup;
            bool hit = node >= 0 && child < tree.size[level - 1];
            // Of the same features, those that come before ours have looked already.
            if (kEdges && pass.is_same) hit = hit && ((child + 1) << 3 * (level - 2)) > group - pass.first_group;
            hit = hit && meet(common, load_box(tree.box, tree.offset[level - 1] + child), apart);
            const unsigned inner = __ballot_sync(0xffffffffU, hit && level > 2);
            unsigned leaves = __ballot_sync(0xffffffffU, hit && level == 2);
            if (hit && level > 2) open[count + __popc(inner & ((1U << lane) - 1U))] = (level - 1) << 27 | child;
            count += __popc(inner);
            __syncwarp();
            while (leaves != 0) {
                const int from = __ffs(static_cast<int>(leaves)) - 1;
                leaves &= leaves - 1U;
                look_into(__shfl_sync(0xffffffffU, child, from), feature, own, apart);
            }
        }
        if (waiting_count > 0) try_waiting(waiting_count);
        if (lane == 0) out.count[group] = found;
    }
};

struct SearchPasses {
    SearchPass pass[kMostPasses];
    int first_block[kMostPasses + 1] = {}, count = 0; ///< Edges first, which take longest.
};

/// All passes at once: alone, none of them fills the device.
template <bool kCut>
__global__ void __launch_bounds__(kSearchThreads)
    search_kernel(const __grid_constant__ SurfaceView surface, const __grid_constant__ SweepView sweep,
                  const __grid_constant__ SearchPasses passes, const __grid_constant__ Listing out) {
    after_last_kernel();
    __shared__ int open[kWarps][kMostOpen];
    __shared__ int2 waiting[kWarps][kMostCandidates];
    const int block = static_cast<int>(blockIdx.x), warp = static_cast<int>(threadIdx.x) / 32;
    int k = 0;
    while (block >= passes.first_block[k + 1])
        ++k;
    const SearchPass& pass = passes.pass[k];
    const int at = (block - passes.first_block[k]) * kWarps + warp, lane = static_cast<int>(threadIdx.x) % 32;
    if (at >= pass.group_count) return;
    const float apart = kCut ? 0.0F : surface.reach;
    if (pass.query)
        Walk<false, kCut>{surface, sweep, pass, out, open[warp], waiting[warp], lane, pass.first_group + at}.run(apart);
    else
        Walk<true, kCut>{surface, sweep, pass, out, open[warp], waiting[warp], lane, pass.first_group + at}.run(apart);
}

template <bool kCut>
void search(const ContactArrays& c, const Listing& out, cudaStream_t stream) {
    SearchPasses passes;
    for (const bool has_query : {false, true})
        for (int k = 0; k < c.pass_count; ++k) {
            if ((c.pass[k].query != nullptr) != has_query) continue;
            const int blocks = (c.pass[k].group_count + kWarps - 1) / kWarps;
            passes.pass[passes.count] = c.pass[k];
            passes.first_block[passes.count + 1] = passes.first_block[passes.count] + blocks;
            ++passes.count;
        }
    const int blocks = passes.first_block[passes.count];
    if (blocks > 0) launch(search_kernel<kCut>, blocks, kSearchThreads, 0, stream, c.surface, c.sweep, passes, out);
}

void refit(const ContactArrays& c, cudaStream_t stream) {
    Trees trees;
    int count = 0;
    for (const int side : {kCloth, kSolid}) {
        const FeatureView &face = c.surface.face[side], &edge = c.surface.edge[side];
        if (face.count > 0) {
            launch(refit_kernel<3>, face.count / kRefitBlock, kRefitBlock, 0, stream, face, c.sweep);
            trees.tree[count++] = face.tree;
        }
        if (edge.count > 0) {
            launch(refit_kernel<2>, edge.count / kRefitBlock, kRefitBlock, 0, stream, edge, c.sweep);
            trees.tree[count++] = edge.tree;
        }
    }
    int levels = 0;
    for (int k = 0; k < count; ++k)
        levels = std::max(levels, trees.tree[k].level_count);
    if (levels > 3) launch(refit_top_kernel, count, kTopThreads, 0, stream, trees);
}

} // namespace

void place_solids(const ContactArrays& c, const FrameInput& frame, int step, cudaStream_t stream) {
    const int count = c.surface.vertex_count - c.surface.cloth_count;
    if (count > 0)
        launch(place_solids_kernel, (count + kSumThreads - 1) / kSumThreads, kSumThreads, 0, stream, frame, step,
               c.surface.solid_before, c.surface.solid_now, count);
}

void find_motions(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const SmallStep& step,
                  const SmallPart& part, bool is_solved, cudaStream_t stream) {
    launch(sum_motions_kernel, c.sweep.sum_blocks, kSumThreads, 0, stream, solve, c.sweep, sheet.rows, is_solved);
    launch(sweep_cloth_kernel, std::min((sheet.rows + kSumThreads - 1) / kSumThreads, 4096), kSumThreads, 0, stream,
           sheet, solve, c.sweep, step.frame.step + step.step, c.surface.slack, is_solved);
    const int solid_count = c.surface.vertex_count - c.surface.cloth_count;
    if (solid_count > 0)
        launch(sweep_solids_kernel, (solid_count + kSumThreads - 1) / kSumThreads, kSumThreads, 0, stream, c.surface,
               c.sweep, step.frame.step + step.step, part);
    refit(c, stream);
}

void find_pushing(const ContactArrays& c, cudaStream_t stream) {
    search<false>(c, c.pushing, stream);
}

void find_crossing(const ContactArrays& c, cudaStream_t stream) {
    search<true>(c, c.cut.listing, stream);
}

} // namespace selvage::cuda
