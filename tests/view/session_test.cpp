#include "view/session.h"

#include <cmath>
#include <fstream>
#include <random>

#include "base/atomic_file.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/checkpoint.h"
#include "solvers/scenes.h"
#include "support.h"
#include "view/sim_thread.h"

namespace selvage {
namespace {

/// A pinned sheet that answers within a millisecond per frame.
SceneDesc hanging_sheet(int vertices = 9) {
    SceneDesc scene = free_sheet(XpbdSettings{}, vertices);
    scene.dt = 1.0 / 60.0;
    scene.substeps = 10;
    const Result<Fabric> fabric = load_fabric("cotton-poplin");
    EXPECT_TRUE(fabric);
    scene.cloths[0].material = fabric->material;
    scene.cloths[0].material.density = 0.2; // undo's tests want a round number
    scene.cloths[0].inline_fabric = true;   // files spell its numbers out
    pin_corners(scene);
    return scene;
}

std::unique_ptr<Session> make_session(const SceneDesc& scene) {
    Result<std::unique_ptr<Session>> session = Session::make(scene, 1);
    EXPECT_TRUE(session) << (session ? "" : session.error().text());
    return std::move(*session);
}

void run(Session& session, int frames) {
    for (int i = 0; i < frames; ++i)
        session.advance();
}

ClothHit middle_of(const Session& session) {
    const ClothModel& model = session.simulation().model();
    ClothHit hit;
    hit.triangle = model.mesh.triangle_count() / 2;
    hit.weight = {0.2, 0.3, 0.5};
    return hit;
}

Vec3 held_point(const Session& session, int id) {
    const Grab* grab = session.grabs().find(id);
    return point_on(session.simulation().model(), session.simulation().state().position, grab->triangle, grab->weight);
}

TEST(Session, HoldsTheTakenPointExactlyWhereTheHandIsWithEverySolver) {
    for (const SolverEntry& entry : solver_catalog()) {
        SCOPED_TRACE(entry.name);
        SceneDesc scene = hanging_sheet();
        scene.solver = entry.defaults;
        const std::unique_ptr<Session> session = make_session(scene);
        const int id = session->grab(middle_of(*session));
        ASSERT_GT(id, 0);
        Vec3 at = held_point(*session, id);
        for (int i = 0; i < 10; ++i) {
            at += Vec3{0.004, 0.003, 0.01}; // 0.7 m/s
            session->move_grab(id, at);
            session->advance();
            if (entry.traits.can_diverge && session->simulation().divergence()) break;
            // Within the frame, to rounding: the triangle's corners are where the grab puts them.
            EXPECT_LT(length(held_point(*session, id) - at), 1e-12);
        }
    }
}

TEST(Session, FollowsAJumpAtTheSpeedOfAHandAndGetsThere) {
    SceneDesc scene = hanging_sheet();
    scene.cloths[0].pins.clear();
    const std::unique_ptr<Session> session = make_session(scene);
    const int id = session->grab(middle_of(*session));
    const Vec3 start = held_point(*session, id), far = start + Vec3{3.0, 0.0, 4.0}; // five metres within one frame
    session->move_grab(id, far);
    Vec3 before = start;
    for (int i = 0; i < 90; ++i) {
        session->advance();
        const Vec3 now = held_point(*session, id);
        EXPECT_LE(length(now - before), kGrabSpeed / 60.0 + 1e-12);
        before = now;
    }
    EXPECT_LT(length(before - far),
              1e-9); // half a second at full speed; the cloth it drags along holds it back a little
}

TEST(Session, AHandStopsWhereTheClothIsTaut) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet(13));
    const int id = session->grab(middle_of(*session));
    const Vec3 start = held_point(*session, id);
    session->move_grab(id, start + Vec3{0, 0, 20}); // 20 m from a sheet of one metre
    run(*session, 120);
    // A grab without a limit would stretch threads to many times their length.
    const Simulation& sim = session->simulation();
    EXPECT_LT(measure_strain(sim.model(), sim.state()).max, 3.0 * kYieldingStretch);
    EXPECT_GT(length(held_point(*session, id) - start), 0.05); // it did pull
    session->move_grab(id, start);                             // and comes back
    run(*session, 60);
    EXPECT_LT(length(held_point(*session, id) - start), 1e-9);
}

