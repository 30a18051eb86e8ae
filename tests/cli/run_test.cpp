// `selvage run` as a user meets it: exports, reports, checkpoints, signals.

#include "cli/program.h"

namespace selvage {
namespace {

std::vector<std::string> lines_that_start_with(const std::string& text, const std::string& prefix) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        if (line.rfind(prefix, 0) == 0) lines.push_back(line);
    return lines;
}

TEST_F(Program, RunsEverySceneOfTheTutorialWithoutACrossing) {
    const std::filesystem::path folder = std::filesystem::path(SELVAGE_SOURCE_DIR) / "docs/tutorial";
    for (const char* name : {"1-sheet", "2-held", "3-table", "4-tablecloth", "5-skirt", "6-walk"})
        expect(0,
               {"run", (folder / (std::string(name) + ".json")).string(), "--seconds", "0.1", "--strict", "--quiet"});
}

TEST_F(Program, SaysWhatTheTutorialQuotesOfAnEmptyScene) {
    std::ofstream(file("cloth.json")) << "{}\n";
    const std::string page = read_all(std::filesystem::path(SELVAGE_SOURCE_DIR) / "docs/tutorial/index.md");
    const Outcome outcome = expect(2, {"run", "cloth.json"});
    EXPECT_NE(page.find(outcome.err), std::string::npos) << outcome.err;
}

// Edges of 10 cm are too long for a sleeve: the shirt starts in the arms, and stays there.
TEST_F(Program, FailsWhereADressedGarmentStillCrosses) {
    expect_error(1, "crossings of cloth with cloth or the body are left; expected none; written nevertheless: s.obj",
                 {"dress", "shirt", "--edge", "0.1", "--seconds", "0.1", "--out", "s.obj", "--quiet"});
    EXPECT_TRUE(std::filesystem::exists(folder_ / "s.obj"));
}

TEST_F(Program, ExportsEveryFormatAndReports) {
    const Outcome outcome =
        expect(0, small_run({"--out", "last.obj", "--out", "frame%02d.obj", "--out", "c.ply", "--out", "c.glb", "--out",
                             "c.pc2", "--out", "c.mdd", "--report", "r.json"}));
    // 0.1 s at 60 Hz: the start and six frames.
    EXPECT_EQ(names(), (std::set<std::string>{"last.obj", "frame00.obj", "frame01.obj", "frame02.obj", "frame03.obj",
                                              "frame04.obj", "frame05.obj", "frame06.obj", "c.ply", "c.glb", "c.pc2",
                                              "c.mdd", "r.json"}));
    const std::string obj = read_all(file("last.obj"));
    EXPECT_EQ(lines_that_start_with(obj, "v ").size(), 25u);
    EXPECT_EQ(lines_that_start_with(obj, "f ").size(), 32u);
    EXPECT_EQ(obj, read_all(file("frame06.obj")));
    EXPECT_NE(obj, read_all(file("frame05.obj")));
    EXPECT_EQ(read_all(file("c.ply")).rfind("ply\n", 0), 0u);
    const std::string glb = read_all(file("c.glb"));
    EXPECT_EQ(glb.substr(0, 4), "glTF");
    EXPECT_EQ(word_at(glb, 8), glb.size());
    const std::string pc2 = read_all(file("c.pc2"));
    EXPECT_EQ(pc2.substr(0, 11), "POINTCACHE2");
    EXPECT_EQ(word_at(pc2, 16), 25u); // points, then start, rate and samples
    EXPECT_EQ(word_at(pc2, 28), 7u);
    EXPECT_EQ(pc2.size(), 32u + 7u * 25u * 12u);
    const std::string mdd = read_all(file("c.mdd"));
    EXPECT_EQ(word_at(mdd, 0, true), 7u);
    EXPECT_EQ(word_at(mdd, 4, true), 25u);
    EXPECT_EQ(mdd.size(), 8u + 7u * 4u + 7u * 25u * 12u);

    const Json report = Json::parse(read_all(file("r.json")));
    const std::set<std::string> found = keys(report);
    for (const char* key :
         {"scene", "solver", "vertices", "triangles", "springs", "dt", "steps", "simulated_s", "finite", "ms_per_frame",
          "strain", "intersections", "penetration_mm", "energy_j", "momentum", "state_hash"})
        EXPECT_TRUE(found.contains(key)) << key;
    EXPECT_EQ(keys(report["strain"]),
              (std::set<std::string>{"max", "rms", "p999", "max_last_second", "compression_max", "threads_max",
                                     "threads_rms", "threads_p999", "threads_max_last_second"}));
    EXPECT_EQ(report["vertices"], 25);
    EXPECT_EQ(report["steps"], 24); // 6 frames of 4 substeps
    EXPECT_NEAR(report["simulated_s"].get<double>(), 0.1, 1e-12);
    EXPECT_EQ(report["finite"], true);
    EXPECT_NE(outcome.out.find(report["state_hash"].get<std::string>()), std::string::npos) << outcome.out;
}

// Frames that a budget leaves out took no time and count in no mean.
TEST_F(Program, ReportsTheTimeOfFramesThatWereSimulated) {
    expect(0, {"run", "flag", "--seconds", "2", "--quiet", "--set", "/budget_ms=0.001", "--report", "r.json"});
    const Json report = Json::parse(read_all(file("r.json")));
    EXPECT_GT(report["budget"]["dropped_s"].get<double>(), 1.0);
    EXPECT_GT(report["ms_per_frame"]["median"].get<double>(), 0.1); // 3,015 vertices: no machine is so fast
    EXPECT_GT(report["contact"]["ms_per_frame"]["solver"].get<double>(), 0.1);
}

TEST_F(Program, ExportsTheSmoothSurfaceAndReportsTheParticles) {
    expect(0, small_run({"--set", R"(/cloths/0/surface={"pn":{"per_edge":4}})", "--out", "s.obj", "--out", "s.ply",
                         "--out", "s.glb", "--out", "s.pc2", "--out", "s.mdd", "--report", "s.json", "--quiet"}));
    expect(0, small_run({"--out", "p.obj", "--report", "p.json", "--quiet"}));
    // 25 particles, 56 edges of 3 points, 32 faces of 3 points and 16 triangles.
    const std::string obj = read_all(file("s.obj"));
    const std::vector<std::string> points = lines_that_start_with(obj, "v ");
    EXPECT_EQ(points.size(), 25u + 56u * 3u + 32u * 3u);
    EXPECT_EQ(lines_that_start_with(obj, "f ").size(), 32u * 16u);
    EXPECT_EQ(lines_that_start_with(obj, "vt ").size(), points.size());
    const std::vector<std::string> particles = lines_that_start_with(read_all(file("p.obj")), "v ");
    EXPECT_EQ(std::vector<std::string>(points.begin(), points.begin() + 25), particles);
    EXPECT_EQ(word_at(read_all(file("s.pc2")), 16), 289u);
    EXPECT_EQ(word_at(read_all(file("s.mdd")), 4, true), 289u);
    EXPECT_NE(read_all(file("s.ply")).find("element vertex 289"), std::string::npos);
    Json with = Json::parse(read_all(file("s.json"))), without = Json::parse(read_all(file("p.json")));
    for (Json* report : {&with, &without})
        for (const char* timed : {"ms_per_frame", "contact"})
            report->erase(timed);
    EXPECT_EQ(with, without); // the surface is only drawn
    expect_error(2, "/cloths/0/surface/pn/per_edge: asks for 40972801 vertices (20000 triangles, 64 segments per edge)",
                 small_run({"--set", R"(/cloths/0/surface={"pn":{"per_edge":64}})", "--set",
                            "/cloths/0/mesh/grid/vertices=[101,101]"}));
}

TEST_F(Program, ResumesToTheSurfaceOfOneRun) {
    // At 5 s stand wrinkles whose curves bulged otherwise when they began: without their sides they would be drawn anew
    // on the other one.
    const Arguments base = {"run", "oshita-cloth", "--quiet", "--seconds"};
    const auto with = [&](const Arguments& more) {
        Arguments all = base;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect(0, with({"5", "--checkpoint", "c"}));
    expect(0, with({"5.2", "--resume", "c", "--out", "resumed.obj"}));
    expect(0, with({"5.2", "--out", "whole.obj"}));
    EXPECT_EQ(read_all(file("resumed.obj")), read_all(file("whole.obj")));
    // What is drawn may change at a break; what is simulated does not.
    expect(0, with({"5.2", "--resume", "c", "--set", "/cloths/0/surface/pn/per_edge=2", "--out", "coarse.obj"}));
    EXPECT_EQ(lines_that_start_with(read_all(file("coarse.obj")), "f ").size(), 32u * 4u);
}

TEST_F(Program, ExportsTheEndOfTheRunWhateverTheStep) {
    ASSERT_TRUE(write_file(file("fall.json"), R"({"dt": "1/150", "substeps": 1, "solver": {"type": "explicit"},
        "cloths": [{"mesh": {"grid": {"size": [1,1], "vertices": [2,2]}}, "net": {"stiffness_times_length": 0.03}}]})"));
    // 16 frames of 1/150 s. At most 60 exports a second: every third frame, at 0, 3, ..., 15.
    expect(0, {"run", "fall.json", "--seconds", "16/150", "--out", "end.obj", "--out", "f%d.obj", "--quiet"});
    EXPECT_EQ(names(), (std::set<std::string>{"fall.json", "end.obj", "f0.obj", "f1.obj", "f2.obj", "f3.obj", "f4.obj",
                                              "f5.obj"}));
    const auto height = [&](const std::string& name) {
        double x = 0, y = 0;
        EXPECT_EQ(std::sscanf(lines_that_start_with(read_all(file(name)), "v ").at(0).c_str(), "v %lf %lf", &x, &y), 2);
        return y;
    };
    // Symplectic Euler falls h^2 g (1 + 2 + ... + k) in k steps; OBJ holds nine digits.
    EXPECT_NEAR(height("f5.obj"), -0.5 - 9.81 / 150 / 150 * 15 * 16 / 2, 1e-8);
    EXPECT_NEAR(height("end.obj"), -0.5 - 9.81 / 150 / 150 * 16 * 17 / 2, 1e-8);
}

TEST_F(Program, IsSilentWhenQuiet) {
    const Outcome outcome =
        expect(0, small_run({"--quiet", "--out", "a.obj", "--report", "r.json", "--checkpoint", "c"}));
    EXPECT_EQ(outcome.out + outcome.err, "");
    EXPECT_EQ(names(), (std::set<std::string>{"a.obj", "r.json", "c"}));
}

TEST_F(Program, LeavesNothingBehindWhenAPlaceCannotBeWritten) {
    expect_error(1, "none/a.obj: cannot open for writing", small_run({"--out", "none/a.obj"}));
    expect_error(1, "none/r.json: cannot open for writing", small_run({"--out", "a.obj", "--report", "none/r.json"}));
    expect_error(1, "none/c: cannot open for writing", small_run({"--out", "a.obj", "--checkpoint", "none/c"}));
    expect_error(1, "none/f0.obj: cannot open for writing", small_run({"--out", "a.glb", "--out", "none/f%d.obj"}));
    std::filesystem::create_directory(file("folder.obj"));
    expect_error(1, "folder.obj: is a directory", small_run({"--out", "a.obj", "--out", "folder.obj"}));
    EXPECT_EQ(names(), std::set<std::string>{"folder.obj"});
}

TEST_F(Program, FailsOnAFullDevice) {
    expect_error(1, "/dev/full: cannot write: No space left on device", small_run({"--report", "/dev/full"}));
    expect_error(1, "/dev/full: cannot write: No space left on device", small_run({"--checkpoint", "/dev/full"}));
    std::filesystem::create_symlink("/dev/full", file("full.obj"));
    expect_error(1, "full.obj: cannot write: No space left on device", small_run({"--out", "full.obj"}));
    EXPECT_EQ(names(), std::set<std::string>{"full.obj"});
}

TEST_F(Program, RefusesAnUnknownExtensionBeforeTheWork) {
    expect_error(2, "a.xyz: has the extension \".xyz\"; expected one of: .obj, .ply, .glb, .pc2, .mdd",
                 small_run({"--out", "good.obj", "--out", "a.xyz"}));
    expect_error(2, "only .obj does", small_run({"--out", "a%d.glb"}));
    expect_error(2, "expected at most one %d", small_run({"--out", "a%s.obj"}));
    EXPECT_TRUE(files().empty());
}

TEST_F(Program, TakesAStepAsNumberOrFraction) {
    const auto report = [&](const Arguments& more) {
        expect(0, small_run(more));
        return Json::parse(read_all(file("r.json")));
    };
    const Json fraction = report({"--dt", "1/150", "--report", "r.json"});
    EXPECT_EQ(fraction["dt"].get<double>(), 1.0 / 150.0);
    EXPECT_EQ(fraction["substeps"], 1); // --dt is the solver's step
    EXPECT_EQ(fraction["steps"], 15);
    EXPECT_EQ(report({"--dt", "0.02", "--report", "r.json"})["steps"], 5);
    for (const char* bad : {"0", "-1", "abc", "1/0", "nan", "inf", "1e-300", "1e300/1e-300", "", "1/150s"})
        expect_error(2, std::string("--dt: found \"") + bad + "\"; expected a time from 1e-9 to 1e6 seconds",
                     small_run({"--dt", bad}));
    expect_error(2, "found 20; expected a number from 1e-09 to 10", small_run({"--dt", "20"}));
    expect_error(2, "--seconds: found \"0\"", {"run", "flag", "--seconds", "0"});
}

TEST_F(Program, ChangesTheSceneByPointers) {
    const auto report = [&](const Arguments& more) {
        Arguments all = {"--quiet", "--report", "r.json"};
        all.insert(all.end(), more.begin(), more.end());
        expect(0, small_run(all));
        return Json::parse(read_all(file("r.json")));
    };
    EXPECT_EQ(report({"--set", "/cloths/0/mesh/grid/vertices=[4,6]"})["vertices"], 24);
    EXPECT_EQ(report({"--set", "/dt=1/30"})["dt"].get<double>(), 1.0 / 30.0);
    EXPECT_EQ(report({"--set=/name=a b", "--set", "/air/wind/gust=0.5"})["scene"], "a b");
    EXPECT_EQ(report({"--solver", "implicit-jacobi", "--set", "/solver/sweeps=3"})["solver"], "implicit-jacobi");
    // Before the scene's name as well.
    EXPECT_EQ(expect(0, {"run", "--set", "/substeps=1", "--seconds", "0.02", "corner-hang"}).err, "");
    expect_error(2, "--set: found \"dt=1\"; expected /json/pointer=VALUE", small_run({"--set", "dt=1"}));
    expect_error(2, "--set: found \"/dt\"; expected", small_run({"--set", "/dt"}));
    expect_error(2, "--set /substeps: found 0; expected", small_run({"--set", "/substeps=0"}));
    expect_error(2, "--set /cloths/7/name: \"7\" is no element of the list; it has 1",
                 small_run({"--set", "/cloths/7/name=x"}));
    expect_error(2, "--set /sbsteps: unknown key \"sbsteps\"; did you mean \"substeps\"?",
                 small_run({"--set", "/sbsteps=1"}));
    expect_error(2, "--set /name: found \"\xef\xbf\xbd\"; expected text in UTF-8", small_run({"--set", "/name=\xff"}));
    for (const char* bad : {"xpdb", "a\"b", "\xff"})
        expect_error(2, "implicit-cg", small_run({"--solver", bad}));
}

TEST_F(Program, LocatesABadSceneFile) {
    ASSERT_TRUE(write_file(file("bad.json"), "{\n  \"cloths\": [{\"mesh\": {\"grid\": {}}, \"fabrik\": 1}]\n}"));
    expect_error(2, "selvage: bad.json:2:47: /cloths/0/fabrik: unknown key \"fabrik\"; did you mean \"fabric\"?\n",
                 {"run", "bad.json"});
    expect_error(2, "none.json: no such file", {"run", "none.json"});
    expect_error(2, "did you mean \"flag\"?", {"run", "flagg"});
    expect_error(2, "pins vertex 25, which is outside the mesh",
                 small_run({"--set", "/cloths/0/pins/0={\"vertices\":[25]}"}));
    expect_error(2, "grid asks for 1000000000000000000 vertices",
                 small_run({"--set", "/cloths/0/mesh/grid/vertices=[1000000000,1000000000]"}));
}

TEST_F(Program, RunsASceneWhoseFileNameIsNotUtf8) {
    std::ofstream(file("a\xff.json")) << R"({"cloths": [{"mesh": {"grid": {"vertices": [2,2]}}}]})";
    expect(0, {"run", "a\xff.json", "--seconds", "0.02", "--report", "r.json", "--checkpoint", "c"});
    EXPECT_EQ(Json::parse(read_all(file("r.json")))["scene"], "a\xef\xbf\xbd");
}

TEST_F(Program, PassesTheMeshsOdditiesOn) {
    ASSERT_TRUE(write_file(file("odd.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 2\n"));
    ASSERT_TRUE(write_file(file("odd.json"), R"({"cloths": [{"mesh": {"file": "odd.obj"}}]})"));
    const Outcome outcome = expect(0, {"run", "odd.json", "--seconds", "0.02"});
    EXPECT_NE(outcome.err.find("selvage: warning: odd.obj: dropped triangles that name a vertex twice"),
              std::string::npos)
        << outcome.err;
}

TEST_F(Program, GivesTheSameStateOnAnyNumberOfThreads) {
    for (const char* solver : {"implicit-jacobi", "implicit-cg"}) {
        std::set<std::string> hashes;
        for (const char* threads : {"1", "2", "8"})
            hashes.insert(hash_of({"run", "flag", "--solver", solver, "--seconds", "1/60", "--threads", threads}));
        EXPECT_EQ(hashes.size(), 1u) << solver;
    }
}

// Its cloth collides with itself, which no device can do yet: refused with a GPU too.
TEST_F(Program, RunsOnTheCpuWhereTheDeviceCannot) {
    expect_error(2, "--device", small_run({"--device", "gpu"}));
    const Outcome refused = run(small_run({"--device", "cuda"}));
    EXPECT_NE(refused.code, 0);
    EXPECT_NE(refused.err.find("device cuda: "), std::string::npos) << refused.err;
    const Outcome instead = expect(0, small_run({"--device", "auto"}));
    EXPECT_NE(instead.err.find("selvage: on the CPU, since "), std::string::npos) << instead.err;
    EXPECT_NE(instead.err.find("device cuda: "), std::string::npos) << instead.err;
    EXPECT_EQ(hash_of(small_run({"--device", "auto"})), hash_of(small_run({"--device", "cpu"})));
    EXPECT_NE(expect(0, {"info"}).out.find("cuda      "), std::string::npos);
}

TEST_F(Program, ReportsADivergingRunAndExportsItsLastGoodFrame) {
    const Arguments explicit_run = {"run",  "corner-hang", "--solver", "explicit",
                                    "--dt", "1/60",        "--set",    "/cloths/0/mesh/grid/vertices=[5,5]"};
    Arguments bursting = explicit_run;
    bursting.insert(bursting.end(), {"--out", "burst.obj", "--report", "r.json"});
    const Outcome outcome = expect(1, bursting);
    int step = 0, vertex = -1;
    double time = 0.0;
    const std::size_t at = outcome.err.find("diverged at step");
    ASSERT_NE(at, std::string::npos) << outcome.err;
    ASSERT_EQ(std::sscanf(outcome.err.c_str() + at,
                          "diverged at step %d (t = %lf s), first at vertex %d of cloth \"cloth\"", &step, &time,
                          &vertex),
              3)
        << outcome.err;
    EXPECT_GT(step, 1);
    EXPECT_NEAR(time, step / 60.0, 1e-8);
    EXPECT_GE(vertex, 0);
    EXPECT_LT(vertex, 25);
    EXPECT_EQ(Json::parse(read_all(file("r.json")))["finite"], false);
    EXPECT_EQ(Json::parse(read_all(file("r.json")))["steps"], step - 1); // what the state holds

    // The same run, stopped just before.
    Arguments good = explicit_run;
    good.insert(good.end(), {"--out", "good.obj", "--seconds", std::to_string(step - 1) + "/60"});
    expect(0, good);
    EXPECT_EQ(read_all(file("burst.obj")), read_all(file("good.obj")));
}

// -- run: checkpoints and signals --------------------------------------------------------------------------------

TEST_F(Program, ResumesToTheStateOfOneRun) {
    expect(0, small_run({"--checkpoint", "c"}));
    const Arguments longer = {"run", "corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[5,5]", "--seconds", "0.3"};
    Arguments resumed = longer;
    resumed.insert(resumed.end(), {"--resume", "c"});
    EXPECT_EQ(hash_of(resumed), hash_of(longer));
}

TEST_F(Program, RefusesToResumePastTheEnd) {
    expect(0, small_run({"--checkpoint", "c"}));
    expect_error(2, "c: is at 0.1 s; expected --seconds beyond that", small_run({"--resume", "c"}));
}

TEST_F(Program, RefusesToWriteOneFileTwice) {
    expect_error(2, "--out ./a.obj: is named twice", small_run({"--out", "a.obj", "--out", "./a.obj"}));
    EXPECT_TRUE(names().empty());
}

constexpr int kSubsteps = 5;

/// Runs until somebody stops it.
Arguments endless_run(const Arguments& more) {
    Arguments all = {
        "run", "flag",         "--set", "/cloths/0/mesh/grid/vertices=[9,9]", "--set", "/substeps=5", "--threads",
        "1",   "--checkpoint", "c"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// A cloth from a file, which a run may read and must not write.
constexpr char kSquareObj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
constexpr char kSquareScene[] = R"({"seconds": 0.1, "cloths": [{"mesh": {"file": "m0.obj"}}]})";

TEST_F(Program, NeverWritesOverWhatItReads) {
    ASSERT_TRUE(write_file(file("m0.obj"), kSquareObj));
    ASSERT_TRUE(write_file(file("s.json"), kSquareScene));
    std::filesystem::create_symlink("m0.obj", file("link.obj"));
    std::filesystem::create_hard_link(file("s.json"), file("hard.json"));
    expect(0, {"run", "s.json", "--checkpoint", "c", "--quiet"});
    const std::set<std::string> before = names();
    const auto refused = [&](const std::string& text, const Arguments& more) {
        Arguments all = {"run", "s.json", "--seconds", "0.2"};
        all.insert(all.end(), more.begin(), more.end());
        expect_error(2, text, all);
    };
    refused("--report s.json: would replace s.json, which this run reads", {"--report", "s.json"});
    refused("--report hard.json: would replace s.json", {"--report", "hard.json"});
    refused("--checkpoint ./s.json: would replace s.json", {"--checkpoint", "./s.json"});
    refused("--out m0.obj: would replace m0.obj, which this run reads", {"--out", "m0.obj"});
    refused("--out link.obj: would replace m0.obj", {"--out", "link.obj"});
    refused("--out m%d.obj: would replace m0.obj", {"--out", "m%d.obj"});
    refused("--out ../", {"--out", "../" + folder_.filename().string() + "/m0.obj"});
    refused("--checkpoint c: would replace what --resume reads", {"--resume", "c", "--checkpoint", "c"});
    refused("--checkpoint ./r.json: is what --report writes", {"--report", "r.json", "--checkpoint", "./r.json"});
    refused("--out f7.obj: is named twice", {"--out", "f%d.obj", "--out", "f7.obj"});
    expect_error(2, "--out m0.png: would replace", [&] {
        std::filesystem::create_hard_link(file("m0.obj"), file("m0.png"));
        return Arguments{"render", "s.json", "--out", "m0.png"};
    }());
    std::filesystem::remove(file("m0.png"));
    EXPECT_EQ(names(), before);
    EXPECT_EQ(read_all(file("m0.obj")), kSquareObj);
    EXPECT_EQ(read_all(file("s.json")), kSquareScene);
    expect(0, {"run", "s.json", "--report", "/dev/null", "--checkpoint", "/dev/null", "--quiet"});
}

TEST_F(Program, RemovesWhatAKilledRunLeft) {
    const pid_t child = start(endless_run({"--seconds", "1e6", "--out", "a.pc2", "--out", "f%d.obj"}), out_);
    EXPECT_TRUE(wait_until([&] { return checkpoint_steps("c") > 0; }));
    const auto parts = [&] {
        int count = 0;
        for (const std::string& name : names())
            count += name.ends_with(".part");
        return count;
    };
    // Another run into the same folder leaves the files of the running one alone.
    expect(0, small_run({"--quiet", "--out", "a.pc2"}));
    EXPECT_GE(parts(), 1);
    kill(child, SIGKILL);
    finish(child, out_);
    ASSERT_GE(parts(), 1);
    ASSERT_TRUE(write_file(file("f3.obj.1-1.part"), "half a frame"));
    expect(0, small_run({"--quiet", "--out", "a.pc2", "--out", "f%d.obj", "--checkpoint", "c"}));
    EXPECT_EQ(parts(), 0);
}

TEST_F(Program, SuggestsFlagsAndKeys) {
    expect_error(2, "unknown flag \"--reprot\"; did you mean \"--report\"?", small_run({"--reprot", "r.json"}));
    expect_error(2, "unknown flag \"--treads\"; did you mean \"--threads\"?", small_run({"--treads=2"}));
    expect_error(2, "unknown flag \"--xyzzy\"; expected no more than the flags of run", small_run({"--xyzzy"}));
    ASSERT_TRUE(write_file(file("s.json"), "{\n\"cloth\": [{\"mesh\": {\"grid\": {}}}]}"));
    expect_error(2, "s.json:2:10: /cloth: unknown key \"cloth\"; did you mean \"cloths\"?", {"run", "s.json"});
    ASSERT_TRUE(write_file(file("p.json"), R"({"cloths": [{"mesh": {"grid": {"vertices": [3,3]}},
  "pins": [{"corner": "top-left"},
           {"vertices": [9]}]}]})"));
    expect_error(2, "p.json:3:12: /cloths/0/pins/1: pins vertex 9, which is outside the mesh", {"run", "p.json"});
    expect_error(2, "--solver NAME changes the solver together with its settings",
                 {"run", "flag", "--set", "/solver/sweeps=2", "--set", "/solver/type=xpbd"});
}

TEST_F(Program, RefusesCheckpointsItCannotTrust) {
    expect(0, small_run({"--checkpoint", "c"}));
    const std::string whole = read_all(file("c"));
    ASSERT_TRUE(write_file(file("cut"), whole.substr(0, whole.size() / 2)));
    std::string damaged = whole;
    damaged[damaged.size() / 2] ^= 1;
    ASSERT_TRUE(write_file(file("damaged"), damaged));
    const std::set<std::string> before = names();
    expect_error(2, "cut: has ", small_run({"--resume", "cut", "--out", "a.obj", "--report", "r.json"}));
    expect_error(2, "damaged: is damaged", small_run({"--resume", "damaged", "--out", "a.obj"}));
    expect_error(2, "c: belongs to another scene", {"run", "flag", "--resume", "c"});
    expect_error(2, "c: belongs to another scene", small_run({"--resume", "c", "--dt", "1/150"}));
    expect_error(2, "none: no such file", small_run({"--resume", "none"}));
    EXPECT_EQ(names(), before);
}

// A strip folded over itself by its pins passes through itself when nothing keeps it off itself.
TEST_F(Program, CountsCrossingsAndStopsAtTheFirstWhenStrict) {
    ASSERT_TRUE(write_file(file("fold.json"), R"({"dt": "1/60", "seconds": 1.0, "cloths": [{
        "mesh": {"grid": {"size": [1, 0.3], "vertices": [21, 7]}}, "place": {"rotate_deg": [-90, 0, 0]},
        "self_collision": false, "pins": [{"edge": "left"}, {"edge": "right",
                 "keyframes": [{"t": 0}, {"t": 0.5, "translate": [-1.2, 0.05, 0.1], "rotate_deg": [0, 0, 60]}]}]}]})"));
    expect(0, {"run", "fold.json", "--report", "r.json", "--quiet"});
    EXPECT_GT(Json::parse(read_all(file("r.json")))["intersections"]["self"], 0);
    const Outcome outcome = run({"run", "fold.json", "--strict", "--report", "s.json", "--quiet"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("in frame "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" of cloth \"cloth0\" passes through triangle "), std::string::npos) << outcome.err;
    const Json report = Json::parse(read_all(file("s.json")));
    EXPECT_GT(report["intersections"]["self"], 0); // the frame it stopped at
    EXPECT_LT(report["simulated_s"], 0.99);
    expect(0, small_run({"--strict"})); // a short hang has none
}

TEST_F(Program, KilledInTheMiddleResumesToTheStateOfAnUninterruptedRun) {
    const pid_t child = start(endless_run({"--seconds", "1e6", "--out", "killed.pc2"}), out_);
    // The first checkpoint comes with the first frame, the next about a second later.
    EXPECT_TRUE(wait_until([&] { return checkpoint_steps("c") > kSubsteps; }));
    kill(child, SIGKILL);
    EXPECT_EQ(finish(child, out_).signal, SIGKILL);
    EXPECT_FALSE(names().contains("killed.pc2"));

    const std::int64_t frames = checkpoint_steps("c") / kSubsteps;
    ASSERT_GT(frames, 0);
    std::filesystem::copy(file("c"), file("killed"));
    const std::string seconds = std::to_string(frames + 60) + "/60"; // a second more
    const std::string resumed = hash_of(endless_run({"--seconds", seconds, "--resume", "killed"}));
    EXPECT_EQ(checkpoint_steps("c"), kSubsteps * (frames + 60));
    EXPECT_EQ(resumed, hash_of(endless_run({"--seconds", seconds})));
}

TEST_F(Program, ToldToStopEndsWithWholeFiles) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        SCOPED_TRACE(signal);
        std::filesystem::remove(file("c"));
        const pid_t child =
            start(endless_run({"--seconds", "1e6", "--out", "a.obj", "--out", "a.pc2", "--report", "r.json"}), out_);
        EXPECT_TRUE(wait_until([&] { return checkpoint_steps("c") > 0; }));
        kill(child, signal);
        const Outcome outcome = finish(child, out_);
        EXPECT_EQ(outcome.code, 1);
        EXPECT_NE(outcome.err.find("stopped by a signal at t = "), std::string::npos) << outcome.err;
        EXPECT_EQ(names(), (std::set<std::string>{"a.obj", "a.pc2", "c", "r.json"}));
        const Json report = Json::parse(read_all(file("r.json")));
        const auto frames = report["steps"].get<std::size_t>() / kSubsteps;
        EXPECT_EQ(checkpoint_steps("c"), report["steps"]);
        const std::string pc2 = read_all(file("a.pc2"));
        EXPECT_EQ(word_at(pc2, 28), frames + 1);
        EXPECT_EQ(pc2.size(), 32u + (frames + 1) * 81u * 12u);
        EXPECT_EQ(lines_that_start_with(read_all(file("a.obj")), "f ").size(), 128u);
    }
}

