#include "character/body_field.h"

#include <algorithm>
#include <cmath>

#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

namespace {

constexpr double kTemplateHeight = 1.68; // of the woman whose sections the rings below are [m]
constexpr double kArmAngle = 40.0 * kPi / 180.0;

double smooth_min(double a, double b, double k) {
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - 0.25 * h * h * k;
}

double smooth_max(double a, double b, double k) {
    return -smooth_min(-a, -b, k);
}

Vec3 mirrored(const Vec3& p) {
    return {-p.x, p.y, p.z};
}

double mix(double a, double b, double t) {
    return a + t * (b - a);
}

} // namespace

BodyField::BodyField(const Measurements& measurements)
    : measurements_(measurements), h_(measurements.height / kTemplateHeight) {
    place_bones();
    place_tapes();
    Scales scale;
    scale.fill(1.0);
    const Measurements standard; // the template's
    using M = Measurements;
    constexpr std::array<double M::*, kBodyGirths> kMembers = {
        &M::hip,  &M::waist, &M::underbust, &M::chest, &M::neck,  &M::thigh, &M::knee,
        &M::calf, &M::ankle, &M::upper_arm, &M::elbow, &M::wrist, &M::head};
    for (int i = 0; i < kBodyGirths; ++i)
        scale[i] = measurements_.*kMembers[i] / (standard.*kMembers[i]);
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round) {
        build(scale);
        for (int i = 0; i < kBodyGirths; ++i) {
            const double ratio = frame_.tapes[i].target / girth(static_cast<BodyGirth>(i));
            scale[i] = std::clamp(scale[i] * ratio, 0.3, 3.0);
        }
        // Skin between the legs sags below the torso's end as parts melt into each other.
        double low = measurements_.inside_leg - 0.1, high = measurements_.inside_leg + 0.12;
        for (int k = 0; k < 24; ++k) {
            const double y = 0.5 * (low + high);
            (distance({0.0, y, frame_.hip.z}) > 0.0 ? low : high) = y;
        }
        crotch_drop_ = std::clamp(crotch_drop_ + measurements_.inside_leg - 0.5 * (low + high), -0.08, 0.08);
    }
    build(scale);
}

void BodyField::place_bones() {
    const Measurements& m = measurements_;
    BodyFrame& f = frame_;
    const double hip_scale = m.hip / 0.95;
    f.pelvis = {0.0, mix(m.inside_leg, m.waist_height, 0.50), -0.005 * h_};
    f.spine = {0.0, m.waist_height, -0.010 * h_};
    f.chest = {0.0, mix(m.waist_height, m.chest_height, 0.70), -0.015 * h_};
    f.neck = {0.0, m.neck_height - 0.025 * h_, -0.026 * h_};
    const double head_height = m.height - m.chin_height;
    f.head = {0.0, m.chin_height + 0.22 * head_height, -0.002 * h_};
    f.crown = {0.0, m.height, 0.008 * h_};
    f.neck_along = normalized(f.head - f.neck);
    const auto [sine, cosine] = maths::sincos(kArmAngle);
    f.arm_along = {sine, -cosine, 0.0};
    f.arm_out = {cosine, sine, 0.0};
    f.shoulder = {0.5 * m.shoulder_width - 0.032 * h_, m.shoulder_height - 0.046 * h_, -0.020 * h_};
    f.clavicle = {0.022 * h_, m.shoulder_height - 0.018 * h_, -0.005 * h_};
    f.elbow = f.shoulder + m.upper_arm_length * f.arm_along;
    f.wrist = f.elbow + m.forearm_length * f.arm_along;
    f.fingertip = f.wrist + m.hand_length * f.arm_along;
    f.hip = {0.083 * hip_scale, m.inside_leg + 0.32 * (m.waist_height - m.inside_leg), -0.002 * h_};
    f.knee = {0.084 * hip_scale, m.knee_height, -0.002 * h_};
    f.ankle = {0.082 * hip_scale, 0.072 * h_, -0.022 * h_};
    const double foot = m.foot_length / 0.25;
    f.toes = {f.ankle.x + 0.012 * h_, 0.022 * h_, f.ankle.z + 0.135 * foot};
    f.toe_tip = {f.toes.x + 0.004 * h_, 0.014 * h_, f.ankle.z + 0.190 * foot};
}

