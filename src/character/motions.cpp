#include "character/motions.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/assert.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kBindArm = 40.0 * kDegree; // off the vertical, as the mannequin is bound

double ease(double t) {
    const double s = std::clamp(t, 0.0, 1.0);
    return s * s * s * (10.0 - s * (15.0 - 6.0 * s));
}

/// The integral of ease over time from 0: what has been gone at a speed that comes up in kMotionStart.
double eased_time(double t) {
    if (t <= 0.0) return 0.0;
    if (t >= kMotionStart) return t - 0.5 * kMotionStart;
    const double s = t / kMotionStart;
    return kMotionStart * s * s * s * s * (2.5 - s * (3.0 - s));
}

double wave(double cycles) {
    return maths::sin(2.0 * kPi * cycles);
}

double fraction(double x) {
    return x - std::floor(x);
}

/// Where an ankle is to be, from its place as bound, and how the sole is tilted (heel up is positive).
struct FootTarget {
    double forward = 0.0, up = 0.0, out = 0.0, pitch = 0.0;
};

/// Angles of one arm, the same for both sides [rad].
struct ArmAngles {
    double abduction = kBindArm; ///< Off the vertical, sideways.
    double swing = 0.0;          ///< Forwards, about the axis through the shoulders.
    double elbow = 0.0;
    double clavicle = 0.0; ///< Shoulder lifted.
    double twist = 0.0;    ///< About the arm itself.
};

/// The whole body in terms that a motion is written in.
struct Stance {
    Vec3 shift;                            ///< Of the pelvis [m], before the turn.
    double yaw = 0.0;                      ///< Of the whole figure about the vertical.
    Vec3 travel;                           ///< Of the whole figure [m], after the turn.
    Vec3 pelvis, spine, chest, neck, head; ///< Rotation vectors.
    std::array<FootTarget, 2> foot;
    std::array<ArmAngles, 2> arm;
};

class StancePoser {
public:
    StancePoser(const Skeleton& skeleton, BodyPose& pose) : pose_(pose) {
        pose_.local.resize(skeleton.joints.size());
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
            const Joint& joint = skeleton.joints[j];
            pose_.local[j] = joint.rest;
            bind_[j] = joint.rest.translation + (joint.parent < 0 ? Vec3{} : bind_[joint.parent]);
        }
    }

    void pose(const Stance& s) {
        for (int side = 0; side < 2; ++side) {
            place_leg(side, s);
            place_arm(side, s.arm[side]);
        }
        turn(kSpine, s.spine);
        turn(kChest, s.chest);
        turn(kNeck, s.neck);
        turn(kHead, s.head);
        const Quaternion yaw = quaternion_about({0.0, s.yaw, 0.0});
        const Affine about = affine_from(s.travel, yaw, {1, 1, 1});
        JointTransform& root = pose_.local[kPelvis];
        root.translation = about.point(root.translation + s.shift);
        root.rotation = yaw * quaternion_about(s.pelvis);
    }

