// harmonic and implicit-jacobi, a patch of cloth to a block. A block reads its own vertices and the rings around them once,
// each vertex by one thread, and works from shared memory. The sweep of implicit-jacobi needs what its neighbours have
// solved for: the block works that out for the first ring as well, so that a step is one kernel. Numbers of springs do not
// change within a frame: they are read before the last step has ended.

#include "cuda/jacobi_rows.cuh"
#include "solvers/harmonic_formula.h"

namespace selvage::cuda {

namespace {

// Patches that read no more take half the shared memory, and registers for all that a row keeps.
constexpr int kFewRead = PatchView::kMostRead / 2, kFewThreads = 448;
constexpr int most_threads(int read) {
    return read == kFewRead ? kFewThreads : PatchView::kMostWorked;
}

/// Places, velocities and what is worked out, by vertex of the patch. Distances between them are known to the compiler.
template <int kRead>
struct PatchMemory {
    float4* x = shared_of_launch();
    __device__ float4& v(int k) const { return x[kRead + k]; }
    __device__ float4& dv(int k) const { return x[2 * kRead + k]; }
    /// By the place that a spring has of its far end [bytes].
    __device__ const float4& x_at(unsigned at) const { return *from(at); }
    __device__ const float4& v_at(unsigned at) const { return from(at)[kRead]; }
    __device__ const float4& dv_at(unsigned at) const { return from(at)[2 * kRead]; }

private:
    __device__ const float4* from(unsigned at) const {
        return reinterpret_cast<const float4*>(reinterpret_cast<const char*>(x) + at);
    }
};

struct End {
    unsigned at; ///< Of the far end [bytes].
    float2 law;
};

__device__ __forceinline__ End read_end(const PatchView& patches, bool has_table, int place) {
    const unsigned code = __ldg(patches.spring + place);
    return {code & 0xffffU, __ldg(patches.law + (has_table ? code >> 16 : static_cast<unsigned>(place)))};
}

/// A row's springs; kSlots: all of them are read at once, before the last step has ended, or 0: each where it is needed.
template <int kSlots, bool kTable>
struct RowSprings {
    const PatchView& patches;
    int first, stride, slots;
    End read[kSlots > 0 ? kSlots : 1];

    __device__ __forceinline__ RowSprings(const PatchView& p, const PatchNumbers& patch, int row)
        : patches(p), first(patch.springs + row), stride(PatchView::padded(patch.worked)), slots(patch.slots) {
        const End none{static_cast<unsigned>(sizeof(float4)) * static_cast<unsigned>(row), make_float2(0.0F, 0.0F)};
#pragma unroll
        for (int k = 0; k < kSlots; ++k)
            read[k] = k < slots ? read_end(p, kTable, first + k * stride) : none;
    }
    __device__ __forceinline__ End end(int k) const {
        if constexpr (kSlots > 0) return read[k];
        return read_end(patches, kTable, first + k * stride);
    }
    __device__ __forceinline__ int count() const { return kSlots > 0 ? kSlots : slots; }
};

/// What a thread reads of its patch: vertices whose number is known before the last step has ended, and all others.
struct PatchReader {
    const PatchView& patches;
    const PatchNumbers& patch;
    int early[2]; ///< Distances of the first two vertices of this thread.

