// harmonic and harmonic-published on the device. A vertex gathers from its springs; nothing is added from two sides, so the
// same bits come out in every run. Both ends of a spring work out its impulse from the same numbers with opposite signs:
// momentum is kept but for the rounding of sums.

#include "cuda/spring_kernels.h"
#include "cuda/spring_rows.cuh"
#include "solvers/harmonic_formula.h"

namespace selvage::cuda {

namespace {

template <int kLanes, bool kWhole, bool kDamped, bool kAir>
__global__ void __launch_bounds__(kBlock) harmonic_kernel(const __grid_constant__ SpringStep s) {
    after_last_kernel();
    const Row<kLanes> row(s.net);
    const int i = row.vertex;
    const auto h = static_cast<float>(s.h);
    const FinePoint x = s.from.x[i];
    const float4 v = s.from.v[i];
    const float limit = kDamped ? s.net.damping_limit[i] : 0.0F;
    const float2 damping = kDamped ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    const Vec3f xi = x.rounded(), vi = xyz(v);
    Vec3f impulse;
    for_each_spring<kWhole>(s.net, row, s.from.x, s.from.v,
                            [&](int j, const float2& law, const Vec3f& xj, const float4& vj) {
                                float room = 0.0F;
                                if (kDamped)
                                    room = law.y * (is_held(vj.w) ? limit : fminf(limit, s.net.damping_limit[j]));
                                Vec3f t = xj - xi;
                                const float l = take_length(t);
                                impulse += filtered_impulse<kDamped>(law.y, law.x, fminf(v.w, vj.w), room, damping.x,
                                                                     damping.y, l, t, xyz(vj) - vi, h);
                            });
    impulse = lane_sum<kLanes>(impulse);
    if (row.lane == 0 && row.is_real) finish_vertex<kAir>(s, i, x, v, impulse / s.net.mass[i]);
}

__device__ __forceinline__ float inverse_mass(float mark) {
    return is_held(mark) ? 0.0F : mark;
}

/// v.w: 1 / mass.
template <int kLanes, bool kAir>
__global__ void __launch_bounds__(kBlock) published_kernel(const __grid_constant__ SpringStep s) {
    after_last_kernel();
    const Row<kLanes> row(s.net);
    const int i = row.vertex;
    const auto h = static_cast<float>(s.h);
    const FinePoint x = s.from.x[i];
    const float4 v = s.from.v[i];
    const float2 damping = s.net.damping ? s.net.damping[i] : make_float2(0.0F, 0.0F);
    const Vec3f xi = x.rounded(), vi = xyz(v);
    Vec3f impulse;
    for_each_spring<false>(
        s.net, row, s.from.x, s.from.v, [&](int /*j*/, const float2& law, const Vec3f& xj, const float4& vj) {
            const Vec3f u = xj - xi, dv = xyz(vj) - vi;
            const float l = length(u);
            if (law.y == 0.0F) return;
            impulse += h * damping.y * dv;
            if (!(l > 1e-12F)) return;
            const Vec3f t = u / l;
            const float rate = dot(t, dv), omega = sqrtf(law.y * (inverse_mass(v.w) + inverse_mass(vj.w)));
            const float push = oscillation_impulse(law.y, omega, l - law.x, rate, h, sinf(omega * h), cosf(omega * h));
            impulse += (push + h * damping.x * law.y * rate) * t;
        });
    impulse = lane_sum<kLanes>(impulse);
    if (row.lane == 0 && row.is_real) finish_vertex<kAir>(s, i, x, v, impulse * v.w);
}

} // namespace

void step_harmonic(const SpringStep& step, cudaStream_t stream) {
    const int n = step.net.vertex_count;
    with_lanes(step.net, [&](auto lanes, auto whole) {
        with_flag(step.net.damping != nullptr, [&](auto damped) {
            with_flag(step.has_air, [&](auto air) {
                launch_for(harmonic_kernel<lanes, whole, damped, air>, static_cast<long long>(n) * lanes, stream, step);
            });
        });
    });
}

void step_harmonic_published(const SpringStep& step, cudaStream_t stream) {
    const int n = step.net.vertex_count;
    with_lanes(step.net, [&](auto lanes, auto /*whole*/) {
        with_flag(step.has_air, [&](auto air) {
            launch_for(published_kernel<lanes, air>, static_cast<long long>(n) * lanes, stream, step);
        });
    });
}

} // namespace selvage::cuda