private:
    const Vec3& at(int joint) const { return bind_[joint]; }
    void turn(int joint, const Vec3& about) { pose_.local[joint].rotation = quaternion_about(about); }
    /// Rotation vectors as seen in the mirror.
    static Vec3 on_side(int side, const Vec3& about) {
        return side == kLeft ? about : Vec3{about.x, -about.y, -about.z};
    }

    /// Two bones in the plane of the leg reach for the ankle's target; a sideways shift of the pelvis leans the leg.
    void place_leg(int side, const Stance& s) {
        const int thigh = side == kLeft ? kLeftThigh : kRightThigh;
        const Vec3 bind_hip = at(thigh), knee = at(thigh + 1), ankle = at(thigh + 2);
        const Affine pelvis = affine_from(at(kPelvis) + s.shift, quaternion_about(s.pelvis), {1, 1, 1});
        const Vec3 hip = pelvis.point(bind_hip - at(kPelvis));
        const FootTarget& foot = s.foot[side];
        const double out = side == kLeft ? foot.out : -foot.out;
        const Vec3 target = ankle + Vec3{out, foot.up, foot.forward};
        const Vec3 upper = knee - bind_hip, lower = ankle - knee;
        const double l1 = maths::hypot(upper.y, upper.z), l2 = maths::hypot(lower.y, lower.z);
        const Vec3 reach = target - hip;
        const double lean = maths::atan2(reach.x - (ankle.x - bind_hip.x), -reach.y);
        // Seen along the leaning leg's own plane.
        const double down = maths::hypot(-reach.y, reach.x - (ankle.x - bind_hip.x));
        const double far = std::clamp(maths::hypot(down, reach.z), std::abs(l1 - l2) + 1e-3, 0.9999 * (l1 + l2));
        const double line = maths::atan2(reach.z, down);
        const double a1 = line + maths::acos(std::clamp((l1 * l1 + far * far - l2 * l2) / (2.0 * l1 * far), -1.0, 1.0));
        const double a2 = line - maths::acos(std::clamp((l2 * l2 + far * far - l1 * l1) / (2.0 * l2 * far), -1.0, 1.0));
        const double thigh_turn = maths::atan2(upper.z, -upper.y) - a1;
        const double shin_turn = maths::atan2(lower.z, -lower.y) - a2;
        const Quaternion leaning = quaternion_about({0.0, 0.0, lean});
        const Quaternion back = quaternion_about(-1.0 * s.pelvis);
        pose_.local[thigh].rotation = back * leaning * quaternion_about({thigh_turn, 0.0, 0.0});
        pose_.local[thigh + 1].rotation = quaternion_about({shin_turn - thigh_turn, 0.0, 0.0});
        // The sole as asked for, whatever the leg does; toes stay flat while the heel is up.
        pose_.local[thigh + 2].rotation = quaternion_about({-shin_turn, 0.0, 0.0}) *
                                          quaternion_about({0.0, 0.0, -lean}) *
                                          quaternion_about({foot.pitch, 0.0, 0.0});
        pose_.local[thigh + 3].rotation = quaternion_about({-0.8 * std::max(foot.pitch, 0.0), 0.0, 0.0});
    }

    void place_arm(int side, const ArmAngles& arm) {
        const int clavicle = side == kLeft ? kLeftClavicle : kRightClavicle;
        const auto [sine, cosine] = maths::sincos(kBindArm);
        const Quaternion swing = quaternion_about({-arm.swing, 0.0, 0.0});
        const Quaternion lift = quaternion_about(on_side(side, {0.0, 0.0, arm.abduction - kBindArm - arm.clavicle}));
        const Quaternion twist = quaternion_about(on_side(side, arm.twist * Vec3{sine, -cosine, 0.0}));
        turn(clavicle, on_side(side, {0.0, 0.0, arm.clavicle}));
        pose_.local[clavicle + 1].rotation = swing * lift * twist;
        // Bends towards the front of the hanging arm.
        turn(clavicle + 2, on_side(side, arm.elbow * Vec3{-cosine, -sine, 0.0}));
    }

    BodyPose& pose_;
    std::array<Vec3, kMannequinJoints> bind_; // places of the joints
};

struct Gait {
    double cycle;    ///< Two steps [s].
    double on_floor; ///< Fraction of the cycle that a foot is down.
    double reach;    ///< How far a foot goes back while it is down, per leg length.
    double lift, heel_strike, toe_off, lean, drop, bob;
    double arm_swing, elbow, elbow_swing, twist;
};
constexpr Gait kWalk{1.12, 0.60, 0.70, 0.07, 0.26, 0.55, 0.02, 0.022, 0.012, 0.42, 0.22, 0.14, 0.10};
constexpr Gait kRun{0.72, 0.36, 0.80, 0.24, 0.05, 0.60, 0.13, 0.045, 0.045, 0.75, 1.35, 0.25, 0.20};