void BodyField::place_tapes() {
    const Measurements& m = measurements_;
    BodyFrame& f = frame_;
    const Vec3 up{0, 1, 0};
    const auto level = [&](BodyGirth which, double y, double target) { f.tapes[which] = {{0.0, y, 0.0}, up, target}; };
    level(kHipGirth, m.inside_leg + 0.36 * (m.waist_height - m.inside_leg), m.hip);
    level(kWaistGirth, m.waist_height, m.waist);
    level(kUnderbustGirth, mix(m.waist_height, m.chest_height, 0.52), m.underbust);
    level(kChestGirth, m.chest_height, m.chest);
    level(kHeadGirth, m.height - 0.36 * (m.height - m.chin_height), m.head);
    f.tapes[kNeckGirth] = {f.neck + 0.45 * (f.head - f.neck), f.neck_along, m.neck};
    const auto leg = [&](BodyGirth which, double y, double target) {
        const Vec3 centre = y > f.knee.y ? f.hip + ((y - f.hip.y) / (f.knee.y - f.hip.y)) * (f.knee - f.hip)
                                         : f.knee + ((y - f.knee.y) / (f.ankle.y - f.knee.y)) * (f.ankle - f.knee);
        f.tapes[which] = {centre, up, target};
    };
    leg(kThighGirth, m.inside_leg - 0.035 * h_, m.thigh);
    leg(kKneeGirth, m.knee_height, m.knee);
    leg(kCalfGirth, mix(m.knee_height, f.ankle.y, 0.33), m.calf);
    leg(kAnkleGirth, f.ankle.y + 0.040 * h_, m.ankle);
    const auto arm = [&](BodyGirth which, double s, double target) {
        f.tapes[which] = {f.shoulder + s * f.arm_along, f.arm_along, target};
    };
    arm(kUpperArmGirth, 0.58 * m.upper_arm_length, m.upper_arm);
    arm(kElbowGirth, m.upper_arm_length, m.elbow);
    arm(kWristGirth, m.upper_arm_length + m.forearm_length, m.wrist);
}

void BodyField::build(const Scales& scale) {
    build_torso(scale);
    build_head(scale);
    build_arm(scale);
    build_leg(scale);
}

double BodyField::torso_distance(const Vec3& p) const {
    double d = torso_.distance(p);
    const Vec3 left{std::abs(p.x), p.y, p.z};
    // Both sides, so that the middle is smooth as well.
    for (const BodyEllipsoid& flesh : chest_flesh_)
        d = smooth_min(d, smooth_min(flesh.distance(left), flesh.distance(mirrored(left)), 0.030 * h_), 0.045 * h_);
    for (const BodyEllipsoid& flesh : seat_flesh_)
        d = smooth_min(d, smooth_min(flesh.distance(left), flesh.distance(mirrored(left)), 0.022 * h_), 0.045 * h_);
    return d;
}

double BodyField::hand_distance(const Vec3& p) const {
    return smooth_min(hand_.distance(p), thumb_.distance(p), 0.014 * h_);
}

std::array<double, kBodyParts> BodyField::parts(const Vec3& p) const {
    const Vec3 left{std::abs(p.x), p.y, p.z};
    std::array<double, kBodyParts> d;
    d[kTorsoPart] = torso_distance(p);
    d[kNeckPart] = neck_.distance(p);
    double head = 1e9;
    for (const BodyEllipsoid& shape : head_shapes_)
        head = head > 1e8 ? shape.distance(p) : smooth_min(head, shape.distance(p), 0.055 * h_);
    d[kHeadPart] = head;
    d[kArmPart] = arm_.distance(left);
    d[kHandPart] = hand_distance(left);
    d[kLegPart] = leg_.distance(left);
    // Soles are flat.
    d[kFootPart] = smooth_max(foot_.distance(left), -p.y, 0.010 * h_);
    return d;
}

