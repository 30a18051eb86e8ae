#include "lab/benchmarks/method_measures.h"

#include <cmath>

#include "solvers/scenes.h"

namespace selvage {
namespace {

Motion moving_points(double speed) {
    Motion motion;
    for (int c = 0; c < 4; ++c)
        motion.positions.push_back({{0, 0, 0}, {speed * c, 0, 0}, {0, speed * c, 1}});
    return motion;
}

TEST(MethodMeasures, GiveAMotionFullMarksAgainstItself) {
    const MotionScore score = score_motion(moving_points(0.01), moving_points(0.01));
    EXPECT_EQ(score.error, 0.0);
    EXPECT_NEAR(score.similarity, 1.0, 1e-12); // the point at rest does not count against it
    EXPECT_EQ(score.distance, 0.0);
}

TEST(MethodMeasures, ScoreAMotionOfTwiceTheSpeed) {
    const MotionScore score = score_motion(moving_points(0.01), moving_points(0.02));
    EXPECT_NEAR(score.error, 1.0, 1e-9); // off by as much as it moves
    EXPECT_NEAR(score.similarity, 1.0, 1e-9);
    // 10, 20, 30 mm at two of three points: rms over the points is sqrt(2/3) of that, mean over the times 20 mm.
    EXPECT_NEAR(score.distance, 0.02 * std::sqrt(2.0 / 3.0), 1e-12);
}

TEST(MethodMeasures, CountNoPointThatRestsInTheReference) {
    Motion reference = moving_points(0.01), motion = reference;
    for (int c = 0; c < 4; ++c) {
        reference.positions[c][0].x = 1e-9 * c; // creeps
        motion.positions[c][0].y = 1e-4 * c;    // 1e5 times as far, and across
    }
    const MotionScore score = score_motion(reference, motion);
    EXPECT_EQ(score.error, 0.0);
    EXPECT_NEAR(score.similarity, 1.0, 1e-12);
}

TEST(MethodMeasures, FindNoDriftOfMomentumWhereTheMethodKeepsIt) {
    // filter takes the rigid motion out of each step's change; backward Euler slows rotation by about h |omega| per
    // radian.
    const std::optional<MomentumDrift> conserved = momentum_drift(tumbling(free_sheet(FilterSettings{})), 1.0);
    const std::optional<MomentumDrift> lost = momentum_drift(tumbling(free_sheet(ImplicitCgSettings{})), 1.0);
    ASSERT_TRUE(conserved && lost);
    EXPECT_LT(conserved->linear, 1e-12);
    EXPECT_LT(conserved->angular, 1e-12);
    EXPECT_LT(lost->linear, 1e-12);
    EXPECT_GT(lost->angular, 1e-3);
}

TEST(MethodMeasures, AccountForAllEnergyOfASymplecticStep) {
    SceneDesc scene = free_sheet(ExplicitSettings{});
    pin_corners(scene);
    scene.cloths[0].place.rotate_deg = {-90, 0, 0};
    scene.dt = 1.0 / 60.0;
    scene.substeps = 100; // small against 2/omega
    const std::optional<EnergyFractions> all = energy_fractions(in_vacuum(scene), 2.0);
    ASSERT_TRUE(all);
    EXPECT_NEAR(all->motion + all->stretch, 1.0, 0.01);

    scene.solver = ImplicitCgSettings{};
    scene.substeps = 1; // backward Euler at 1/60 s takes most of it
    const std::optional<EnergyFractions> damped = energy_fractions(in_vacuum(scene), 2.0);
    ASSERT_TRUE(damped);
    EXPECT_LT(damped->motion + damped->stretch, 0.9);
}

TEST(MethodMeasures, FindTheStepAtWhichSymplecticEulerBursts) {
    SceneDesc scene = free_sheet(ExplicitSettings{});
    pin_corners(scene);
    scene.cloths[0].material.stretch_warp = scene.cloths[0].material.stretch_weft = 2000;
    Simulation sim = make_simulation(scene);
    // Stable for h < 2/omega. omega^2 lies between that of any one spring with free ends, k (1/m_a + 1/m_b), and the
    // Gershgorin bound 2 sum k/m; the steps tried are a factor 2 apart.
    const auto is_free = [](int v) { return v != 110 && v != 120; }; // the pinned corners
    double largest_spring = 0.0, bound = 0.0;
    std::vector<double> stiffness_sum(sim.model().mass.size());
    for (const Spring& s : sim.model().springs) {
        const double k = s.stiffness;
        stiffness_sum[s.a] += k;
        stiffness_sum[s.b] += k;
        if (is_free(s.a) && is_free(s.b))
            largest_spring = std::max(largest_spring, k / sim.model().mass[s.a] + k / sim.model().mass[s.b]);
    }
    for (std::size_t i = 0; i < stiffness_sum.size(); ++i)
        bound = std::max(bound, 2.0 * stiffness_sum[i] / sim.model().mass[i]);
    const Result<StepLimits> limits = find_step_limits(scene, 0.5, 1.0);
    ASSERT_TRUE(limits);
    EXPECT_GT(limits->finite, 0.5 * 2.0 / std::sqrt(bound));
    EXPECT_LT(limits->finite, 2.0 / std::sqrt(largest_spring));

    scene.solver = ImplicitCgSettings{};
    const Result<StepLimits> any = find_step_limits(scene, 0.5, 1.0);
    ASSERT_TRUE(any);
    EXPECT_EQ(any->finite, 1.0 / 30.0);
}

} // namespace
} // namespace selvage