    __device__ __forceinline__ PatchReader(const PatchView& p, const PatchNumbers& numbers)
        : patches(p), patch(numbers) {
#pragma unroll
        for (int b = 0; b < 2; ++b)
            early[b] = offset(static_cast<int>(threadIdx.x + b * blockDim.x));
    }
    __device__ __forceinline__ int offset(int k) const {
        return k < patch.read ? __ldg(patches.vertex + patch.vertices + k) : 0;
    }
    template <int kRead>
    __device__ __forceinline__ void read(const FinePoint* x, const float4* v, const PatchMemory<kRead>& memory) const {
        const auto threads = static_cast<int>(blockDim.x), t = static_cast<int>(threadIdx.x);
        const auto take = [&](int k, int i) {
            memory.x[k] = *reinterpret_cast<const float4*>(x + i);
            memory.v(k) = v[i];
        };
        if (t < patch.read) take(t, patch.first + early[0]);
        if (t + threads < patch.read) take(t + threads, patch.first + early[1]);
        for (int k = t + 2 * threads; k < patch.read; k += threads)
            take(k, patch.first + offset(k));
        __syncthreads();
    }
};

__device__ __forceinline__ FinePoint fine_point(const float4& x) {
    return {x.x, x.y, x.z, __float_as_uint(x.w)};
}

template <int kSlots, bool kTable, int kRead, bool kAir>
__global__ void __launch_bounds__(most_threads(kRead))
    harmonic_patch_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ PatchView patches) {
    const PatchNumbers patch = patches.patch[blockIdx.x];
    const auto row = static_cast<int>(threadIdx.x);
    const bool is_own = row < patch.own;
    const RowSprings<kSlots, kTable> springs(patches, patch, is_own ? row : 0);
    const PatchReader reader(patches, patch);
    const int i = patch.first + reader.early[0];
    const float mass = is_own ? s.net.mass[i] : 1.0F;
    after_last_kernel();
    const PatchMemory<kRead> memory;
    reader.read(s.from.x, s.from.v, memory);
    if (!is_own) return;
    const auto h = static_cast<float>(s.h);
    const float4 x = memory.x[row], v = memory.v(row);
    Vec3f impulse;
#pragma unroll
    for (int k = 0; k < springs.count(); ++k) {
        const End end = springs.end(k);
        const float4 vj = memory.v_at(end.at);
        Vec3f t = xyz(memory.x_at(end.at)) - xyz(x);
        const float l = take_length(t);
        impulse += filtered_impulse<false>(end.law.y, end.law.x, fminf(v.w, vj.w), 0.0F, 0.0F, 0.0F, l, t,
                                           xyz(vj) - xyz(v), h);
    }
    finish_vertex<kAir>(s, i, fine_point(x), v, impulse / mass);
}

/// m += a b^T, of which the sum is symmetric.
__device__ __forceinline__ void add_axial(SymMat3f& m, const Vec3f& a, const Vec3f& b) {
    m.xx += a.x * b.x, m.xy += a.x * b.y, m.xz += a.x * b.z;
    m.yy += a.y * b.y, m.yz += a.y * b.z, m.zz += a.z * b.z;
}

/// A row of the system: its right side, the inverse of its block, and, where springs have slots, its other blocks.
template <int kSlots, bool kTable, bool kStiff, int kRead>
struct JacobiRow {
    Vec3f right;
    SymMat3f inverse;
    SpringBlock<float> block[kSlots > 0 ? kSlots : 1];

    /// Returns the solution by the block on the diagonal alone.
    __device__ __forceinline__ Vec3f solve(const SpringStep& s, bool filters_gravity, float mass, const float2& damping,
                                           const RowSprings<kSlots, kTable>& springs, const PatchMemory<kRead>& memory,
                                           int row) {
        const auto h = static_cast<float>(s.h);
        const Vec3f x = xyz(memory.x[row]);
        const float4 v = memory.v(row);
        float isotropic = mass;
        SymMat3f sum;
        SymMat3 fine; // across the springs D is lost in the rounding of floats
#pragma unroll
        for (int k = 0; k < springs.count(); ++k) {
            const End end = springs.end(k);
            const SpringBlock<float> b = block_of(end.law, xyz(memory.x_at(end.at)) - x, damping, h);
            // As push t + A dv, in as few operations as may be.
            const Vec3f dv = xyz(memory.v_at(end.at)) - xyz(v);
            right += (b.push + b.axial * dot(b.t, dv)) * b.t;
            right += b.isotropic * dv;
            if (kStiff)
                fine.add_scaled(b.isotropic, b.axial, Vec3(b.t));
            else
                add_axial(sum, b.axial * b.t, b.t);
            isotropic += b.isotropic;
            if (kSlots > 0) block[k] = b;
        }
        if (kStiff) {
            inverse = stiff_inverse(fine, mass);
        } else {
            sum.xx += isotropic, sum.yy += isotropic, sum.zz += isotropic;
            inverse = selvage::inverse(sum);
        }
        if (filters_gravity) right += mass * h * s.gravity;
        return is_held(v.w) ? Vec3f{} : inverse * right;
    }
    __device__ __forceinline__ Vec3f sweep(const SpringStep& s, const float2& damping,
                                           const RowSprings<kSlots, kTable>& springs, const PatchMemory<kRead>& memory,
                                           int row) const {
        const auto h = static_cast<float>(s.h);
        Vec3f sum;
#pragma unroll
        for (int k = 0; k < springs.count(); ++k) {
            const End end = springs.end(k);
            const Vec3f dv = xyz(memory.dv_at(end.at));
            const SpringBlock<float> b =
                kSlots > 0 ? block[k] : block_of(end.law, xyz(memory.x_at(end.at)) - xyz(memory.x[row]), damping, h);
            sum += (b.axial * dot(b.t, dv)) * b.t;
            sum += b.isotropic * dv;
        }
        return is_held(memory.v(row).w) ? Vec3f{} : inverse * (right + sum);
    }
};

/// A row's part of a sweep: A dv over its springs.
template <int kSlots, bool kTable, int kRead>
__device__ __forceinline__ Vec3f product_of(const RowSprings<kSlots, kTable>& springs, const PatchMemory<kRead>& memory,
                                            const Vec3f& x, const float2& damping, float h) {
    Vec3f sum;
#pragma unroll
    for (int k = 0; k < springs.count(); ++k) {
        const End end = springs.end(k);
        const SpringBlock<float> b = block_of(end.law, xyz(memory.x_at(end.at)) - x, damping, h);
        const Vec3f dv = xyz(memory.v_at(end.at));
        sum += (b.axial * dot(b.t, dv)) * b.t;
        sum += b.isotropic * dv;
    }
    return sum;
}

/// As jacobi_gather_kernel.
template <int kSlots, bool kTable, int kRead, bool kStiff>
__global__ void __launch_bounds__(most_threads(kRead))
    gather_patch_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ JacobiScratch scratch,
                        const __grid_constant__ PatchView patches) {
    const PatchNumbers patch = patches.patch[blockIdx.x];
    const auto row = static_cast<int>(threadIdx.x);
    const bool is_own = row < patch.own;
    const RowSprings<kSlots, kTable> springs(patches, patch, is_own ? row : 0);
    const PatchReader reader(patches, patch);
    const int i = patch.first + reader.early[0];
    const float mass = is_own ? s.net.mass[i] : 1.0F;
    const float2 damping = is_own && s.net.damping ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    after_last_kernel();
    const PatchMemory<kRead> memory;
    reader.read(s.from.x, s.from.v, memory);
    if (!is_own) return;
    JacobiRow<kSlots, kTable, kStiff, kRead> own;
    const Vec3f dv = own.solve(s, scratch.filters_gravity, mass, damping, springs, memory, row);
    const SymMat3f& m = own.inverse;
    scratch.right[i] = with_w(own.right, m.xx);
    scratch.inverse[i] = make_float4(m.xy, m.xz, m.yy, m.yz);
    scratch.dv[0][i] = with_w(dv, m.zz);
}

