#pragma once

#include <filesystem>

#include "base/result.h"
#include "character/character.h"
#include "character/motions.h"

namespace selvage {

/// A mannequin's motion as keys of all joints that it moves, `per_second` of them a second, from its start.
Animation sample_motion(const Character& mannequin, const MotionInfo& motion, double seconds, double per_second,
                        bool in_place);

/// Binary glTF 2.0: one skinned mesh with normals and up to eight influences per vertex, a node per joint, and the
/// character's animations. Every bone must belong to another joint, in the order of the joints, as a mannequin's do.
/// Numbers are floats there.
Status write_character(const std::filesystem::path& path, const Character& character);

} // namespace selvage
