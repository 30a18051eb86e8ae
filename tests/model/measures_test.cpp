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

TEST(ThreadGauge, SeesStretchAlongTheThreadsAndNotShear) {
    ThreadPool pool(2);
    const ClothModel model = sheet();
    const ThreadGauge gauge(model);
    // Stretched by 2 % along x and 1 % along y: every triangle has 2 %.
    std::vector<Vec3> x = model.mesh.positions;
    for (Vec3& p : x)
        p = {1.02 * p.x, 1.01 * p.y, 0};
    const ThreadStrain stretched = gauge.measure(x);
    EXPECT_NEAR(stretched.max, 0.02, 1e-12);
    EXPECT_NEAR(stretched.rms, 0.02, 1e-12);
    EXPECT_NEAR(stretched.p999, 0.02, 1e-12);
    EXPECT_NEAR(gauge.largest(pool, x), 0.02, 1e-12);
    // Threads that turn towards each other as in a picture frame keep their lengths: f_u = (c, -s), f_v = (-s, c),
    // c^2 + s^2 = 1. The diagonals stretch by sqrt(1 + 2 s c) - 1 = 21.6 %.
    const double angle = 0.25, c = std::cos(angle), s = std::sin(angle);
    x = model.mesh.positions;
    for (Vec3& p : x)
        p = {c * p.x - s * p.y, c * p.y - s * p.x, 0};
    EXPECT_NEAR(gauge.measure(x).max, 0.0, 1e-12);
    EXPECT_NEAR(measure_strain(model, {x, {}, 0.0}).max, std::sqrt(1.0 + 2.0 * s * c) - 1.0, 1e-12);
    // Simple shear by g turns the wefts and lengthens them to sqrt(1 + g^2).
    x = model.mesh.positions;
    for (Vec3& p : x)
        p.x += 0.3 * p.y;
    EXPECT_NEAR(gauge.measure(x).max, std::sqrt(1.0 + 0.09) - 1.0, 1e-12);
    // Compression counts as nothing.
    x = model.mesh.positions;
    for (Vec3& p : x)
        p *= 0.5;
    EXPECT_EQ(gauge.measure(x).rms, 0.0);
}

TEST(ThreadGauge, LeavesTrianglesWithoutAreaOut) {
    std::vector<std::string> warnings;
    GeneratedMesh mesh;
    mesh.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    mesh.mesh.triangles = {{0, 1, 2}, {0, 1, 3}};
    const ClothModel model = *make_cloth_model({{"two", mesh, {}, {}}}, warnings);
    std::vector<Vec3> x = model.mesh.positions;
    x[2].x = 5.0;
    EXPECT_EQ(ThreadGauge(model).measure(x).max, 0.0);
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
