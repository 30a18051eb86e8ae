#include "garment/body_landmarks.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "character/mannequin.h"
#include "character/motions.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kShortest = 0.5, kTallest = 2.6; // of bodies [m]; others were not in metres

const char* const kRoleNames[kMannequinJoints] = {"pelvis",     "spine",          "chest",           "neck",
                                                  "head",       "left clavicle",  "left upper arm",  "left forearm",
                                                  "left hand",  "right clavicle", "right upper arm", "right forearm",
                                                  "right hand", "left thigh",     "left shin",       "left foot",
                                                  "left toes",  "right thigh",    "right shin",      "right foot",
                                                  "right toes"};

/// Joints that garments are measured by.
constexpr int kNeeded[] = {kNeck,          kHead,         kLeftUpperArm, kLeftForearm, kLeftHand,
                           kRightUpperArm, kRightForearm, kRightHand,    kLeftThigh,   kLeftShin,
                           kLeftFoot,      kRightThigh,   kRightShin,    kRightFoot};

/// Which joint of the skeleton has each role; -1: none.
Result<std::vector<int>> find_joints(const Skeleton& skeleton) {
    const std::vector<int> roles = joint_roles(skeleton);
    std::vector<int> found(kMannequinJoints, -1);
    for (std::size_t j = roles.size(); j-- > 0;) // the first of a name counts
        if (roles[j] >= 0) found[static_cast<std::size_t>(roles[j])] = static_cast<int>(j);
    std::string missing;
    for (const int role : kNeeded)
        if (found[static_cast<std::size_t>(role)] < 0) missing += concat(missing.empty() ? "" : ", ", kRoleNames[role]);
    if (!missing.empty())
        return Error{concat("has no joints that are called like these: ", missing,
                            "; expected names such as \"LeftForeArm\", \"lowerarm_l\" or \"forearm.L\"")};
    return found;
}

/// Turns the arms about the shoulders until they are 40 degrees off the sides, as the mannequin's are.
void lower_arms(const Skeleton& skeleton, const std::vector<int>& joints, BodyPose& pose) {
    const maths::SineAndCosine off = maths::sincos(40.0 * kPi / 180.0);
    for (const bool is_left : {true, false}) {
        std::vector<Affine> world;
        joint_transforms(skeleton, pose, world);
        const auto upper = static_cast<std::size_t>(joints[is_left ? kLeftUpperArm : kRightUpperArm]);
        const auto hand = static_cast<std::size_t>(joints[is_left ? kLeftHand : kRightHand]);
        const Vec3 now = normalized(world[hand].origin - world[upper].origin);
        const Vec3 wanted{is_left ? off.sine : -off.sine, -off.cosine, 0.0};
        const Vec3 axis = cross(now, wanted);
        const double angle = maths::atan2(length(axis), dot(now, wanted));
        const int parent = skeleton.joints[upper].parent;
        const Vec3 own_axis = parent < 0 ? axis : inverse(world[static_cast<std::size_t>(parent)]).direction(axis);
        JointTransform& joint = pose.local[upper];
        joint.rotation = quaternion_about(angle * normalized(own_axis)) * joint.rotation;
    }
}

/// Where a ray from inside leaves the surface.
Vec3 leave(const TriangleMesh& mesh, const Vec3& inside, const Vec3& direction) {
    const Vec3 d = normalized(direction);
    double nearest = 1e300;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
        const Vec3 n = cross(b - a, c - a);
        const double slope = dot(n, d);
        if (slope == 0.0) continue;
        const double at = dot(n, a - inside) / slope;
        if (!(at > 0.0) || at >= nearest) continue;
        const Vec3 p = inside + at * d;
        const double border = -1e-9 * dot(n, n); // a ray along an edge is not lost between its two sides
        const bool within = dot(cross(b - a, p - a), n) >= border && dot(cross(c - b, p - b), n) >= border &&
                            dot(cross(a - c, p - c), n) >= border;
        if (within) nearest = at;
    }
    return nearest < 1e300 ? inside + nearest * d : inside;
}

/// Reads landmarks off a body that stands over the origin.
class LandmarkFinder {
public:
    LandmarkFinder(const TriangleMesh& mesh, const std::vector<Vec3>& joints) : mesh_(mesh), joints_(joints) {
        for (const Vec3& p : mesh_.positions)
            height_ = std::max(height_, p.y);
    }

    Landmarks find() {
        find_joints();
        find_torso();
        find_neck();
        find_shoulders();
        find_limbs();
        return out_;
    }

private:
    Vec3 joint(int role) const { return joints_[static_cast<std::size_t>(role)]; }
    /// Of the left side or the right one.
    Vec3 joint(int left, int right, int side) const { return joint(side == kLeft ? left : right); }

    /// A point inside the trunk at a height: on the line from between the hips to the neck.
    Vec3 inside(double y) const {
        const Vec3 low = 0.5 * (joint(kLeftThigh) + joint(kRightThigh)), high = joint(kNeck);
        const double t = (y - low.y) / (high.y - low.y);
        return {0.0, y, low.z + t * (high.z - low.z)};
    }
    BodyLevel level_at(double y) const { return measure_level(mesh_, inside(y), {0, 1, 0}); }