TEST(Session, ThrowsWhatIsLetGoInMotion) {
    SceneDesc scene = hanging_sheet();
    scene.cloths[0].pins.clear();
    const std::unique_ptr<Session> session = make_session(scene);
    const int id = session->grab(middle_of(*session));
    Vec3 at = held_point(*session, id);
    for (int i = 0; i < 10; ++i) {
        at += Vec3{0, 0, 0.03}; // 1.8 m/s
        session->move_grab(id, at);
        session->advance();
    }
    session->release(id);
    EXPECT_TRUE(session->grabs().all().empty());
    const Simulation& sim = session->simulation();
    const double thrown = measure_momentum(sim.model(), sim.state()).linear.z;
    EXPECT_GT(thrown, 0.05); // some of 0.2 kg at 1.8 m/s
    run(*session, 10);
    // Nothing pulls along z any more: the momentum it was released with stays.
    EXPECT_NEAR(measure_momentum(sim.model(), sim.state()).linear.z, thrown, 1e-6);
}

TEST(Session, HoldsSeveralPointsAndSharedCornersStayHeld) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    const int first = session->grab(middle_of(*session));
    ClothHit neighbour = middle_of(*session);
    neighbour.triangle += 1;
    const int second = session->grab(neighbour);
    EXPECT_NE(first, second);
    session->pin_grab(first);
    const Vec3 at = held_point(*session, first);
    run(*session, 5);
    session->release(second);
    run(*session, 20);
    EXPECT_LT(length(held_point(*session, first) - at), 1e-12);
    session->release_all();
    run(*session, 20);
    EXPECT_TRUE(session->grabs().all().empty());
    EXPECT_EQ(session->grab({-1, {}, {}, 0}), 0);
    EXPECT_EQ(session->grab({100000, {}, {}, 0}), 0);
}

TEST(Session, StaysFiniteHoweverFastTheHandMoves) {
    for (const SolverEntry& entry : solver_catalog()) {
        if (entry.traits.can_diverge) continue;
        SCOPED_TRACE(entry.name);
        SceneDesc scene = hanging_sheet(7);
        scene.solver = entry.defaults;
        const std::unique_ptr<Session> session = make_session(scene);
        const int id = session->grab(middle_of(*session));
        std::mt19937 random(7);
        for (int i = 0; i < 60; ++i) {
            const auto jump = [&] { return (static_cast<double>(random()) * 0x1p-32 - 0.5) * 40.0; };
            session->move_grab(id, {jump(), jump(), jump()});
            session->advance();
            ASSERT_FALSE(session->simulation().divergence()) << session->simulation().divergence()->text();
        }
        session->move_grab(id, {std::nan(""), 0, 0});
        session->advance();
        for (const Vec3& p : session->simulation().state().position)
            ASSERT_TRUE(is_finite(p));
    }
}

TEST(Session, SwitchesSolversOnTheSameState) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    run(*session, 10);
    for (const SolverEntry& entry : solver_catalog()) {
        const std::vector<Vec3> before = session->simulation().state().position;
        const double time = session->simulation().state().time;
        session->set_solver(entry.name);
        EXPECT_EQ(solver_name(session->simulation().scene().solver), entry.name);
        EXPECT_EQ(session->simulation().state().position, before); // nothing jumps
        EXPECT_DOUBLE_EQ(session->simulation().state().time, time);
        run(*session, 2);
    }
    session->set_solver("no-such");
    EXPECT_EQ(solver_name(session->scene().solver), solver_catalog().back().name);
}

TEST(Session, KeepsTheStateThroughChangesOfSettingsAndUndoesThem) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    run(*session, 5);
    const std::vector<Vec3> before = session->simulation().state().position;
    for (const double density : {0.3, 0.4, 0.5}) // one gesture
        session->edit("density", [&](SceneDesc& s) { s.cloths[0].material.density = density; });
    session->end_gesture();
    session->edit("gravity", [](SceneDesc& s) { s.gravity = {0, -1, 0}; });
    EXPECT_EQ(session->simulation().state().position, before);
    EXPECT_EQ(session->simulation().scene().cloths[0].material.density, 0.5);
    session->undo();
    EXPECT_EQ(session->scene().gravity[1], -9.81);
    session->undo();
    EXPECT_EQ(session->scene().cloths[0].material.density, 0.2); // all three at once
    session->undo();                                             // nothing left: a message and no harm
    session->redo();
    EXPECT_EQ(session->simulation().scene().cloths[0].material.density, 0.5);
    EXPECT_EQ(session->simulation().state().position, before);
}

