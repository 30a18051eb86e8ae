// The program as a user meets it: arguments in; exit code, text and files out.

#include "cli/program.h"

namespace selvage {
namespace {

const std::vector<std::string> kCommands = {"scenes",   "run",   "render", "compare", "paper",
                                            "validate", "bench", "fabric", "info"};

// -- Usage -------------------------------------------------------------------------------------------------------

TEST_F(Program, HelpsOnItselfAndOnEachCommand) {
    const Outcome help = expect(0, {"--help"});
    for (const std::string& command : kCommands) {
        EXPECT_NE(help.out.find(command), std::string::npos) << command;
        const Outcome outcome = expect(0, {command, "--help"});
        EXPECT_NE(outcome.out.find("Usage: selvage " + command), std::string::npos) << outcome.out;
        EXPECT_EQ(outcome.err, "");
    }
    EXPECT_EQ(expect(0, {"--version"}).out.rfind("selvage ", 0), 0u);
}

TEST_F(Program, ExitsWithTwoOnWrongUsage) {
    expect_error(2, "required", {});
    expect_error(2, "unknown command \"rnu\"; expected one of: scenes, run, render", {"rnu"});
    expect_error(2, "did you mean \"run\"?", {"rnu"});
    expect_error(2, "--frobnicate", {"run", "flag", "--frobnicate"});
    expect_error(2, "SCENE", {"run"});
    expect_error(2, "two", {"run", "flag", "two"});
    expect_error(2, "stray", small_run({"--out", "a.obj", "stray"}));
    expect_error(2, "stray", small_run({"--set", "/substeps=1", "stray"}));
    expect_error(2, "--threads", {"run", "flag", "--threads", "-1"});
    expect_error(2, "--threads", {"run", "flag", "--threads", "257"});
    expect_error(2, "--threads", {"run", "flag", "--threads", "many"});
    expect_error(2, "--seconds", {"run", "flag", "--seconds"});
    expect_error(2, "nope", {"paper", "nope"});
    expect_error(2, "--out", {"render", "flag"});
    expect_error(2, "--dt", {"compare", "flag"});
    EXPECT_TRUE(files().empty());
}

TEST_F(Program, ListsTheBuiltinScenesWithALineEach) {
    const std::string out = expect(0, {"scenes"}).out;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/scenes")) {
        const std::string name = entry.path().stem().string();
        if (name == "scene.schema") continue;
        ++files;
        EXPECT_NE(("\n" + out).find(std::string("\n") + name + " "), std::string::npos) << name;
    }
    EXPECT_GE(files, 6);
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), files);
}

TEST_F(Program, PrintsTheCardOfAFabric) {
    const std::string list = expect(0, {"fabric", "--list"}).out;
    int fabrics = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SELVAGE_SOURCE_DIR "/fabrics")) {
        ++fabrics;
        EXPECT_NE(("\n" + list).find(std::string("\n") + entry.path().stem().string() + " "), std::string::npos)
            << entry.path();
    }
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), fabrics);
    const std::string card = expect(0, {"fabric", "denim", "--quick", "--json", "card.json"}).out;
    // (7e-5 / (0.42 9.81))^(1/3) = 25.7 mm.
    for (const char* part : {"denim: Cotton denim", "bend_warp", "25.7 mm warp", "sources"})
        EXPECT_NE(card.find(part), std::string::npos) << part;
    EXPECT_NEAR(Json::parse(read_all(file("card.json")))["predicted"]["bending_length"]["warp"], 0.0257, 5e-5);
    ASSERT_TRUE(write_file(file("mine.json"), R"({"density": 0.3})"));
    EXPECT_NE(expect(0, {"fabric", "mine.json", "--quick"}).out.find("density                   0.3 kg/m2"),
              std::string::npos);
    expect_error(2, "did you mean \"denim\"?", {"fabric", "denum"});
    expect_error(2, "expected NAME or --list", {"fabric"});
    ASSERT_TRUE(write_file(file("bad.json"), R"({"density": -1})"));
    expect_error(2, "/density", {"fabric", "bad.json", "--quick"});
}