    /// The level between two heights whose girth is the largest, or with `sign` -1 the smallest.
    BodyLevel extreme(double low, double high, double sign) const {
        BodyLevel best;
        const double step = 0.004 * height_;
        for (double y = low; y <= high; y += step) {
            const BodyLevel here = level_at(y);
            if (!(here.girth > 0.0)) continue;
            if (best.girth == 0.0 || sign * here.girth > sign * best.girth) best = here;
        }
        return best;
    }

    void find_joints() {
        for (const int side : {kLeft, kRight}) {
            const auto s = static_cast<std::size_t>(side);
            out_.shoulder_joint[s] = joint(kLeftUpperArm, kRightUpperArm, side);
            out_.elbow[s] = joint(kLeftForearm, kRightForearm, side);
            out_.wrist[s] = joint(kLeftHand, kRightHand, side);
            out_.hip_joint[s] = joint(kLeftThigh, kRightThigh, side);
            out_.knee[s] = joint(kLeftShin, kRightShin, side);
            out_.ankle[s] = joint(kLeftFoot, kRightFoot, side);
            const Vec3 along = normalized(out_.wrist[s] - out_.elbow[s]);
            double farthest = -1e300;
            for (const Vec3& p : mesh_.positions)
                if (p.x * out_.wrist[s].x > 0.0 && dot(p - out_.wrist[s], along) > farthest &&
                    length(p - out_.wrist[s]) < 0.2 * height_) {
                    farthest = dot(p - out_.wrist[s], along);
                    out_.fingertip[s] = p;
                }
        }
    }

    void find_torso() {
        for (const int side : {kLeft, kRight}) {
            const auto s = static_cast<std::size_t>(side);
            const Vec3 along = normalized(out_.wrist[s] - out_.shoulder_joint[s]);
            out_.armpit[s] = leave(mesh_, out_.shoulder_joint[s], along + Vec3{side == kLeft ? 0.1 : -0.1, -1.0, 0.0});
        }
        const double armpit = 0.5 * (out_.armpit[kLeft].y + out_.armpit[kRight].y);
        const double thigh = 0.5 * (out_.hip_joint[kLeft].y + out_.hip_joint[kRight].y);
        // The crotch: where the section around the middle ends.
        double y = thigh + 0.02 * height_;
        while (y > 0.3 * height_ && level_at(y).girth > 0.0)
            y -= 0.002 * height_;
        out_.crotch = {0.0, y, inside(thigh).z};
        out_.hip = extreme(y + 0.012 * height_, thigh + 0.03 * height_, 1.0);
        out_.waist = extreme(out_.hip.centre.y + 0.04 * height_, armpit - 0.07 * height_, -1.0);
        // Below the arms, however far down they begin.
        double high = armpit + 0.03 * height_;
        while (high > out_.waist.centre.y && level_at(high).half_width > 1.25 * std::abs(out_.shoulder_joint[kLeft].x))
            high -= 0.002 * height_;
        out_.chest = extreme(std::min(high, out_.waist.centre.y + 0.07 * height_), high, 1.0);
        out_.underbust = level_at(std::max(out_.chest.centre.y - 0.042 * height_, out_.waist.centre.y));
        const double aside = 0.086 * out_.chest.girth;
        for (const int side : {kLeft, kRight})
            out_.bust_point[static_cast<std::size_t>(side)] =
                leave(mesh_, {side == kLeft ? aside : -aside, out_.chest.centre.y, out_.chest.centre.z}, {0, 0, 1});
    }

    void find_neck() {
        const Vec3 neck = joint(kNeck), head = joint(kHead);
        for (double t = 0.0; t <= 1.0; t += 0.05) {
            const BodyLevel here = measure_level(mesh_, neck + t * (head - neck), head - neck);
            if (here.girth > 0.0 && (out_.neck.girth == 0.0 || here.girth < out_.neck.girth)) out_.neck = here;
        }
        for (const Vec3& p : mesh_.positions)
            if (p.y >= height_) out_.crown = p;
        // The chin: the section's front comes forward.
        double face = out_.neck.front;
        for (double y = out_.neck.centre.y; y < height_; y += 0.005 * height_)
            face = std::max(face, measure_level(mesh_, {0, y, head.z}, {0, 1, 0}).front);
        double y = out_.neck.centre.y;
        while (y < height_ &&
               measure_level(mesh_, {0, y, head.z}, {0, 1, 0}).front < out_.neck.front + 0.6 * (face - out_.neck.front))
            y += 0.002 * height_;
        out_.chin = {0.0, y, face};
        const double h = height_ / 1.68, nape = neck.y + 0.026 * h; // of the skin, above the joint
        out_.neck_back = leave(mesh_, {0.0, nape, neck.z}, {0, 0, -1});
        out_.neck_front = leave(mesh_, {0.0, nape - 0.045 * h, neck.z}, {0, 0, 1});
        for (const int side : {kLeft, kRight})
            out_.neck_side[static_cast<std::size_t>(side)] =
                leave(mesh_, {0.0, nape - 0.025 * h, neck.z + 0.005 * h}, {side == kLeft ? 1.0 : -1.0, 0.35, 0.0});
    }