/// As jacobi_sweep_kernel.
template <int kSlots, bool kTable, int kRead, bool kMoves, bool kAir>
__global__ void __launch_bounds__(most_threads(kRead))
    sweep_patch_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ JacobiScratch scratch,
                       const __grid_constant__ PatchView patches, int to) {
    const PatchNumbers patch = patches.patch[blockIdx.x];
    const auto row = static_cast<int>(threadIdx.x);
    const bool is_own = row < patch.own;
    const RowSprings<kSlots, kTable> springs(patches, patch, is_own ? row : 0);
    const PatchReader reader(patches, patch);
    const int i = patch.first + reader.early[0];
    const float2 damping = is_own && s.net.damping ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    after_last_kernel();
    const PatchMemory<kRead> memory;
    float4 right{}, rest{}, v{};
    if (is_own) right = scratch.right[i], rest = scratch.inverse[i], v = s.from.v[i];
    reader.read(s.from.x, scratch.dv[1 - to], memory);
    if (!is_own) return;
    const float4 x = memory.x[row];
    const Vec3f sum = product_of(springs, memory, xyz(x), damping, static_cast<float>(s.h));
    const float zz = memory.v(row).w;
    const SymMat3f inverted{right.w, rest.x, rest.y, rest.z, rest.w, zz};
    const Vec3f dv = is_held(v.w) ? Vec3f{} : inverted * (xyz(right) + sum);
    if (kMoves)
        finish_jacobi<kAir>(s, scratch, i, v, dv, fine_point(x));
    else
        scratch.dv[to][i] = with_w(dv, zz);
}

