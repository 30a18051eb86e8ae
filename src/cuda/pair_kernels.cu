// Pairs that push, as springs in the linear systems of a small step; see solvers/multilevel/contact_forces.cpp, whose
// formulas these are. Products with the matrix use them exactly; the preconditioner sees a bound on the diagonal, and so
// do the coarse levels. A row adds up its pairs from a list in ascending order: the same bits in every run.

#include "cuda/rows.cuh"
#include "cuda/touch.cuh"

namespace selvage::cuda {

namespace {

constexpr int kScanBlock = 1024;
constexpr int kLanes = 8; // of a row
constexpr int kPairThreads = 256;
constexpr float kSpare = 1.2F;                                 // distance of contact here, in minimum distances
constexpr float kOpeningFraction = 0.5F, kOpeningSpeed = 0.2F; // of what a gap lacks, per small step, at most [m/s]
constexpr float kOverrun = 0.25F, kStiffening = 4.0F; // of the target gap; how much stiffer a pair becomes then
constexpr float kMostStretch = 0.004F;                // that a small step may add to a thread and be done
constexpr int kMoreLinearisations = 4;
constexpr float kPairInertia = 10.0F; // stiffness of a pair, in m/h^2 of its relative motion

/// Of each block's numbers, which of them come before; and the sums of blocks. No number counts for more than `most`.
__global__ void __launch_bounds__(kScanBlock)
    scan_kernel(const int* from, int count, int most, int* before, int* sums) {
    after_last_kernel();
    __shared__ int part[32];
    const int i = thread_index(), lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int own = i < count ? min(from[i], most) : 0;
    int sum = own;
    for (int by = 1; by < 32; by *= 2) {
        const int other = __shfl_up_sync(0xffffffffU, sum, static_cast<unsigned>(by));
        if (lane >= by) sum += other;
    }
    if (lane == 31) part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int all = part[lane];
        for (int by = 1; by < 32; by *= 2) {
            const int other = __shfl_up_sync(0xffffffffU, all, static_cast<unsigned>(by));
            if (lane >= by) all += other;
        }
        part[lane] = all;
    }
    __syncthreads();
    if (warp > 0) sum += part[warp - 1];
    if (i < count) before[i] = sum - own;
    if (threadIdx.x == kScanBlock - 1) sums[blockIdx.x] = sum;
}

/// The same of the sums; their total, of at most `most`.
__global__ void __launch_bounds__(kScanBlock) scan_sums_kernel(int* sums, int count, int* total, int most) {
    after_last_kernel();
    __shared__ int part[kScanBlock];
    const int t = static_cast<int>(threadIdx.x);
    int begin = 0;
    for (int first = 0; first < count; first += kScanBlock) {
        const int own = first + t < count ? sums[first + t] : 0;
        part[t] = own;
        __syncthreads();
        for (int by = 1; by < kScanBlock; by *= 2) {
            const int other = t >= by ? part[t - by] : 0;
            __syncthreads();
            part[t] += other;
            __syncthreads();
        }
        if (first + t < count) sums[first + t] = begin + part[t] - own;
        begin += part[kScanBlock - 1];
        __syncthreads();
    }
    if (t == 0 && total) *total = min(begin, most);
}

void scan(const int* from, int count, int most, int* before, int* sums, int* total, int most_total,
          cudaStream_t stream) {
    const int blocks = (count + kScanBlock - 1) / kScanBlock;
    launch(scan_kernel, blocks, kScanBlock, 0, stream, from, count, most, before, sums);
    launch(scan_sums_kernel, 1, kScanBlock, 0, stream, sums, blocks, total, most_total);
}

__device__ __forceinline__ int begin_of(const int* before, const int* sums, int k) {
    return before[k] + sums[k / kScanBlock];
}

/// From segments to one list, a warp for each segment; and how many pairs each row has.
__global__ void __launch_bounds__(kPairThreads)
    join_segments_kernel(const __grid_constant__ Listing from, const __grid_constant__ PairView pairs,
                         const __grid_constant__ SweepView w, const int* group_begin, const int* group_sum,
                         int group_count, int rows, int* counts) {
    after_last_kernel();
    const int group = thread_index() / 32;
    if (group >= group_count) return;
    const int begin = begin_of(group_begin, group_sum, group), count = min(from.count[group], from.most);
    for (int k = static_cast<int>(threadIdx.x) % 32; k < count && begin + k < pairs.capacity; k += 32) {
        const int4 found = from.pair[static_cast<std::size_t>(group) * from.most + k];
        pairs.vertex[begin + k] = found;
        const PairCorners pair(found);
        for (int c = 0; c < 4; ++c)
            if (pair.v[c] < rows && w.start[pair.v[c]].w > 0.0F) atomicAdd(&pairs.count[pair.v[c]], 1);
    }
    if (threadIdx.x % 32 == 0 && from.count[group] > from.most) atomicAdd(&counts[Count::kOverflows], 1);
    if (thread_index() == 0) atomicAdd(&counts[Count::kPairs], *pairs.total);
}

__global__ void __launch_bounds__(kPairThreads)
    fill_lists_kernel(const __grid_constant__ PairView pairs, const __grid_constant__ SweepView w, int rows) {
    after_last_kernel();
    const int total = *pairs.total;
    for (int p = thread_index(); p < total; p += static_cast<int>(gridDim.x * blockDim.x)) {
        const PairCorners pair(pairs.vertex[p]);
        for (int k = 0; k < 4; ++k) {
            const int v = pair.v[k];
            if (v < rows && w.start[v].w > 0.0F)
                pairs.unsorted[begin_of(pairs.begin, pairs.block_sum, v) + atomicAdd(&pairs.filled[v], 1)] = 4 * p + k;
        }
    }
}

/// Each entry to the place that its rank gives it.
__global__ void __launch_bounds__(kPairThreads) sort_lists_kernel(const __grid_constant__ PairView pairs, int rows) {
    after_last_kernel();
    const int row = thread_index() / kLanes, lane = thread_index() % kLanes;
    if (row >= rows) return;
    const int begin = begin_of(pairs.begin, pairs.block_sum, row), count = pairs.count[row];
    for (int k = lane; k < count; k += kLanes) {
        const int own = pairs.unsorted[begin + k];
        int rank = 0;
        for (int other = 0; other < count; ++other)
            rank += pairs.unsorted[begin + other] < own ? 1 : 0;
        pairs.list[begin + rank] = own;
    }
}

/// Features of the same body that are near each other at rest are kept apart by half of that at most.
__device__ __forceinline__ float distance_of(const SurfaceView& s, const PairCorners& pair, const BodyNumbers& a,
                                             const BodyNumbers& b, bool is_same) {
    const float distance = a.is_solid ? a.distance : b.is_solid ? b.distance : 0.5F * (a.distance + b.distance);
    if (!is_same) return distance;
    const Vec3f x[4] = {xyz(s.rest[pair.v[0]]), xyz(s.rest[pair.v[1]]), xyz(s.rest[pair.v[2]]), xyz(s.rest[pair.v[3]])};
    return fminf(distance, 0.5F * place_pair(pair.is_edges, x).distance);
}

__global__ void __launch_bounds__(kPairThreads)
    start_pairs_kernel(const __grid_constant__ SurfaceView s, const __grid_constant__ SweepView w,
                       const __grid_constant__ PairView pairs, float h) {
    after_last_kernel();
    const int total = *pairs.total;
    for (int p = thread_index(); p < total; p += static_cast<int>(gridDim.x * blockDim.x)) {
        const PairCorners pair(pairs.vertex[p]);
        const int body_a = s.body[pair.v[0]], body_b = s.body[pair.v[pair.side_count()]];
        const BodyNumbers a = s.numbers[body_a], b = s.numbers[body_b];
        const float friction = a.is_solid ? a.friction : b.is_solid ? b.friction : sqrtf(a.friction * b.friction);
        const float distance = kSpare * distance_of(s, pair, a, b, body_a == body_b);
        const Vec3f x[4] = {xyz(w.start[pair.v[0]]), xyz(w.start[pair.v[1]]), xyz(w.start[pair.v[2]]),
                            xyz(w.start[pair.v[3]])};
        const PairPlace place = place_pair(pair.is_edges, x);
        pairs.start[p] = with_w(direction(place, {0.0F, 1.0F, 0.0F}), place.distance);
        pairs.law[p] =
            make_float4(opening(distance, place.distance, kOpeningFraction, kOpeningSpeed * h), friction, 1.0F, 0.0F);
        pairs.slip[p] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    }
}

/// Where rows are now.
__global__ void __launch_bounds__(kPairThreads)
    place_rows_kernel(const __grid_constant__ SolveView solve, const __grid_constant__ SweepView w, int rows) {
    after_last_kernel();
    for (int i = thread_index(); i < rows; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const Vec3f moved(position(solve.x[i]) - position(solve.start[i]));
        w.now[i] = with_w(xyz(w.start[i]) + moved, 0.0F);
    }
}

/// Marks the pieces on which something else than themselves acts.
__device__ __forceinline__ void mark_pieces(const ContactArrays& c, const PieceView& pieces, const PairCorners& pair) {
    if (pieces.piece_count == 0) return;
    const auto piece_of = [&](int v) { return v < c.surface.cloth_count ? pieces.piece_of[v] : -1; };
    const int a = piece_of(pair.v[0]), b = piece_of(pair.v[pair.side_count()]);
    if (a == b) return;
    if (a >= 0) c.piece_meets[a] = 1;
    if (b >= 0) c.piece_meets[b] = 1;
}

/// The springs of a linearisation.
__global__ void __launch_bounds__(kPairThreads)
    press_pairs_kernel(const __grid_constant__ ContactArrays c, const __grid_constant__ PieceView pieces) {
    after_last_kernel();
    const PairView& pairs = c.pairs;
    const int total = *pairs.total;
    for (int p = thread_index(); p < total; p += static_cast<int>(gridDim.x * blockDim.x)) {
        const PairCorners pair(pairs.vertex[p]);
        const float4 start = pairs.start[p], law = pairs.law[p], slip = pairs.slip[p];
        Vec3f x[4];
        for (int k = 0; k < 4; ++k)
            x[k] = xyz(c.sweep.now[pair.v[k]]);
        const PairPlace place = place_pair(pair.is_edges, x);
        const bool is_beyond = dot(place.apart, xyz(start)) < 0.0F; // the sides have changed places
        const Vec3f n = (is_beyond ? -1.0F : 1.0F) * direction(place, (is_beyond ? -1.0F : 1.0F) * xyz(start));
        const float gap = is_beyond ? -place.distance : place.distance;
        Vec3f moved;
        float inverse = 0.0F, size = 0.0F;
        for (int k = 0; k < 4; ++k) {
            const float4 from = c.sweep.start[pair.v[k]];
            const float weight = place.weight.w[k];
            moved += weight * (x[k] - xyz(from));
            inverse += weight * weight * from.w;
            if (from.w > 0.0F) size += fabsf(weight);
        }
        moved -= dot(moved, n) * n;
        ContactSpring before, now;
        before.normal_force = law.w;
        before.stiffness = pairs.normal[p].w;
        before.slip = xyz(slip);
        before.side = slip.w;
        if (inverse > 0.0F) // else only held vertices have a weight in it
            now = contact_spring(law.x, gap, law.x - start.w, law.z * kPairInertia / inverse, 1.0F / inverse, law.y, n,
                                 moved, before);
        if (now.normal_force > 0.0F) mark_pieces(c, pieces, pair);
        pairs.law[p].w = now.normal_force;
        pairs.normal[p] = with_w(n, now.stiffness);
        pairs.slip[p] = with_w(now.slip, now.side);
        pairs.weight[p] = make_float4(place.weight.w[0], place.weight.w[1], place.weight.w[2], place.weight.w[3]);
        pairs.force[p] = with_w(now.force, size);
    }
}

/// Sum of forces of a row's pairs, and what they add to its diagonal: an upper bound, as each pair couples four vertices.
struct PairSums {
    Vec3f force;
    float bound[6] = {};
    __device__ PairSums(const PairView& pairs, int row, int lane) {
        const int begin = begin_of(pairs.begin, pairs.block_sum, row), end = begin + pairs.count[row];
        for (int e = begin + lane; e < end; e += kLanes) {
            const int entry = pairs.list[e], p = entry / 4;
            const float4 normal = pairs.normal[p];
            if (!(normal.w > 0.0F)) continue;
            const float4 slip = pairs.slip[p], on_first = pairs.force[p];
            const float weight = reinterpret_cast<const float*>(pairs.weight)[entry];
            force += weight * xyz(on_first);
            add_stiffness(bound, fabsf(weight) * on_first.w, xyz(normal), normal.w, xyz(slip), slip.w);
        }
        force = lane_sum<kLanes>(force);
        for (float& b : bound)
            b = lane_sum<kLanes>(b);
    }
};

/// Colliders' touches and pairs of each row, into the system.
__global__ void __launch_bounds__(kPairThreads)
    press_rows_kernel(const __grid_constant__ ContactArrays c, const __grid_constant__ SheetView s,
                      const __grid_constant__ SolveView solve, const __grid_constant__ PieceView pieces,
                      const __grid_constant__ LevelView level, const __grid_constant__ SmallStep step,
                      const SmallPart part) {
    after_last_kernel();
    const int row = min(thread_index() / kLanes, s.rows - 1), lane = thread_index() % kLanes;
    const PairSums sums(c.pairs, row, lane);
    if (lane != 0 || thread_index() / kLanes >= s.rows || s.is_held[row]) return;
    float4* block =
        level.block + 3 * static_cast<std::size_t>(kSliceRows * level.start[row / kSliceRows] + row % kSliceRows);
    const float4 a = block[0], b = block[1], d = block[2];
    float sym[6] = {a.x, 0.5F * (a.y + b.x), 0.5F * (a.z + d.x), b.y, 0.5F * (b.z + d.y), d.z};
    Vec3f force = sums.force;
    if (c.solids.count > 0) {
        const bool touches = touch_solids(c, solve, step, part, row, 1.0F / c.sweep.start[row].w, sym, force);
        if (touches && pieces.piece_count > 0 && pieces.piece_of[row] >= 0) c.piece_meets[pieces.piece_of[row]] = 1;
    }
    for (int e = 0; e < 6; ++e)
        sym[e] += sums.bound[e];
    c.pairs.bound[2 * row] = make_float4(sums.bound[0], sums.bound[1], sums.bound[2], sums.bound[3]);
    c.pairs.bound[2 * row + 1] = make_float4(sums.bound[4], sums.bound[5], 0.0F, 0.0F);
    block[0] = make_float4(sym[0], sym[1], sym[2], a.w);
    block[1] = make_float4(sym[1], sym[3], sym[4], b.w);
    block[2] = make_float4(sym[2], sym[4], sym[5], d.w);
    const float m[9] = {sym[0], sym[1], sym[2], sym[1], sym[3], sym[4], sym[2], sym[4], sym[5]};
    const SymMat3f inverse = inverse_of_block(m);
    store_inverse(level, row, inverse);
    const Vec3f right = xyz(solve.r[row]) + force;
    solve.r[row] = zero_w(right);
    level.x[row] = zero_w(level.omega * (inverse * right));
}

/// Forces of pairs for a displacement.
__global__ void __launch_bounds__(kPairThreads)
    pull_pairs_kernel(const __grid_constant__ PairView pairs, const float4* x, int rows) {
    after_last_kernel();
    const int total = *pairs.total;
    for (int p = thread_index(); p < total; p += static_cast<int>(gridDim.x * blockDim.x)) {
        const float4 normal = pairs.normal[p];
        if (!(normal.w > 0.0F)) continue; // its force is 0
        const PairCorners pair(pairs.vertex[p]);
        const float4 slip = pairs.slip[p], w = pairs.weight[p];
        const float weight[4] = {w.x, w.y, w.z, w.w};
        Vec3f d;
        for (int k = 0; k < 4; ++k)
            if (pair.v[k] < rows) d += weight[k] * xyz(x[pair.v[k]]); // held ones are 0
        pairs.force[p] = with_w(stiffness_times(xyz(normal), normal.w, xyz(slip), slip.w, d), pairs.force[p].w);
    }
}

__global__ void __launch_bounds__(kPairThreads)
    add_pulls_kernel(const __grid_constant__ PairView pairs, const __grid_constant__ SolveView solve, const float4* x,
                     int rows) {
    after_last_kernel();
    double sum = 0.0;
    const int all = kLanes * rows;
    for (int at = thread_index(); (at & ~31) < all; at += static_cast<int>(gridDim.x * blockDim.x)) {
        const int row = min(at / kLanes, rows - 1), lane = at % kLanes;
        const int begin = begin_of(pairs.begin, pairs.block_sum, row), count = pairs.count[row];
        Vec3f force;
        for (int e = begin + lane; e < begin + count; e += kLanes) {
            const int entry = pairs.list[e];
            force += reinterpret_cast<const float*>(pairs.weight)[entry] * xyz(pairs.force[entry / 4]);
        }
        force = lane_sum<kLanes>(force);
        if (lane != 0 || at >= all || count == 0) continue;
        const float4 a = pairs.bound[2 * row], b = pairs.bound[2 * row + 1];
        const Vec3f own = xyz(x[row]), change = force - SymMat3f{a.x, a.y, a.z, a.w, b.x, b.y} * own;
        solve.q[row] = zero_w(xyz(solve.q[row]) + change);
        sum += dot(own, change);
    }
    leave_sum(sum, solve.partial + Partial::pair_curvature * solve.block_count);
}

/// Makes pairs with little of their gap left stiffer, and counts them.
__global__ void __launch_bounds__(kPairThreads)
    stiffen_overrun_kernel(const __grid_constant__ PairView pairs, const __grid_constant__ SweepView w, int* overrun) {
    after_last_kernel();
    const int total = *pairs.total;
    int found = 0;
    for (int p = thread_index(); p < total; p += static_cast<int>(gridDim.x * blockDim.x)) {
        const PairCorners pair(pairs.vertex[p]);
        const float4 start = pairs.start[p], law = pairs.law[p];
        Vec3f x[4];
        for (int k = 0; k < 4; ++k)
            x[k] = xyz(w.now[pair.v[k]]);
        const PairPlace place = place_pair(pair.is_edges, x);
        const float gap = dot(place.apart, xyz(start)) < 0.0F ? -place.distance : place.distance;
        if (!(gap < kOverrun * law.x)) continue;
        pairs.law[p].z = kStiffening * law.z;
        ++found;
    }
    if (found > 0) atomicAdd(&overrun[kTooNear], found);
}

__global__ void decide_kernel(int* overrun, int few, int* counts) {
    after_last_kernel();
    if (threadIdx.x != 0) return;
    const bool is_done = overrun[kTooNear] <= few && overrun[kStretched] == 0;
    overrun[kGoesOn] = !is_done && overrun[kSoFar] < kMoreLinearisations ? 1 : 0;
    overrun[kSoFar] += overrun[kGoesOn];
    overrun[kTooNear] = overrun[kStretched] = 0;
    counts[Count::kMore] += overrun[kGoesOn];
}

void clear(int* from, int count, cudaStream_t stream) {
    cudaMemsetAsync(from, 0, static_cast<std::size_t>(count) * sizeof(int), stream);
}

} // namespace

