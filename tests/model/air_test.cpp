#include "model/air.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/solver.h"

namespace selvage {
namespace {

TEST(Air, BroadsideDragIsHalfRhoCdAreaSpeedSquared) {
    AirDesc air;
    air.density = 1.2;
    air.drag = 1.3;
    const double speed = 3.0, area = 0.02, mass = 0.004;
    const AirLoad load = air_load(air, {0, -speed, 0}, {0, 1, 0}, area, mass, 0.01);
    // Force = rate * mass * speed.
    EXPECT_NEAR(load.drag_rate * mass * speed, 0.5 * 1.2 * 1.3 * area * speed * speed, 1e-12);
    EXPECT_LT(length(load.lift), 1e-12); // none when the flow meets the cloth head on
}

TEST(Air, IsTheSameWhicheverSideTheNormalIsOn) {
    AirDesc air;
    air.density = 1.2;
    const Vec3 relative{2, -1, 0.5}, normal = normalized(Vec3{0.2, 1, -0.3});
    const AirLoad front = air_load(air, relative, normal, 0.01, 0.01, 1e-3);
    const AirLoad back = air_load(air, relative, -normal, 0.01, 0.01, 1e-3);
    EXPECT_EQ(front.drag_rate, back.drag_rate);
    EXPECT_LT(length(front.lift - back.lift), 1e-15);
}

TEST(Air, LiftIsAcrossTheFlowAndFollowsEq34) {
    AirDesc air;
    air.density = 1.2;
    air.lift = 0.7;
    const Vec3 relative{3, -1, 0}, normal{0, -1, 0}; // moving along x, sinking
    const AirLoad load = air_load(air, relative, normal, 0.01, 0.02, 1e-4);
    EXPECT_NEAR(dot(load.lift, relative), 0.0, 1e-12);
    EXPECT_GT(load.lift.y, 0.0);                            // a sinking wing is lifted
    const double speed = length(relative), s = 1.0 / speed; // |n.v^|
    // |U| = |n x v^| = sqrt(1 - s^2)
    const double expected = 0.5 * 1.2 * 0.7 * 0.01 * (1.0 - s) * speed * speed * std::sqrt(1.0 - s * s) / 0.02;
    EXPECT_NEAR(length(load.lift), expected, 1e-12);
}

TEST(Air, LiftNeverTurnsTheVelocityByMoreThan45Degrees) {
    AirDesc air;
    air.density = 1000.0; // water, on a light cloth, with a long step
    const AirLoad load = air_load(air, {100, -5, 0}, {0, 1, 0}, 0.01, 1e-5, 0.1);
    EXPECT_LE(0.1 * length(load.lift), length(Vec3{100, -5, 0}) * (1.0 + 1e-12));
}

TEST(Air, StillClothAndMasslessPointsFeelNothing) {
    AirDesc air;
    air.density = 1.2;
    EXPECT_EQ(air_load(air, {}, {0, 1, 0}, 1, 1, 0.1).drag_rate, 0.0);
    EXPECT_EQ(air_load(air, {1, 0, 0}, {0, 1, 0}, 1, 0.0, 0.1).drag_rate, 0.0);
}

TEST(Wind, RepeatsForASeedDiffersForAnotherAndHasTheAskedStrength) {
    AirDesc desc;
    desc.density = 1.2;
    desc.wind = {5, 0, 0};
    desc.gust = 0.3;
    desc.seed = 7;
    const Air a(desc), b(desc);
    desc.seed = 8;
    const Air c(desc);
    Vec3 mean;
    double square = 0.0;
    int n = 0;
    for (double t = 0.0; t < 400.0; t += 0.37)
        for (double z = -10.0; z < 10.0; z += 2.3) {
            const Vec3 x{0.1, 1.2, z};
            EXPECT_EQ(a.wind(x, t), b.wind(x, t));
            const Vec3 gust = a.wind(x, t) - Vec3{5, 0, 0};
            mean += gust;
            square += length_squared(gust);
            ++n;
        }
    EXPECT_NE(a.wind({1, 1, 1}, 1.0), c.wind({1, 1, 1}, 1.0));
    EXPECT_LT(length(mean / n), 0.1);
    // rms 0.3 * 5 m/s; ten waves over a finite stretch and a sine good to 1e-3: 10 %.
    EXPECT_NEAR(std::sqrt(square / n), 1.5, 0.15);
}

// Taylor's frozen turbulence: the mean wind carries the gusts along. What is at x now has gone t U further in the time t.
TEST(Wind, CarriesItsGustsAlong) {
    AirDesc desc;
    desc.density = 1.2;
    desc.wind = {3, -1, 0.5};
    desc.gust = 0.4;
    desc.seed = 3;
    const Air air(desc);
    const Vec3 mean{3, -1, 0.5}, x{0.3, 1.1, -0.7};
    for (const double t : {0.1, 0.7, 4.0}) {
        EXPECT_LT(length(air.wind(x + t * mean, t) - air.wind(x, 0.0)), 1e-9) << t;
        EXPECT_GT(length(air.wind(x, t) - air.wind(x, 0.0)), 0.01) << t; // there are gusts
    }
}

TEST(Drag, LeavesTheTerminalVelocityAsItIsAtAnyStep) {
    const ExternalForces::Load load{{0, -9.81, 0}, 2.0, {1, 0, 3}};
    const Vec3 terminal = load.wind + load.acceleration / load.drag_rate; // where a = r (v - wind)
    for (const double h : {1e-4, 1e-2, 1.0, 1e3})
        EXPECT_LT(length(load.advance(terminal, h) - terminal), 1e-12) << h;
    // Both forms of the update are the same but for rounding.
    for (const double h : {1e-4, 1e-2, 1.0})
        EXPECT_LT(length(load.mean_with_wind({1, 2, 3}, h) - load.advance({1, 2, 3}, h)), 1e-14) << h;
    // From rest a single endless step ends there too, instead of overshooting.
    EXPECT_LT(length(load.advance({}, 1e9) - terminal), 1e-8);
}

TEST(Drag, WithoutAirAddsTheAccelerationAlone) {
    const ExternalForces::Load load{{0, -9.81, 0}, 0.0, {}};
    EXPECT_EQ(load.advance({1, 2, 3}, 0.5), (Vec3{1, 2 - 0.5 * 9.81, 3}));
}

TEST(Wind, WithoutGustsIsTheMean) {
    AirDesc desc;
    desc.wind = {1, 2, 3};
    EXPECT_EQ(Air(desc).wind({4, 5, 6}, 7.0), (Vec3{1, 2, 3}));
}

} // namespace
} // namespace selvage