TEST(Session, ScrubsBackAndRunsOnTheSameWay) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    run(*session, 20);
    const std::vector<Vec3> there = session->simulation().state().position;
    session->scrub(5); // the timeline starts with frame 0
    EXPECT_FALSE(session->is_playing());
    EXPECT_NEAR(session->simulation().state().time, 5.0 / 60.0, 1e-12);
    EXPECT_EQ(session->timeline().count(), 21);
    // Steps depend on the state alone: from frame 5 on everything happens again, bit for bit.
    run(*session, 15);
    EXPECT_EQ(session->simulation().state().position, there);
    EXPECT_EQ(session->timeline().count(), 21);
    session->scrub(-100);
    EXPECT_EQ(session->timeline().at(), 0);
    session->scrub(100000);
    EXPECT_EQ(session->timeline().at(), 20);
}

TEST(Session, RestartsFromTheBeginning) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    const std::vector<Vec3> start = session->simulation().state().position;
    run(*session, 10);
    session->restart();
    EXPECT_EQ(session->simulation().state().position, start);
    EXPECT_EQ(session->simulation().state().time, 0.0);
    EXPECT_EQ(session->timeline().count(), 1);
}

TEST(Session, RunsASecondSolverWithTheSameHands) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    run(*session, 3);
    session->set_compared_solver("implicit-jacobi");
    EXPECT_EQ(session->snapshot(0, 0)->compared_position, session->simulation().state().position);
    const ClothHit hit = middle_of(*session);
    const int id = session->grab(hit);
    const Vec3 target = held_point(*session, id) + Vec3{0, 0, 0.1};
    session->move_grab(id, target);
    run(*session, 10);
    const std::shared_ptr<const Snapshot> shown = session->snapshot(0, 0);
    EXPECT_EQ(shown->compared_solver, "implicit-jacobi");
    EXPECT_NE(shown->compared_position, shown->position);
    EXPECT_LT(length(point_on(*shown->compared_model, shown->compared_position, hit.triangle, hit.weight) - target),
              1e-12);
    session->set_compared_solver("");
    EXPECT_FALSE(session->snapshot(0, 0)->compared_model);
}

TEST(Session, NeverComparesASolverWithItself) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    const std::string first = solver_name(session->snapshot(0, 0)->scene->solver);
    session->set_compared_solver(first);
    EXPECT_FALSE(session->snapshot(0, 0)->compared_model);
    session->set_compared_solver("implicit-jacobi");
    session->set_solver("implicit-jacobi"); // the two change places
    EXPECT_EQ(session->snapshot(0, 0)->compared_solver, first);
    EXPECT_EQ(solver_name(session->snapshot(0, 0)->scene->solver), "implicit-jacobi");
    run(*session, 2);
    session->undo();
    EXPECT_EQ(session->snapshot(0, 0)->compared_solver, "implicit-jacobi");
}

TEST(Session, MovesSolidsByHandAndMakesItAChangeOfTheScene) {
    SceneDesc scene = hanging_sheet();
    ColliderDesc ball;
    ball.shape = Sphere{0.1};
    ball.place.translate = {0, 0, 1};
    scene.colliders.push_back(ball);
    const std::unique_ptr<Session> session = make_session(scene);
    session->start_moving_collider(0);
    session->move_collider({0, 0, -0.1});
    session->advance();
    EXPECT_NEAR(session->simulation().colliders()[0].now.centre.z, 0.9, 1e-12);
    session->move_collider({0, 0, -1.1}); // through the cloth, at the speed limit: ten frames push it along
    run(*session, 10);
    EXPECT_NEAR(session->simulation().colliders()[0].now.centre.z, -0.1, 1e-12);
    double farthest = 0.0;
    for (const Vec3& p : session->simulation().state().position)
        farthest = std::min(farthest, p.z);
    EXPECT_LT(farthest, -0.15); // the ball's far side: the cloth hangs before it
    session->stop_moving_collider();
    EXPECT_NEAR(session->scene().colliders[0].place.translate[2], -0.1, 1e-12);
    session->advance();
    EXPECT_NEAR(session->simulation().colliders()[0].now.centre.z, -0.1, 1e-12);
    session->undo();
    EXPECT_EQ(session->scene().colliders[0].place.translate[2], 1.0);
    session->start_moving_collider(7);
    session->stop_moving_collider();
}

TEST(Session, PokesWithABallThatIsNoPartOfTheScene) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    session->set_poking(true, 0.1, {0, 0, 0.5});
    EXPECT_EQ(session->simulation().colliders().size(), 1u);
    EXPECT_TRUE(session->scene().colliders.empty());
    session->move_poker({0, 0, 0.05});
    run(*session, 10);
    double farthest = 0.0;
    for (const Vec3& p : session->simulation().state().position)
        farthest = std::min(farthest, p.z);
    EXPECT_LT(farthest, -0.04); // the ball reaches to z = -0.05 and has pushed the cloth there
    session->set_poking(false, 0.1, {});
    EXPECT_TRUE(session->simulation().colliders().empty());
}

