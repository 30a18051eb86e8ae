#include "character/measurements.h"

#include <cmath>

#include "base/concat.h"

namespace selvage {

Measurements standard_measurements(Figure figure) {
    Measurements m;
    m.figure = figure;
    if (figure == Figure::male) {
        m.height = 1.80, m.chest = 1.00, m.underbust = 0.945, m.waist = 0.86, m.hip = 1.00, m.neck = 0.385;
        m.thigh = 0.57, m.knee = 0.385, m.calf = 0.38, m.ankle = 0.23;
        m.upper_arm = 0.315, m.elbow = 0.275, m.wrist = 0.175, m.head = 0.575;
        m.shoulder_width = 0.41, m.upper_arm_length = 0.335, m.forearm_length = 0.263, m.hand_length = 0.19;
        m.foot_length = 0.27, m.inside_leg = 0.83, m.knee_height = 0.51, m.waist_height = 1.11;
        m.chest_height = 1.315, m.shoulder_height = 1.475, m.neck_height = 1.545, m.chin_height = 1.57;
    }
    if (figure == Figure::child) {
        m.height = 1.22, m.chest = 0.63, m.underbust = 0.605, m.waist = 0.57, m.hip = 0.67, m.neck = 0.275;
        m.thigh = 0.385, m.knee = 0.27, m.calf = 0.255, m.ankle = 0.175;
        m.upper_arm = 0.19, m.elbow = 0.175, m.wrist = 0.125, m.head = 0.515;
        m.shoulder_width = 0.27, m.upper_arm_length = 0.22, m.forearm_length = 0.175, m.hand_length = 0.135;
        m.foot_length = 0.19, m.inside_leg = 0.54, m.knee_height = 0.335, m.waist_height = 0.735;
        m.chest_height = 0.86, m.shoulder_height = 0.965, m.neck_height = 1.01, m.chin_height = 1.02;
    }
    return m;
}

namespace {

bool is_girth(double Measurements::* member) {
    using M = Measurements;
    for (double M::* girth : {&M::chest, &M::underbust, &M::waist, &M::hip, &M::neck, &M::thigh, &M::knee, &M::calf,
                              &M::ankle, &M::upper_arm, &M::elbow, &M::wrist, &M::head})
        if (member == girth) return true;
    return false;
}

} // namespace

Measurements measurements_for(Figure figure, double height) {
    Measurements m = standard_measurements(figure);
    const double ratio = height / m.height, wider = ratio > 0.0 ? std::sqrt(ratio) : 1.0;
    for (const MeasurementField& field : measurement_fields())
        m.*field.member *= is_girth(field.member) ? wider : ratio;
    m.height = height;
    return m;
}

const std::vector<MeasurementField>& measurement_fields() {
    using M = Measurements;
    static const std::vector<MeasurementField> fields = {
        {"height", &M::height, "Floor to crown."},
        {"chest", &M::chest, "Girth of the chest at its fullest; of women, of the bust."},
        {"underbust", &M::underbust, "Girth below the bust."},
        {"waist", &M::waist, "Girth of the waist."},
        {"hip", &M::hip, "Girth of the hips at their fullest."},
        {"neck", &M::neck, "Girth of the neck."},
        {"thigh", &M::thigh, "Girth of the thigh just below the crotch."},
        {"knee", &M::knee, "Girth of the knee."},
        {"calf", &M::calf, "Girth of the calf at its fullest."},
        {"ankle", &M::ankle, "Girth of the ankle at its narrowest."},
        {"upper_arm", &M::upper_arm, "Girth of the upper arm."},
        {"elbow", &M::elbow, "Girth of the elbow."},
        {"wrist", &M::wrist, "Girth of the wrist."},
        {"head", &M::head, "Girth of the head above the ears."},
        {"shoulder_width", &M::shoulder_width, "Distance of the outer ends of the shoulder bones."},
        {"upper_arm_length", &M::upper_arm_length, "Shoulder to elbow."},
        {"forearm_length", &M::forearm_length, "Elbow to wrist."},
        {"hand_length", &M::hand_length, "Wrist to fingertip."},
        {"foot_length", &M::foot_length, "Heel to toe."},
        {"inside_leg", &M::inside_leg, "Crotch to floor."},
        {"knee_height", &M::knee_height, "Knee to floor."},
        {"waist_height", &M::waist_height, "Waist to floor."},
        {"chest_height", &M::chest_height, "Fullest level of the chest to floor."},
        {"shoulder_height", &M::shoulder_height, "Outer end of the shoulder to floor."},
        {"neck_height", &M::neck_height, "Seventh vertebra to floor."},
        {"chin_height", &M::chin_height, "Chin to floor."},
    };
    return fields;
}

const std::vector<std::string>& figure_names() {
    static const std::vector<std::string> names = {"female", "male", "child"};
    return names;
}

Status check_measurements(const Measurements& m) {
    for (const MeasurementField& field : measurement_fields())
        if (!(m.*field.member > 0.01 && m.*field.member < 3.0))
            return Error{concat(field.key, " is ", m.*field.member, " m; expected 0.01 to 3")};
    const auto in_order = [](const char* low, double a, const char* high, double b, double gap) -> Status {
        if (b - a >= gap) return Done{};
        return Error{concat(high, " is ", b, " m and ", low, " ", a, " m; expected it at least ", gap, " m more")};
    };
    const double h = m.height;
    const struct {
        const char *low, *high;
        double a, b, gap;
    } steps[] = {{"knee_height", "inside_leg", m.knee_height, m.inside_leg, 0.10 * h},
                 {"inside_leg", "waist_height", m.inside_leg, m.waist_height, 0.08 * h},
                 {"waist_height", "chest_height", m.waist_height, m.chest_height, 0.05 * h},
                 {"chest_height", "shoulder_height", m.chest_height, m.shoulder_height, 0.04 * h},
                 {"shoulder_height", "neck_height", m.shoulder_height, m.neck_height, 0.01 * h},
                 {"neck_height", "chin_height", m.neck_height, m.chin_height, 0.0},
                 {"chin_height", "height", m.chin_height, m.height, 0.08 * h},
                 {"ankle", "calf", m.ankle, m.calf, 0.0},
                 {"wrist", "upper_arm", m.wrist, m.upper_arm, 0.0},
                 {"neck", "waist", m.neck, m.waist, 0.0},
                 {"thigh", "hip", 1.4 * m.thigh, m.hip, 0.0}};
    for (const auto& s : steps)
        if (Status ok = in_order(s.low, s.a, s.high, s.b, s.gap); !ok) return ok;
    // Feet and hands would miss the rest of the body, or the limbs each other.
    const struct {
        const char* key;
        double value, low, high;
    } ranges[] = {{"knee_height", m.knee_height, 0.20 * h, 0.36 * h},
                  {"shoulder_width", m.shoulder_width, 0.15 * h, 0.34 * h},
                  {"foot_length", m.foot_length, 0.10 * h, 0.22 * h},
                  {"hand_length", m.hand_length, 0.07 * h, 0.16 * h},
                  {"upper_arm_length", m.upper_arm_length, 0.12 * h, 0.26 * h},
                  {"forearm_length", m.forearm_length, 0.10 * h, 0.22 * h},
                  {"chest", m.chest, 0.35 * h, 0.95 * h},
                  {"waist", m.waist, 0.28 * h, 0.95 * h},
                  {"hip", m.hip, 0.38 * h, 0.95 * h},
                  {"neck", m.neck, 0.15 * h, 0.33 * h},
                  {"head", m.head, 0.26 * h, 0.55 * h},
                  {"ankle", m.ankle, 0.09 * h, 0.24 * h},
                  {"wrist", m.wrist, 0.06 * h, 0.18 * h},
                  {"upper_arm", m.upper_arm, 0.10 * h, 0.30 * h}};
    for (const auto& r : ranges)
        if (!(r.value >= r.low && r.value <= r.high))
            return Error{
                concat(r.key, " is ", r.value, " m at a height of ", h, " m; expected ", r.low, " to ", r.high)};
    return Done{};
}

} // namespace selvage
