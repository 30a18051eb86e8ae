// Motions are cut until a plane parts every pair of features at the start and at the end of a small step. Within it every
// vertex goes straight, so the distance to a plane changes linearly, and what is apart at both ends is apart all the way.
// The pairs are all that motions could bring together; cuts keep each vertex in the box of its motion, so that no others
// can. In rounds, of which most steps need none:
//   across  both sides of a pair that is not apart are set back along its normal, to a plane between them which may move;
//           a side whose motion is given stays, and the other goes all the way. A vertex takes its largest setback;
//   fair    motions of vertices of such pairs are scaled;
//   carried such pairs move alike: with the collider if they touch one, else with the frame;
//   last    every pair: each side goes no farther than it could by itself.
// The last suffices where colliders rest. Largest and smallest of integers only: the same bits in any order.

#include "cuda/contact_rows.cuh"

namespace selvage::cuda {

namespace {

constexpr int kCutThreads = 256;
constexpr int kAcross = 8, kFair = kAcross + 6, kCarried = kFair + 8; // rounds
constexpr float kRoomUsed = 0.9F;                                     // of a gap, by cuts that are not across
constexpr float kMargin = 4e-7F;                                      // [m]; above rounding

struct Cut {
    const SurfaceView& surface;
    const SweepView& w;
    const CutView& cut;
    int rows;

    __device__ bool is_free(int v) const { return w.start[v].w > 0.0F; }
    __device__ bool is_cloth(int v) const { return v < rows; } ///< Held vertices lag behind if they must.

    /// Whether another plane does: that of the end, or one between.
    __device__ bool is_apart_otherwise(const PairCorners& pair, const Vec3f& n0, const Vec3f (&x)[4],
                                       const Vec3f (&y)[4], float least) const {
        const PairPlace place = place_pair(pair.is_edges, y);
        if (place.distance < least) return false;
        Vec3f n = direction(place, n0);
        if (gap_along(pair.is_edges, n, x) >= least && gap_along(pair.is_edges, n, y) >= least) return true;
        n += n0;
        const float size = length(n);
        if (!(size > 1e-3F)) return false;
        n = n / size;
        return gap_along(pair.is_edges, n, x) >= least && gap_along(pair.is_edges, n, y) >= least;
    }

    __device__ void set_back(const PairCorners& pair, const float4& plane, const Vec3f (&y)[4], float least,
                             unsigned slot) const {
        const int sides = pair.side_count();
        const float half = 0.5F * fmaxf(least + kMargin, 0.1F * plane.w);
        float at[4], low = 1e30F, high = -1e30F;
        bool free_first = false, free_second = false;
        for (int k = 0; k < 4; ++k) {
            at[k] = dot(xyz(plane), y[k]);
            if (k < sides) {
                low = fminf(low, at[k]);
                free_first = free_first || is_free(pair.v[k]);
            } else {
                high = fmaxf(high, at[k]);
                free_second = free_second || is_free(pair.v[k]);
            }
        }
        const float middle = free_first && free_second ? 0.5F * (low + high) : free_first ? high + half : low - half;
        for (int k = 0; k < 4; ++k) {
            const float back = k < sides ? middle + half - at[k] : at[k] - middle + half;
            if (back > 0.0F && is_free(pair.v[k]))
                atomicMax(&cut.best[pair.v[k]],
                          static_cast<unsigned long long>(__float_as_uint(back)) << 32 | static_cast<unsigned>(slot));
        }
    }