void look_ahead(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const SmallStep& step,
                const SmallPart& part, cudaStream_t stream) {
    find_motions(c, sheet, solve, step, part, false, stream);
    find_pushing(c, stream);
    const PairView& pairs = c.pairs;
    scan(c.pushing.count, c.group_count, c.pushing.most, c.group_begin, c.group_sum, pairs.total, pairs.capacity,
         stream);
    clear(c.piece_meets, c.piece_count, stream);
    clear(c.overrun, kOverruns, stream);
    clear(pairs.count, sheet.rows, stream);
    clear(pairs.filled, sheet.rows, stream);
    launch_for(join_segments_kernel, 32LL * c.group_count, stream, c.pushing, pairs, c.sweep, c.group_begin,
               c.group_sum, c.group_count, sheet.rows, c.counts);
    scan(pairs.count, sheet.rows, 1 << 30, pairs.begin, pairs.block_sum, nullptr, 0, stream);
    launch(fill_lists_kernel, pairs.blocks, kPairThreads, 0, stream, pairs, c.sweep, sheet.rows);
    launch_for(sort_lists_kernel, static_cast<long long>(kLanes) * sheet.rows, stream, pairs, sheet.rows);
    launch(start_pairs_kernel, pairs.blocks, kPairThreads, 0, stream, c.surface, c.sweep, pairs,
           static_cast<float>(step.h));
    start_touches(c, sheet.rows, stream);
}