/// The sole turns about its ball when the heel is up, about the heel when the toes are.
void pivot_sole(const Skeleton& skeleton, double size, FootTarget& foot) {
    const Vec3& toes = skeleton.joints[kLeftToes].rest.translation;
    const auto [sine, cosine] = maths::sincos(foot.pitch);
    const Vec3 ankle = foot.pitch > 0.0 ? Vec3{0.0, -toes.y, -toes.z} : Vec3{0.0, 0.072 * size, 0.045 * size};
    foot.up += cosine * ankle.y - sine * ankle.z - ankle.y;
    foot.forward += sine * ankle.y + cosine * ankle.z - ankle.z;
}

FootTarget gait_foot(const Skeleton& skeleton, const Gait& gait, double leg, double size, double phase, double amount) {
    FootTarget foot;
    const double p = fraction(phase), reach = amount * gait.reach * leg;
    if (p < gait.on_floor) {
        const double t = p / gait.on_floor;
        foot.forward = reach * (0.5 - t);
        foot.pitch = -gait.heel_strike * (1.0 - ease(t / 0.22)) + gait.toe_off * ease((t - 0.62) / 0.38);
    } else {
        const double t = (p - gait.on_floor) / (1.0 - gait.on_floor), slope = -(1.0 - gait.on_floor) / gait.on_floor;
        // A cubic that leaves and meets the floor at the speed of the floor.
        const double t2 = t * t, t3 = t2 * t;
        foot.forward =
            reach * (-0.5 * (2 * t3 - 3 * t2 + 1) + 0.5 * (3 * t2 - 2 * t3) + slope * (t3 - 2 * t2 + t + t3 - t2));
        foot.pitch = gait.toe_off * (1.0 - ease(t / 0.75)) - gait.heel_strike * ease((t - 0.5) / 0.5);
        foot.up = gait.lift * leg * maths::sin(kPi * t) * maths::sin(kPi * t);
    }
    foot.pitch *= amount;
    foot.up *= amount;
    pivot_sole(skeleton, size, foot);
    return foot;
}

/// Bones' sizes that motions are scaled by.
struct BodySize {
    double leg = 0.0;  ///< Hip to ankle.
    double size = 0.0; ///< Over the template's.
};

Stance gait_stance(const Skeleton& skeleton, const Gait& gait, const BodySize& body, double time, bool in_place) {
    const double amount = ease(time / kMotionStart), phase = eased_time(time) / gait.cycle;
    Stance s;
    for (int side = 0; side < 2; ++side) {
        const double own = phase + 0.25 + (side == kLeft ? 0.0 : 0.5) - 0.5 * (0.5 - gait.on_floor);
        s.foot[side] = gait_foot(skeleton, gait, body.leg, body.size, own, amount);
        // Steps are narrower than the stance.
        s.foot[side].out = -0.035 * body.size * amount;
        ArmAngles& arm = s.arm[side];
        const double swing = wave(phase + (side == kLeft ? 0.5 : 0.0) + 0.5 * gait.on_floor + 0.30);
        arm.abduction = kBindArm + amount * (15.0 * kDegree - kBindArm);
        arm.swing = amount * (gait.arm_swing * swing + 0.06);
        arm.elbow = amount * (gait.elbow + gait.elbow_swing * swing);
    }
    const double twice = 2.0 * phase;
    s.shift = {amount * 0.012 * body.size * wave(phase + 0.10),
               -amount * body.leg * (gait.drop + gait.bob * wave(twice + 0.08)), 0.0};
    s.spine = {amount * gait.lean, -amount * 0.5 * gait.twist * wave(phase + 0.25), 0.0};
    s.chest = {amount * gait.lean, -amount * 0.5 * gait.twist * wave(phase + 0.25), 0.0};
    s.neck = {-amount * gait.lean, amount * 0.6 * gait.twist * wave(phase + 0.25), 0.0};
    s.head = {-0.5 * amount * gait.lean, 0.0, 0.0};
    // As fast as the floor goes by under the feet. While the stride still grows, so does the speed.
    const double speed = gait.reach * body.leg / (gait.on_floor * gait.cycle);
    if (!in_place) s.travel.z = speed * eased_time(time);
    return s;
}