    /// Scales motions so that what they close uses no more than the room there is.
    __device__ void scale_back(const PairCorners& pair, const float4& plane, const Vec3f (&x)[4], const Vec3f (&y)[4],
                               float least, bool is_last) const {
        const int sides = pair.side_count();
        float closing[4], first = 0.0F, second = 0.0F, given = 0.0F;
        for (int k = 0; k < 4; ++k) {
            const float along = dot(xyz(plane), y[k] - x[k]);
            closing[k] = k < sides ? -along : along;
            float& side = is_free(pair.v[k]) || is_last ? (k < sides ? first : second) : given;
            side = fmaxf(side, closing[k]);
        }
        const float room = fmaxf(0.0F, kRoomUsed * (plane.w - least) - given), both = first + second;
        for (int k = 0; k < 4; ++k) {
            const int v = pair.v[k];
            if (!(is_last ? is_cloth(v) : is_free(v))) continue;
            const float side = k < sides ? first : second;
            const float most = is_last ? 0.5F * room : both > 0.0F ? room * (side / both) : 0.0F;
            if (closing[k] > most) atomicMin(&cut.scale[v], __float_as_uint(most / closing[k]));
        }
    }

    /// Which motion a pair's cloth is to follow.
    __device__ void carry(const PairCorners& pair, const Vec3f (&x)[4], const Vec3f (&y)[4], std::size_t at,
                          unsigned slot) const {
        Vec3f motion;
        unsigned rank = 1;
        int count = 0;
        for (int k = 0; k < 4; ++k)
            if (!is_cloth(pair.v[k])) {
                motion += y[k] - x[k];
                rank = 3;
                ++count;
            }
        for (int k = 0; k < 4 && rank < 3; ++k)
            if (cut.is_carried[pair.v[k]] > 1) { // follows a collider already
                motion = y[k] - x[k];
                rank = 2;
                count = 1;
            }
        cut.carry[at] = with_w(count > 0 ? motion / static_cast<float>(count) : motion, static_cast<float>(rank));
        for (int k = 0; k < 4; ++k)
            if (is_cloth(pair.v[k]))
                atomicMax(&cut.best[pair.v[k]], static_cast<unsigned long long>(rank) << 32 | slot);
    }

    /// Whether a pair is not apart; asks for what the round does then.
    __device__ bool test(std::size_t at, int round) const {
        const PairCorners pair(cut.listing.pair[at]);
        const float4 plane = cut.listing.plane[at];
        Vec3f x[4], y[4];
        for (int k = 0; k < 4; ++k) {
            x[k] = xyz(w.start[pair.v[k]]);
            y[k] = xyz(w.end[pair.v[k]]);
        }
        const float least = fminf(fmaxf(plane.w, 0.0F), surface.least_gap);
        const bool is_last = round >= kCarried;
        if (!is_last) {
            if (gap_along(pair.is_edges, xyz(plane), y) >= least) return false;
            if (is_apart_otherwise(pair, xyz(plane), x, y, least)) return false;
        }
        const auto slot = static_cast<unsigned>(at);
        if (round < kAcross)
            set_back(pair, plane, y, least, slot);
        else if (round >= kFair && !is_last)
            carry(pair, x, y, at, slot);
        else
            scale_back(pair, plane, x, y, least, is_last);
        return true;
    }

    __device__ void move_to(int i, const Vec3f& y) const {
        w.end[i] = with_w(y, 0.0F);
        cut.is_cut[i] = 1;
    }
    __device__ Vec3f within_box(int i, const Vec3f& y) const {
        const float4 low = w.low[i], high = w.high[i];
        return {clamped(y.x, low.x, high.x), clamped(y.y, low.y, high.y), clamped(y.z, low.z, high.z)};
    }

