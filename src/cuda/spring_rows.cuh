#pragma once

// What kernels of springs share: a vertex and its springs, several threads to a vertex where there are few.

#include <type_traits>

#include "cuda/kernels.cuh"
#include "cuda/spring_kernels.h"

namespace selvage::cuda {

inline constexpr int kFewVertices = 1 << 16; // below it two threads share a vertex

__device__ __forceinline__ bool is_held(float mark) {
    return mark >= kHeldMark;
}

/// The length of a vector, which becomes a unit vector; zero stays zero.
__device__ __forceinline__ float take_length(Vec3f& u) {
    const float squared = fmaxf(length_squared(u), 1e-24F), inverse = rsqrtf(squared);
    u *= inverse;
    return squared * inverse;
}

__device__ __forceinline__ Vec3f normal_of(const SpringNet& net, const SpringState& state, int i, const Vec3f& x) {
    Vec3f normal;
    for (int k = net.fan_start[i]; k < net.fan_start[i + 1]; ++k) {
        const int2 corners = net.fan[k];
        normal += cross(state.x[corners.x].rounded() - x, state.x[corners.y].rounded() - x);
    }
    return normal;
}

template <bool kAir>
__device__ __forceinline__ LoadT<float> load_on(const SpringStep& s, int i, const Vec3f& x, const Vec3f& v) {
    const float damping = s.net.velocity_damping ? s.net.velocity_damping[i] : 0.0F;
    if (!kAir) return {s.gravity, damping, {}};
    return load_in_air(s.frame.step[s.step], static_cast<float>(s.h), x, v, normal_of(s.net, s.from, i, x),
                       s.net.area[i], s.net.mass[i], damping);
}

/// A held point goes to its target, and gets the velocity that carries it to the next one.
__device__ __forceinline__ void finish_held(const SpringStep& s, int i, const float4& v) {
    const int index = s.net.held_index[i];
    const Vec3* targets = s.frame.target + static_cast<std::size_t>(s.step) * s.held_count;
    const Vec3 target = targets[index];
    Vec3f velocity = xyz(v);
    if (!s.is_last) velocity = Vec3f((targets[s.held_count + index] - target) / s.h);
    s.to.x[i] = to_fine(target);
    s.to.v[i] = with_w(velocity, v.w);
}

/// `gained`: the velocity that springs have added.
template <bool kAir>
__device__ __forceinline__ void finish_vertex(const SpringStep& s, int i, const FinePoint& x, const float4& v,
                                              const Vec3f& gained) {
    if (is_held(v.w)) {
        finish_held(s, i, v);
        return;
    }
    const LoadT<float> load = load_on<kAir>(s, i, x.rounded(), xyz(v));
    const Vec3f after = load.advance(xyz(v) + gained, static_cast<float>(s.h));
    s.to.x[i] = to_fine(exact(x) + s.h * Vec3(after));
    s.to.v[i] = with_w(after, v.w);
}

/// The vertex and the place among its threads of this thread.
template <int kLanes>
struct Row {
    int vertex, lane, first, end;
    bool is_real;
    __device__ explicit Row(const SpringNet& net) {
        const int t = thread_index();
        is_real = t / kLanes < net.vertex_count;
        vertex = is_real ? t / kLanes : net.vertex_count - 1;
        lane = t % kLanes;
        const int slice = vertex / SpringNet::kSlice;
        const int begin = net.slots > 0 ? net.slots * slice : net.slot_start[slice];
        first = (begin + lane) * SpringNet::kSlice + vertex % SpringNet::kSlice;
        end = (net.slots > 0 ? begin + net.slots : net.slot_start[slice + 1]) * SpringNet::kSlice;
    }
    static constexpr int kStep = kLanes * SpringNet::kSlice;
};

template <int kLanes>
inline constexpr int kBatchOf = kLanes == 1 ? 4 : 3; // springs whose loads are under way together

/// body(j, law, x_j, vector_j) for the springs of a row that are this thread's, a few at a time: first all their numbers,
/// then all their far ends, so that loads are under way together.
/// kWhole: rows are a whole number of such batches.
template <bool kWhole, int kLanes, class Body>
__device__ __forceinline__ void for_each_spring(const SpringNet& net, const Row<kLanes>& row, const FinePoint* x,
                                                const float4* vector, const Body& body) {
    constexpr int kBatch = kBatchOf<kLanes>, kStep = Row<kLanes>::kStep;
    for (int e = row.first; e < row.end; e += kBatch * kStep) {
        int j[kBatch];
        float2 law[kBatch];
        float4 xj[kBatch], other[kBatch];
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
            const bool is_in = kWhole || e + b * kStep < row.end;
            j[b] = is_in ? net.other[e + b * kStep] : row.vertex;
            law[b] = is_in ? net.law[e + b * kStep] : make_float2(0.0F, 0.0F);
        }
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
            xj[b] = *reinterpret_cast<const float4*>(x + j[b]);
            other[b] = vector[j[b]];
        }
#pragma unroll
        for (int b = 0; b < kBatch; ++b)
            body(j[b], law[b], xyz(xj[b]), other[b]);
    }
}

template <class Body>
inline void with_flag(bool flag, const Body& body) {
    if (flag)
        body(std::true_type{});
    else
        body(std::false_type{});
}

/// body(lanes, whole) with as many threads to a vertex as suits their number.
template <class Body>
inline void with_lanes(const SpringNet& net, const Body& body) {
    const auto with = [&](auto lanes) {
        with_flag(net.slots > 0 && net.slots % (lanes * kBatchOf<lanes>) == 0, [&](auto whole) { body(lanes, whole); });
    };
    if (net.vertex_count < kFewVertices)
        with(std::integral_constant<int, 2>{});
    else
        with(std::integral_constant<int, 1>{});
}

} // namespace selvage::cuda
