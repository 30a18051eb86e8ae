#pragma once

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
};

/// A frame as kernels see it: one set of parameters per step, and the targets of held points step after step.
struct FrameInput {
    const StepParameters* step;
    const Vec3* target;
};

} // namespace selvage::cuda