    /// What a round has asked of a vertex.
    __device__ void apply(int i, int round) const {
        const Vec3f x = xyz(w.start[i]), y = xyz(w.end[i]);
        if (round < kAcross || (round >= kFair && round < kCarried)) {
            const unsigned long long best = cut.best[i];
            if (best == 0) return;
            cut.best[i] = 0;
            const auto at = static_cast<std::size_t>(best & 0xffffffffU);
            if (round >= kFair) {
                const float4 motion = cut.carry[at];
                cut.is_carried[i] = motion.w > 1.0F ? 2 : 1;
                return move_to(i, within_box(i, x + xyz(motion)));
            }
            const PairCorners pair(cut.listing.pair[at]);
            const bool is_first = pair.v[0] == i || (pair.is_edges && pair.v[1] == i);
            const float back = __uint_as_float(static_cast<unsigned>(best >> 32));
            return move_to(i, within_box(i, y + (is_first ? back : -back) * xyz(cut.listing.plane[at])));
        }
        const float scale = __uint_as_float(cut.scale[i]);
        if (!(scale < 1.0F)) return;
        cut.scale[i] = __float_as_uint(1.0F);
        move_to(i, x + scale * (y - x));
    }
};

/// All rounds. Every block of the launch runs at the same time, and all wait for each other between phases.
__global__ void __launch_bounds__(kCutThreads)
    cut_kernel(const __grid_constant__ ContactArrays c, const __grid_constant__ SolveView solve,
               const StepParameters* step) {
    after_last_kernel();
    const CutView& cut = c.cut;
    const int t = thread_index(), threads = static_cast<int>(gridDim.x * blockDim.x), lane = t % 32;
    const int rows = c.surface.cloth_count;
    const Cut work{c.surface, c.sweep, cut, rows};
    int listed = 0, overflows = 0;
    for (int round = 0; round <= kCarried; ++round) {
        int violated = 0;
        for (int group = t / 32; group < cut.group_count; group += threads / 32) {
            const int found = cut.listing.count[group], count = min(found, cut.listing.most);
            if (round == 0 && lane == 0) listed += count, overflows += found > count ? 1 : 0;
            for (int k = lane; k < count; k += 32)
                violated += work.test(static_cast<std::size_t>(group) * cut.listing.most + k, round) ? 1 : 0;
        }
        if (violated > 0) atomicAdd(&cut.violated[round], violated);
        if (overflows > 0 && round == 0) atomicAdd(&cut.violated[kCarried + 1], overflows);
        if (listed > 0 && round == 0) atomicAdd(&c.counts[Count::kListed], listed);
        wait_for_grid();
        const bool is_lost = volatile_load(&cut.violated[kCarried + 1]) > 0; // lists are not whole: nothing moves
        const bool is_clean = volatile_load(&cut.violated[round]) == 0 && !is_lost;
        if (is_clean) break;
        if (t == 0) {
            atomicAdd(&c.counts[Count::kRounds], 1);
            if (round == kCarried) atomicAdd(&c.counts[Count::kConflicts], 1);
            if (is_lost) atomicAdd(&c.counts[Count::kOverflows], 1);
        }
        for (int i = t; i < rows; i += threads)
            if (is_lost)
                work.move_to(i, xyz(c.sweep.start[i]));
            else
                work.apply(i, round);
        if (is_lost) break;
        wait_for_grid();
    }
    const Frame frame(c.sweep, *step, rows);
    int cuts = 0;
    for (int i = t; i < rows; i += threads) { // the thread that has cut them, too
        cut.is_carried[i] = 0;
        if (cut.is_cut[i] == 0) continue;
        cut.is_cut[i] = 0;
        ++cuts;
        const Vec3f d = xyz(c.sweep.end[i]) - xyz(c.sweep.start[i]);
        const Vec3 x = position(solve.start[i]) + frame.motion + Vec3(d);
        solve.x[i] = {x.x, x.y, x.z, 0.0};
    }
    if (cuts > 0) atomicAdd(&c.counts[Count::kCutMotions], cuts);
}

constexpr int kViolatedInts = kCarried + 2;

} // namespace

int cut_blocks(int multiprocessors) {
    return blocks_at_once(cut_kernel, kCutThreads, multiprocessors);
}

void cut_motions(const ContactArrays& c, const SheetView& sheet, const SolveView& solve, const SmallStep& step,
                 const SmallPart& part, cudaStream_t stream) {
    find_motions(c, sheet, solve, step, part, true, stream);
    find_crossing(c, stream);
    cudaMemsetAsync(c.cut.violated, 0, kViolatedInts * sizeof(int), stream);
    launch_together(cut_kernel, c.cut.blocks, kCutThreads, stream, c, solve, step.frame.step + step.step);
}

} // namespace selvage::cuda
