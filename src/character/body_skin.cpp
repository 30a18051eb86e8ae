#include "character/body_skin.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "character/motions.h"
#include "geometry/topology.h"
#include "math/functions.h"

namespace selvage {

namespace {

struct JointPlace {
    const char* name;
    int parent;
    Vec3 place;
};

Vec3 other_side(const Vec3& p) {
    return {-p.x, p.y, p.z};
}

/// From 0 to 1 as t goes from a to b, without a corner.
double ramp(double t, double a, double b) {
    const double s = std::clamp((t - a) / (b - a), 0.0, 1.0);
    return s * s * (3.0 - 2.0 * s);
}

using JointWeights = std::array<double, kMannequinJoints>;

/// One vertex of the left half, in joints of the left side.
class LeftWeights {
public:
    explicit LeftWeights(const BodyField& field) : field_(field), f_(field.frame()), h_(field.height() / 1.68) {}

    JointWeights at(const Vec3& p) const {
        JointWeights sum{};
        const std::array<double, kBodyParts> d = field_.parts(p);
        const double nearest = *std::min_element(d.begin(), d.end());
        double total = 0.0;
        for (int part = 0; part < kBodyParts; ++part) {
            const double share = maths::exp(-(d[part] - nearest) / (0.012 * h_));
            if (share < 1e-3) continue;
            JointWeights own{};
            add_part(static_cast<BodyPart>(part), p, own);
            for (int j = 0; j < kMannequinJoints; ++j)
                sum[j] += share * own[j];
            total += share;
        }
        for (double& w : sum)
            w /= total;
        return sum;
    }

private:
    void add_part(BodyPart part, const Vec3& p, JointWeights& w) const {
        switch (part) {
        case kTorsoPart:
            return add_torso(p, w);
        case kNeckPart:
        case kHeadPart:
            return add_head(p, w);
        case kArmPart:
        case kHandPart:
            return add_arm(p, w);
        default:
            return add_leg(p, w);
        }
    }
    /// Splits what is left between one joint and those after it.
    static double take(JointWeights& w, int joint, double left, double onwards) {
        w[joint] += left * (1.0 - onwards);
        return left * onwards;
    }
    void add_torso(const Vec3& p, JointWeights& w) const {
        // The seat follows the thighs a little, or it would stay behind when the figure sits down.
        const double below = 0.5 * ramp(f_.hip.y - p.y, -0.02 * h_, 0.09 * h_) * ramp(p.x, 0.0, 0.05 * h_);
        double left = take(w, kLeftThigh, 1.0, 1.0 - below);
        left = take(w, kPelvis, left, ramp(p.y, f_.spine.y - 0.07 * h_, f_.spine.y + 0.05 * h_));
        left = take(w, kSpine, left, ramp(p.y, f_.chest.y - 0.06 * h_, f_.chest.y + 0.06 * h_));
        const double shoulder = ramp(p.x, 0.05 * h_, f_.shoulder.x + 0.01 * h_) *
                                ramp(p.y, f_.shoulder.y - 0.13 * h_, f_.shoulder.y + 0.01 * h_);
        left = take(w, kChest, left, 0.75 * shoulder);
        w[kLeftClavicle] += left;
    }
    void add_head(const Vec3& p, JointWeights& w) const {
        const double along = dot(p - f_.neck, f_.neck_along), reach = length(f_.head - f_.neck);
        double left = take(w, kChest, 1.0, ramp(along, -0.035 * h_, 0.045 * h_));
        left = take(w, kNeck, left, ramp(along, reach - 0.035 * h_, reach + 0.025 * h_));
        w[kHead] += left;
    }
    void add_arm(const Vec3& p, JointWeights& w) const {
        const double s = field_.arm().along(p), upper = length(f_.elbow - f_.shoulder),
                     wrist = length(f_.wrist - f_.shoulder);
        double left = take(w, kLeftClavicle, 1.0, ramp(s, -0.045 * h_, 0.055 * h_));
        left = take(w, kLeftUpperArm, left, ramp(s, upper - 0.045 * h_, upper + 0.045 * h_));
        left = take(w, kLeftForearm, left, ramp(s, wrist - 0.025 * h_, wrist + 0.025 * h_));
        w[kLeftHand] += left;
    }
    void add_leg(const Vec3& p, JointWeights& w) const {
        double left = take(w, kPelvis, 1.0, ramp(f_.hip.y - p.y, -0.05 * h_, 0.09 * h_));
        left = take(w, kLeftThigh, left, ramp(f_.knee.y - p.y, -0.055 * h_, 0.055 * h_));
        const double ankle = ramp(f_.ankle.y - p.y + 0.35 * (p.z - f_.ankle.z), -0.035 * h_, 0.030 * h_);
        left = take(w, kLeftShin, left, ankle);
        left = take(w, kLeftFoot, left, ramp(p.z, f_.toes.z - 0.020 * h_, f_.toes.z + 0.025 * h_));
        w[kLeftToes] += left;
    }

