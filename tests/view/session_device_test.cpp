// What a session does with a device, with one that stands in for it.
#include <cmath>

#include "model/measures.h"
#include "sim/report.h"
#include "sim/separate_memory.h"
#include "solvers/scenes.h"
#include "support.h"
#include "view/session.h"

namespace selvage {
namespace {

constexpr int kFramesOnDevice = 10;

SceneDesc sheet_for_device(const SolverSettings& solver = HarmonicSettings{}) {
    SceneDesc scene = free_sheet(solver, 9);
    scene.dt = 1.0 / 60.0;
    scene.substeps = 10;
    pin_corners(scene);
    return scene;
}

std::unique_ptr<Session> session_on(const SceneDesc& scene, const Device& device) {
    Result<std::unique_ptr<Session>> session = Session::make(scene, 1, device);
    EXPECT_TRUE(session) << (session ? "" : session.error().text());
    return std::move(*session);
}

void advance(Session& session, int frames) {
    for (int f = 0; f < frames; ++f) {
        session.advance();
        (void)session.snapshot(0, 0); // as the thread that draws asks for one
        (void)session.snapshot(0, 0);
    }
}

std::uint64_t hash_of(const Session& session) {
    return state_hash(session.simulation().state());
}

ClothHit hit_in(const Session& session) {
    ClothHit hit;
    hit.triangle = session.simulation().model().mesh.triangle_count() / 2;
    hit.weight = {0.2, 0.3, 0.5};
    return hit;
}

TEST(SessionOnADevice, ReadsTheStateOncePerFrame) {
    StandInDevice stand_in;
    const std::unique_ptr<Session> session = session_on(sheet_for_device(), stand_in.device(DeviceChoice::cuda));
    EXPECT_TRUE(session->snapshot(0, 0)->on_device);
    advance(*session, kFramesOnDevice);
    EXPECT_EQ(stand_in.counts.steps, 10 * kFramesOnDevice);
    EXPECT_EQ(stand_in.counts.downloads, kFramesOnDevice);
    EXPECT_GT(session->snapshot(0, 0)->numbers.back().solver_ms, 0.0f);
}

/// Where a hand is that has pulled for ten frames, and how far the cloth's point is from it at most.
std::pair<Vec3, double> pull(Session& session) {
    const ClothHit hit = hit_in(session);
    const int id = session.grab(hit);
    const Vec3 start = session.grabs().find(id)->at;
    double off = 0.0;
    for (int f = 1; f <= kFramesOnDevice; ++f) {
        session.move_grab(id, start + f * Vec3{0.004, 0.003, 0.01}); // 0.7 m/s
        advance(session, 1);
        const Simulation& sim = session.simulation();
        const Vec3 point = point_on(sim.model(), sim.state().position, hit.triangle, hit.weight);
        off = std::max(off, length(point - session.grabs().find(id)->at));
    }
    return {session.grabs().find(id)->at, off};
}

TEST(SessionOnADevice, HoldsTheTakenPointWhereTheHandIsAndStillReadsOncePerFrame) {
    StandInDevice stand_in;
    const std::unique_ptr<Session> session = session_on(sheet_for_device(), stand_in.device(DeviceChoice::cuda));
    const auto [at, off] = pull(*session);
    EXPECT_LT(off, 1e-12);
    EXPECT_EQ(stand_in.counts.downloads, kFramesOnDevice);
    // A hand gives way where threads are taut. On the CPU it looks at them ten times as often, which changes little.
    const std::unique_ptr<Session> host = session_on(sheet_for_device(), {});
    const double apart = length(at - pull(*host).first);
    EXPECT_LT(apart, 0.005);
}

TEST(SessionOnADevice, AHandStopsWhereTheClothIsTaut) {
    StandInDevice stand_in;
    const std::unique_ptr<Session> session = session_on(sheet_for_device(), stand_in.device(DeviceChoice::cuda));
    const int id = session->grab(hit_in(*session));
    const Vec3 start = session->grabs().find(id)->at;
    session->move_grab(id, start + Vec3{0, 0, 20}); // 20 m from a sheet of one metre
    advance(*session, 120);
    const Simulation& sim = session->simulation();
    EXPECT_LT(measure_strain(sim.model(), sim.state()).max, 3.0 * kYieldingStretch);
    EXPECT_GT(length(session->grabs().find(id)->at - start), 0.05); // it did pull
}

TEST(SessionOnADevice, GoesThereAndBackInTheMiddleOfARunWithoutAJump) {
    StandInDevice stand_in;
    const std::unique_ptr<Session> moved = session_on(sheet_for_device(), stand_in.device(DeviceChoice::cpu));
    const std::unique_ptr<Session> stayed = session_on(sheet_for_device(), {});
    for (const DeviceChoice choice : {DeviceChoice::cuda, DeviceChoice::cpu, DeviceChoice::automatic}) {
        const std::uint64_t before = hash_of(*moved);
        moved->set_device(choice);
        EXPECT_EQ(moved->snapshot(0, 0)->device, choice);
        EXPECT_EQ(moved->snapshot(0, 0)->on_device, choice != DeviceChoice::cpu);
        EXPECT_EQ(hash_of(*moved), before);
        advance(*moved, 3);
        advance(*stayed, 3);
        EXPECT_EQ(hash_of(*moved), hash_of(*stayed)); // the method has no history
    }
    EXPECT_EQ(stand_in.made, 2);
}

TEST(SessionOnADevice, SaysWhyItIsOnTheCpuAndComesBackWhenItCan) {
    StandInDevice stand_in;
    const std::unique_ptr<Session> session =
        session_on(sheet_for_device(XpbdSettings{}), stand_in.device(DeviceChoice::cuda));
    std::shared_ptr<Snapshot> shown = session->snapshot(0, 0);
    EXPECT_FALSE(shown->on_device);
    EXPECT_EQ(shown->device_refusal, "device cuda: found xpbd");
    EXPECT_EQ(shown->message, "on the CPU: device cuda: found xpbd");
    EXPECT_TRUE(shown->message_is_error);
    advance(*session, 2); // which it does all the same
    EXPECT_NEAR(session->simulation().state().time, 2.0 / 60.0, 1e-12);

    session->set_solver("harmonic");
    EXPECT_TRUE(session->snapshot(0, 0)->on_device);
    EXPECT_EQ(session->snapshot(0, 0)->device_refusal, "");
    session->set_poking(true, 0.1, {5, 5, 5}); // a collider
    EXPECT_EQ(session->snapshot(0, 0)->device_refusal, "device cuda: found colliders");
    session->set_poking(false, 0.1, {5, 5, 5});
    EXPECT_TRUE(session->snapshot(0, 0)->on_device);
    session->restart();
    EXPECT_TRUE(session->snapshot(0, 0)->on_device);

    const std::unique_ptr<Session> automatic =
        session_on(sheet_for_device(XpbdSettings{}), stand_in.device(DeviceChoice::automatic));
    shown = automatic->snapshot(0, 0);
    EXPECT_EQ(shown->device_refusal, "device cuda: found xpbd");
    EXPECT_EQ(shown->message, ""); // nobody asked for more
    const std::unique_ptr<Session> without = session_on(sheet_for_device(), {});
    without->set_device(DeviceChoice::cuda);
    EXPECT_EQ(without->snapshot(0, 0)->device_refusal, "device cuda: this program has no device to step on");
}

TEST(SessionOnADevice, StepsBothSidesOfASplitViewThere) {
    StandInDevice stand_in;
    const std::unique_ptr<Session> session = session_on(sheet_for_device(), stand_in.device(DeviceChoice::cuda));
    session->set_compared_solver("implicit-jacobi");
    EXPECT_EQ(stand_in.made, 2);
    advance(*session, kFramesOnDevice);
    EXPECT_EQ(stand_in.counts.downloads, 2 * kFramesOnDevice);
    session->set_device(DeviceChoice::cpu);
    advance(*session, 1);
    EXPECT_EQ(stand_in.counts.downloads, 2 * kFramesOnDevice);
}

TEST(SessionOnADevice, GoesOnOnTheCpuFromTheLastFrameWhenTheDeviceIsLost) {
    for (const char* compared : {"", "implicit-jacobi"}) {
        SCOPED_TRACE(compared);
        StandInDevice stand_in;
        const std::unique_ptr<Session> session = session_on(sheet_for_device(), stand_in.device(DeviceChoice::cuda));
        session->set_compared_solver(compared);
        const int id = session->grab(hit_in(*session));
        advance(*session, 3);
        const std::uint64_t last = hash_of(*session);
        stand_in.is_lost = true;
        session->advance();
        const std::shared_ptr<Snapshot> shown = session->snapshot(0, 0);
        EXPECT_EQ(shown->message, "the device failed, and the CPU goes on: step: the device fell off the bus");
        EXPECT_FALSE(shown->on_device);
        EXPECT_EQ(shown->device, DeviceChoice::cpu);
        EXPECT_TRUE(shown->playing);
        EXPECT_FALSE(shown->diverged);
        EXPECT_EQ(hash_of(*session), last);
        advance(*session, 2);
        EXPECT_NEAR(session->simulation().state().time, 5.0 / 60.0, 1e-12);
        EXPECT_TRUE(all_finite(session->simulation().state()));
        EXPECT_NE(session->grabs().find(id), nullptr);
        session->set_device(DeviceChoice::cuda); // it is still lost
        EXPECT_EQ(session->snapshot(0, 0)->device_refusal, "device cuda: no device found");
        stand_in.is_lost = false;
        session->set_device(DeviceChoice::cuda);
        EXPECT_TRUE(session->snapshot(0, 0)->on_device);
    }
}

} // namespace
} // namespace selvage
