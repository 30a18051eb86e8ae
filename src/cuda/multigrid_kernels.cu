// The V-cycle of multilevel on the device, that of solvers/multilevel/block_multigrid.cpp:
//   x = w D^-1 b;   e = V(P^T (b - A x));   x += P e;   out = x + w D^-1 (b - A x).
// Levels of few rows run inside one block, in its shared memory. On the coarsest a few sweeps stand for a factor: with mass
// in it its matrix is nearly diagonal.

#include <algorithm>

#include "cuda/rows.cuh"

namespace selvage::cuda {

namespace {

constexpr int kSmallThreads = 1024;
constexpr int kCoarsestSweeps = 4;    // the first included
constexpr int kReservedShared = 2048; // [bytes]; what CUDA keeps for itself, and some

// Passes over a level by `threads` threads, of which this is number `t`; a multiple of 32, and loops that are the same for
// a whole warp.

__device__ __forceinline__ void residual_pass(const LevelView& level, int t, int threads) {
    const int all = slice_threads(level.rows);
    for (int at = t; (at & ~31) < all; at += threads) {
        const RowThread row(at, level.rows);
        const Vec3f product = row_product(level, row, [&](int j) { return xyz(level.x[j]); });
        if (row.quarter == 0 && row.is_real) level.r[row.row] = zero_w(xyz(level.b[row.row]) - product);
    }
}

/// Right side of the coarser level, and its first sweep.
__device__ __forceinline__ void restrict_pass(const LevelView& fine, const LevelView& coarse, int t, int threads) {
    constexpr int kLanes = 8;
    for (int at = t; (at & ~31) < kLanes * coarse.rows; at += threads) {
        const int row = min(at / kLanes, coarse.rows - 1);
        Vec3f sum;
        for (int e = fine.child.start[row] + at % kLanes; e < fine.child.start[row + 1]; e += kLanes) {
            const int2 child = fine.child.item[e];
            sum += __int_as_float(child.y) * xyz(fine.r[child.x]);
        }
        sum = lane_sum<kLanes>(sum);
        if (at % kLanes != 0 || at / kLanes >= coarse.rows) continue;
        coarse.b[row] = zero_w(sum);
        coarse.x[row] = zero_w(coarse.omega * (load_inverse(coarse, row) * sum));
    }
}

/// Rows that are out of the system follow no coarse ones.
__device__ __forceinline__ void prolong_pass(const LevelView& fine, const float4* from, int t, int threads) {
    for (int row = t; row < fine.rows; row += threads) {
        if (fine.inverse[2 * row].x == 0.0F) continue;
        Vec3f sum = xyz(fine.x[row]);
        for (int e = fine.parent.start[row]; e < fine.parent.start[row + 1]; ++e) {
            const int2 parent = fine.parent.item[e];
            sum += __int_as_float(parent.y) * xyz(from[parent.x]);
        }
        fine.x[row] = zero_w(sum);
    }
}

__device__ __forceinline__ void finish_pass(const LevelView& level, const float4* x, float4* out, int t, int threads) {
    const int all = slice_threads(level.rows);
    for (int at = t; (at & ~31) < all; at += threads) {
        const RowThread row(at, level.rows);
        const Vec3f product = row_product(level, row, [&](int j) { return xyz(x[j]); });
        if (row.quarter != 0 || !row.is_real) continue;
        const Vec3f left = xyz(level.b[row.row]) - product;
        out[row.row] = zero_w(xyz(x[row.row]) + level.omega * (load_inverse(level, row.row) * left));
    }
}

__device__ __forceinline__ Vec3f from_lane(const Vec3f& v, int lane) {
    return {__shfl_sync(0xffffffffU, v.x, lane), __shfl_sync(0xffffffffU, v.y, lane),
            __shfl_sync(0xffffffffU, v.z, lane)};
}

/// Coarse blocks from fine ones, a warp each: eight sources at a time, four threads to a source, one for each row of the
/// block. The lower triangle is mirrored. A block on the diagonal is the sum of its sources and of their mirror images.
__global__ void __launch_bounds__(kBlock)
    gather_kernel(const __grid_constant__ LevelView fine, const __grid_constant__ LevelView coarse) {
    after_last_kernel();
    const int k = thread_index() / 32, lane = static_cast<int>(threadIdx.x) % 32, r = lane % 4;
    if (k >= coarse.slot_count) return;
    const int2 slot = coarse.slot[k];
    const bool on_diagonal = slot.x == slot.y;
    Vec3f sum;
    const int end = coarse.source.start[k + 1];
#pragma unroll 2
    for (int e = coarse.source.start[k] + lane / 4; e < end; e += 8) {
        const int2 source = coarse.source.item[e];
        if (r < 3) sum += __int_as_float(source.y) * xyz(fine.block[3 * static_cast<std::size_t>(source.x) + r]);
    }
#pragma unroll
    for (int mask = 4; mask < 32; mask *= 2)
        sum += Vec3f{__shfl_xor_sync(0xffffffffU, sum.x, mask), __shfl_xor_sync(0xffffffffU, sum.y, mask),
                     __shfl_xor_sync(0xffffffffU, sum.z, mask)};
    if (coarse.base) {
        const float far = (on_diagonal ? 0.5F : 1.0F) * coarse.base[slot.x];
        (r == 0 ? sum.x : r == 1 ? sum.y : sum.z) += r < 3 ? far : 0.0F;
    }
    const Vec3f a = from_lane(sum, 0), b = from_lane(sum, 1), c = from_lane(sum, 2);
    if (lane >= 3) return;
    const Vec3f column = r == 0 ? Vec3f{a.x, b.x, c.x} : r == 1 ? Vec3f{a.y, b.y, c.y} : Vec3f{a.z, b.z, c.z};
    const auto put = [&](int entry, const Vec3f& row) {
        coarse.block[3 * static_cast<std::size_t>(entry) + r] =
            with_w(row, r == 0 ? __int_as_float(coarse.column[entry]) : 0.0F);
    };
    if (!on_diagonal) {
        put(slot.x, sum);
        put(slot.y, column);
        return;
    }
    put(slot.x, sum + column);
    if (r != 0) return;
    const float xy = a.y + b.x, xz = a.z + c.x, yz = b.z + c.y;
    const float m[9] = {a.x + a.x, xy, xz, xy, b.y + b.y, yz, xz, yz, c.z + c.z};
    store_inverse(coarse, coarse.column[slot.x], inverse_of_block(m));
}

__global__ void __launch_bounds__(kBlock) residual_kernel(const __grid_constant__ LevelView level) {
    after_last_kernel();
    residual_pass(level, thread_index(), static_cast<int>(gridDim.x * blockDim.x));
}
__global__ void __launch_bounds__(kBlock)
    restrict_kernel(const __grid_constant__ LevelView fine, const __grid_constant__ LevelView coarse) {
    after_last_kernel();
    restrict_pass(fine, coarse, thread_index(), static_cast<int>(gridDim.x * blockDim.x));
}
__global__ void __launch_bounds__(kBlock) prolong_kernel(const __grid_constant__ LevelView fine, const float4* from) {
    after_last_kernel();
    prolong_pass(fine, from, thread_index(), static_cast<int>(gridDim.x * blockDim.x));
}
__global__ void __launch_bounds__(kBlock) finish_kernel(const __grid_constant__ LevelView level) {
    after_last_kernel();
    finish_pass(level, level.x, level.out, thread_index(), static_cast<int>(gridDim.x * blockDim.x));
}

/// Views in shared memory, where nothing can be constructed.
struct Views {
    alignas(LevelViews) unsigned char bytes[sizeof(LevelViews)];
    __device__ LevelViews& as_views() { return *reinterpret_cast<LevelViews*>(bytes); }
};

/// Hands out shared memory, piece after piece. The same on the host, where it counts.
struct SharedPieces {
    char* next;
    template <class T>
    __host__ __device__ void take(T*& place, std::size_t count) {
        place = reinterpret_cast<T*>(next);
        next += count * sizeof(T);
    }
};
/// What a small level has in shared memory, of the larger types first: all stay aligned.
struct SmallLevel {
    float4 *b, *x, *r, *out, *block, *inverse;
    int2 *parent, *child;
    int *start, *parent_start, *child_start;
};
__host__ __device__ inline void take_wide(SharedPieces& pieces, const LevelView& level, SmallLevel& to) {
    for (float4** vector : {&to.b, &to.x, &to.r, &to.out})
        pieces.take(*vector, static_cast<std::size_t>(level.rows));
    pieces.take(to.block, 3 * static_cast<std::size_t>(level.entries));
    pieces.take(to.inverse, 2 * static_cast<std::size_t>(level.rows));
    pieces.take(to.parent, static_cast<std::size_t>(level.weight_count));
    pieces.take(to.child, static_cast<std::size_t>(level.weight_count));
}
__host__ __device__ inline int slices_of(int rows) {
    return (rows + kSliceRows - 1) / kSliceRows;
}
__host__ __device__ inline void take_narrow(SharedPieces& pieces, const LevelViews& views, int l, SmallLevel& to) {
    const bool is_last = l + 1 == views.count;
    pieces.take(to.start, static_cast<std::size_t>(slices_of(views.level[l].rows) + 1));
    pieces.take(to.parent_start, is_last ? 0 : static_cast<std::size_t>(views.level[l].rows + 1));
    pieces.take(to.child_start, is_last ? 0 : static_cast<std::size_t>(views.level[l + 1].rows + 1));
}

/// Several loads of each thread are under way together.
template <class T>
__device__ __forceinline__ void copy_to_shared(T* to, const T* from, int count, int t, int threads) {
    constexpr int kBatch = 8;
    for (int base = t; base < count; base += kBatch * threads) {
        T batch[kBatch];
#pragma unroll
        for (int k = 0; k < kBatch; ++k)
            if (base + k * threads < count) batch[k] = from[base + k * threads];
#pragma unroll
        for (int k = 0; k < kBatch; ++k)
            if (base + k * threads < count) to[base + k * threads] = batch[k];
    }
}

/// Shared memory for all levels from `first` on, and what never changes in it. Thread 0 says where.
__device__ __forceinline__ void place_levels(const LevelViews& views, int first, SmallLevel* small, int t,
                                             int threads) {
    if (t == 0) {
        SharedPieces pieces{reinterpret_cast<char*>(shared_of_launch())};
        for (int l = first; l < views.count; ++l)
            take_wide(pieces, views.level[l], small[l]);
        for (int l = first; l < views.count; ++l)
            take_narrow(pieces, views, l, small[l]);
    }
    __syncwarp();
    __syncthreads();
    for (int l = first; l < views.count; ++l) {
        const LevelView& level = views.level[l];
        copy_to_shared(small[l].start, level.start, slices_of(level.rows) + 1, t, threads);
        if (l + 1 == views.count) break;
        copy_to_shared(small[l].parent, level.parent.item, level.weight_count, t, threads);
        copy_to_shared(small[l].child, level.child.item, level.weight_count, t, threads);
        copy_to_shared(small[l].parent_start, level.parent.start, level.rows + 1, t, threads);
        copy_to_shared(small[l].child_start, level.child.start, views.level[l + 1].rows + 1, t, threads);
    }
}

/// Levels from `first` on: restriction from the one before, the cycle, up to the `out` of `first`. One block, with all of
/// these levels in its shared memory: their matrices are read once, in one go.
__global__ void __launch_bounds__(kSmallThreads) small_levels_kernel(const LevelViews* on_device, int first) {
    __shared__ Views shared;
    __shared__ SmallLevel small[kMostLevels];
    LevelViews& views = shared.as_views();
    const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (unsigned k = threadIdx.x; k < sizeof(LevelViews) / sizeof(int); k += blockDim.x)
        reinterpret_cast<int*>(&views)[k] = reinterpret_cast<const int*>(on_device)[k];
    __syncwarp(); // threads of a warp leave the loop one after the other
    __syncthreads();
    place_levels(views, first, small, t, threads);
    after_last_kernel();
    const int last = views.count - 1;
    float4* result = views.level[first].out;
    for (int l = first; l <= last; ++l) {
        copy_to_shared(small[l].block, views.level[l].block, 3 * views.level[l].entries, t, threads);
        copy_to_shared(small[l].inverse, views.level[l].inverse, 2 * views.level[l].rows, t, threads);
    }
    __syncwarp();
    __syncthreads();
    if (t >= first && t <= last) {
        LevelView& level = views.level[t];
        const SmallLevel& own = small[t];
        level.b = own.b, level.x = own.x, level.r = own.r, level.out = own.out;
        level.block = own.block, level.inverse = own.inverse, level.start = own.start;
        if (t < last) level.parent = {own.parent_start, own.parent}, level.child = {own.child_start, own.child};
    }
    __syncwarp();
    __syncthreads();
    for (int l = first; l <= last; ++l) {
        restrict_pass(views.level[l - 1], views.level[l], t, threads);
        __syncthreads();
        if (l == last) break;
        residual_pass(views.level[l], t, threads);
        __syncthreads();
    }
    const LevelView& coarsest = views.level[last];
    const float4* from = coarsest.x;
    for (int k = 1; k < kCoarsestSweeps; ++k) {
        float4* to = k + 1 == kCoarsestSweeps ? coarsest.out : (k % 2 == 1 ? coarsest.r : coarsest.x);
        finish_pass(coarsest, from, to, t, threads);
        __syncthreads();
        from = to;
    }
    for (int l = last - 1; l >= first; --l) {
        prolong_pass(views.level[l], views.level[l + 1].out, t, threads);
        __syncthreads();
        finish_pass(views.level[l], views.level[l].x, views.level[l].out, t, threads);
        __syncthreads();
    }
    for (int i = t; i < views.level[first].rows; i += threads)
        result[i] = views.level[first].out[i];
}

/// As many as its first level has work for; the result is the same with any number.
int small_threads(int rows) {
    return std::min(kSmallThreads, (8 * rows + 31) / 32 * 32);
}

} // namespace

void correct_by_coarse(const Hierarchy& h, cudaStream_t stream) {
    const LevelViews& views = h.view;
    const bool has_small = h.small_bytes > 0 && views.count > 1;
    const int large =
        has_small ? h.first_small : views.count - 1; // levels above the coarsest with kernels of their own
    for (int l = 0; l < large; ++l) {
        const LevelView &fine = views.level[l], &coarse = views.level[l + 1];
        launch_for(residual_kernel, slice_threads(fine.rows), stream, fine);
        if (l + 1 < large || !has_small) launch_for(restrict_kernel, 8LL * coarse.rows, stream, fine, coarse);
    }
    if (has_small)
        launch(small_levels_kernel, 1, small_threads(views.level[h.first_small].rows), h.small_bytes, stream,
               h.on_device, h.first_small);
    else if (views.count > 1)
        launch_for(finish_kernel, slice_threads(views.level[large].rows), stream, views.level[large]);
    for (int l = large - 1; l >= 0; --l) {
        const LevelView& fine = views.level[l];
        launch_for(prolong_kernel, fine.rows, stream, fine, views.level[l + 1].out);
        if (l > 0) launch_for(finish_kernel, slice_threads(fine.rows), stream, fine);
    }
}

std::size_t allow_small_levels(const LevelViews& views, int first) {
    int device = 0, most = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess)
        return 0; // whatever it is shows again where memory is asked for
    SharedPieces pieces{nullptr};
    SmallLevel any{};
    for (int l = first; l < views.count; ++l) {
        take_wide(pieces, views.level[l], any);
        take_narrow(pieces, views, l, any);
    }
    const auto wanted = reinterpret_cast<std::size_t>(pieces.next);
    const int left = most - static_cast<int>(sizeof(Views) + sizeof(SmallLevel) * kMostLevels) - kReservedShared;
    if (left < 0 || wanted > static_cast<std::size_t>(left)) return 0;
    // All there is, not what is wanted: the limit is the kernel's, and other simulations in this process launch it too.
    if (cudaFuncSetAttribute(small_levels_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, left) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return wanted;
}

void build_coarse(const Hierarchy& hierarchy, cudaStream_t stream) {
    const LevelViews& views = hierarchy.view;
    for (int l = 0; l + 1 < views.count; ++l)
        launch_for(gather_kernel, 32LL * views.level[l + 1].slot_count, stream, views.level[l], views.level[l + 1]);
}

} // namespace selvage::cuda
