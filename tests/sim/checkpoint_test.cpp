#include "sim/checkpoint.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "model/measures.h"
#include "scene/scene_io.h"
#include "sim/report.h"
#include "sim/scene_text.h"
#include "support.h"

namespace selvage {
namespace {

using Checkpoint = TestFolder;

void run_frames(Simulation& sim, int count) {
    for (int f = 0; f < count; ++f)
        sim.step_frame();
}

/// Soft enough for every solver at 1/300 s, with all that a run can depend on: gusts, moving pins, and one let go.
SceneDesc busy_scene(const SolverSettings& solver) {
    SceneDesc scene = read(R"({"dt": "1/150", "substeps": 2,
        "air": {"wind": {"velocity": [3,0,1], "gust": 0.4, "seed": 3}},
        "cloths": [{"name": "c", "mesh": {"grid": {"vertices": [7,6]}}, "fabric": {"density": 0.05},
            "net": {"stiffness_times_length": 0.03, "relative_damping": 1e-4},
            "pins": [{"corner": "top-left", "keyframes": [{"t": 0.02}, {"t": 0.12, "translate": [0.1,0,0.05], "rotate_deg": [0,30,0]}]},
                     {"edge": "right", "release": 0.08}]}]})");
    scene.solver = solver;
    return scene;
}

/// Four mass points: a checkpoint of a few hundred bytes.
SceneDesc tiny_scene() {
    return read(R"({"dt": "1/60", "substeps": 1, "cloths": [{"mesh": {"grid": {"vertices": [2,2]}}}]})");
}

std::string load_error(const std::filesystem::path& path, Simulation& sim) {
    const Result<RunHistory> history = load_checkpoint(path, sim);
    return history ? "loaded" : history.error().text();
}

std::string bytes_of(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_file(path);
    EXPECT_TRUE(bytes);
    return bytes ? *bytes : "";
}

/// Without the write-aside and sync of write_file: the tests below write thousands of files.
void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(Checkpoint, LetsEverySolverGoOnBitForBit) {
    std::vector<SolverSettings> all;
    for (const SolverEntry& entry : solver_catalog())
        all.push_back(entry.defaults);
    ImplicitJacobiSettings limited;
    limited.sweeps = 3;
    limited.strain_limit = 0.01;
    all.push_back(limited);
    ImplicitCgSettings third_order;
    third_order.integrator = Integrator::sdirk3;
    third_order.newton = 2;
    all.push_back(third_order);
    std::vector<SceneDesc> scenes;
    for (const SolverSettings& settings : all)
        scenes.push_back(busy_scene(settings));
    scenes.push_back(busy_scene(MultilevelSettings{})); // with yarns that remember how they were bent
    scenes.back().cloths[0].net = {};
    scenes.back().cloths[0].material.bend_friction_warp = scenes.back().cloths[0].material.bend_friction_weft = 5e-4;
    for (const SceneDesc& scene : scenes) {
        SCOPED_TRACE(solver_name(scene.solver));
        Simulation whole = make(scene);
        run_frames(whole, 20);
        ASSERT_FALSE(whole.divergence());

        Simulation first = make(scene);
        run_frames(first, 10);
        ASSERT_TRUE(save_checkpoint(file("run.checkpoint"), first, {}));
        Simulation second = make(scene);
        ASSERT_EQ(load_error(file("run.checkpoint"), second), "loaded");
        EXPECT_EQ(second.step_count(), 20);
        EXPECT_EQ(state_hash(second.state()), state_hash(first.state()));
        run_frames(second, 10);
        EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
        run_frames(first, 10); // saving changes nothing
        EXPECT_EQ(state_hash(first.state()), state_hash(whole.state()));
    }
}

TEST_F(Checkpoint, CutShortAnywhereIsRefusedAndTheSimulationStaysAsItWas) {
    Simulation saved = make(tiny_scene()), sim = make(tiny_scene());
    run_frames(saved, 3);
    run_frames(sim, 1);
    const std::uint64_t before = state_hash(sim.state());
    ASSERT_TRUE(save_checkpoint(file("whole"), saved, {1.0, {0.1, 0.2, 0.3}, {1, 0, -1}, {0.1, 0.1, 0.2}}));
    const std::string whole = bytes_of(file("whole"));
    ASSERT_EQ(whole.size(),
              80u + 3u * 16u + 4u * 48u + 3u + 8u); // header, strains, positions and velocities, wrinkles, check sum
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write_bytes(file("cut"), whole.substr(0, size));
        const std::string said = load_error(file("cut"), sim);
        EXPECT_EQ(said.rfind(file("cut").string() + ": ", 0), 0u) << said;
        const char* reason = size < 80 ? "is not a Selvage checkpoint" : "it was cut short or damaged";
        EXPECT_NE(said.find(reason), std::string::npos) << size << ": " << said;
        ASSERT_EQ(state_hash(sim.state()), before) << size;
        ASSERT_EQ(sim.step_count(), 1) << size;
    }
    write_bytes(file("cut"), whole + '\0');
    EXPECT_NE(load_error(file("cut"), sim).find("damaged"), std::string::npos);
    EXPECT_EQ(load_error(file("whole"), sim), "loaded");
    EXPECT_EQ(state_hash(sim.state()), state_hash(saved.state()));
}

