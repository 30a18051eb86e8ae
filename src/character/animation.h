#pragma once

#include <string>
#include <vector>

#include "character/skeleton.h"

namespace selvage {

/// One property of one joint over time, as glTF has it.
struct AnimationChannel {
    enum class Path { translation, rotation, scale, morphs };
    enum class Between { step, linear, cubic };

    Path path = Path::translation;
    Between between = Between::linear;
    int joint = 0;              ///< Of the morphs: unused.
    int first_morph = 0;        ///< Of the morphs: the first that it drives.
    int width = 3;              ///< Numbers per key: 3, 4, or the morphs that it drives.
    std::vector<double> times;  ///< Rising [s].
    std::vector<double> values; ///< `width` per key; of cubics three times as many: tangent in, value, tangent out.
};

struct Animation {
    std::string name;
    double seconds = 0.0; ///< Time of the last key.
    std::vector<AnimationChannel> channels;
};

/// Sets what the animation drives in a pose; the rest stays as it is. At a key exactly the key's numbers. Before the
/// first key the first one holds, after the last key the last one, unless `loop`: then it starts over from time 0.
void sample_animation(const Animation& animation, double time, bool loop, BodyPose& pose);

} // namespace selvage
