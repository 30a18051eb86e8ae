#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "character/character.h"

namespace selvage {

/// The mannequin's joints, in the order of its skeleton.
enum MannequinJoint {
    kPelvis,
    kSpine,
    kChest,
    kNeck,
    kHead,
    kLeftClavicle,
    kLeftUpperArm,
    kLeftForearm,
    kLeftHand,
    kRightClavicle,
    kRightUpperArm,
    kRightForearm,
    kRightHand,
    kLeftThigh,
    kLeftShin,
    kLeftFoot,
    kLeftToes,
    kRightThigh,
    kRightShin,
    kRightFoot,
    kRightToes,
    kMannequinJoints
};

struct MotionInfo {
    const char* name;
    double seconds; ///< One round; it goes on from there without a jump. 0: a pose that is reached and held.
    const char* help;
};

/// a-pose, stand, walk, run, turn, arms-up, sit, spin, dance.
const std::vector<MotionInfo>& mannequin_motions();
/// Null where there is none of this name.
const MotionInfo* find_motion(const std::string& name);

/// The mannequin's pose at a time. All motions but "a-pose" start at the pose that it was bound in and take
/// `kMotionStart` to get under way, so that a garment sewn around that pose can follow. Walking and running go along +z
/// unless `in_place`.
inline constexpr double kMotionStart = 1.0; // [s]
BodyPose mannequin_pose(const Character& mannequin, const MotionInfo& motion, double time, bool in_place = false);
/// The same into a pose of that many joints, without allocating.
void mannequin_pose(const Character& mannequin, const MotionInfo& motion, double time, bool in_place, BodyPose& out);

} // namespace selvage
