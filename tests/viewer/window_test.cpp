// The real window on a virtual display, driven through X by xdotool as by a user.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>

#include "cli/program.h"
#include "render/image_file.h"
#include "solvers/catalog.h"

namespace selvage {
namespace {

constexpr int kWidth = 800, kHeight = 500;

/// An X server without a screen, for all tests of the program.
class VirtualDisplay : public ::testing::Environment {
public:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        server_ = fork();
        if (server_ == 0) {
            close(ends[0]);
            const int nothing = open("/dev/null", O_WRONLY);
            dup2(nothing, STDERR_FILENO);
            const std::string end = std::to_string(ends[1]);
            execlp("Xvfb", "Xvfb", "-displayfd", end.c_str(), "-screen", "0", "1280x800x24", "-nolisten", "tcp",
                   "-noreset", static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        std::string number;
        for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';)
            number += c;
        close(ends[0]);
        ASSERT_FALSE(number.empty()) << "Xvfb did not start; scripts/setup installs it";
        setenv("DISPLAY", (":" + number).c_str(), 1);
    }
    void TearDown() override {
        if (server_ <= 0) return;
        kill(server_, SIGTERM);
        waitpid(server_, nullptr, 0);
    }

private:
    pid_t server_ = 0;
};
const ::testing::Environment* const kDisplay = ::testing::AddGlobalTestEnvironment(new VirtualDisplay);

class ViewerWindow : public Program {
protected:
    void open(const Arguments& more) {
        Arguments all = {"view"};
        all.insert(all.end(), more.begin(), more.end());
        const std::string size = std::to_string(kWidth) + "x" + std::to_string(kHeight);
        all.insert(all.end(), {"--size", size, "--status", "status.json", "--style", "quick", "--threads", "1"});
        child_ = start(all, out_);
        ASSERT_TRUE(wait_for([](const Json& s) { return s["picture"] > 0; })) << read_all(err_);
        xdotool("key Tab"); // no panels: the whole window is cloth and air
    }
    /// The window closed by the user; everything must be well then.
    void close_window() {
        xdotool("key ctrl+q");
        const Outcome outcome = finish(child_, out_);
        child_ = 0;
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
    }
    void TearDown() override {
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        Program::TearDown();
    }
    static void xdotool(const std::string& what) { EXPECT_EQ(std::system(("xdotool " + what).c_str()), 0) << what; }