TEST(Session, KeepsToATimeBudgetWithFewerSteps) {
    SceneDesc scene = hanging_sheet();
    scene.substeps = 50;
    const std::unique_ptr<Session> session = make_session(scene);
    const double time = 1.0 / 60.0;
    session->set_budget(1e-4); // no machine is so fast
    run(*session, 20);
    EXPECT_EQ(session->simulation().scene().substeps, 1);
    EXPECT_NEAR(session->simulation().state().time, 20 * time, 1e-9); // frames stay as long as they are
    session->set_budget(0.0);
    EXPECT_EQ(session->simulation().scene().substeps, 50);
    session->advance();
    EXPECT_NEAR(session->simulation().state().time, 21 * time, 1e-9);
}

TEST(Session, GivesEachSolverItsOwnSteps) {
    SceneDesc scene = hanging_sheet();
    scene.substeps = 8;
    const std::unique_ptr<Session> alone = make_session(scene);
    scene.substeps_of = {{"multilevel", 2}, {"other", 8}};
    choose_solver(scene, MultilevelSettings{});
    const std::unique_ptr<Session> session = make_session(scene);
    session->set_compared_solver("xpbd");
    run(*alone, 3);
    run(*session, 3);
    EXPECT_EQ(session->simulation().step_count(), 3 * 2);
    EXPECT_EQ(session->snapshot(0, 0)->compared_position, alone->simulation().state().position);
    session->set_solver("filter");
    EXPECT_EQ(session->simulation().scene().substeps, 8);
    EXPECT_NEAR(session->simulation().state().time, 3.0 / 60.0, 1e-9);
}

TEST(Session, StopsAndSaysSoWhenASolverBursts) {
    SceneDesc scene = hanging_sheet();
    scene.solver = ExplicitSettings{};
    scene.cloths[0].material.stretch_warp = scene.cloths[0].material.stretch_weft = 1e6;
    const std::unique_ptr<Session> session = make_session(scene);
    run(*session, 200);
    EXPECT_FALSE(session->is_playing());
    EXPECT_NE(session->snapshot(0, 0)->message.find("diverged at step"), std::string::npos);
    for (const Vec3& p : session->simulation().state().position)
        ASSERT_TRUE(is_finite(p));
    session->set_solver("xpbd"); // and goes on from the last good frame
    session->set_playing(true);
    run(*session, 5);
    EXPECT_FALSE(session->simulation().divergence());
}

TEST(Session, ComparesWithAReferenceInTheBackgroundUntilAHandTakesPart) {
    SceneDesc scene = hanging_sheet(5);
    scene.solver = ImplicitCgSettings{}; // the reference itself, in longer steps: nearly the same motion
    const std::unique_ptr<Session> session = make_session(scene);
    session->set_comparing(true);
    std::vector<MotionError> errors;
    for (int i = 0; i < 1000 && errors.size() < 5; ++i) {
        if (i < 12)
            session->advance(); // two frames to a check point
        else {
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // for the reference
            session->advance();
        }
        errors = session->snapshot(0, 0)->errors;
    }
    ASSERT_GE(errors.size(), 5u);
    for (const MotionError& e : errors) {
        EXPECT_GT(e.similarity, 0.8); // E = 0 and S = 1 - 2 pinned of 25 points, for the same motion
        EXPECT_LT(e.error, 0.1);
    }
    session->grab(middle_of(*session));
    EXPECT_FALSE(session->snapshot(0, 0)->comparing);
}

class SessionFiles : public TestFolder {};

TEST_F(SessionFiles, BrokenOnesLeaveAMessageAndTheState) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    run(*session, 3);
    const std::uint64_t hash = state_hash(session->simulation().state());
    ASSERT_TRUE(write_file(file("broken.json"), "{\"name\": \"x\", \"cloth\": []}"));
    ASSERT_TRUE(write_file(file("cut.json"), "{\"name\": "));
    ASSERT_TRUE(write_file(file("bad.obj"), "v 0 0\nf 1 2 3\n"));
    ASSERT_TRUE(write_file(file("bad.state"), "no checkpoint"));
    ASSERT_TRUE(write_file(file("song.mp3"), ""));
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"broken.json", "cloth"},         {"cut.json", "cut.json"},
        {"bad.obj", "bad.obj"},           {"bad.state", "is not a Selvage checkpoint"},
        {"song.mp3", "expected a scene"}, {"missing.json", "missing.json"}};
    for (const auto& [name, wanted] : cases) {
        session->open(file(name).string());
        const std::shared_ptr<const Snapshot> shown = session->snapshot(0, 0);
        EXPECT_TRUE(shown->message_is_error) << name;
        EXPECT_NE(shown->message.find(wanted), std::string::npos) << name << ": " << shown->message;
        EXPECT_EQ(state_hash(session->simulation().state()), hash) << name;
    }
}

