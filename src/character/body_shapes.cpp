// The sections of the body: a woman of 1.68 m, whose numbers are scaled to the measurements asked for. They are shaped
// by eye, between the girths that the field is then fitted to.

#include <algorithm>
#include <cmath>

#include "character/body_field.h"

namespace selvage {

namespace {

double blend(double a, double b, double t) {
    return a + t * (b - a);
}

} // namespace

void BodyField::build_torso(const Scales& s) {
    const Measurements& m = measurements_;
    const bool is_male = m.figure == Figure::male, is_child = m.figure == Figure::child;
    const double wide = m.shoulder_width / 0.37, hip = s[kHipGirth], waist = s[kWaistGirth], chest = s[kChestGirth],
                 under = s[kUnderbustGirth];
    const double crotch = m.inside_leg, top = m.neck_height;
    // Width, depth in front and behind, and how far the section's centre is in front of the axis.
    const auto ring = [&](double y, double w, double front, double back, double z, double across, double deep) {
        return BodyRing{y, 0.0, z * h_, w * across, w * across, front * deep, back * deep};
    };
    const double to_waist = m.waist_height - crotch, to_chest = m.chest_height - m.waist_height,
                 to_shoulder = m.shoulder_height - m.chest_height;
    const double deep_chest = is_male ? 1.06 * chest : chest;
    std::vector<BodyRing> rings = {
        ring(crotch + crotch_drop_, 0.085, 0.055, 0.060, 0.000, hip, hip),
        ring(crotch + 0.12 * to_waist, 0.140, 0.082, 0.090, 0.000, hip, hip),
        ring(crotch + 0.36 * to_waist, 0.171, 0.100, 0.108, 0.000, hip, hip),
        ring(crotch + 0.66 * to_waist, 0.154, 0.099, 0.088, 0.000, blend(hip, waist, 0.35), blend(hip, waist, 0.35)),
        ring(m.waist_height, 0.123, 0.098, 0.078, -0.002, waist, waist),
        ring(m.waist_height + 0.52 * to_chest, 0.130, 0.098, 0.088, -0.008, under, under),
        ring(m.chest_height, 0.140, 0.100, 0.098, -0.014, chest, deep_chest),
        ring(m.chest_height + 0.42 * to_shoulder, 0.146, 0.088, 0.098, -0.020, blend(chest, wide, 0.5), deep_chest),
        ring(m.chest_height + 0.74 * to_shoulder, 0.152, 0.066, 0.086, -0.024, wide, chest),
        ring(m.shoulder_height, 0.132, 0.050, 0.066, -0.026, wide, chest),
        ring(blend(m.shoulder_height, top, 0.55), 0.086, 0.044, 0.054, -0.026, wide, chest),
        ring(top, 0.050, 0.040, 0.044, -0.024, wide, chest)};
    torso_ = BodyTube({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, std::move(rings), 0.22);
    chest_flesh_.clear();
    if (is_male)
        chest_flesh_.push_back(
            {{0.078 * chest, m.chest_height + 0.012 * h_, 0.052 * chest}, {0.075 * chest, 0.058 * h_, 0.045 * chest}});
    else if (!is_child)
        chest_flesh_.push_back(
            {{0.074 * chest, m.chest_height + 0.002 * h_, 0.068 * chest}, {0.056 * chest, 0.060 * h_, 0.058 * chest}});
    seat_flesh_.clear();
    const double seat = is_male ? 0.9 : is_child ? 0.85 : 1.0;
    seat_flesh_.push_back(
        {{0.072 * hip, crotch + 0.34 * to_waist, -0.066 * hip}, {0.070 * hip, 0.082 * h_, 0.062 * seat * hip}});
}

void BodyField::build_head(const Scales& s) {
    const Measurements& m = measurements_;
    const BodyFrame& f = frame_;
    const double neck = s[kNeckGirth], head = s[kHeadGirth], tall = m.height - m.chin_height;
    const double reach = length(f.head - f.neck);
    const auto ring = [&](double at, double w, double front, double back) {
        return BodyRing{at, 0.0, 0.0, w * neck, w * neck, front * neck, back * neck};
    };
    std::vector<BodyRing> rings = {ring(-0.45 * reach, 0.068, 0.060, 0.062), ring(0.0, 0.057, 0.054, 0.056),
                                   ring(0.45 * reach, 0.050, 0.052, 0.052), ring(reach, 0.050, 0.052, 0.052),
                                   ring(1.4 * reach, 0.046, 0.044, 0.050)};
    const Vec3 front = cross(Vec3{1, 0, 0}, f.neck_along);
    neck_ = BodyTube(f.neck, f.neck_along, {1, 0, 0}, front, std::move(rings), 0.0);
    const double z = f.crown.z;
    head_shapes_ = {{{0, m.chin_height + 0.600 * tall, z - 0.004 * h_}, {0.074 * head, 0.400 * tall, 0.094 * head}},
                    {{0, m.chin_height + 0.345 * tall, z + 0.026 * h_}, {0.054 * head, 0.345 * tall, 0.064 * head}}};
}

void BodyField::build_arm(const Scales& s) {
    const Measurements& m = measurements_;
    const BodyFrame& f = frame_;
    const double upper = s[kUpperArmGirth], elbow = s[kElbowGirth], wrist = s[kWristGirth];
    const double a = m.upper_arm_length, b = m.forearm_length, c = m.hand_length;
    // Outwards, towards the body, forwards, backwards; the centre's offset outwards.
    const auto ring = [](double at, double out, double in, double front, double back, double scale, double u = 0.0,
                         double v = 0.0) {
        return BodyRing{at, u * scale, v * scale, out * scale, in * scale, front * scale, back * scale};
    };
    std::vector<BodyRing> rings = {ring(-0.10 * a, 0.036, 0.036, 0.042, 0.042, upper),
                                   ring(0.10 * a, 0.046, 0.044, 0.050, 0.050, upper),
                                   ring(0.32 * a, 0.046, 0.042, 0.049, 0.047, upper),
                                   ring(0.58 * a, 0.040, 0.041, 0.046, 0.043, upper),
                                   ring(0.82 * a, 0.036, 0.037, 0.039, 0.039, blend(upper, elbow, 0.5)),
                                   ring(a, 0.036, 0.036, 0.037, 0.039, elbow),
                                   ring(a + 0.22 * b, 0.038, 0.038, 0.041, 0.039, elbow),
                                   ring(a + 0.50 * b, 0.033, 0.033, 0.037, 0.034, blend(elbow, wrist, 0.3)),
                                   ring(a + 0.80 * b, 0.0235, 0.0235, 0.029, 0.028, blend(elbow, wrist, 0.8)),
                                   ring(a + b, 0.0205, 0.0205, 0.0275, 0.0275, wrist),
                                   ring(a + 1.06 * b, 0.020, 0.020, 0.028, 0.028, wrist)};
    const Vec3 front{0, 0, 1};
    arm_ = BodyTube(f.shoulder, f.arm_along, f.arm_out, front, std::move(rings), 0.0);
    const double broad = 0.5 * (wrist + c / 0.178);
    std::vector<BodyRing> palm = {ring(-0.05 * c, 0.019, 0.019, 0.027, 0.026, broad),
                                  ring(0.18 * c, 0.0185, 0.020, 0.036, 0.034, broad),
                                  ring(0.42 * c, 0.0155, 0.018, 0.041, 0.038, broad, -0.001),
                                  ring(0.60 * c, 0.0125, 0.0135, 0.039, 0.037, broad, -0.004),
                                  ring(0.80 * c, 0.0105, 0.0110, 0.034, 0.033, broad, -0.009),
                                  ring(0.93 * c, 0.0090, 0.0090, 0.025, 0.025, broad, -0.013),
                                  ring(c, 0.0045, 0.0045, 0.011, 0.011, broad, -0.015)};
    hand_ = BodyTube(f.wrist, f.arm_along, f.arm_out, front, std::move(palm), 0.35);
    const Vec3 root = f.wrist + 0.14 * c * f.arm_along + 0.020 * broad * front - 0.006 * broad * f.arm_out;
    const Vec3 tip = f.wrist + 0.56 * c * f.arm_along + 0.060 * broad * front - 0.022 * broad * f.arm_out;
    const Vec3 along = normalized(tip - root), side = normalized(cross(along, f.arm_out)), third = cross(along, side);
    const double reach = length(tip - root);
    const auto round = [&](double at, double radius) { return ring(at, radius, radius, radius, radius, broad); };
    thumb_ = BodyTube(root, along, side, third,
                      {round(-0.1 * reach, 0.012), round(0.2 * reach, 0.0145), round(0.55 * reach, 0.0115),
                       round(0.85 * reach, 0.0100), round(0.96 * reach, 0.0075), round(reach, 0.004)},
                      0.0);
}

void BodyField::build_leg(const Scales& s) {
    const Measurements& m = measurements_;
    const BodyFrame& f = frame_;
    const double thigh = s[kThighGirth], knee = s[kKneeGirth], calf = s[kCalfGirth], ankle = s[kAnkleGirth];
    const double crotch = m.inside_leg, k = m.knee_height, low = f.ankle.y;
    // Outwards, inwards, forwards, backwards. Insides of the thighs keep clear of each other.
    const auto ring = [&](double y, double out, double in, double front, double back, double scale, double z) {
        const double t = y > k ? (y - f.hip.y) / (k - f.hip.y) : (y - k) / (low - k);
        double x = y > k ? blend(f.hip.x, f.knee.x, t) : blend(f.knee.x, f.ankle.x, t);
        x = std::max(x, in * scale + 0.008 * h_);
        const double centre = y > k ? blend(f.hip.z, f.knee.z, t) : blend(f.knee.z, f.ankle.z, t);
        return BodyRing{y, x, centre + z * h_, out * scale, in * scale, front * scale, back * scale};
    };
    std::vector<BodyRing> rings = {
        ring(low - 0.040 * h_, 0.031, 0.031, 0.034, 0.034, ankle, 0.0),
        ring(low, 0.034, 0.035, 0.036, 0.038, ankle, -0.002),
        ring(low + 0.040 * h_, 0.031, 0.031, 0.034, 0.040, ankle, 0.0),
        ring(blend(k, low, 0.62), 0.040, 0.040, 0.040, 0.046, blend(ankle, calf, 0.6), 0.0),
        ring(blend(k, low, 0.33), 0.053, 0.052, 0.045, 0.068, calf, 0.0),
        ring(blend(k, low, 0.12), 0.052, 0.051, 0.050, 0.062, blend(knee, calf, 0.5), 0.0),
        ring(k, 0.053, 0.053, 0.060, 0.052, knee, 0.002),
        ring(blend(k, crotch, 0.18), 0.058, 0.057, 0.064, 0.058, blend(knee, thigh, 0.3), 0.004),
        ring(blend(k, crotch, 0.55), 0.071, 0.067, 0.081, 0.076, blend(knee, thigh, 0.8), 0.006),
        ring(crotch - 0.035 * h_, 0.086, 0.082, 0.090, 0.092, thigh, 0.002),
        ring(crotch + 0.06 * h_, 0.084, 0.078, 0.086, 0.090, thigh, 0.0),
        ring(crotch + 0.12 * h_, 0.070, 0.062, 0.070, 0.074, thigh, 0.0)};
    leg_ = BodyTube({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, std::move(rings), 0.08);
    const double foot = m.foot_length / 0.25, broad = 0.5 * (foot + ankle);
    const Vec3 forward = normalized(Vec3{f.toes.x - f.ankle.x, 0.0, f.toes.z - f.ankle.z});
    const Vec3 side = cross(Vec3{0, 1, 0}, forward);
    const auto sole = [&](double z, double y, double out, double in, double up, double down) {
        return BodyRing{z * foot, 0.0, y * broad, out * broad, in * broad, up * broad, down * broad};
    };
    foot_ = BodyTube({f.ankle.x, 0.0, f.ankle.z}, forward, side, {0, 1, 0},
                     {sole(-0.052, 0.028, 0.010, 0.010, 0.012, 0.014), sole(-0.047, 0.030, 0.020, 0.020, 0.024, 0.026),
                      sole(-0.034, 0.032, 0.028, 0.028, 0.036, 0.033), sole(-0.010, 0.036, 0.032, 0.032, 0.045, 0.040),
                      sole(0.030, 0.036, 0.035, 0.033, 0.044, 0.040), sole(0.075, 0.028, 0.041, 0.038, 0.032, 0.032),
                      sole(0.125, 0.018, 0.045, 0.045, 0.020, 0.022), sole(0.165, 0.014, 0.039, 0.043, 0.014, 0.017),
                      sole(0.185, 0.012, 0.028, 0.034, 0.010, 0.014), sole(0.196, 0.010, 0.012, 0.018, 0.005, 0.008)},
                     0.15);
}

} // namespace selvage