/// A mesh of two squares of four triangles each, the second through the first.
std::string crossed_squares() {
    return "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 0\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
           "v 0.3 0.3 -0.2\nv 0.7 0.3 -0.2\nv 0.7 0.35 0.2\nv 0.3 0.35 0.2\nv 0.5 0.325 0\n"
           "f 6 7 10\nf 7 8 10\nf 8 9 10\nf 9 6 10\n";
}

TEST_F(Program, UntanglesAMeshAndNeverWritesOverIt) {
    std::ofstream(file("two.obj")) << crossed_squares();
    const Outcome refused = expect(2, {"untangle", "two.obj", "--out", "two.obj"});
    EXPECT_NE(refused.err.find("--out"), std::string::npos) << refused.err;
    EXPECT_EQ(read_all(file("two.obj")), crossed_squares());
    expect(2, {"untangle", "two.obj", "--out", "free.obj", "--report", "free.obj"});
    EXPECT_FALSE(std::filesystem::exists(file("free.obj")));

    expect(0, {"untangle", "two.obj", "--out", "free.obj", "--report", "r.json", "--picture", "p.png", "--quiet"});
    EXPECT_EQ(lines_that_start_with(read_all(file("free.obj")), "v ").size(), 10u);
    const Json report = Json::parse(read_all(file("r.json")));
    EXPECT_GT(report["before"]["cloth"].get<int>(), 0);
    EXPECT_EQ(report["after"]["cloth"], 0);
    EXPECT_TRUE(report["left"].empty());
    EXPECT_EQ(read_all(file("p.png")).substr(1, 3), "PNG");
}

} // namespace
} // namespace selvage