TEST_F(Program, PrintsASceneThatLoadsAgain) {
    const Outcome shown = expect(0, {"scenes", "--show", "flag"});
    ASSERT_TRUE(write_file(file("copy.json"), shown.out));
    EXPECT_EQ(hash_of({"run", "copy.json", "--seconds", "0.05"}), hash_of({"run", "flag", "--seconds", "0.05"}));
    expect_error(2, "did you mean \"flag\"?", {"scenes", "--show", "flga"});
    EXPECT_EQ(Json::parse(expect(0, {"scenes", "--schema"}).out)["title"], "Selvage scene");
}

TEST_F(Program, SaysWhatItIs) {
    const std::string out = expect(0, {"info"}).out;
    for (const char* word :
         {"selvage ", "compiler ", "simd ", "threads ", "cuda ", "gl ", "implicit-cg", "cotton-poplin"})
        EXPECT_NE(out.find(word), std::string::npos) << word;
}

TEST_F(Program, FailsWhenItsOutputCannotBeWritten) {
    for (const char* flag : {"", "--schema"}) { // shorter and longer than the buffer of stdout
        Arguments arguments = {"scenes"};
        if (*flag) arguments.push_back(flag);
        const Outcome outcome = finish(start(arguments, "/dev/full"), "/dev/full");
        EXPECT_EQ(outcome.code, 1) << flag;
        EXPECT_NE(outcome.err.find("cannot write to standard output"), std::string::npos) << outcome.err;
    }
}

TEST_F(Program, SaysThatMemoryRanOutInsteadOfAborting) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers need the address space";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    GTEST_SKIP() << "sanitizers need the address space";
#endif
#endif
    const Arguments large = {"run", "flag", "--set", "/cloths/0/mesh/grid/vertices=[2000,2000]", "--threads", "1"};
    const Outcome outcome = finish(start(large, out_, rlim_t{400} << 20), out_);
    EXPECT_EQ(outcome.code, 1) << outcome.signal;
    EXPECT_NE(outcome.err.find("more memory than there is"), std::string::npos) << outcome.err;
}

// -- The other commands ------------------------------------------------------------------------------------------

/// Width and height of a PNG; zeros where it is not a whole one.
std::pair<std::uint32_t, std::uint32_t> png_size(const std::string& png) {
    const bool whole = png.size() > 45 && png.substr(0, 8) == "\x89PNG\r\n\x1a\n" && png.substr(12, 4) == "IHDR" &&
                       png.substr(png.size() - 8, 4) == "IEND";
    if (!whole) return {0, 0};
    return {word_at(png, 16, true), word_at(png, 20, true)};
}