    Json status() const {
        const Result<std::string> text = read_file(file("status.json"));
        if (!text) return {};
        return Json::parse(*text, nullptr, false);
    }
    template <class Ready>
    bool wait_for(const Ready& ready) const {
        return wait_until([&] {
            const Json now = status();
            return now.is_object() && ready(now);
        });
    }
    Image8 screenshot(const std::string& keys = "F12") {
        const std::set<std::string> before = names();
        xdotool("key " + keys);
        std::string made;
        EXPECT_TRUE(wait_until([&] {
            for (const std::string& name : names())
                if (!before.count(name) && name.ends_with(".png")) made = name;
            return !made.empty();
        }));
        const Result<Image8> image = read_picture(file(made));
        EXPECT_TRUE(image);
        return image ? *image : Image8{};
    }
    static double fraction_that_differs(const Image8& a, const Image8& b) {
        if (a.rgb.size() != b.rgb.size()) return 1.0;
        std::size_t different = 0;
        for (std::size_t i = 0; i < a.rgb.size(); i += 3)
            different += std::abs(a.rgb[i] - b.rgb[i]) > 8;
        return 3.0 * static_cast<double>(different) / static_cast<double>(a.rgb.size());
    }
    pid_t child_ = 0;
};

/// Seventeen by seventeen particles, two corners pinned.
const Arguments kSheet = {"corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[17,17]"};

TEST_F(ViewerWindow, TheGrabbedPointEndsUnderTheCursor) {
    open({"corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[17,17]", "--paused"});
    // Frame by frame, so that a slow machine grabs the same cloth; a key that is long in coming up may count twice.
    for (std::int64_t frame = 0; frame < 10; frame = status()["frame"]) {
        xdotool("key period");
        ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] > frame; })) << status().dump();
    }
    const Json before = status();
    const int x = static_cast<int>(std::lround(double(before["middle"][0]))),
              y = static_cast<int>(std::lround(double(before["middle"][1])));
    xdotool("mousemove " + std::to_string(x) + " " + std::to_string(y) + " mousedown 1");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["grabs"].size() == 1; })) << status().dump();
    xdotool("key space");
    for (int i = 0; i < 12; ++i) // towards the pins, where the cloth is slack
        xdotool("mousemove_relative -- 3 -8");
    const auto off_cursor = [](const Json& s) {
        return std::hypot(double(s["grabs"][0]["x"]) - double(s["cursor"][0]),
                          double(s["grabs"][0]["y"]) - double(s["cursor"][1]));
    };
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["cursor"][0] == x + 36 && off_cursor(s) < 2.0; }))
        << status().dump();
    // The picture comes after the cloth.
    EXPECT_TRUE(wait_for([](const Json& s) { return s["latency_ms"].contains("median"); })) << status().dump();
    EXPECT_GT(status()["latency_ms"]["median"], 0.0);
    xdotool("key p mouseup 1");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["grabs"].size() == 1 && s["grabs"][0]["pinned"] == true; }));
    const std::int64_t frame = status()["frame"];
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] > frame + 10; }));
    EXPECT_LT(off_cursor(status()), 2.0); // it stays where it was pinned
    xdotool("click 3");
    EXPECT_TRUE(wait_for([](const Json& s) { return s["grabs"].empty(); }));
    EXPECT_EQ(status()["finite"], true);
    close_window();
}

TEST_F(ViewerWindow, KeysSwitchEverySolver) {
    open(kSheet);
    for (std::size_t i = 0; i < solver_catalog().size(); ++i) {
        const std::string name = solver_catalog()[i].name;
        const std::int64_t frame = status()["frame"];
        xdotool("key " + std::to_string(i + 1));
        ASSERT_TRUE(wait_for([&](const Json& s) { return s["solver"] == name; })) << name;
        // It runs on from the same cloth; only the two for study may diverge instead, and say so.
        ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] > frame + 2 || s["message_is_error"] == true; }))
            << name;
        EXPECT_EQ(status()["finite"], true);
    }
    close_window();
}

// No device steps xpbd, so that this holds on machines with a GPU too.
TEST_F(ViewerWindow, OpensOnTheCpuAndSaysWhyWhereTheDeviceCannot) {
    open({"corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[9,9]", "--solver", "xpbd", "--device", "cuda"});
    const Json now = status();
    EXPECT_EQ(now["stepped_on"], "cpu");
    EXPECT_NE(now["device_refusal"].get<std::string>().find("device cuda"), std::string::npos);
    EXPECT_EQ(now["message_is_error"], true);
    EXPECT_TRUE(wait_for([](const Json& s) { return s["frame"] > 5; }));
    close_window();
}

