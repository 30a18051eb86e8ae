#include "sim/keyframes.h"

#include <algorithm>

namespace selvage {

KeyframePose keyframe_pose(const std::vector<KeyframeDesc>& keys, bool smooth, double time) {
    const auto after = std::find_if(keys.begin(), keys.end(), [&](const KeyframeDesc& k) { return k.t > time; });
    const KeyframeDesc& next = after == keys.end() ? keys.back() : *after;
    const KeyframeDesc& last = after == keys.begin() ? keys.front() : *(after - 1);
    const double span = next.t - last.t;
    double s = span > 0.0 ? std::clamp((time - last.t) / span, 0.0, 1.0) : 0.0;
    if (smooth) s = s * s * (3.0 - 2.0 * s);
    const auto mix = [s](const Triple& a, const Triple& b) { return (1.0 - s) * to_vec(a) + s * to_vec(b); };
    return {mix(last.translate, next.translate), rotation_from_degrees(mix(last.rotate_deg, next.rotate_deg))};
}

} // namespace selvage