/// A step with one sweep; without kMoves it leaves dv[1], from which drift is to be removed.
template <int kSlots, bool kTable, bool kStiff, int kRead, bool kMoves, bool kAir>
__global__ void __launch_bounds__(most_threads(kRead))
    jacobi_patch_kernel(const __grid_constant__ SpringStep s, const __grid_constant__ JacobiScratch scratch,
                        const __grid_constant__ PatchView patches) {
    const PatchNumbers patch = patches.patch[blockIdx.x];
    const auto row = static_cast<int>(threadIdx.x);
    const bool is_worked = row < patch.worked;
    const RowSprings<kSlots, kTable> springs(patches, patch, is_worked ? row : 0);
    const PatchReader reader(patches, patch);
    const int i = patch.first + reader.early[0];
    const float mass = is_worked ? s.net.mass[i] : 1.0F;
    const float2 damping = is_worked && s.net.damping ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    after_last_kernel();
    const PatchMemory<kRead> memory;
    reader.read(s.from.x, s.from.v, memory);
    JacobiRow<kSlots, kTable, kStiff, kRead> own;
    if (is_worked)
        memory.dv(row) = with_w(own.solve(s, scratch.filters_gravity, mass, damping, springs, memory, row), 0.0F);
    __syncthreads();
    if (row >= patch.own) return;
    const Vec3f dv = own.sweep(s, damping, springs, memory, row);
    if (kMoves)
        finish_jacobi<kAir>(s, scratch, i, memory.v(row), dv, fine_point(memory.x[row]));
    else
        scratch.dv[1][i] = with_w(dv, 0.0F);
}

/// body(slots, table, read) as compiled for a net.
template <class Body>
void with_slots(const PatchView& patches, const Body& body) {
    const auto with_read = [&](auto slots, auto table) {
        if (patches.most_read <= kFewRead && PatchView::padded(patches.most_worked) <= kFewThreads)
            body(slots, table, std::integral_constant<int, kFewRead>{});
        else
            body(slots, table, std::integral_constant<int, PatchView::kMostRead>{});
    };
    with_flag(patches.has_table, [&](auto table) {
        if (patches.slots <= 8)
            with_read(std::integral_constant<int, 8>{}, table);
        else if (patches.slots <= 12)
            with_read(std::integral_constant<int, 12>{}, table);
        else
            with_read(std::integral_constant<int, 0>{}, table);
    });
}

} // namespace

void step_harmonic(const SpringStep& step, const PatchView& patches, cudaStream_t stream) {
    with_slots(patches, [&](auto slots, auto table, auto read) {
        with_flag(step.has_air, [&](auto air) {
            launch(harmonic_patch_kernel<slots, table, read, air>, patches.count, PatchView::padded(patches.most_own),
                   2 * read * sizeof(float4), stream, step, patches);
        });
    });
}

namespace {

/// All in one kernel.
void step_at_once(const SpringStep& step, const JacobiScratch& scratch, const PatchView& patches, cudaStream_t stream) {
    with_slots(patches, [&](auto slots, auto table, auto read) {
        const auto start = [&](auto kernel) {
            const int threads = PatchView::padded(patches.most_worked);
            launch(kernel, patches.count, threads, (2 * read + static_cast<std::size_t>(threads)) * sizeof(float4),
                   stream, step, scratch, patches);
        };
        with_flag(step.is_stiff, [&](auto stiff) {
            if (scratch.piece_count > 0)
                start(jacobi_patch_kernel<slots, table, stiff, read, false, false>);
            else
                with_flag(step.has_air,
                          [&](auto air) { start(jacobi_patch_kernel<slots, table, stiff, read, true, air>); });
        });
    });
}

/// A kernel for each sweep, and one before. Returns which dv is the last.
int step_by_sweeps(const SpringStep& step, const JacobiScratch& scratch, const PatchView& patches,
                   cudaStream_t stream) {
    int last = 0;
    with_slots(patches, [&](auto slots, auto table, auto read) {
        const auto start = [&](auto kernel, auto... more) {
            launch(kernel, patches.count, PatchView::padded(patches.most_own), 2 * read * sizeof(float4), stream, step,
                   scratch, patches, more...);
        };
        with_flag(step.is_stiff, [&](auto stiff) { start(gather_patch_kernel<slots, table, read, stiff>); });
        for (int k = 0; k < scratch.sweeps; ++k) {
            last = 1 - last;
            if (k + 1 < scratch.sweeps || scratch.piece_count > 0)
                start(sweep_patch_kernel<slots, table, read, false, false>, last);
            else
                with_flag(step.has_air,
                          [&](auto air) { start(sweep_patch_kernel<slots, table, read, true, air>, last); });
        }
    });
    return last;
}

} // namespace

void step_implicit_jacobi(const SpringStep& step, const JacobiScratch& scratch, const PatchView& patches,
                          cudaStream_t stream) {
    int last = 1;
    if (patches.rings == 2)
        step_at_once(step, scratch, patches, stream);
    else
        last = step_by_sweeps(step, scratch, patches, stream);
    if (scratch.sweeps == 0 || scratch.piece_count > 0) finish_jacobi_step(step, scratch, last, stream);
}

} // namespace selvage::cuda
