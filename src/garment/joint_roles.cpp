// Names of joints in the skeletons of other programs. They agree on little but the words.

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "character/motions.h"
#include "garment/body_landmarks.h"

namespace selvage {

namespace {

enum class WordSide { none, left, right };

struct JointWords {
    WordSide side = WordSide::none;
    std::string rest; ///< The other words, joined.
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// "mixamorig:LeftForeArm" has the words mixamorig, left, fore, arm; "DEF-upper_arm.L" def, upper, arm, l.
std::vector<std::string> words_of(const std::string& name) {
    std::vector<std::string> words{""};
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        const bool after_small = i > 0 && std::islower(static_cast<unsigned char>(name[i - 1]));
        if (!std::isalpha(c) || (std::isupper(c) && after_small)) words.emplace_back();
        if (std::isalpha(c)) words.back() += static_cast<char>(std::tolower(c));
    }
    std::erase(words, "");
    return words;
}

JointWords read_name(const std::string& name) {
    JointWords out;
    for (const std::string& word : words_of(name)) {
        if (is_one_of(word, {"left", "l"}))
            out.side = WordSide::left;
        else if (is_one_of(word, {"right", "r"}))
            out.side = WordSide::right;
        else if (!is_one_of(word, {"mixamorig", "def", "org", "bip", "j", "b", "cc", "base", "armature", "bone", "c"}))
            out.rest += word;
    }
    return out;
}

struct RoleName {
    MannequinJoint role; ///< Of a limb: on the left.
    std::initializer_list<std::string_view> words;
};

const std::array<RoleName, 14>& limb_names() {
    static const std::array<RoleName, 14> names = {{
        {kLeftClavicle, {"shoulder", "clavicle", "collar", "collarbone"}},
        {kLeftUpperArm, {"arm", "upperarm", "uparm", "armupper"}},
        {kLeftForearm, {"forearm", "lowerarm", "lowarm", "armlower", "elbow"}},
        {kLeftHand, {"hand", "wrist"}},
        {kLeftThigh, {"upleg", "upperleg", "thigh", "legupper"}},
        {kLeftShin, {"leg", "lowerleg", "calf", "shin", "leglower", "knee"}},
        {kLeftFoot, {"foot", "ankle"}},
        {kLeftToes, {"toe", "toes", "toebase", "ball"}},
        {kPelvis, {"hips", "hip", "pelvis"}},
        {kSpine, {"spine", "torso", "abdomen"}},
        {kChest, {"chest", "upperchest"}},
        {kNeck, {"neck", "necklower"}},
        {kHead, {"head"}},
        {kHead, {"skull"}},
    }};
    return names;
}

int role_of(const JointWords& words) {
    for (const RoleName& name : limb_names()) {
        if (!is_one_of(words.rest, name.words)) continue;
        const bool is_limb = name.role >= kLeftClavicle;
        if (is_limb == (words.side == WordSide::none)) return -1;
        if (!is_limb || words.side == WordSide::left) return name.role;
        return name.role < kRightClavicle ? name.role + (kRightClavicle - kLeftClavicle)
                                          : name.role + (kRightThigh - kLeftThigh);
    }
    return -1;
}

} // namespace

std::vector<int> joint_roles(const Skeleton& skeleton) {
    std::vector<int> roles;
    for (const Joint& joint : skeleton.joints) {
        int role = role_of(read_name(joint.name));
        // Twist joints and the like repeat a name below the first of it.
        if (role < 0 && joint.parent >= 0) role = roles[static_cast<std::size_t>(joint.parent)];
        roles.push_back(role);
    }
    return roles;
}

} // namespace selvage