TEST_F(Checkpoint, WithAnyBitFlippedIsRefused) {
    Simulation saved = make(tiny_scene()), sim = make(tiny_scene());
    run_frames(saved, 2);
    const std::uint64_t before = state_hash(sim.state());
    ASSERT_TRUE(save_checkpoint(file("whole"), saved, {1.0, {0.1}, {}, {0.1}}));
    const std::string whole = bytes_of(file("whole"));
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const int bit : {0, 3, 7}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            write_bytes(file("damaged"), damaged);
            const std::string said = load_error(file("damaged"), sim);
            EXPECT_EQ(said.rfind(file("damaged").string() + ": ", 0), 0u)
                << "byte " << at << " bit " << bit << ": " << said;
            ASSERT_EQ(state_hash(sim.state()), before);
        }
}

TEST_F(Checkpoint, OfAStateThatNoRunReachesIsRefused) {
    Simulation saved = make(tiny_scene()), sim = make(tiny_scene());
    const std::uint64_t before = state_hash(sim.state());
    ASSERT_TRUE(save_checkpoint(file("whole"), saved, {1.0, {0.1}, {}, {0.1}}));
    for (const double bad : {1e300, -std::numeric_limits<double>::infinity(), std::nan("")}) {
        std::string content = bytes_of(file("whole"));
        std::memcpy(content.data() + 80 + 16, &bad, 8); // the first position, after the header and one strain
        const std::uint64_t check = hash_bytes(content.data(), content.size() - 8);
        std::memcpy(content.data() + content.size() - 8, &check, 8);
        write_bytes(file("far"), content);
        EXPECT_NE(load_error(file("far"), sim).find("holds a state that no run reaches"), std::string::npos);
        EXPECT_EQ(state_hash(sim.state()), before);
    }
}

TEST_F(Checkpoint, OfAnotherSceneStepOrSolverIsRefused) {
    const SceneDesc scene = busy_scene(ImplicitJacobiSettings{});
    Simulation saved = make(scene);
    run_frames(saved, 2);
    ASSERT_TRUE(save_checkpoint(file("c"), saved, {}));
    std::vector<std::pair<std::string, SceneDesc>> others(9, {"", scene});
    others[0] = {"dt", scene}, others[0].second.dt = 1.0 / 151.0;
    others[1] = {"substeps", scene}, others[1].second.substeps = 3;
    others[2] = {"gravity", scene}, others[2].second.gravity = {0, -9.8, 0};
    others[3] = {"solver setting", busy_scene(ImplicitJacobiSettings{.sweeps = 3})};
    others[4] = {"solver", busy_scene(ImplicitCgSettings{})};
    others[5] = {"mesh", scene}, std::get<GridDesc>(others[5].second.cloths[0].mesh).vertices = {6, 7};
    others[6] = {"fabric", scene}, others[6].second.cloths[0].material.density = 0.06;
    others[7] = {"wind", scene}, others[7].second.air.seed = 4;
    others[8] = {"pins", scene}, others[8].second.cloths[0].pins[1].release = 0.09;
    for (const auto& [what, other] : others) {
        SCOPED_TRACE(what);
        Simulation sim = make(other);
        const std::uint64_t before = state_hash(sim.state());
        EXPECT_EQ(load_error(file("c"), sim),
                  file("c").string() + ": belongs to another scene, solver or step size than \"test\" as given; "
                                       "resume with the scene and flags it was made with");
        EXPECT_EQ(state_hash(sim.state()), before);
    }
}

TEST_F(Checkpoint, OfASceneThatDiffersInLengthWordsOrViewIsTaken) {
    const SceneDesc scene = busy_scene(ImplicitJacobiSettings{});
    Simulation saved = make(scene);
    run_frames(saved, 2);
    ASSERT_TRUE(save_checkpoint(file("c"), saved, {}));
    SceneDesc longer = scene;
    longer.seconds = 99.0;
    longer.name = "renamed";
    longer.description = "other words";
    longer.camera = CameraDesc{{9, 9, 9}};
    longer.render.exposure = 2.0;
    Simulation sim = make(longer);
    EXPECT_EQ(load_error(file("c"), sim), "loaded");
    EXPECT_EQ(state_hash(sim.state()), state_hash(saved.state()));
}

