#pragma once

#include <string>
#include <vector>

#include "character/character.h"

namespace selvage {

/// Which of the mannequin's joints each joint of a skeleton is, by its name: "LeftForeArm", "lowerarm_l", "forearm.L" and
/// the like. Joints between or below, such as fingers, are what their parent is; -1: none of them.
std::vector<int> joint_roles(const Skeleton& skeleton);

/// A body as garments are cut and draped for it: over the origin, its arms 40 degrees off its sides.
struct StandingBody {
    Character bound; ///< As it was read.
    Character body;  ///< With its mesh as it stands, and landmarks.
    BodyPose pose;   ///< How it stands.
    Vec3 place;      ///< Where it stands in its own frame: add this to what was draped on it [m].
};

/// Finds the landmarks of a skinned character: joints by name, girths and places on its surface by sections and rays. Fails
/// on what no garment can be cut for, and says why: joints that are not found, a height that no person has, a body that
/// does not stand upright with its front to +z when it is at rest. A mannequin stands as it is.
Result<StandingBody> standing_body(const Character& character);

} // namespace selvage