TEST_F(ViewerWindow, PausesStepsScrubsAndPicturesFollow) {
    // A flag never comes to rest, however many frames go by before a busy machine gets to pausing it.
    open({"flag", "--set", "/cloths/0/mesh/grid/vertices=[12,17]"});
    ASSERT_TRUE(wait_for([](const Json& s) { return s["frame"] > 12; }));
    xdotool("key space");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["playing"] == false; }));
    const Json stopped = status();
    xdotool("key period");
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] == std::int64_t(stopped["frame"]) + 1; }))
        << status().dump();
    EXPECT_EQ(status()["playing"], false);
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["picture_time"] == s["time"]; }));
    const Image8 late = screenshot();
    ASSERT_EQ(late.width, kWidth);
    std::set<std::array<std::uint8_t, 3>> colours;
    for (int y = 0; y < late.height; ++y)
        for (int x = 0; x < late.width; ++x)
            colours.insert(late.at(x, y));
    EXPECT_GT(colours.size(), 200u); // a backdrop alone has fewer than one per row of its gradient
    const int at = status()["timeline"]["at"];
    for (int i = 0; i < 12; ++i)
        xdotool("key Left");
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["timeline"]["at"] == at - 12; })) << status().dump();
    EXPECT_NEAR(double(status()["time"]), double(stopped["time"]) - 11.0 / 60.0, 1e-6);
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["picture_time"] == s["time"]; }));
    const Image8 early = screenshot();
    EXPECT_GT(fraction_that_differs(late, early), 0.005); // 12 frames of a flag in the wind
    for (int i = 0; i < 12; ++i)
        xdotool("key Right");
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["timeline"]["at"] == at && s["picture_time"] == s["time"]; }));
    EXPECT_EQ(fraction_that_differs(late, screenshot()), 0.0); // the same frame, the same picture
    close_window();
}

TEST_F(ViewerWindow, OrbitsZoomsAndDrawsOverlays) {
    open({"corner-hang", "--set", "/cloths/0/mesh/grid/vertices=[17,17]", "--paused"});
    const Image8 plain = screenshot();
    const auto drawn_after = [&](const std::string& what) {
        const std::int64_t number = status()["picture"];
        xdotool(what);
        EXPECT_TRUE(wait_for([&](const Json& s) { return s["picture"] > number; })) << what;
        return screenshot();
    };
    // Of the window: the picture and a line that tells of the last one; with the panels a good part of it is theirs.
    EXPECT_LT(fraction_that_differs(plain, screenshot("shift+F12")), 0.03);
    xdotool("key Tab");
    EXPECT_GT(fraction_that_differs(plain, screenshot("shift+F12")), 0.2);
    xdotool("key Tab");
    EXPECT_GT(fraction_that_differs(plain, drawn_after("key w")), 0.01);
    EXPECT_GT(fraction_that_differs(plain, drawn_after("key s")), 0.01);
    xdotool("key w key s");
    EXPECT_GT(
        fraction_that_differs(plain, drawn_after("mousemove 20 480 mousedown 1 mousemove_relative 120 0 mouseup 1")),
        0.01);
    EXPECT_GT(fraction_that_differs(plain, drawn_after("click 4 click 4 click 4")), 0.01);
    close_window();
}

TEST_F(ViewerWindow, SplitsInTwoAndSavesSceneAndState) {
    open(kSheet);
    xdotool("key x");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["compared_solver"] == "implicit-jacobi"; }));
    const std::int64_t frame = status()["frame"];
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] > frame + 5; }));
    // With the panels shown each half is clear of them: 252 to the left, 384 to the right, 246 below.
    EXPECT_EQ(status()["picture_area"][0], 0.0);
    xdotool("key Tab");
    const Json clear = Json::array({252.0, 0.0, kWidth - 636.0, kHeight - 246.0});
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["picture_area"] == clear; })) << status().dump();
    xdotool("key x"); // and away again
    ASSERT_TRUE(wait_for([](const Json& s) { return s["compared_solver"] == ""; }));
    ASSERT_TRUE(wait_for([](const Json& s) { return s["picture_area"][0] == 0.0; }));
    xdotool("key Tab key x");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["compared_solver"] == "implicit-jacobi"; }));
    xdotool("key ctrl+s");
    ASSERT_TRUE(wait_until(
        [&] { return names().count("corner-hang-saved-1.json") && names().count("corner-hang-saved-1.state"); }));
    close_window();
    open({"corner-hang-saved-1.json", "--resume", "corner-hang-saved-1.state"});
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] > frame && s["playing"] == false; }))
        << status().dump();
    close_window();
}