double BodyField::distance(const Vec3& p) const {
    const std::array<double, kBodyParts> part = parts(p);
    const Vec3 left{std::abs(p.x), p.y, p.z};
    double legs = smooth_min(part[kLegPart], part[kFootPart], 0.030 * h_);
    if (left.x < 0.1 * h_) legs = smooth_min(legs, leg_.distance(mirrored(left)), 0.008 * h_);
    const double arm = smooth_min(part[kArmPart], part[kHandPart], 0.018 * h_);
    const double head = smooth_min(part[kNeckPart], part[kHeadPart], 0.028 * h_);
    double d = smooth_min(part[kTorsoPart], head, 0.050 * h_);
    d = smooth_min(d, legs, 0.045 * h_);
    return smooth_min(d, arm, 0.055 * h_);
}

Vec3 BodyField::gradient(const Vec3& p) const {
    constexpr double kStep = 2e-4;
    const auto slope = [&](const Vec3& axis) {
        return (distance(p + kStep * axis) - distance(p - kStep * axis)) / (2.0 * kStep);
    };
    return {slope({1, 0, 0}), slope({0, 1, 0}), slope({0, 0, 1})};
}

Vec3 BodyField::project(Vec3 p, int rounds) const {
    for (int k = 0; k < rounds; ++k) {
        const double d = distance(p);
        if (std::abs(d) < 1e-6) break;
        Vec3 g = gradient(p);
        if (p.x == 0.0) g.x = 0.0; // stays on the mirror
        const double steep = length_squared(g);
        if (steep < 1e-4) break;
        const double limit = 0.01; // the field is no distance far away
        p -= std::clamp(d / steep, -limit, limit) * g;
    }
    return p;
}

double BodyField::girth(BodyGirth which) const {
    const BodyFrame::Tape& tape = frame_.tapes[which];
    const Vec3 axis = normalized(cross(tape.normal, Vec3{0, 0, 1}), Vec3{1, 0, 0}), other = cross(axis, tape.normal);
    const bool is_limb = which >= kThighGirth && which <= kWristGirth;
    const auto field = [&](const Vec3& p) {
        if (!is_limb) {
            const std::array<double, kBodyParts> part = parts(p);
            const double head = smooth_min(part[kNeckPart], part[kHeadPart], 0.028 * h_);
            const double trunk = smooth_min(part[kTorsoPart], head, 0.050 * h_);
            const double legs =
                smooth_min(part[kLegPart], leg_.distance(mirrored({std::abs(p.x), p.y, p.z})), 0.008 * h_);
            return smooth_min(trunk, legs, 0.045 * h_);
        }
        // One limb: the other side counts as air.
        return p.x > 0.0 ? distance(p) : 0.1;
    };
    constexpr int kRays = 72;
    std::vector<Vec2> points;
    for (int i = 0; i < kRays; ++i) {
        const auto [sine, cosine] = maths::sincos(2.0 * kPi * i / kRays);
        const Vec3 direction = cosine * axis + sine * other;
        double low = 0.0, high = is_limb ? 0.16 * h_ : 0.45 * h_;
        // From inside to the first air, so that other parts of the body on the way are not taken along.
        const double step = 0.02 * h_;
        for (double r = step; r < high; r += step)
            if (field(tape.centre + r * direction) > 0.0) {
                high = r;
                break;
            } else {
                low = r;
            }
        for (int k = 0; k < 18; ++k) {
            const double middle = 0.5 * (low + high);
            (field(tape.centre + middle * direction) > 0.0 ? high : low) = middle;
        }
        points.push_back({low * cosine, low * sine});
    }
    return std::max(hull_length(std::move(points)), 1e-3);
}

} // namespace selvage
