#pragma once

#include "cuda/contact_formula.h"
#include "math/vec.h"

namespace selvage::cuda {

/// What a step is given, in the device's memory; see StepInput.
struct StepParameters {
    static constexpr int kWaves = 10;
    struct Wave {
        Vec3f k, amplitude;
        float phase; ///< [turns], at the time of the step.
    };
    double h;          ///< [s].
    Vec3f gravity;     ///< [m/s2].
    int first_target;  ///< Of its held points, among those of the frame.
    int wave_count;    ///< 0 without gusts.
    float air_density; ///< 0 without air.
    float drag, lift;
    Vec3f mean_wind;
    Wave wave[kWaves];
    int first_pose;     ///< Of colliders given by a distance, at the start of its first small step and the end of each.
    int first_point;    ///< Of the vertices of colliders that are meshes, at its start, then at its end; -1: all rest.
    Vec3 frame;         ///< How far all of these go in a small step, where they move alike [m]; else 0.
    float solid_motion; ///< How far one of them goes besides that at most [m].
};

/// A frame as kernels see it: one set of parameters per step; targets of held points and places of colliders step after
/// step.
struct FrameInput {
    const StepParameters* step;
    const Vec3* target;
    const SolidPose* pose;
    const Vec3* point;
};

} // namespace selvage::cuda
