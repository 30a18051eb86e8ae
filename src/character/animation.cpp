#include "character/animation.h"

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

using Path = AnimationChannel::Path;
using Between = AnimationChannel::Between;

/// Between which keys a time lies, and how far on the way.
struct KeySpan {
    std::size_t from = 0, to = 0;
    double fraction = 0.0;
};

KeySpan find_keys(const std::vector<double>& times, double time) {
    if (time <= times.front()) return {};
    const std::size_t last = times.size() - 1;
    if (time >= times.back()) return {last, last, 0.0};
    const auto after = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
    const double start = times[after - 1];
    return {after - 1, after, (time - start) / (times[after] - start)};
}

/// Number `c` of the channel at a place between keys; rotations' lengths are the caller's.
double sample_number(const AnimationChannel& channel, const KeySpan& span, int c) {
    const auto width = static_cast<std::size_t>(channel.width), at = static_cast<std::size_t>(c);
    if (channel.between != Between::cubic) {
        const double a = channel.values[span.from * width + at];
        if (channel.between == Between::step || span.fraction == 0.0) return a;
        return a + span.fraction * (channel.values[span.to * width + at] - a);
    }
    const auto number = [&](std::size_t key, std::size_t part) {
        return channel.values[(3 * key + part) * width + at];
    };
    const double a = number(span.from, 1);
    if (span.fraction == 0.0) return a;
    const double t = span.fraction, t2 = t * t, t3 = t2 * t;
    const double step = channel.times[span.to] - channel.times[span.from];
    return (2 * t3 - 3 * t2 + 1) * a + step * (t3 - 2 * t2 + t) * number(span.from, 2) +
           (3 * t2 - 2 * t3) * number(span.to, 1) + step * (t3 - t2) * number(span.to, 0);
}

Quaternion sample_rotation(const AnimationChannel& channel, const KeySpan& span) {
    const auto key = [&](std::size_t k) {
        const double* q = channel.values.data() + 4 * k;
        return Quaternion{q[0], q[1], q[2], q[3]};
    };
    if (channel.between == Between::linear) return slerp(key(span.from), key(span.to), span.fraction);
    const Quaternion q{sample_number(channel, span, 0), sample_number(channel, span, 1),
                       sample_number(channel, span, 2), sample_number(channel, span, 3)};
    // A key is taken as it is; between keys of a cubic the length drifts.
    return span.fraction == 0.0 || channel.between == Between::step ? q : normalized(q);
}

} // namespace

void sample_animation(const Animation& animation, double time, bool loop, BodyPose& pose) {
    double t = time;
    if (loop && animation.seconds > 0.0 && t > animation.seconds)
        t -= animation.seconds * std::floor(t / animation.seconds);
    for (const AnimationChannel& channel : animation.channels) {
        const KeySpan span = find_keys(channel.times, t);
        if (channel.path == Path::morphs) {
            for (int c = 0; c < channel.width; ++c)
                pose.morphs[static_cast<std::size_t>(channel.first_morph + c)] = sample_number(channel, span, c);
            continue;
        }
        JointTransform& joint = pose.local[static_cast<std::size_t>(channel.joint)];
        if (channel.path == Path::rotation) {
            joint.rotation = sample_rotation(channel, span);
            continue;
        }
        const Vec3 v{sample_number(channel, span, 0), sample_number(channel, span, 1), sample_number(channel, span, 2)};
        (channel.path == Path::scale ? joint.scale : joint.translation) = v;
    }
}

} // namespace selvage
