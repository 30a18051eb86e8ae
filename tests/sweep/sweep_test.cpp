#include "sweep/sweep.h"

#include <fstream>
#include <map>
#include <sstream>

#include "base/atomic_file.h"
#include "support.h"
#include "sweep/dataset_file.h"
#include "sweep/svg_plot.h"

namespace selvage {
namespace {

/// Six jobs of nine mass points.
constexpr char kSmall[] = R"({"scene": "corner-hang", "set": {"/cloths/0/mesh/grid/vertices": [3, 3], "/seconds": 0.05},
    "grid": {"/air/density": [1, 2, 3], "/velocity_damping": [0, 1]}})";
/// The second of three asks for a mesh that is not there.
constexpr char kOneFails[] = R"({"scene": "corner-hang", "set": {"/seconds": 0.02},
    "grid": {"/cloths/0/mesh": [{"grid": {"vertices": [3, 3]}}, {"file": "gone.obj"}, {"grid": {"vertices": [4, 4]}}]}})";

class Sweep : public TestFolder {
protected:
    void SetUp() override {
        TestFolder::SetUp();
        if (const Status ok = check_dataset_support(); !ok) GTEST_SKIP() << ok.error().text();
    }

    SweepRequest request(const std::string& text, const std::string& out) {
        std::ofstream(file("s.json")) << text;
        return {.spec = file("s.json"),
                .out = file(out),
                .version = "1.2.3",
                .thumbnails = 0,
                .stopped = [] { return false; },
                .show = [](double) {},
                .say = [](const std::string&) {}};
    }
    static MakeWorkers local(int count) {
        return [count](const SweepSpec& spec, const SweepFolder& folder) {
            return std::make_unique<LocalWorkers>(spec, folder, "1.2.3", count);
        };
    }
    SweepOutcome run(const SweepRequest& request, int workers = 2) {
        const Result<SweepOutcome> outcome = run_sweep(request, local(workers));
        EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().text());
        return outcome ? *outcome : SweepOutcome{};
    }
    /// All that a data set is, by name.
    std::map<std::string, std::string> data_set(const std::string& name) const {
        std::map<std::string, std::string> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(file(name))) {
            const std::string path = std::filesystem::relative(entry.path(), file(name)).string();
            const bool is_data = path.starts_with("jobs/") || path == "manifest.csv" || path == "sweep.json";
            if (entry.is_regular_file() && is_data) found[path] = *read_file(entry.path());
        }
        return found;
    }
};

TEST_F(Sweep, GivesTheSameBytesByOneWorkerAndByThree) {
    EXPECT_EQ(run(request(kSmall, "one"), 1).done, 6);
    EXPECT_EQ(run(request(kSmall, "three"), 3).done, 6);
    const std::map<std::string, std::string> one = data_set("one");
    EXPECT_EQ(one, data_set("three"));
    EXPECT_EQ(one.size(), 8u);
    EXPECT_TRUE(std::filesystem::exists(file("one/index.html")));
    EXPECT_FALSE(std::filesystem::exists(file("one/journal")));
}

TEST_F(Sweep, GoesOnWhereItStoppedAndDoesNothingTwice) {
    run(request(kSmall, "whole"));
    SweepRequest asked = request(kSmall, "stopped");
    int shown = 0;
    asked.show = [&](double) { ++shown; };
    asked.stopped = [&] { return shown >= 2; };
    const SweepOutcome first = run(asked, 1);
    EXPECT_EQ(first.done, 2);
    EXPECT_EQ(first.pending, 4);
    const SweepOutcome second = run(request(kSmall, "stopped"), 1);
    EXPECT_EQ(second.done, 6);
    EXPECT_EQ(second.done_now, 4);
    EXPECT_EQ(run(request(kSmall, "stopped")).done_now, 0);
    EXPECT_EQ(data_set("whole"), data_set("stopped"));
}

TEST_F(Sweep, ReadsTheRowOfAFileThatNobodyNotedAndRedoesOneThatIsGone) {
    run(request(kSmall, "whole"));
    run(request(kSmall, "hurt"));
    // As a kill between the file and its row leaves it, and half a row of a journal.
    std::filesystem::remove(file("hurt/manifest.csv"));
    std::filesystem::remove(file("hurt/jobs/000/000004.h5"));
    std::filesystem::create_directories(file("hurt/journal"));
    std::ofstream(file("hurt/journal/run.txt")) << "0123456789abcdef|0.1|5,ho";
    std::ofstream(file("hurt/jobs/000/000004.h5.99-0.part")) << "half";
    EXPECT_EQ(run(request(kSmall, "hurt")).done_now, 1);
    EXPECT_EQ(data_set("whole"), data_set("hurt"));
}

