#include "character/character_motion.h"

#include "base/concat.h"
#include "base/suggest.h"

namespace selvage {

CharacterMotion::CharacterMotion(std::shared_ptr<const Character> character, const CharacterMotionSettings& settings)
    : poser_(std::move(character)), settings_(settings), pose_(rest_pose(poser_.character().skeleton)) {
    for (const MorphTarget& target : poser_.character().morphs)
        pose_.morphs.push_back(target.rest_weight);
}

Result<CharacterMotion> CharacterMotion::make(std::shared_ptr<const Character> character,
                                              const CharacterMotionSettings& settings) {
    CharacterMotion motion(std::move(character), settings);
    const Character& body = motion.character();
    std::vector<std::string> names;
    if (body.measurements) {
        motion.motion_ = find_motion(settings.motion.empty() ? "a-pose" : settings.motion);
        if (motion.motion_) return motion;
        for (const MotionInfo& known : mannequin_motions())
            names.emplace_back(known.name);
    } else {
        if (settings.motion == "rest" || (settings.motion.empty() && body.animations.empty())) return motion;
        for (const Animation& animation : body.animations) {
            if (!motion.animation_ && (settings.motion.empty() || animation.name == settings.motion))
                motion.animation_ = &animation;
            names.push_back(animation.name);
        }
        if (motion.animation_) return motion;
        names.emplace_back("rest");
    }
    const std::string nearest = nearest_word(settings.motion, names);
    return Error{concat("unknown motion \"", settings.motion, "\"; expected one of: ", join(names),
                        nearest.empty() ? "" : concat("; did you mean \"", nearest, "\"?"))};
}

const BodyPose& CharacterMotion::pose(double time) {
    const double t = settings_.start + settings_.speed * time;
    if (motion_) mannequin_pose(character(), *motion_, t, settings_.in_place, pose_);
    if (animation_) sample_animation(*animation_, t, settings_.loop, pose_);
    return pose_;
}

void CharacterMotion::place(double time, std::span<Vec3> out) {
    poser_.place(pose(time), out);
}

} // namespace selvage
