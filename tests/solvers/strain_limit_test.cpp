#include "solvers/parts/strain_limit.h"

#include "model/measures.h"
#include "solvers/scenes.h"

namespace selvage {
namespace {

TEST(StrainLimit, BringsAStretchedSheetBackAndKeepsItsCentre) {
    Simulation sim = make_simulation(free_sheet(ImplicitJacobiSettings{}));
    const ClothModel& model = sim.model();
    ClothState state = sim.state();
    for (Vec3& p : state.position)
        p.x *= 1.5;
    const Vec3 centre = centre_of_mass(model, state);
    const std::vector<std::uint8_t> is_held(model.mass.size(), 0);
    const StepInput input{0.01, {}, nullptr, {}, is_held};
    const StrainLimiter limiter(model);
    limiter.apply(sim.pool(), state, input, 0.05, 200);
    EXPECT_LT(measure_strain(model, state).max, 0.055);
    EXPECT_LT(length(centre_of_mass(model, state) - centre), 1e-12);
    EXPECT_LT(length(measure_momentum(model, state).linear), 1e-12); // impulses come in pairs
}

TEST(StrainLimit, LeavesSlackClothAlone) {
    Simulation sim = make_simulation(free_sheet(ImplicitJacobiSettings{}));
    ClothState state = sim.state();
    for (Vec3& p : state.position)
        p.x *= 0.7;
    const std::vector<Vec3> before = state.position;
    const std::vector<std::uint8_t> is_held(state.position.size(), 0);
    StrainLimiter(sim.model()).apply(sim.pool(), state, {0.01, {}, nullptr, {}, is_held}, 0.0, 10);
    EXPECT_EQ(state.position, before);
}

TEST(StrainLimit, DoesNotMoveHeldPoints) {
    Simulation sim = make_simulation(free_sheet(ImplicitJacobiSettings{}, 3));
    ClothState state = sim.state();
    for (Vec3& p : state.position)
        p *= 2.0;
    std::vector<std::uint8_t> is_held(state.position.size(), 0);
    is_held[4] = is_held[0] = 1;
    const Vec3 middle = state.position[4], corner = state.position[0];
    StrainLimiter(sim.model()).apply(sim.pool(), state, {0.01, {}, nullptr, {}, is_held}, 0.1, 50);
    EXPECT_EQ(state.position[4], middle);
    EXPECT_EQ(state.position[0], corner);
}

TEST(StrainLimit, KeepsAStiffHangingClothShort) {
    const auto strain = [](double limit) {
        ImplicitJacobiSettings settings;
        settings.strain_limit = limit;
        settings.strain_passes = 40;
        SceneDesc scene = free_sheet(settings);
        scene.cloths[0].material.stretch_warp = scene.cloths[0].material.stretch_weft = 3000;
        PinDesc top;
        top.select = EdgeName{"top"};
        scene.cloths[0].pins.push_back(top);
        Simulation sim = make_simulation(scene);
        run_steps(sim, 480);
        return measure_strain(sim.model(), sim.state()).max;
    };
    EXPECT_GT(strain(0.0), 0.015); // one sweep at 1/240 s: soft; the fabric itself stretches by 0.07 %
    EXPECT_LT(strain(0.002), 0.003);
}

/// A sheet pulled half as long again.
ClothState stretched(const Simulation& sim) {
    ClothState state = sim.state();
    for (Vec3& p : state.position)
        p.x *= 1.5;
    return state;
}

TEST(StrainLimit, StopsOnceTheErrorIsSmallEnough) {
    Simulation sim = make_simulation(free_sheet(ImplicitJacobiSettings{}));
    const std::vector<std::uint8_t> is_held(sim.model().mass.size(), 0);
    const StepInput input{0.01, {}, nullptr, {}, is_held};
    const StrainLimiter limiter(sim.model());
    int rounds = 0;
    for (const double error : {0.1, 0.01, 0.001}) {
        ClothState state = stretched(sim);
        const StrainLimitResult result = limiter.apply(sim.pool(), state, input, 0.05, {1000, error});
        EXPECT_LE(result.excess, error);
        EXPECT_LT(measure_strain(sim.model(), state).max, 0.05 + error); // the last round has corrected what it met
        EXPECT_GT(result.passes, rounds);                                // less error, more rounds
        EXPECT_LT(result.passes, 1000);
        rounds = result.passes;
    }
}

TEST(StrainLimit, StopsAfterTheGivenRoundsOrTime) {
    Simulation sim = make_simulation(free_sheet(ImplicitJacobiSettings{}));
    const std::vector<std::uint8_t> is_held(sim.model().mass.size(), 0);
    const StepInput input{0.01, {}, nullptr, {}, is_held};
    const StrainLimiter limiter(sim.model());
    ClothState state = stretched(sim);
    EXPECT_EQ(limiter.apply(sim.pool(), state, input, 0.05, 7).passes, 7);
    state = stretched(sim);
    EXPECT_EQ(limiter.apply(sim.pool(), state, input, 0.05, {1000, 0.0, 1e-9}).passes, 1); // a picosecond
    state = sim.state();
    EXPECT_EQ(limiter.apply(sim.pool(), state, input, 0.05, 1000).passes, 1); // nothing to do
}

} // namespace
} // namespace selvage
