#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "math/affine.h"

namespace selvage {

/// Where a joint stands in its parent's frame: scaled first, then turned, then moved.
struct JointTransform {
    Vec3 translation;
    Quaternion rotation;
    Vec3 scale{1, 1, 1};

    Affine affine() const { return affine_from(translation, rotation, scale); }
    friend bool operator==(const JointTransform&, const JointTransform&) = default;
};

struct Joint {
    std::string name;
    int parent = -1; ///< Before its children in the list; -1: none.
    JointTransform rest;
};

/// What a vertex is tied to: a joint, and where the mesh stood in that joint's frame when it was bound.
struct Bone {
    int joint = 0;
    Affine inverse_bind;
};

struct Skeleton {
    std::vector<Joint> joints;
    std::vector<Bone> bones;

    int find(std::string_view name) const; ///< The joint of this name; -1: none.
};

/// A whole body at one moment.
struct BodyPose {
    std::vector<JointTransform> local; ///< One per joint.
    std::vector<double> morphs;        ///< Weight of every morph target; empty: those of the character at rest.
};

BodyPose rest_pose(const Skeleton& skeleton);
/// A pose between two of the same skeleton, exactly one of them at 0 and at 1. Allocates nothing where `out` has their size.
void mix_poses(const BodyPose& from, const BodyPose& to, double t, BodyPose& out);

inline constexpr int kMostInfluences = 8;

/// Which bones carry a vertex. Weights of a vertex add up to 1, largest first.
struct SkinWeights {
    std::vector<int> first; ///< Vertex v has the entries first[v] to first[v + 1].
    std::vector<int> bone;  ///< Index into Skeleton::bones.
    std::vector<double> weight;

    int vertex_count() const { return first.empty() ? 0 : static_cast<int>(first.size()) - 1; }
};

/// Offsets of some vertices, all scaled by one weight.
struct MorphTarget {
    std::string name;
    std::vector<int> vertices;
    std::vector<Vec3> offsets; ///< In the mesh as it was bound [m].
    double rest_weight = 0.0;
};

/// Of every joint, in the character's frame.
void joint_transforms(const Skeleton& skeleton, const BodyPose& pose, std::vector<Affine>& world);
/// Of every bone: joint times inverse bind.
void bone_transforms(const Skeleton& skeleton, std::span<const Affine> joint_world, std::vector<Affine>& bones);

/// Linear blend skinning: each vertex by the weighted mean of its bones' transforms. In double, and the same in float
/// for who draws. `out` has as many points as `points`.
void skin_points(const SkinWeights& skin, std::span<const Affine> bones, std::span<const Vec3> points,
                 std::span<Vec3> out);
void skin_points(const SkinWeights& skin, std::span<const Affinef> bones, std::span<const Vec3f> points,
                 std::span<Vec3f> out);

} // namespace selvage
