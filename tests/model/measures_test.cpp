#include "model/measures.h"

#include <cmath>

#include <gtest/gtest.h>

namespace selvage {
namespace {

ClothModel sheet(int n = 5) {
    std::vector<std::string> warnings;
    ClothSource source{"sheet", *make_grid({{1, 1}, {n, n}, Diagonals::uniform}), {}, {}};
    return *make_cloth_model({source}, warnings);
}

ClothState at_rest(const ClothModel& model) {
    return {model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
}

TEST(Measures, UniformStretchGivesThatStrain) {
    const ClothModel model = sheet();
    ClothState state = at_rest(model);
    for (Vec3& p : state.position)
        p.x *= 1.02;
    const Strain strain = measure_strain(model, state);
    EXPECT_NEAR(strain.max, 0.02, 1e-12);
    EXPECT_EQ(strain.compression_max, 0.0);
    EXPECT_NEAR(strain.p999, 0.02, 1e-12);
    // 20 edges along x at 0.02, 20 along y at 0, 16 diagonals at sqrt((1.02^2 + 1)/2) - 1.
    const double diagonal = std::sqrt((1.02 * 1.02 + 1.0) / 2.0) - 1.0;
    EXPECT_NEAR(strain.rms, std::sqrt((20 * 0.02 * 0.02 + 16 * diagonal * diagonal) / 56.0), 1e-12);
    ThreadPool pool(2);
    EXPECT_EQ(largest_strain(pool, model, state), strain.max);
    for (Vec3& p : state.position)
        p.x *= 0.5;
    EXPECT_NEAR(measure_strain(model, state).compression_max, 1.0 - 0.51, 1e-12);
}

TEST(Measures, EnergyOfAMovingFallingStretchedSheet) {
    const ClothModel model = sheet();
    ClothState state = at_rest(model);
    for (Vec3& v : state.velocity)
        v = {3, 4, 0};
    const double mass = 0.12; // one square metre of the default fabric
    EXPECT_NEAR(measure_energy(model, state, {0, -9.81, 0}).kinetic, 0.5 * mass * 25.0, 1e-9);
    for (Vec3& p : state.position)
        p.y += 2.0;
    EXPECT_NEAR(measure_energy(model, state, {0, -9.81, 0}).gravity, mass * 9.81 * 2.0, 1e-9);
    EXPECT_NEAR(measure_energy(model, state, {}).elastic, 0.0, 1e-9);
}

TEST(Measures, MomentumOfARigidSpin) {
    const ClothModel model = sheet(33);
    ClothState state = at_rest(model);
    for (std::size_t i = 0; i < state.position.size(); ++i)
        state.velocity[i] = Vec3{1, 0, 0} + cross(Vec3{0, 0, 2}, state.position[i]);
    const Momentum momentum = measure_momentum(model, state);
    EXPECT_LT(length(momentum.linear - Vec3{0.12, 0, 0}), 1e-9);
    // m (a^2 + b^2)/12 omega for a plate; lumped masses on a grid of 32 cells add 1/32^2 of it.
    EXPECT_NEAR(momentum.angular.z, 0.12 * 2.0 / 12.0 * 2.0, 0.12 * 2.0 / 12.0 * 2.0 * 2e-3);
    EXPECT_LT(length(centre_of_mass(model, state)), 1e-12);
}

TEST(CompareMotion, FollowsTheDefinitionsOfEAndS) {
    const std::vector<Vec3> start(4);
    const std::vector<Vec3> reference = {{1, 0, 0}, {0, 2, 0}, {0, 0, 0}, {1, 0, 0}};
    const std::vector<Vec3> moved = {{1.2, 0, 0}, {0, 0, 2}, {5, 0, 0}, {-1, 0, 0}};
    const MotionError error = compare_motion(start, reference, start, moved);
    // 0.04; |(0,2,-2)|^2/4 = 2; a resting point adds nothing; |2|^2 = 4.
    EXPECT_NEAR(error.error, (0.04 + 2.0 + 0.0 + 4.0) / 4.0, 1e-12);
    // cos^2: 1, 0, nothing, 1 (opposite directions are alike, as printed).
    EXPECT_NEAR(error.similarity, 2.0 / 4.0, 1e-12);
}

} // namespace
} // namespace selvage