TEST_F(ViewerWindow, ShakingAGrabbedClothLeavesItWhole) {
    open(kSheet);
    const Json before = status();
    const int x = static_cast<int>(std::lround(double(before["middle"][0]))),
              y = static_cast<int>(std::lround(double(before["middle"][1])));
    xdotool("mousemove " + std::to_string(x) + " " + std::to_string(y) + " mousedown 1");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["grabs"].size() == 1; })) << status().dump();
    std::string shaking;
    for (int i = 0; i < 100; ++i) // from edge to edge of the window, twice in each frame
        shaking +=
            std::string("mousemove ") + (i % 2 ? "10" : "790") + " " + std::to_string(20 + 4 * i) + " sleep 0.008 ";
    xdotool(shaking);
    const std::int64_t frame = status()["frame"], picture = status()["picture"];
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["frame"] > frame + 5 && s["picture"] > picture + 1; }));
    EXPECT_EQ(status()["finite"], true);
    EXPECT_EQ(status()["message_is_error"], false) << status().dump();
    xdotool("mouseup 1");
    EXPECT_TRUE(wait_for([](const Json& s) { return s["grabs"].empty(); }));
    close_window();
}

TEST_F(ViewerWindow, AWindowOfOnePixelComesBack) {
    open(kSheet);
    xdotool("key v"); // two pictures side by side in it
    const std::string window = "search --onlyvisible --name Selvage windowsize --sync ";
    xdotool(window + "1 1"); // nobody keeps the limits here: there is no window manager
    ASSERT_TRUE(wait_for([](const Json& s) { return s["width"] == 1 && s["height"] == 1; })) << status().dump();
    const std::int64_t picture = status()["picture"];
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["picture"] > picture + 2; }));
    xdotool(window + std::to_string(kWidth) + " " + std::to_string(kHeight));
    ASSERT_TRUE(wait_for([](const Json& s) { return s["width"] == kWidth; })) << status().dump();
    xdotool("key v key space");
    ASSERT_TRUE(wait_for([](const Json& s) { return s["playing"] == false && s["picture_time"] == s["time"]; }));
    const Image8 image = screenshot();
    EXPECT_EQ(image.width, kWidth);
    // The window shows that picture, but for a line that tells of the file.
    EXPECT_LT(fraction_that_differs(image, screenshot("shift+F12")), 0.03);
    close_window();
}

TEST_F(ViewerWindow, ClosingItEndsTheFilmProperly) {
    open(kSheet);
    xdotool("key F9");
    const std::int64_t picture = status()["picture"];
    ASSERT_TRUE(wait_for([&](const Json& s) { return s["picture"] > picture + 5; }));
    close_window();
    const std::string film = read_all(file("corner-hang-film-1.mp4"));
    EXPECT_EQ(film.substr(4, 4), "ftyp");
    EXPECT_NE(film.find("moov"), std::string::npos); // the table of frames, which is written last
}

TEST_F(ViewerWindow, SurvivesTenThousandRandomEvents) {
    // Clicks, drags, keys, settings, resizes, scenes and broken files, in a window small enough for the sanitizers.
    const Outcome outcome =
        expect(0, {"view", "yard-drape", "--set", "/cloths/0/mesh/grid/vertices=[9,9]", "--size", "320x240", "--style",
                   "quick", "--threads", "1", "--random-input", "10000", "--seed", "3"});
    EXPECT_EQ(outcome.err, "");
}

TEST_F(ViewerWindow, WithoutADisplaySaysWhatIsMissing) {
    const std::string display = getenv("DISPLAY");
    unsetenv("DISPLAY");
    expect_error(1, "cannot open a window", {"view", "flag"});
    setenv("DISPLAY", ":987", 1);
    expect_error(1, "cannot open a window", {"view", "flag"});
    setenv("DISPLAY", display.c_str(), 1);
    expect_error(2, "no-such-scene", {"view", "no-such-scene"});
    expect_error(2, "--size", {"view", "flag", "--size", "huge"});
}

} // namespace
} // namespace selvage
