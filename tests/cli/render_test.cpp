#include <cstdlib>

#include "program.h"

namespace selvage {
namespace {

/// An environment variable of the program, put back afterwards.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before, had_ = true;
        setenv(name, value, 1);
    }
    ~Variable() {
        if (had_)
            setenv(name_, before_.c_str(), 1);
        else
            unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::string before_;
    bool had_ = false;
};

class Render : public Program {
protected:
    static Arguments small(const Arguments& more) {
        Arguments all = {"render", "corner-hang", "--set",  "/cloths/0/mesh/grid/vertices=[5,5]",
                         "--at",   "0.02",        "--size", "64x48"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

TEST_F(Render, SaysWhenThereIsNoGlDriver) {
    const Variable nobody("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent");
    expect_error(1, "GL: no usable GL driver: EGL gives no display", small({"--out", "a.png"}));
    EXPECT_TRUE(names().empty());
}

TEST_F(Render, SaysWhenThereIsNoFfmpeg) {
    const Variable nowhere("PATH", "/nonexistent");
    expect_error(1, "a.mp4: found no ffmpeg in PATH; expected it for films", small({"--out", "a.mp4"}));
    EXPECT_TRUE(names().empty());
}

TEST_F(Render, RefusesATimeAfterTheEndThatIsAskedFor) {
    expect_error(2, "--at: found 0.02; expected at most the 0.01 of --seconds",
                 small({"--out", "a.png", "--seconds", "0.01"}));
    EXPECT_TRUE(names().empty());
}

TEST_F(Render, SaysWhenTheDiskIsFull) {
    std::filesystem::create_symlink("/dev/full", file("full.png"));
    expect_error(1, "full.png: cannot write: No space left on device", small({"--out", "full.png"}));
}

TEST_F(Render, NamesTheSurroundingsItCannotUse) {
    expect_error(2, "none.hdr: no such file", small({"--out", "a.png", "--environment", "none.hdr"}));
    ASSERT_TRUE(write_file(file("text.hdr"), "not a picture"));
    expect_error(2, "text.hdr: is not a Radiance picture; expected",
                 small({"--out", "a.png", "--environment", "text.hdr"}));
    expect_error(2, "/render/environment: found \"moon\"; expected studio, sky or",
                 small({"--out", "a.png", "--set", "/render/environment=moon"}));
    EXPECT_EQ(names(), std::set<std::string>{"text.hdr"});
}

TEST_F(Render, NamesThePrintItCannotRead) {
    expect_error(2, "none.png: no such file",
                 small({"--out", "a.png", "--set", "/render/fabric={\"print\": \"none.png\"}"}));
    ASSERT_TRUE(write_file(file("text.png"), "not a picture"));
    expect_error(2, "text.png: cannot be read as a picture",
                 small({"--out", "a.png", "--set", "/render/fabric={\"print\": \"text.png\"}"}));
    EXPECT_EQ(names(), std::set<std::string>{"text.png"});
}

TEST_F(Render, RefusesATurntableOfOnePictureAndOverlaysItDoesNotKnow) {
    expect_error(2, "a.png: found --turntable with a picture; expected a film",
                 small({"--out", "a.png", "--turntable", "1"}));
    expect_error(2, "did you mean \"strain\"?", small({"--out", "a.png", "--show", "strains"}));
    EXPECT_TRUE(names().empty());
}

TEST_F(Render, OverlaysAndSurroundingsChangeThePicture) {
    std::set<std::string> pictures;
    for (const Arguments& more :
         {Arguments{}, Arguments{"--show", "wireframe"}, Arguments{"--show", "strain"}, Arguments{"--show", "normals"},
          Arguments{"--environment", "sky"}, Arguments{"--set", "/cloths/0/fabric=denim"},
          Arguments{"--set", "/render/fabric={\"warp_colour\": [0.8, 0.1, 0.1]}"}}) {
        Arguments all = small({"--out", "a.png"});
        all.insert(all.end(), more.begin(), more.end());
        expect(0, all);
        pictures.insert(read_all(file("a.png")));
    }
    EXPECT_EQ(pictures.size(), 7u);
}

} // namespace
} // namespace selvage