void lower_arms(Stance& s, double amount, double abduction_deg) {
    for (ArmAngles& arm : s.arm) {
        arm.abduction = kBindArm + amount * (abduction_deg * kDegree - kBindArm);
        arm.elbow = amount * 0.15;
    }
}

Stance stand_stance(double time) {
    Stance s;
    lower_arms(s, ease(time / kMotionStart), 14.0);
    return s;
}

Stance turn_stance(double time, double seconds) {
    Stance s = stand_stance(time);
    s.yaw = 2.0 * kPi * eased_time(time) / seconds;
    return s;
}

Stance arms_up_stance(double time, double seconds) {
    Stance s;
    const double up = 0.5 - 0.5 * maths::cos(2.0 * kPi * time / seconds);
    for (ArmAngles& arm : s.arm) {
        arm.abduction = kBindArm + up * 118.0 * kDegree;
        arm.clavicle = up * 24.0 * kDegree;
        arm.elbow = 0.15 * up;
    }
    return s;
}

Stance sit_stance(const Skeleton& skeleton, const BodySize& body, double time) {
    const double amount = ease(time / (1.8 * kMotionStart));
    Stance s;
    const double shin = length(skeleton.joints[kLeftFoot].rest.translation);
    const double thigh = length(skeleton.joints[kLeftShin].rest.translation);
    // Thighs level above the shins, a little in front of the seat.
    s.shift = {0.0, amount * (shin + 0.02 * body.size - body.leg), -amount * 0.92 * thigh};
    s.pelvis = {0.0, 0.0, 0.0};
    const double bow = maths::sin(kPi * amount); // the trunk comes forward on the way
    s.spine = {0.35 * bow, 0.0, 0.0};
    s.chest = {0.25 * bow, 0.0, 0.0};
    s.neck = {-0.3 * bow, 0.0, 0.0};
    for (ArmAngles& arm : s.arm) {
        arm.abduction = kBindArm + amount * (20.0 * kDegree - kBindArm);
        arm.swing = amount * 0.45;
        arm.elbow = amount * 0.75;
    }
    return s;
}

Stance spin_stance(double time, double seconds) {
    Stance s;
    const double amount = ease(time / kMotionStart);
    lower_arms(s, amount, 30.0);
    s.yaw = 2.0 * kPi * eased_time(time) / seconds;
    return s;
}

/// Ten seconds: side to side, arms in turn, two full turns with the arms out, a deep bow of the knees.
Stance dance_stance(const BodySize& body, double time, double seconds) {
    const double amount = ease(time / kMotionStart);
    const double t = fraction(time / seconds) * seconds, beat = time / 1.25; // eight bars
    Stance s;
    const double sway = wave(beat), twice = wave(2.0 * beat + 0.25);
    s.shift = {amount * 0.055 * body.size * sway, amount * body.size * (-0.045 + 0.02 * twice), 0.0};
    const double dip = ease((t - 7.4) / 0.8) * (1.0 - ease((t - 8.6) / 0.9));
    s.shift.y -= 0.16 * body.size * dip;
    s.shift.z -= 0.05 * body.size * dip;
    s.spine = {amount * 0.04 + 0.15 * dip, amount * 0.14 * wave(0.5 * beat), -amount * 0.07 * sway};
    s.chest = {0.1 * dip, amount * 0.16 * wave(0.5 * beat), -amount * 0.08 * sway};
    s.neck = {-0.1 * dip, -amount * 0.18 * wave(0.5 * beat), amount * 0.07 * sway};
    s.head = {-0.08 * dip, -amount * 0.06 * wave(0.5 * beat), 0.0};
    const double turning = ease((t - 3.2) / 2.4);
    s.yaw = 4.0 * kPi * turning;
    const double out = ease((t - 2.8) / 0.6) * (1.0 - ease((t - 5.4) / 0.8));
    for (int side = 0; side < 2; ++side) {
        const double sign = side == kLeft ? 1.0 : -1.0;
        FootTarget& foot = s.foot[side];
        const double step = std::max(0.0, -sign * sway); // the foot that the weight has left
        foot.up = amount * body.size * 0.05 * step * step;
        foot.pitch = amount * 0.35 * step * step;
        ArmAngles& arm = s.arm[side];
        const double raise = 0.5 + 0.5 * sign * wave(0.5 * beat + 0.25);
        const double resting = 22.0 * kDegree + 75.0 * kDegree * raise * raise;
        const double wanted = resting + out * (80.0 * kDegree - resting);
        arm.abduction = kBindArm + amount * (wanted - kBindArm);
        arm.swing = amount * 0.25 * (1.0 - out) * wave(beat + 0.5 * side);
        arm.elbow = amount * (0.35 + 0.35 * (1.0 - out) * (0.5 - 0.5 * twice));
        arm.clavicle = amount * 10.0 * kDegree * raise * (1.0 - out);
    }
    return s;
}

} // namespace