void linearise_contact(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const PieceView& pieces,
                       const LevelView& finest, const SmallStep& step, const SmallPart& part, cudaStream_t stream) {
    launch(place_rows_kernel, (sheet.rows + kPairThreads - 1) / kPairThreads, kPairThreads, 0, stream, solve, c.sweep,
           sheet.rows);
    launch(press_pairs_kernel, c.pairs.blocks, kPairThreads, 0, stream, c, pieces);
    launch_for(press_rows_kernel, static_cast<long long>(kLanes) * sheet.rows, stream, c, sheet, solve, pieces, finest,
               step, part);
}

const int* ask_for_more(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, cudaStream_t stream) {
    const int rows = c.surface.cloth_count;
    launch(place_rows_kernel, (rows + kPairThreads - 1) / kPairThreads, kPairThreads, 0, stream, solve, c.sweep, rows);
    launch(stiffen_overrun_kernel, c.pairs.blocks, kPairThreads, 0, stream, c.pairs, c.sweep, c.overrun);
    count_stretched(sheet, solve, kMostStretch, c.overrun + kStretched, stream);
    launch(decide_kernel, 1, 32, 0, stream, c.overrun, c.few_overrun, c.counts);
    return c.overrun + kGoesOn;
}

void multiply_pairs(const ContactArrays& c, const SolveView& solve, int iteration, cudaStream_t stream) {
    const float4* x = solve.p[iteration % 2];
    const int rows = c.surface.cloth_count;
    launch(pull_pairs_kernel, c.pairs.blocks, kPairThreads, 0, stream, c.pairs, x, rows);
    launch(add_pulls_kernel, solve.block_count, kPairThreads, 0, stream, c.pairs, solve, x, rows);
}

} // namespace selvage::cuda
