#pragma once

#include <vector>

#include "math/mat.h"
#include "scene/scene_desc.h"

namespace selvage {

inline Vec3 to_vec(const Triple& t) {
    return {t[0], t[1], t[2]};
}

/// Shift and turn from the start, between the keyframes around a time.
struct KeyframePose {
    Vec3 shift;
    Rotation turn;
};
KeyframePose keyframe_pose(const std::vector<KeyframeDesc>& keys, bool smooth, double time);

} // namespace selvage