const std::vector<MotionInfo>& mannequin_motions() {
    static const std::vector<MotionInfo> motions = {
        {"a-pose", 0.0, "Stands as it was bound, arms 40 degrees off the body."},
        {"stand", 0.0, "Lowers the arms and stands."},
        {"walk", kWalk.cycle, "Walks along +z, 1.12 s for two steps."},
        {"run", kRun.cycle, "Runs along +z, 0.72 s for two steps."},
        {"turn", 4.0, "Turns on the spot, once in 4 s."},
        {"arms-up", 5.0, "Lifts the arms over the head and lowers them, in 5 s."},
        {"sit", 0.0, "Sits down as on a chair within 1.8 s, and stays."},
        {"spin", 0.5, "Spins on the spot, two turns a second."},
        {"dance", 10.0, "Ten seconds of sways, steps and two turns, over and over."},
    };
    return motions;
}

const MotionInfo* find_motion(const std::string& name) {
    for (const MotionInfo& motion : mannequin_motions())
        if (motion.name == name) return &motion;
    return nullptr;
}

void mannequin_pose(const Character& mannequin, const MotionInfo& motion, double time, bool in_place, BodyPose& out) {
    const Skeleton& skeleton = mannequin.skeleton;
    SELVAGE_ASSERT(skeleton.joints.size() == kMannequinJoints && out.local.size() == kMannequinJoints);
    const std::string_view name = motion.name;
    if (name == "a-pose") {
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
            out.local[j] = skeleton.joints[j].rest;
        return;
    }
    const double leg = -skeleton.joints[kLeftShin].rest.translation.y - skeleton.joints[kLeftFoot].rest.translation.y;
    const BodySize body{leg, leg / 0.79};
    const double t = std::max(time, 0.0);
    Stance s;
    if (name == "stand") s = stand_stance(t);
    if (name == "walk") s = gait_stance(skeleton, kWalk, body, t, in_place);
    if (name == "run") s = gait_stance(skeleton, kRun, body, t, in_place);
    if (name == "turn") s = turn_stance(t, motion.seconds);
    if (name == "arms-up") s = arms_up_stance(t, motion.seconds);
    if (name == "sit") s = sit_stance(skeleton, body, t);
    if (name == "spin") s = spin_stance(t, motion.seconds);
    if (name == "dance") s = dance_stance(body, t, motion.seconds);
    StancePoser(skeleton, out).pose(s);
}

BodyPose mannequin_pose(const Character& mannequin, const MotionInfo& motion, double time, bool in_place) {
    BodyPose pose = rest_pose(mannequin.skeleton);
    mannequin_pose(mannequin, motion, time, in_place, pose);
    return pose;
}

} // namespace selvage
