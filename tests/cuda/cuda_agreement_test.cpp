// Methods on the device against the same methods on the CPU, step by step.

#include <array>
#include <cmath>

#include "cuda/cuda_scenes.h"

namespace selvage {
namespace {

/// How far apart positions may be after 1, 10 and 100 steps [m].
using Bounds = std::array<double, 3>;

// The CPU steps in double, the device in float. Differences of positions up to 1 m are rounded by 6e-8 m, and a spring
// answers a wrong length with a step of at most that size. Such errors add up over steps, and swing with the cloth: about
// in proportion to their number. Wind, which depends on where the cloth is, lets them grow a few times faster. Seen:
// at most 1.2e-8, 7.5e-8 and 2e-6.
constexpr Bounds kOfFloats{1e-7, 1e-6, 2e-5};

// Both solve the same linear systems, with preconditioners that differ in the damping of sweeps and on the coarsest level.
// What two iterations leave undone differs, by a part of what a step moves (g h^2 = 2.7e-5 m). Seen: at most 1.1e-7,
// 2.1e-6 and 1.3e-3.
constexpr Bounds kOfUnfinishedSolves{1e-6, 2e-5, 5e-3};

struct Method {
    const char* name;
    SolverSettings solver;
    Bounds bounds;
    double dt = 1.0 / 240.0;
};
void PrintTo(const Method& method, std::ostream* out) {
    *out << method.name;
}

std::vector<Method> methods() {
    ImplicitJacobiSettings swept;
    swept.sweeps = 3;
    swept.position_update = PositionUpdate::mean_velocity;
    ImplicitJacobiSettings filtered;
    filtered.filter_gravity = true;
    MultilevelSettings solved; // until nothing is left but rounding
    solved.iterations = 8;
    MultilevelSettings springs = solved;
    springs.elements = Elements::springs;
    return {
        {"Harmonic", HarmonicSettings{}, kOfFloats},
        {"HarmonicPublished", HarmonicPublishedSettings{}, kOfFloats, 1.0 / 600.0}, // longer steps amplify what differs
        {"ImplicitJacobi", ImplicitJacobiSettings{}, kOfFloats},
        {"ImplicitJacobiOfThreeSweeps", swept, kOfFloats},
        {"ImplicitJacobiWithGravityFiltered", filtered, kOfFloats},
        {"MultilevelSolved", solved, kOfFloats},
        {"MultilevelOfSprings", springs, kOfFloats},
        {"Multilevel", MultilevelSettings{}, kOfUnfinishedSolves, 1.0 / 600.0}};
}

class CudaAgreement : public OnEmulatedDevice, public ::testing::WithParamInterface<Method> {
protected:
    void expect_agreement(SceneDesc scene, const std::function<void(Simulation&, int step)>& before_step = {}) {
        scene.dt = GetParam().dt;
        Simulation host = make_simulation(scene), device = on_device(scene);
        constexpr std::array<int, 3> kSteps{1, 10, 100};
        for (int step = 1, k = 0; step <= kSteps.back(); ++step) {
            for (Simulation* sim : {&host, &device}) {
                if (before_step) before_step(*sim, step);
                sim->step();
            }
            if (step != kSteps[k]) continue;
            ASSERT_FALSE(device.divergence()) << device.divergence()->text();
            EXPECT_LT(farthest_apart(host.state(), device.state()), GetParam().bounds[k])
                << "after " << step << " steps";
            EXPECT_DOUBLE_EQ(host.state().time, device.state().time);
            ++k;
        }
    }
};

TEST_P(CudaAgreement, OnARegularGrid) {
    expect_agreement(hanging_grid(GetParam().solver));
}

TEST_P(CudaAgreement, OnAnIrregularMesh) {
    expect_agreement(hanging_irregular(GetParam().solver));
}

// A vertex with 1,300 springs: no block of threads has room for it and its neighbours.
TEST_P(CudaAgreement, OnAFanThatNoPatchHolds) {
    if (solver_name(GetParam().solver) != "implicit-jacobi" && solver_name(GetParam().solver) != "harmonic")
        GTEST_SKIP();
    constexpr int kRim = 1300;
    auto fan = std::make_shared<GeneratedMesh>();
    fan->mesh.positions.push_back({0, 1, 0});
    fan->mesh.uv.push_back({0, 0});
    for (int k = 0; k < kRim; ++k) {
        const double turn = 2.0 * std::acos(-1.0) * k / kRim, c = std::cos(turn), s = std::sin(turn);
        fan->mesh.positions.push_back({c, 1, s});
        fan->mesh.uv.push_back({c, s});
        fan->mesh.triangles.push_back({0, 1 + (k + 1) % kRim, 1 + k});
    }
    SceneDesc scene = hanging_grid(GetParam().solver);
    scene.cloths[0].given_mesh = fan;
    scene.cloths[0].pins.clear();
    scene.dt = 1e-4; // so light a rim is stiff
    Simulation host = make_simulation(scene), device = on_device(scene);
    host.step();
    device.step();
    EXPECT_LT(farthest_apart(host.state(), device.state()), GetParam().bounds[0]);
}

TEST_P(CudaAgreement, InGustyWindWithAllKindsOfDamping) {
    SceneDesc scene = hanging_irregular(GetParam().solver);
    scene.air.density = 1.2;
    scene.air.wind = {1, 0, 3};
    scene.air.gust = 0.3;
    scene.velocity_damping = 0.5;
    scene.cloths[0].material.damping = 0.002;
    scene.cloths[0].net.relative_damping = 1e-4;
    expect_agreement(scene);
}

TEST_P(CudaAgreement, WithNothingHeld) {
    SceneDesc scene = free_sheet(GetParam().solver, kSide);
    scene.cloths[0].spin = {1, 2, 3};
    expect_agreement(scene);
}

TEST_P(CudaAgreement, WithPinsThatMoveAndLetGo) {
    SceneDesc scene = hanging_grid(GetParam().solver);
    PinDesc& pin = scene.cloths[0].pins[0];
    pin.keyframes = {{0.0, {0, 0, 0}, {0, 0, 0}}, {0.3, {0.2, 0.1, 0}, {0, 0, 0}}};
    pin.release = 60 * GetParam().dt;
    expect_agreement(scene);
}

TEST_P(CudaAgreement, WithAHandThatGrabsAndLetsGo) {
    const SceneDesc scene = hanging_grid(GetParam().solver);
    constexpr int kVertex = kSide * kSide / 2; // in the middle
    const Vec3 start = make_simulation(scene).state().position[kVertex];
    expect_agreement(scene, [&](Simulation& sim, int step) {
        if (step > 5 && step < 50) sim.grab(kVertex, start + Vec3{0.0, 0.0005 * step, 0.001 * (step - 5)});
        if (step == 50) sim.release(kVertex);
    });
}

INSTANTIATE_TEST_SUITE_P(OfEach, CudaAgreement, ::testing::ValuesIn(methods()),
                         [](const auto& method) { return std::string(method.param.name); });

} // namespace
} // namespace selvage