TEST_F(Checkpoint, NoticesThatAFabricFileOrAMeshFileHasChanged) {
    const std::string scene = R"({"cloths": [{"mesh": {"file": "m.obj"}, "fabric": "f.json"}]})";
    const std::string corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    ASSERT_TRUE(write_file(file("m.obj"), corners + "f 1 2 3\nf 1 3 4\n"));
    ASSERT_TRUE(write_file(file("f.json"), R"({"density": 0.1})"));
    Simulation saved = make(read(scene, folder_));
    ASSERT_TRUE(save_checkpoint(file("c"), saved, {}));
    Simulation same = make(read(scene, folder_));
    EXPECT_EQ(load_error(file("c"), same), "loaded");

    ASSERT_TRUE(write_file(file("f.json"), R"({"density": 0.2})"));
    Simulation other_fabric = make(read(scene, folder_));
    EXPECT_NE(load_error(file("c"), other_fabric).find("belongs to another scene"), std::string::npos);

    ASSERT_TRUE(write_file(file("f.json"), R"({"density": 0.1})"));
    ASSERT_TRUE(write_file(file("m.obj"), corners + "f 1 2 4\nf 2 3 4\n")); // the same points, the other diagonal
    Simulation other_mesh = make(read(scene, folder_));
    EXPECT_NE(load_error(file("c"), other_mesh).find("belongs to another scene"), std::string::npos);
}

TEST_F(Checkpoint, ThatIsNoneIsCalledSo) {
    Simulation sim = make(tiny_scene());
    write_bytes(file("text"),
                "This is a letter, and quite a long one at that: more than the sixty-four bytes of a header.");
    EXPECT_EQ(load_error(file("text"), sim), file("text").string() + ": is not a Selvage checkpoint");
    write_bytes(file("empty"), "");
    EXPECT_EQ(load_error(file("empty"), sim), file("empty").string() + ": is not a Selvage checkpoint");
    EXPECT_EQ(load_error(file("none"), sim), file("none").string() + ": no such file");
    EXPECT_EQ(load_error(folder_, sim), folder_.string() + ": is a directory; expected a file");
    ASSERT_TRUE(save_checkpoint(file("c"), sim, {}));
    std::string future = bytes_of(file("c"));
    future[8] = 5; // the format number
    write_bytes(file("future"), future);
    EXPECT_EQ(load_error(file("future"), sim), file("future").string() + ": has checkpoint format 5; expected 4");
}

TEST_F(Checkpoint, CannotBeSavedWhereNothingCanBeWritten) {
    const Simulation sim = make(tiny_scene());
    const Status ok = save_checkpoint(file("none/c"), sim, {});
    ASSERT_FALSE(ok);
    EXPECT_EQ(ok.error().kind, ErrorKind::io);
}

TEST_F(Checkpoint, CarriesTheHistoryOldestFirstAfterTheRingHasWrapped) {
    SceneDesc scene = busy_scene(ImplicitJacobiSettings{});
    scene.dt = 0.25; // four frames in a second
    scene.substeps = 50;
    Simulation sim = make(scene);
    RunRecorder recorder(sim);
    const double first_energy = recorder.report()["energy_j"]["first"].get<double>();
    std::vector<double> strains;
    const auto advance = [&](Simulation& which, RunRecorder& by) {
        which.step_frame();
        by.add_frame(1.0);
        strains.push_back(measure_strain(which.model(), which.state()).max);
    };
    for (int f = 0; f < 6; ++f)
        advance(sim, recorder);
    const auto last_four = [&] { return std::vector<double>(strains.end() - 4, strains.end()); };
    EXPECT_EQ(recorder.history().recent_strain, last_four());
    ASSERT_TRUE(save_checkpoint(file("c"), sim, recorder.history()));

    Simulation resumed = make(scene);
    const Result<RunHistory> history = load_checkpoint(file("c"), resumed);
    ASSERT_TRUE(history);
    EXPECT_EQ(history->recent_strain, last_four());
    EXPECT_EQ(history->recent_threads, recorder.history().recent_threads);
    EXPECT_EQ(history->recent_threads.size(), 4u);
    EXPECT_EQ(history->first_energy, first_energy);
    RunRecorder continued(resumed, *history);
    EXPECT_EQ(continued.report()["strain"], recorder.report()["strain"]);
    EXPECT_EQ(continued.report()["energy_j"], recorder.report()["energy_j"]);
    for (int f = 0; f < 3; ++f) {
        advance(resumed, continued);
        EXPECT_EQ(continued.history().recent_strain, last_four()) << f;
    }
}

} // namespace
} // namespace selvage