    void find_shoulders() {
        for (const int side : {kLeft, kRight})
            out_.shoulder[static_cast<std::size_t>(side)] = leave(
                mesh_, out_.shoulder_joint[static_cast<std::size_t>(side)], {side == kLeft ? 0.55 : -0.55, 1.0, 0.0});
    }

    /// Around a limb, at a fraction of the way from one joint to the next.
    BodyLevel around(const Vec3& from, const Vec3& to, double t) const {
        return measure_level(mesh_, from + t * (to - from), to - from);
    }

    void find_limbs() {
        for (const int side : {kLeft, kRight}) {
            const auto s = static_cast<std::size_t>(side);
            const Vec3 &hip = out_.hip_joint[s], &knee = out_.knee[s], &ankle = out_.ankle[s];
            const Vec3 &shoulder = out_.shoulder_joint[s], &elbow = out_.elbow[s], &wrist = out_.wrist[s];
            const double below_crotch = (hip.y - (out_.crotch.y - 0.02 * height_)) / (hip.y - knee.y);
            out_.thigh[s] = around(hip, knee, std::clamp(below_crotch, 0.05, 0.8));
            out_.knee_level[s] = around(hip, knee, 0.99);
            out_.calf[s] = around(knee, ankle, 0.3);
            out_.ankle_level[s] = around(knee, ankle, 0.85);
            out_.upper_arm[s] = around(shoulder, elbow, 0.5);
            out_.elbow_level[s] = around(shoulder, elbow, 0.98);
            out_.wrist_level[s] = around(elbow, wrist, 0.97);
        }
    }

    const TriangleMesh& mesh_;
    const std::vector<Vec3>& joints_;
    double height_ = 0.0;
    Landmarks out_;
};

/// What a garment cannot do without.
Status check_landmarks(const Landmarks& marks) {
    const std::pair<const char*, double> girths[] = {
        {"neck", marks.neck.girth}, {"chest", marks.chest.girth},         {"waist", marks.waist.girth},
        {"hip", marks.hip.girth},   {"left thigh", marks.thigh[0].girth}, {"left upper arm", marks.upper_arm[0].girth}};
    for (const auto& [name, girth] : girths)
        if (!(girth > 0.0))
            return Error{concat("has no closed section around the ", name,
                                "; expected a surface without gaps that stands upright, its arms off its sides")};
    if (!(marks.crotch.y < marks.hip.centre.y && marks.hip.centre.y < marks.waist.centre.y &&
          marks.waist.centre.y < marks.chest.centre.y && marks.chest.centre.y < marks.neck.centre.y))
        return Error{"has its crotch, hip, waist, chest and neck in no order; expected a body that stands upright"};
    return Done{};
}

} // namespace

Result<StandingBody> standing_body(const Character& character) {
    StandingBody out{character, character, rest_pose(character.skeleton), {}};
    for (const MorphTarget& target : character.morphs)
        out.pose.morphs.push_back(target.rest_weight);
    if (character.landmarks) return out;
    const auto fail = [&](const std::string& why) { return Error{concat("body \"", character.name, "\" ", why)}; };
    const Result<std::vector<int>> joints = find_joints(character.skeleton);
    if (!joints) return fail(joints.error().message);
    lower_arms(character.skeleton, *joints, out.pose);
    PosedCharacter(std::make_shared<const Character>(character)).place(out.pose, out.body.mesh.positions);
    std::vector<Affine> world;
    joint_transforms(character.skeleton, out.pose, world);
    std::vector<Vec3> places(kMannequinJoints);
    for (std::size_t role = 0; role < places.size(); ++role)
        if ((*joints)[role] >= 0) places[role] = world[static_cast<std::size_t>((*joints)[role])].origin;

    double low = 1e300, high = -1e300;
    for (const Vec3& p : out.body.mesh.positions) {
        low = std::min(low, p.y);
        high = std::max(high, p.y);
    }
    if (!(high - low > kShortest && high - low < kTallest))
        return fail(
            concat("is ", high - low, " m tall; expected ", kShortest, " to ", kTallest, " m, upright along y"));
    const Vec3 left = places[kLeftThigh], right = places[kRightThigh];
    if (!(left.x > right.x)) return fail("has its left at -x; expected a body that looks along +z");
    out.place = {0.5 * (left.x + right.x), low, 0.5 * (left.z + right.z)};
    for (Vec3& p : out.body.mesh.positions)
        p -= out.place;
    for (Vec3& p : places)
        p -= out.place;
    out.body.landmarks = LandmarkFinder(out.body.mesh, places).find();
    if (const Status ok = check_landmarks(*out.body.landmarks); !ok) return fail(ok.error().message);
    return out;
}

} // namespace selvage