TEST_F(Program, ComparesWithSmallSteps) {
    const Arguments small = {"compare", "corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[5,5]", "--count", "3"};
    Arguments all = small;
    all.insert(all.end(), {"--dt", "1/60", "--reference-dt", "1/600", "--json", "c.json", "--plot", "c.png"});
    const Outcome outcome = expect(0, all);
    EXPECT_NE(outcome.out.find(" E "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(" S\n"), std::string::npos) << outcome.out;
    EXPECT_GT(png_size(read_all(file("c.png"))).first, 100u);
    const Json json = Json::parse(read_all(file("c.json")));
    EXPECT_EQ(keys(json), (std::set<std::string>{"solver", "dt", "reference_dt", "checkpoints"}));
    EXPECT_EQ(json["solver"], "multilevel");
    EXPECT_EQ(json["dt"].get<double>(), 1.0 / 60.0);
    ASSERT_EQ(json["checkpoints"].size(), 3u);
    for (int c = 0; c < 3; ++c) {
        const Json& point = json["checkpoints"][static_cast<std::size_t>(c)];
        EXPECT_EQ(keys(point), (std::set<std::string>{"index", "time", "E", "S"}));
        EXPECT_EQ(point["index"], c + 1);
        EXPECT_NEAR(point["time"].get<double>(), (c + 1) / 30.0, 1e-12);
        EXPECT_GT(point["E"].get<double>(), 0.0);
        EXPECT_LE(point["S"].get<double>(), 1.0 + 1e-12);
    }
    const auto with = [&](const Arguments& more) {
        Arguments bad = small;
        bad.insert(bad.end(), more.begin(), more.end());
        return bad;
    };
    expect_error(2, "does not divide", with({"--dt", "1/70"}));
    expect_error(2, "--dt: found \"1e-300\"", with({"--dt", "1e-300"}));
    expect_error(2, "--count", with({"--dt", "1/60", "--count", "0"}));
    expect_error(1, "none/c.json: cannot open for writing",
                 with({"--dt", "1/60", "--reference-dt", "1/60", "--json", "none/c.json"}));
    expect_error(1, "diverged at step", with({"--dt", "1/60", "--solver", "explicit", "--check", "1"}));
}

TEST_F(Program, FindsNoErrorAgainstItself) {
    expect(0, {"compare", "kang-table", "--set", "/cloths/0/mesh/grid/vertices=[5,5]", "--count", "2", "--dt", "1/150",
               "--reference-dt", "1/150", "--json", "c.json", "--quiet"});
    const Json json = Json::parse(read_all(file("c.json")));
    ASSERT_EQ(json["checkpoints"].size(), 2u);
    for (const Json& point : json["checkpoints"]) {
        EXPECT_EQ(point["E"], 0.0);
        EXPECT_NEAR(point["S"].get<double>(), 23.0 / 25.0, 1e-12); // the two pinned points do not move and add nothing
    }
}

TEST_F(Program, ValidatesByName) {
    const Outcome outcome = expect(0, {"validate", "--only", "free-fall", "--json", "v.json"});
    EXPECT_NE(outcome.out.find("0 outside their tolerance"), std::string::npos) << outcome.out;
    const Json rows = Json::parse(read_all(file("v.json")));
    ASSERT_GE(rows.size(), 3u); // one per solver at least
    for (const Json& row : rows) {
        EXPECT_EQ(keys(row), (std::set<std::string>{"name", "expected", "got", "error", "tolerance", "unit", "pass"}));
        EXPECT_EQ(row["name"].get<std::string>().rfind("free-fall/", 0), 0u);
        EXPECT_EQ(row["pass"], true);
    }
    expect(0, {"validate", "--only", "free-fall/explicit", "--json", "v.json", "--quiet"});
    EXPECT_EQ(Json::parse(read_all(file("v.json"))).size(), 1u);
    expect_error(2, "--only: no check \"nope\"; expected one of: free-fall", {"validate", "--only", "nope"});
    expect_error(2, "--only: no check \"free-fall/nope\"", {"validate", "--only", "free-fall/nope"});
}

TEST_F(Program, RefusesToBenchWhatItDoesNotKnow) {
    expect_error(2, "--only: no case contains \"nope\"; expected part of one of:", {"bench", "--only", "nope"});
}

TEST_F(Program, TimesTheYardsticks) {
    const std::vector<std::string> small{"bench", "yard", "--sides", "8,12", "--seconds", "0.1", "--threads", "1"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), small.begin(), small.end());
        return more;
    };
    const Outcome outcome = expect(0, with({"--output", "yard.csv", "--plot", "yard.png"}));
    // A line of names, a run for each side, scene, fabric, damping and solver, and an exponent for each but the side.
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1 + 32 + 16);
    EXPECT_NE(outcome.out.find("processor time grows as vertices^"), std::string::npos);
    EXPECT_EQ(files(), (std::vector<std::string>{"yard.csv", "yard.png"}));
    expect_error(2, "--sides: found \"3\"", {"bench", "yard", "--sides", "3"});
    expect_error(2, "--fabrics: found \"silk\"; expected one or more of: poplin, net",
                 {"bench", "yard", "--fabrics", "silk"});
    expect_error(2, ".csv or .json", with({"--output", "yard.txt"}));
    expect_error(2, "expected bench yard", {"bench", "--sides", "8"});
    expect_error(2, "expected --output", {"bench", "yard", "--json", "rows.json"});
    expect_error(2, "yard", {"bench", "yrad"});
}

