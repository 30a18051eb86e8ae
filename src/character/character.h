#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "character/animation.h"
#include "character/measurements.h"
#include "character/skeleton.h"
#include "geometry/triangle_mesh.h"

namespace selvage {

enum Side { kLeft = 0, kRight = 1 }; ///< The body's own: left is at +x, as it looks along +z.

/// A tape around the body.
struct BodyLevel {
    Vec3 centre;             ///< Of the section [m].
    double girth = 0.0;      ///< Along the section's hull, measured on the mesh [m].
    double half_width = 0.0; ///< Of the section along x.
    double front = 0.0;      ///< z of its foremost point.
    double back = 0.0;       ///< z of its rearmost point.
};

/// Where garments are fitted, on the body as it was bound [m].
struct Landmarks {
    BodyLevel neck, chest, underbust, waist, hip;
    Vec3 crown, chin, neck_back, neck_front, crotch;
    std::array<Vec3, 2> neck_side; ///< Where a collar meets the shoulder.
    std::array<Vec3, 2> shoulder;  ///< Outer end of the shoulder seam, on the skin.
    std::array<Vec3, 2> armpit, bust_point;
    std::array<Vec3, 2> shoulder_joint, elbow, wrist, fingertip; ///< Joints: inside the arm.
    std::array<Vec3, 2> hip_joint, knee, ankle;                  ///< Likewise.
    std::array<BodyLevel, 2> thigh, knee_level, calf, ankle_level, upper_arm, elbow_level, wrist_level;
};

/// A surface that follows a skeleton.
struct Character {
    std::string name;
    TriangleMesh mesh; ///< As it was bound.
    Skeleton skeleton;
    SkinWeights skin;
    std::vector<MorphTarget> morphs;
    std::vector<Animation> animations;        ///< Of a file.
    std::vector<Vec3f> colours;               ///< Linear base colour of every vertex; empty: no say.
    std::optional<Landmarks> landmarks;       ///< Of a mannequin.
    std::optional<Measurements> measurements; ///< Of a mannequin: what was asked for.
};

/// Poses a character again and again without allocating.
class PosedCharacter {
public:
    explicit PosedCharacter(std::shared_ptr<const Character> character);

    const Character& character() const { return *character_; }
    /// Places of all vertices, in the character's frame. `out` has one per vertex.
    void place(const BodyPose& pose, std::span<Vec3> out);
    std::span<const Affine> joints() const { return joints_; } ///< As of the last call.

private:
    std::shared_ptr<const Character> character_;
    std::vector<Affine> joints_, bones_;
    std::vector<Vec3> morphed_;
};

} // namespace selvage
