#pragma once

// What kernels of implicit-jacobi share.

#include "cuda/spring_kernels.h"
#include "cuda/spring_rows.cuh"
#include "math/mat.h"
#include "model/spring.h"

namespace selvage::cuda {

/// A spring of no stiffness fills a row up, and has no damping either. Without a branch, so that the loads of many springs
/// are under way together: ends in one point have a vector of no length for a direction.
__device__ __forceinline__ SpringBlock<float> block_of(const float2& law, Vec3f u, const float2& damping, float h) {
    const float inverse = rsqrtf(fmaxf(length_squared(u), 1e-24F)), l = length_squared(u) * inverse;
    const float relative_damping = law.y > 0.0F ? damping.y : 0.0F;
    return linearise_along<float, float>(law.y, law.x, damping.x, relative_damping, inverse * u, l, inverse, h, false);
}

/// As ImplicitJacobiSolver::stiff_inverse().
__device__ __forceinline__ SymMat3f stiff_inverse(const SymMat3& springs, double mass) {
    constexpr double kLeastMass = 1e-6;
    SymMat3 d = springs;
    const double least = kLeastMass * (springs.xx + springs.yy + springs.zz), m = mass > least ? mass : least;
    d.xx += m, d.yy += m, d.zz += m;
    const SymMat3 o = inverse(d);
    return {static_cast<float>(o.xx), static_cast<float>(o.xy), static_cast<float>(o.xz),
            static_cast<float>(o.yy), static_cast<float>(o.yz), static_cast<float>(o.zz)};
}

template <bool kAir>
__device__ __forceinline__ void finish_jacobi(const SpringStep& s, const JacobiScratch& scratch, int i, const float4& v,
                                              const Vec3f& dv, const FinePoint& x) {
    if (is_held(v.w)) {
        finish_held(s, i, v);
        return;
    }
    LoadT<float> load = load_on<kAir>(s, i, x.rounded(), xyz(v));
    if (scratch.filters_gravity) load.acceleration -= s.gravity; // already inside dv
    const Vec3f after = load.advance(xyz(v) + dv, static_cast<float>(s.h));
    const Vec3 moved = scratch.moves_by_mean ? 0.5 * (Vec3(xyz(v)) + Vec3(after)) : Vec3(after);
    s.to.x[i] = to_fine(exact(x) + s.h * moved);
    s.to.v[i] = with_w(after, v.w);
}

} // namespace selvage::cuda
