#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace selvage {

enum class Figure { female, male, child };

/// Body measurements as ISO 8559-1 defines them [m]. Girths are taken like a tape: around the hull of the section.
struct Measurements {
    Figure figure = Figure::female; ///< How flesh is spread where the girths leave it open.
    double height = 1.68;           ///< From the floor to the crown.
    double chest = 0.88;            ///< Girth at the fullest level; of women the bust girth.
    double underbust = 0.76;
    double waist = 0.70;
    double hip = 0.95;
    double neck = 0.335; ///< At its narrowest.
    double thigh = 0.55; ///< Just below the crotch.
    double knee = 0.365;
    double calf = 0.355;
    double ankle = 0.215; ///< At its narrowest, above the ankle bones.
    double upper_arm = 0.27;
    double elbow = 0.235;
    double wrist = 0.155;
    double head = 0.555;          ///< Girth above the ears.
    double shoulder_width = 0.37; ///< Between the outer ends of the shoulder bones.
    double upper_arm_length = 0.312;
    double forearm_length = 0.245;
    double hand_length = 0.178;
    double foot_length = 0.250;
    double inside_leg = 0.775; ///< Crotch to floor.
    double knee_height = 0.475;
    double waist_height = 1.045;
    double chest_height = 1.215;
    double shoulder_height = 1.370; ///< Of the outer ends of the shoulder bones.
    double neck_height = 1.430;     ///< Of the seventh vertebra, where collars sit at the back.
    double chin_height = 1.460;
};

/// Middle sizes: girths and heights from the tables of size designation EN 13402-3 (women 88-70-95 at 1.68 m, men
/// 100-86-100 at 1.80 m, children of 1.22 m, about seven years); what these leave out from the segment lengths as
/// fractions of stature of Drillis and Contini (1966) and, for the limbs' girths, means of the surveys that ISO 7250-2
/// collects, rounded to 5 mm.
Measurements standard_measurements(Figure figure);

/// The standard ones with all lengths scaled to this height, and girths by half as much: tall people are not as much
/// wider.
Measurements measurements_for(Figure figure, double height);

struct MeasurementField {
    const char* key;
    double Measurements::* member;
    const char* help;
};
/// All numbers with their names in files and flags.
const std::vector<MeasurementField>& measurement_fields();

/// Fails on what no body of one piece could have: a number missing, heights out of order, girths that do not fit.
Status check_measurements(const Measurements& m);

const std::vector<std::string>& figure_names();

} // namespace selvage
