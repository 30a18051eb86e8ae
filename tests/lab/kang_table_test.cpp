#include <cmath>

#include <gtest/gtest.h>

#include "lab/compare/compare.h"
#include "scene/scene_io.h"

namespace selvage {
namespace {

constexpr double kCheck = 1.0 / 30.0;

const Motion& reference() {
    static const Motion motion = *record_motion(*load_scene("kang-table"), 1.0 / 30000.0, {kCheck, 12, 0, {}});
    return motion;
}

std::vector<MotionError> errors(const SolverSettings& settings, double dt, int count) {
    SceneDesc scene = *load_scene("kang-table");
    scene.solver = settings;
    return compare_motions(reference(), *record_motion(scene, dt, {kCheck, count, 0, {}}));
}

TEST(KangTable, FirstCheckPointIsThePapersAt150PerSecond) {
    const MotionError first = errors(ImplicitJacobiSettings{}, 1.0 / 150.0, 1)[0];
    EXPECT_NEAR(first.error, 0.0394, 0.000394);      // paper: 0.039510
    EXPECT_NEAR(first.similarity, 0.99816, 0.00002); // paper: 0.998158
}

TEST(KangTable, FirstCheckPointIsThePapersAt30PerSecond) {
    EXPECT_NEAR(errors(ImplicitJacobiSettings{}, 1.0 / 30.0, 1)[0].error, 0.994, 0.00994); // paper: 1.032871
}

// Table 2, check points 1 to 12.
constexpr double kPublished[12] = {.039510, .003994, .001276, .001021, .001297, .002019,
                                   .004688, .001803, .002885, .009175, .012875, .011074};

TEST(KangTable, SevenSweepsWithTheMeanVelocityBeatEveryPublishedValue) {
    ImplicitJacobiSettings settings;
    settings.sweeps = 7;
    settings.position_update = PositionUpdate::mean_velocity;
    const std::vector<MotionError> ours = errors(settings, 1.0 / 150.0, 12);
    for (int c = 0; c < 12; ++c)
        EXPECT_LT(ours[c].error, kPublished[c]) << "check point " << c + 1;
}

TEST(KangTable, SecondOrderAt30PerSecondBeatsThePublishedValuesAt150) {
    ImplicitCgSettings settings;
    settings.integrator = Integrator::sdirk2;
    settings.newton = 10;
    const std::vector<MotionError> ours = errors(settings, 1.0 / 30.0, 12);
    for (int c = 0; c < 12; ++c)
        EXPECT_LT(ours[c].error, kPublished[c]) << "check point " << c + 1;
}

TEST(KangTable, RefusesStepsThatMissTheCheckPoints) {
    const Result<Motion> motion = record_motion(*load_scene("kang-table"), 0.02, {kCheck, 1, 0, {}});
    ASSERT_FALSE(motion);
    EXPECT_NE(motion.error().text().find("does not divide"), std::string::npos);
}

} // namespace
} // namespace selvage