    const BodyField& field_;
    const BodyFrame& f_;
    double h_;
};

int mirrored_joint(int j) {
    if (j >= kLeftClavicle && j <= kLeftHand) return j + (kRightClavicle - kLeftClavicle);
    if (j >= kRightClavicle && j <= kRightHand) return j - (kRightClavicle - kLeftClavicle);
    if (j >= kLeftThigh && j <= kLeftToes) return j + (kRightThigh - kLeftThigh);
    if (j >= kRightThigh && j <= kRightToes) return j - (kRightThigh - kLeftThigh);
    return j;
}

void smooth_weights(const TriangleMesh& mesh, std::vector<JointWeights>& weights) {
    const std::vector<Edge> edges = build_topology(mesh).edges;
    constexpr int kRounds = 5;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<JointWeights> sum(weights.size(), JointWeights{});
        std::vector<int> count(weights.size(), 0);
        for (const Edge& e : edges)
            for (const auto& [a, b] : {std::pair{e[0], e[1]}, std::pair{e[1], e[0]}}) {
                ++count[a];
                for (int j = 0; j < kMannequinJoints; ++j)
                    sum[a][j] += weights[b][j];
            }
        for (std::size_t v = 0; v < weights.size(); ++v)
            for (int j = 0; j < kMannequinJoints; ++j)
                weights[v][j] = 0.5 * weights[v][j] + 0.5 * sum[v][j] / count[v];
    }
}

} // namespace

Skeleton body_skeleton(const BodyFrame& f) {
    const std::array<JointPlace, kMannequinJoints> places = {{
        {"pelvis", -1, f.pelvis},
        {"spine", kPelvis, f.spine},
        {"chest", kSpine, f.chest},
        {"neck", kChest, f.neck},
        {"head", kNeck, f.head},
        {"left_clavicle", kChest, f.clavicle},
        {"left_upper_arm", kLeftClavicle, f.shoulder},
        {"left_forearm", kLeftUpperArm, f.elbow},
        {"left_hand", kLeftForearm, f.wrist},
        {"right_clavicle", kChest, other_side(f.clavicle)},
        {"right_upper_arm", kRightClavicle, other_side(f.shoulder)},
        {"right_forearm", kRightUpperArm, other_side(f.elbow)},
        {"right_hand", kRightForearm, other_side(f.wrist)},
        {"left_thigh", kPelvis, f.hip},
        {"left_shin", kLeftThigh, f.knee},
        {"left_foot", kLeftShin, f.ankle},
        {"left_toes", kLeftFoot, f.toes},
        {"right_thigh", kPelvis, other_side(f.hip)},
        {"right_shin", kRightThigh, other_side(f.knee)},
        {"right_foot", kRightShin, other_side(f.ankle)},
        {"right_toes", kRightFoot, other_side(f.toes)},
    }};
    Skeleton skeleton;
    for (int j = 0; j < kMannequinJoints; ++j) {
        Joint joint{places[j].name, places[j].parent, {}};
        joint.rest.translation =
            places[j].parent < 0 ? places[j].place : places[j].place - places[places[j].parent].place;
        skeleton.joints.push_back(std::move(joint));
        Bone bone;
        bone.joint = j;
        bone.inverse_bind.origin = -places[j].place;
        skeleton.bones.push_back(bone);
    }
    return skeleton;
}

SkinWeights body_weights(const BodyField& field, const TriangleMesh& mesh) {
    const LeftWeights left(field);
    std::vector<JointWeights> weights(mesh.positions.size());
    for (std::size_t v = 0; v < weights.size(); ++v) {
        const Vec3& p = mesh.positions[v];
        const JointWeights own = left.at({std::abs(p.x), p.y, p.z});
        if (p.x >= 0.0)
            weights[v] = own;
        else
            for (int j = 0; j < kMannequinJoints; ++j)
                weights[v][mirrored_joint(j)] = own[j];
        if (p.x != 0.0) continue;
        for (int j = 0; j < kMannequinJoints; ++j) // the middle belongs to both sides
            weights[v][j] = 0.5 * (own[j] + own[mirrored_joint(j)]);
    }
    smooth_weights(mesh, weights);
    SkinWeights skin;
    skin.first.push_back(0);
    for (const JointWeights& w : weights) {
        std::vector<int> order;
        for (int j = 0; j < kMannequinJoints; ++j)
            if (w[j] > 2e-3) order.push_back(j);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return w[a] > w[b]; });
        if (order.size() > 6) order.resize(6);
        double total = 0.0;
        for (const int j : order)
            total += w[j];
        for (const int j : order) {
            skin.bone.push_back(j);
            skin.weight.push_back(w[j] / total);
        }
        skin.first.push_back(static_cast<int>(skin.bone.size()));
    }
    return skin;
}

} // namespace selvage
