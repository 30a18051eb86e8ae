#pragma once

// A row and the colliders that are given by a distance: springs as those of pairs, but on the diagonal alone.

#include "cuda/contact_rows.cuh"

namespace selvage::cuda {

/// A row before a collider: where it was, and is, in the collider's own frame.
struct Touch {
    SolidPoint start, now;
    float target;    ///< Gap to be reached.
    Vec3 carried_to; ///< Where the collider takes the point that it touches.
};

/// Poses at the end of small step `number` - 1 of a step.
__device__ __forceinline__ const SolidPose* poses_of(const SmallStep& step, int solid_count, int number) {
    return step.frame.pose + step.frame.step[step.step].first_pose + static_cast<std::size_t>(number) * solid_count;
}

/// Where the collider keeps a point less than `distance` away; false: it is not so near.
__device__ __forceinline__ bool find_touch(const SolidShape& shape, const SolidPose& before, const SolidPose& now,
                                           const Vec3& start, const Vec3& x, float distance, float fraction, float most,
                                           Touch& touch) {
    const Vec3f local = to_local(now, x), start_local = to_local(before, start);
    // Quick, for all that is far away.
    const SolidPoint rough = nearest_point(shape, local);
    if (rough.distance > distance) return false;
    touch.start = nearest_point(shape, start_local);
    touch.now = nearest_point(shape, local, start_local, touch.start);
    touch.target = opening(distance, touch.start.distance, fraction, most);
    touch.carried_to = to_world(now, start_local);
    return touch.now.distance < touch.target;
}

inline constexpr float kSolidFraction = 0.5F, kSolidInertia = 10.0F; // as on the host: see contact_forces.cpp
inline constexpr float kTouchSpare = 1.2F, kTouchOpening = 0.5F, kOpeningPace = 0.2F; // [m/s]

/// Adds the colliders' springs to a row's diagonal block and to the force on it; true: some act.
__device__ inline bool touch_solids(const ContactArrays& c, const SolveView& solve, const SmallStep& step,
                                    const SmallPart& part, int row, float inertial, float (&block)[6], Vec3f& force) {
    const SolidPose* before = poses_of(step, c.solids.count, part.number);
    const SolidPose* now = poses_of(step, c.solids.count, part.number + 1);
    const Vec3 start = position(solve.start[row]), x = position(solve.x[row]);
    const float stiffness = kSolidFraction * (block[0] + block[3] + block[5]) / 3.0F + kSolidInertia * inertial;
    const float4 last = c.solids.force[row];
    const float4 last_slip = c.solids.slip[row];
    float hardest = 0.0F;
    for (int k = 0; k < c.solids.count; ++k) {
        const SolidShape& shape = c.solids.shape[k];
        Touch touch;
        if (!find_touch(shape, before[k], now[k], start, x, kTouchSpare * shape.thickness, kTouchOpening,
                        kOpeningPace * static_cast<float>(step.h), touch))
            continue;
        const Vec3f n = turned(now[k], touch.now.normal);
        Vec3f moved(x - touch.carried_to);
        moved -= dot(moved, n) * n;
        ContactSpring earlier;
        if (last.y == static_cast<float>(k)) {
            earlier.normal_force = last.x;
            earlier.stiffness = last.z;
            earlier.slip = xyz(last_slip);
            earlier.side = last_slip.w;
        }
        const ContactSpring spring =
            contact_spring(touch.target, touch.now.distance, touch.target - touch.start.distance, stiffness, inertial,
                           shape.friction, n, moved, earlier);
        add_stiffness(block, 1.0F, n, spring.stiffness, spring.slip, spring.side);
        force += spring.force;
        if (!(spring.normal_force > hardest)) continue;
        hardest = spring.normal_force;
        c.solids.force[row] = make_float4(hardest, static_cast<float>(k), spring.stiffness, 0.0F);
        c.solids.slip[row] = with_w(spring.slip, spring.side);
    }
    if (!(hardest > 0.0F)) c.solids.force[row] = make_float4(0.0F, -1.0F, 0.0F, 0.0F);
    return hardest > 0.0F;
}

/// Forgets the touches of the last small step.
void start_touches(const ContactArrays& c, int rows, cudaStream_t stream);

} // namespace selvage::cuda