TEST_F(SessionFiles, SavesWhatOpensAgainAsItWas) {
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    session->edit("wind", [](SceneDesc& s) { s.air.density = 1.2; });
    run(*session, 7);
    session->save(file("saved"));
    EXPECT_FALSE(session->snapshot(0, 0)->message_is_error) << session->snapshot(0, 0)->message;
    const std::uint64_t hash = state_hash(session->simulation().state());
    const Result<SceneDesc> scene = load_scene(file("saved.json").string());
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->air.density, 1.2);
    const std::unique_ptr<Session> again = make_session(*scene);
    again->open(file("saved.state").string());
    EXPECT_FALSE(again->snapshot(0, 0)->message_is_error) << again->snapshot(0, 0)->message;
    EXPECT_EQ(state_hash(again->simulation().state()), hash);
    session->save("/no/such/folder/saved");
    EXPECT_TRUE(session->snapshot(0, 0)->message_is_error);
}

TEST_F(SessionFiles, AMeshFallsOnAFloorAtAGarmentsSize) {
    ASSERT_TRUE(write_file(file("patch.obj"),
                           "v 0 0 0\nv 100 0 0\nv 100 0 100\nv 0 0 100\nf 1 2 3\nf 1 3 4\n")); // millimetres, say
    const std::unique_ptr<Session> session = make_session(hanging_sheet());
    session->open(file("patch.obj").string());
    EXPECT_FALSE(session->snapshot(0, 0)->message_is_error) << session->snapshot(0, 0)->message;
    EXPECT_EQ(session->simulation().model().vertex_count(), 4);
    const std::vector<Vec3>& x = session->simulation().state().position;
    EXPECT_NEAR(length(x[2] - x[0]), 1.5, 1e-9);
    EXPECT_NEAR(x[0].y, 0.3, 1e-9);
    for (int i = 0; i < 60; ++i)
        session->advance();
    EXPECT_NEAR(session->simulation().state().position[0].y, 0.002, 2e-3); // on the floor, at its thickness
}

TEST(SimThread, RunsCommandsBetweenFramesAndKeepsThePaceOfTheClock) {
    SimThread thread(make_session(hanging_sheet()));
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    thread.post([](Session& s) { s.set_playing(false); });
    thread.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::shared_ptr<const Snapshot> stopped = thread.snapshot();
    EXPECT_FALSE(stopped->playing);
    EXPECT_GT(stopped->time, 0.0);
    EXPECT_LE(stopped->time, seconds + 3.0 / 60.0); // never ahead of the clock by more than a hiccup's two frames
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(thread.snapshot()->time, stopped->time);
    thread.post([](Session& s) { s.advance(); });
    thread.wait();
    EXPECT_NEAR(thread.snapshot()->time, stopped->time + 1.0 / 60.0, 1e-12);
}

TEST(SimThread, SaysWhichInputASnapshotHasFollowed) {
    SimThread thread(make_session(hanging_sheet()));
    thread.post([](Session& s) { s.set_playing(false); });
    thread.wait();
    const auto before = SpeedMeter::Clock::now();
    thread.post_input([](Session& s) { s.move_poker({0, 0, 0}); });
    thread.wait();
    const auto after = SpeedMeter::Clock::now();
    EXPECT_LT(thread.snapshot()->input_at, before); // it has run, but no frame has come of it
    thread.post([](Session& s) { s.set_playing(true); });
    while (thread.snapshot()->input_at < before) // ends with the first frame; else the test's time limit says so
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_LE(thread.snapshot()->input_at, after);
}

TEST(SpeedMeter, CountsSimulatedSecondsPerSecond) {
    SpeedMeter meter;
    const auto start = SpeedMeter::Clock::now();
    const auto at = [&](double seconds) {
        return start + std::chrono::duration_cast<SpeedMeter::Clock::duration>(std::chrono::duration<double>(seconds));
    };
    EXPECT_EQ(meter.factor(at(0)), 0.0);
    for (int i = 0; i <= 100; ++i)
        meter.add(1.0 / 60.0, at(i / 30.0)); // half of real time
    EXPECT_NEAR(meter.factor(at(100 / 30.0)), 0.5, 1e-6);
    EXPECT_NEAR(meter.frames(at(100 / 30.0)), 30.0, 1e-4);
}

} // namespace
} // namespace selvage