// No device steps xpbd, so that this holds on machines with a GPU too: there every case is skipped.
TEST_F(Program, TimesOnTheCpuWhereTheDeviceCannot) {
    const std::vector<std::string> small{"bench",    "yard",      "--sides",  "8",         "--seconds",
                                         "0.1",      "--threads", "1",        "--solvers", "xpbd",
                                         "--scenes", "yard-hang", "--output", "rows.json"};
    const auto on = [&](const std::string& device) {
        std::vector<std::string> all = small;
        all.insert(all.end(), {"--device", device});
        return all;
    };
    expect_error(1, "device cuda: ", on("cuda"));
    expect(0, on("auto"));
    const Json rows = Json::parse(read_all(file("rows.json")));
    ASSERT_EQ(rows.size(), 4u); // fabrics and damping
    for (const Json& row : rows)
        EXPECT_EQ(row["device"], "cpu");
    expect_error(1, "device cuda: ", {"bench", "--only", "yard-hang/xpbd/32x32/20", "--device", "cuda"});
    expect_error(2, "--device", {"bench", "--device", "gpu"});
    expect_error(2, "--device: found cuda; expected cpu or auto", {"paper", "kang", "--device", "cuda"});
}

TEST_F(Program, DrawsAPictureOfTheAskedSize) {
    const Arguments small = {"render", "corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[5,5]", "--at", "0.05"};
    const auto with = [&](const Arguments& more) {
        Arguments all = small;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect(0, with({"--out", "a.png", "--size", "64x48"}));
    const std::string picture = read_all(file("a.png"));
    EXPECT_EQ(png_size(picture), (std::pair<std::uint32_t, std::uint32_t>{64, 48}));
    const Outcome quiet = expect(0, with({"--out", "b.png", "--size", "64x48", "--camera", "0,9,9:0,1,0", "--quiet"}));
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_NE(read_all(file("b.png")), picture);
    const std::set<std::string> before = names();

    expect_error(2, "found extension \".bmp\"; expected .png, .mp4, .webm or .gif", with({"--out", "a.bmp"}));
    for (const char* size : {"64", "64x", "x48", "64x48x2", "0x0", "15x15", "9000x9000", "-64x48", "axb", ""})
        expect_error(2, std::string("--size: found \"") + size + "\"; expected WIDTHxHEIGHT",
                     with({"--out", "c.png", "--size", size}));
    for (const char* camera : {"1,2,3", "1,2,3:4,5", "1,2,3:1,2,3", "a,b,c:d,e,f", "0,2,4:0,1.5,nan", "0,2,4:0,1,0x"})
        expect_error(2, std::string("--camera: found \"") + camera + "\"; expected EYE:TARGET",
                     with({"--out", "c.png", "--size", "64x48", "--camera", camera}));
    expect_error(2, "--at", with({"--out", "c.png", "--at", "-1"}));
    expect_error(2, "--fps", with({"--out", "c.mp4", "--fps", "0"}));
    expect_error(1, "none/c.png: cannot open for writing", with({"--out", "none/c.png", "--size", "64x48"}));
    EXPECT_EQ(names(), before);
}

TEST_F(Program, DrawsAFilm) {
    if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "needs ffmpeg";
    const Arguments small = {"render", "corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[5,5]", "--size", "33x17"};
    const auto with = [&](const Arguments& more) {
        Arguments all = small;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect(0, with({"--at", "0.1", "--out", "it's.mp4"})); // odd size, and a name the shell could trip over
    EXPECT_EQ(read_all(file("it's.mp4")).substr(4, 4), "ftyp");
    expect_error(1, "none/a.gif", with({"--at", "0.1", "--out", "none/a.gif"}));
    EXPECT_EQ(names(), std::set<std::string>{"it's.mp4"});
}

} // namespace
} // namespace selvage
