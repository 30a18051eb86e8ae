#include "garment/body_landmarks.h"

#include <gtest/gtest.h>

#include "character/mannequin.h"
#include "character/motions.h"
#include "garment/dressing.h"
#include "garment/ready_garments.h"
#include "math/pi.h"

namespace selvage {

namespace {

/// A mannequin as another program's file would have it: a mesh, a skeleton with that program's names, and no more.
Character foreign_body(Figure figure, const std::vector<std::string>& names) {
    Character body = *make_mannequin(standard_measurements(figure));
    body.name = "hero.glb";
    body.landmarks.reset();
    body.measurements.reset();
    for (std::size_t j = 0; j < names.size(); ++j)
        body.skeleton.joints[j].name = names[j];
    return body;
}

const std::vector<std::string> kMixamo = {"mixamorig:Hips",          "mixamorig:Spine",       "mixamorig:Spine2",
                                          "mixamorig:Neck",          "mixamorig:Head",        "mixamorig:LeftShoulder",
                                          "mixamorig:LeftArm",       "mixamorig:LeftForeArm", "mixamorig:LeftHand",
                                          "mixamorig:RightShoulder", "mixamorig:RightArm",    "mixamorig:RightForeArm",
                                          "mixamorig:RightHand",     "mixamorig:LeftUpLeg",   "mixamorig:LeftLeg",
                                          "mixamorig:LeftFoot",      "mixamorig:LeftToeBase", "mixamorig:RightUpLeg",
                                          "mixamorig:RightLeg",      "mixamorig:RightFoot",   "mixamorig:RightToeBase"};
const std::vector<std::string> kUnreal = {
    "pelvis",     "spine_01", "spine_03",   "neck_01",    "head",       "clavicle_l", "upperarm_l",
    "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r", "lowerarm_r", "hand_r",     "thigh_l",
    "calf_l",     "foot_l",   "ball_l",     "thigh_r",    "calf_r",     "foot_r",     "ball_r"};
const std::vector<std::string> kRigify = {
    "DEF-pelvis",      "DEF-spine",     "DEF-chest",  "DEF-neck",       "DEF-head",        "DEF-shoulder.L",
    "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L", "DEF-shoulder.R", "DEF-upper_arm.R", "DEF-forearm.R",
    "DEF-hand.R",      "DEF-thigh.L",   "DEF-shin.L", "DEF-foot.L",     "DEF-toe.L",       "DEF-thigh.R",
    "DEF-shin.R",      "DEF-foot.R",    "DEF-toe.R"};
const std::vector<std::string> kVroid = {"J_Bip_C_Hips",    "J_Bip_C_Spine",    "J_Bip_C_Chest",    "J_Bip_C_Neck",
                                         "J_Bip_C_Head",    "J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",
                                         "J_Bip_L_Hand",    "J_Bip_R_Shoulder", "J_Bip_R_UpperArm", "J_Bip_R_LowerArm",
                                         "J_Bip_R_Hand",    "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot",
                                         "J_Bip_L_ToeBase", "J_Bip_R_UpperLeg", "J_Bip_R_LowerLeg", "J_Bip_R_Foot",
                                         "J_Bip_R_ToeBase"};

DressedGarment dressed(const Pattern& pattern, const StandingBody& body, const BodyPose& pose) {
    DressSettings settings;
    settings.edge = 0.04;
    settings.seconds = 1.0;
    settings.threads = 1;
    Result<DressedGarment> garment = dress(pattern, body, pose, settings);
    EXPECT_TRUE(garment) << garment.error().text();
    return std::move(*garment);
}

} // namespace

TEST(JointRoles, AreReadFromTheNamesOfOtherPrograms) {
    for (const std::vector<std::string>* names : {&kMixamo, &kUnreal, &kRigify, &kVroid}) {
        SCOPED_TRACE((*names)[0]);
        const std::vector<int> roles = joint_roles(foreign_body(Figure::female, *names).skeleton);
        for (int j = 0; j < kMannequinJoints; ++j)
            if (j != kSpine && j != kChest) { // as many as a rig likes
                EXPECT_EQ(roles[static_cast<std::size_t>(j)], j) << (*names)[static_cast<std::size_t>(j)];
            }
    }
}

TEST(BodyLandmarks, AreThoseOfTheMannequinWhenOnlyItsSurfaceAndNamesAreKnown) {
    for (const Figure figure : {Figure::female, Figure::male, Figure::child}) {
        const Character mannequin = *make_mannequin(standard_measurements(figure));
        SCOPED_TRACE(figure_names()[static_cast<std::size_t>(figure)]);
        const Result<StandingBody> found = standing_body(foreign_body(figure, kMixamo));
        ASSERT_TRUE(found) << found.error().text();
        const Landmarks &a = *mannequin.landmarks, &b = *found->body.landmarks;
        const std::tuple<const char*, const BodyLevel*, const BodyLevel*> levels[] = {
            {"neck", &a.neck, &b.neck},
            {"chest", &a.chest, &b.chest},
            {"waist", &a.waist, &b.waist},
            {"hip", &a.hip, &b.hip},
            {"upper arm", &a.upper_arm[0], &b.upper_arm[0]},
            {"wrist", &a.wrist_level[1], &b.wrist_level[1]},
            {"thigh", &a.thigh[0], &b.thigh[0]}};
        for (const auto& [name, expected, got] : levels) {
            EXPECT_NEAR(got->girth / expected->girth, 1.0, 0.05) << name;
            EXPECT_NEAR(got->centre.y, expected->centre.y, 0.03) << name;
        }
        const std::tuple<const char*, Vec3, Vec3> places[] = {{"crotch", a.crotch, b.crotch},
                                                              {"armpit", a.armpit[0], b.armpit[0]},
                                                              {"shoulder", a.shoulder[1], b.shoulder[1]},
                                                              {"neck side", a.neck_side[0], b.neck_side[0]},
                                                              {"neck front", a.neck_front, b.neck_front},
                                                              {"neck back", a.neck_back, b.neck_back},
                                                              {"fingertip", a.fingertip[0], b.fingertip[0]},
                                                              {"knee", a.knee[0], b.knee[0]}};
        for (const auto& [name, expected, got] : places)
            EXPECT_LT(length(got - expected), 0.03)
                << name << ": " << expected.x << " " << expected.y << " " << expected.z << ", found " << got.x << " "
                << got.y << " " << got.z;
    }
}

TEST(BodyLandmarks, FitGarmentsToABodyThatStandsElsewhereWithItsArmsOut) {
    // A T-pose: both arms turned up by 50 degrees from the mannequin's 40. It stands two metres aside.
    Character body = foreign_body(Figure::male, kUnreal);
    for (const int arm : {kLeftUpperArm, kRightUpperArm})
        body.skeleton.joints[static_cast<std::size_t>(arm)].rest.rotation =
            quaternion_about({0.0, 0.0, (arm == kLeftUpperArm ? 50.0 : -50.0) * kPi / 180.0});
    body.skeleton.joints[kPelvis].rest.translation += Vec3{2.0, 0.5, -1.0};
    const Result<StandingBody> found = standing_body(body);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_NEAR(found->place.x, 2.0, 1e-9);
    EXPECT_NEAR(found->place.y, 0.5, 0.01);
    const Landmarks& marks = *found->body.landmarks;
    // It is dressed with its arms down, as the mannequin's are.
    EXPECT_NEAR(marks.wrist[0].y, make_mannequin(standard_measurements(Figure::male))->landmarks->wrist[0].y, 0.02);
    for (const char* name : {"trousers", "t-shirt", "circle-skirt"}) {
        SCOPED_TRACE(name);
        const Result<Pattern> pattern = cut_garment(name, found->body);
        ASSERT_TRUE(pattern) << pattern.error().text();
        const DressedGarment garment = dressed(*pattern, *found, rest_pose(body.skeleton));
        EXPECT_EQ(garment.crossings, 0);
        // Around the body where the file has it.
        for (const Vec3& p : garment.positions[0])
            EXPECT_LT(std::hypot(p.x - 2.0, p.z + 1.0), 1.0);
    }
}

TEST(BodyLandmarks, SayWhyNothingCanBeCut) {
    const auto complaint = [](const Character& body) {
        const Result<StandingBody> found = standing_body(body);
        return found ? std::string() : found.error().text();
    };
    Character body = foreign_body(Figure::female, kMixamo);
    body.skeleton.joints[kLeftForearm].name = "Bone.017";
    EXPECT_NE(complaint(body).find("body \"hero.glb\" has no joints that are called like these: left forearm"),
              std::string::npos)
        << complaint(body);
    body = foreign_body(Figure::female, kMixamo);
    body.skeleton.joints[kPelvis].rest.scale = {100, 100, 100};
    EXPECT_NE(complaint(body).find("m tall; expected 0.5 to 2.6 m"), std::string::npos) << complaint(body);
    body = foreign_body(Figure::female, kMixamo);
    body.skeleton.joints[kPelvis].rest.rotation = quaternion_about({0.0, kPi, 0.0});
    EXPECT_NE(complaint(body).find("looks along +z"), std::string::npos) << complaint(body);
    body = foreign_body(Figure::female, kMixamo);
    body.skeleton.joints[kPelvis].rest.rotation = quaternion_about({0.5 * kPi, 0.0, 0.0}); // on its belly
    EXPECT_NE(complaint(body), "");
}

} // namespace selvage
