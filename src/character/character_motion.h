#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "character/character.h"
#include "character/motions.h"

namespace selvage {

struct CharacterMotionSettings {
    std::string motion = {}; ///< A mannequin's motion or a file's animation; empty: a-pose, or the first animation.
    bool in_place = false;   ///< Of a mannequin: walks without getting anywhere.
    bool loop = true;        ///< Of a file: starts over at the animation's end, else holds.
    double start = 0.0;      ///< Time in the motion at time 0 [s].
    double speed = 1.0;
};

/// A character and what it does.
class CharacterMotion {
public:
    /// Fails on a motion that the character does not have.
    static Result<CharacterMotion> make(std::shared_ptr<const Character> character,
                                        const CharacterMotionSettings& settings);

    const Character& character() const { return poser_.character(); }
    /// Valid until the next call. Allocates nothing.
    const BodyPose& pose(double time);
    /// Vertices in the character's frame, one each. Allocates nothing.
    void place(double time, std::span<Vec3> out);
    std::span<const Affine> joints() const { return poser_.joints(); } ///< As of the last call.

private:
    CharacterMotion(std::shared_ptr<const Character> character, const CharacterMotionSettings& settings);

    PosedCharacter poser_;
    CharacterMotionSettings settings_;
    const MotionInfo* motion_ = nullptr;   // of a mannequin
    const Animation* animation_ = nullptr; // of a file; points into the character
    BodyPose pose_;
};

} // namespace selvage