TEST_F(Sweep, ListsJobsThatFailAndGoesOn) {
    const SweepOutcome outcome = run(request(kOneFails, "out"));
    EXPECT_EQ(outcome.done, 2);
    EXPECT_EQ(outcome.failed, 1);
    ASSERT_EQ(outcome.failures.size(), 1u);
    EXPECT_NE(outcome.failures[0].find("job 1: "), std::string::npos) << outcome.failures[0];
    EXPECT_NE(outcome.failures[0].find("gone.obj"), std::string::npos) << outcome.failures[0];
    const std::string manifest = *read_file(file("out/manifest.csv"));
    std::istringstream lines(manifest);
    std::string line;
    std::getline(lines, line);
    const std::size_t columns = csv_fields(line).size();
    while (std::getline(lines, line))
        EXPECT_EQ(csv_fields(line).size(), columns) << line;
    EXPECT_EQ(run(request(kOneFails, "out")).done_now, 0); // a failure is an answer
    SweepRequest again = request(kOneFails, "out");
    again.retry = true;
    EXPECT_EQ(run(again).done_now, 1);
    const Status status = outcome_status(outcome, again);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::work);
}

TEST_F(Sweep, PartsMakeTheWhole) {
    run(request(kSmall, "whole"));
    for (const std::int64_t part : {2, 0, 1, 1}) { // one of them requeued
        const Result<SweepOutcome> outcome = run_part(request(kSmall, "parts"), {part, 4}, local(1));
        ASSERT_TRUE(outcome) << outcome.error().text();
    }
    const SweepOutcome outcome = run(request(kSmall, "parts")); // what the fourth would have done
    EXPECT_EQ(outcome.done, 6);
    EXPECT_EQ(outcome.done_now, 1);
    EXPECT_EQ(data_set("whole"), data_set("parts"));
}

TEST_F(Sweep, KeepsToItsOwnFolder) {
    run(request(kSmall, "out"));
    const auto refused = [&](const SweepRequest& asked) {
        const Result<SweepOutcome> outcome = run_sweep(asked, local(1));
        return outcome ? std::string("not refused") : outcome.error().text();
    };
    EXPECT_NE(refused(request(kOneFails, "out")).find("another sweep"), std::string::npos);
    SweepRequest newer = request(kSmall, "out");
    newer.version = "2.0.0";
    EXPECT_NE(refused(newer).find("was begun by version \"1.2.3\", and this is \"2.0.0\""), std::string::npos);
    std::filesystem::create_directories(file("mine"));
    std::ofstream(file("mine/thesis.txt")) << "words";
    EXPECT_NE(refused(request(kSmall, "mine")).find("holds files"), std::string::npos);
    EXPECT_NE(refused(request(kSmall, "mine/thesis.txt")).find("is a file"), std::string::npos);
    EXPECT_NE(refused(request(kSmall, "mine/thesis.txt/deeper")).find("cannot be made"), std::string::npos);
    const SweepFolder folder{file("out")};
    const Result<FolderLock> lock = FolderLock::take(folder);
    ASSERT_TRUE(lock);
    EXPECT_NE(refused(request(kSmall, "out")).find("another sweep is filling this folder"), std::string::npos);
}

TEST(Manifest, ReadsBackWhatItQuotes) {
    for (const std::string text : {"plain", "a,b", "say \"no\"", "\",\"", ""})
        EXPECT_EQ(csv_fields("1," + csv_field(text) + ",2"), (std::vector<std::string>{"1", text, "2"}));
    EXPECT_EQ(csv_field("two\nlines"), "two lines"); // a row is a line
}

TEST(Manifest, PutsAThousandJobsInAFolder) {
    EXPECT_EQ(SweepFolder::job_name(0), "jobs/000/000000.h5");
    EXPECT_EQ(SweepFolder::job_name(123999), "jobs/123/123999.h5");
    EXPECT_EQ(SweepFolder::job_name(9999999), "jobs/9999/9999999.h5");
}

TEST(SvgPlot, EscapesWhatUsersWrite) {
    const std::string drawn = svg(SvgPlot{"<x>", "a & b", {{"", {{1, 2, "\"t\""}, {3, 4, ""}}}}, false, true});
    EXPECT_NE(drawn.find("&lt;x&gt;"), std::string::npos);
    EXPECT_NE(drawn.find("a &amp; b"), std::string::npos);
    EXPECT_EQ(drawn.find("nan"), std::string::npos);
}

} // namespace
} // namespace selvage
