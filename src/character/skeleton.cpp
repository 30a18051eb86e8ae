#include "character/skeleton.h"

#include "base/assert.h"
#include "character/character.h"

namespace selvage {

int Skeleton::find(std::string_view name) const {
    for (std::size_t j = 0; j < joints.size(); ++j)
        if (joints[j].name == name) return static_cast<int>(j);
    return -1;
}

BodyPose rest_pose(const Skeleton& skeleton) {
    BodyPose pose;
    pose.local.reserve(skeleton.joints.size());
    for (const Joint& joint : skeleton.joints)
        pose.local.push_back(joint.rest);
    return pose;
}

void mix_poses(const BodyPose& from, const BodyPose& to, double t, BodyPose& out) {
    SELVAGE_ASSERT(from.local.size() == to.local.size());
    out = t < 1.0 ? from : to;
    if (t <= 0.0 || t >= 1.0) return;
    for (std::size_t j = 0; j < out.local.size(); ++j) {
        const JointTransform &a = from.local[j], &b = to.local[j];
        out.local[j] = {a.translation + t * (b.translation - a.translation), slerp(a.rotation, b.rotation, t),
                        a.scale + t * (b.scale - a.scale)};
    }
    for (std::size_t m = 0; m < out.morphs.size() && m < to.morphs.size(); ++m)
        out.morphs[m] += t * (to.morphs[m] - from.morphs[m]);
}

void joint_transforms(const Skeleton& skeleton, const BodyPose& pose, std::vector<Affine>& world) {
    SELVAGE_ASSERT(pose.local.size() == skeleton.joints.size());
    world.resize(skeleton.joints.size());
    for (std::size_t j = 0; j < world.size(); ++j) {
        const int parent = skeleton.joints[j].parent;
        world[j] = parent < 0 ? pose.local[j].affine() : world[parent] * pose.local[j].affine();
    }
}

void bone_transforms(const Skeleton& skeleton, std::span<const Affine> joint_world, std::vector<Affine>& bones) {
    bones.resize(skeleton.bones.size());
    for (std::size_t b = 0; b < bones.size(); ++b)
        bones[b] = joint_world[skeleton.bones[b].joint] * skeleton.bones[b].inverse_bind;
}

namespace {

template <class T>
void blend_points(const SkinWeights& skin, std::span<const AffineT<T>> bones, std::span<const Vec3T<T>> points,
                  std::span<Vec3T<T>> out) {
    for (std::size_t v = 0; v < points.size(); ++v) {
        Vec3T<T> sum;
        for (int k = skin.first[v]; k < skin.first[v + 1]; ++k)
            sum += static_cast<T>(skin.weight[k]) * bones[skin.bone[k]].point(points[v]);
        out[v] = sum;
    }
}

} // namespace

void skin_points(const SkinWeights& skin, std::span<const Affine> bones, std::span<const Vec3> points,
                 std::span<Vec3> out) {
    blend_points<double>(skin, bones, points, out);
}

void skin_points(const SkinWeights& skin, std::span<const Affinef> bones, std::span<const Vec3f> points,
                 std::span<Vec3f> out) {
    blend_points<float>(skin, bones, points, out);
}

PosedCharacter::PosedCharacter(std::shared_ptr<const Character> character) : character_(std::move(character)) {
    joints_.resize(character_->skeleton.joints.size());
    bones_.resize(character_->skeleton.bones.size());
    if (!character_->morphs.empty()) morphed_.resize(character_->mesh.positions.size());
}

void PosedCharacter::place(const BodyPose& pose, std::span<Vec3> out) {
    const Character& body = *character_;
    joint_transforms(body.skeleton, pose, joints_);
    bone_transforms(body.skeleton, joints_, bones_);
    std::span<const Vec3> points = body.mesh.positions;
    if (!body.morphs.empty()) {
        morphed_ = body.mesh.positions;
        for (std::size_t k = 0; k < body.morphs.size(); ++k) {
            const MorphTarget& target = body.morphs[k];
            const double weight = k < pose.morphs.size() ? pose.morphs[k] : target.rest_weight;
            if (weight == 0.0) continue;
            for (std::size_t i = 0; i < target.vertices.size(); ++i)
                morphed_[target.vertices[i]] += weight * target.offsets[i];
        }
        points = morphed_;
    }
    skin_points(body.skin, bones_, points, out);
}

} // namespace selvage
