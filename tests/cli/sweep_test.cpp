// `selvage sweep` as a user meets it: kills, failures, Slurm and MPI.

#include <cstdlib>
#include <map>
#include <set>

#include "cli/program.h"

namespace selvage {
namespace {

constexpr char kSweep[] = R"({"scene": "corner-hang", "set": {"/cloths/0/mesh/grid/vertices": [9, 9], "/seconds": 0.2},
    "grid": {"/air/density": {"from": 1, "to": 2, "count": 30}}})";

class SweepProgram : public Program {
protected:
    void SetUp() override {
        Program::SetUp();
        path_ = getenv("PATH") ? getenv("PATH") : "";
        std::ofstream(file("s.json")) << kSweep;
        std::ofstream(file("one.json"))
            << R"({"scene": "corner-hang", "set": {"/seconds": 0.02}, "grid": {"/air/density": [1]}})";
        const Outcome outcome = run({"sweep", "one.json", "--out", "probe", "--quiet", "--thumbnails", "0"});
        if (outcome.err.find("without HDF5") != std::string::npos) GTEST_SKIP() << outcome.err;
    }
    void TearDown() override {
        setenv("PATH", path_.c_str(), 1);
        Program::TearDown();
    }
    static Arguments sweep(const std::string& out, const Arguments& more = {}) {
        Arguments all = {"sweep", "s.json", "--out", out, "--quiet", "--thumbnails", "0"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::map<std::string, std::string> data_set(const std::string& name) const {
        std::map<std::string, std::string> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(file(name))) {
            const std::string path = std::filesystem::relative(entry.path(), file(name)).string();
            const bool is_data = path.starts_with("jobs/") || path == "manifest.csv" || path == "sweep.json";
            if (entry.is_regular_file() && is_data) found[path] = read_all(entry.path());
        }
        return found;
    }
    /// A program found before all others.
    void fake(const std::string& name, const std::string& script) const {
        std::filesystem::create_directories(file("bin"));
        std::ofstream(file("bin/" + name)) << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(file("bin/" + name), std::filesystem::perms::owner_all);
        setenv("PATH", (file("bin").string() + ":" + path_).c_str(), 1);
    }
    std::string path_;
};

TEST_F(SweepProgram, LosesNothingWhenItIsKilled) {
    expect(0, sweep("whole"));
    for (int kill_after = 20; kill_after <= 80; kill_after += 30) { // [ms]
        const pid_t child = start(sweep("killed"), out_);
        std::this_thread::sleep_for(std::chrono::milliseconds(kill_after));
        kill(child, SIGKILL);
        finish(child, out_);
    }
    expect(0, sweep("killed"));
    EXPECT_EQ(data_set("whole"), data_set("killed"));
    EXPECT_EQ(data_set("whole").size(), 32u);
}

TEST_F(SweepProgram, StopsAtASignalAndGoesOn) {
    const pid_t child = start(sweep("out", {"--workers", "1"}), out_);
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(file("out/jobs/000/000001.h5")); }));
    kill(child, SIGINT);
    const Outcome outcome = finish(child, out_);
    if (outcome.code != 0) { // or it was faster than the signal
        EXPECT_EQ(outcome.code, 1);
        EXPECT_NE(outcome.err.find("the same command goes on with them"), std::string::npos) << outcome.err;
        for (const auto& [name, unused] : data_set("out"))
            EXPECT_FALSE(name.ends_with(".part")) << name;
    }
    expect(0, sweep("out"));
    expect(0, sweep("whole"));
    EXPECT_EQ(data_set("whole"), data_set("out"));
}

TEST_F(SweepProgram, SimulatesWhatRunDoes) {
    expect(0, {"sweep", "one.json", "--out", "out", "--quiet", "--thumbnails", "0"});
    const std::string hash = hash_of({"run", "corner-hang", "--seconds", "0.02", "--set", "/air/density=1"});
    EXPECT_NE(read_all(file("out/manifest.csv")).find(hash), std::string::npos);
}

TEST_F(SweepProgram, SaysWhatIsWrongBeforeAnythingIsWritten) {
    expect_error(2, "gone.json: no such file", {"sweep", "gone.json", "--out", "x"});
    std::ofstream(file("bad.json")) << R"({"scene": "flag", "grid": {"/secnds": [1]}})";
    expect_error(2, "did you mean \"seconds\"?", {"sweep", "bad.json", "--out", "x"});
    expect_error(2, "expected INDEX/COUNT", sweep("x", {"--part", "8/8"}));
    expect_error(2, "more than one of --slurm", sweep("x", {"--part", "0/8", "--slurm"}));
    EXPECT_FALSE(std::filesystem::exists(file("x")));
    expect_error(2, "belongs to another sweep", sweep("probe"));
    expect_error(1, "cannot be made", sweep("/proc/none/x"));
}

TEST_F(SweepProgram, SaysWhySlurmDidNotTakeIt) {
    fake("sbatch", "echo 'sbatch: not found' >&2; exit 127");
    expect_error(1, "sbatch: cannot be run here", sweep("out", {"--slurm"}));
    fake("sbatch", "[ \"$1\" = --version ] && exit 0; echo 'error: Invalid partition name specified' >&2; exit 1");
    fake("squeue", "exit 0");
    fake("scontrol", "echo MaxArraySize = 1001");
    expect_error(1, "refused the array job: error: Invalid partition name", sweep("out", {"--slurm"}));
    fake("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1");
    expect_error(1, "squeue: does not answer", sweep("out", {"--slurm"}));
}

TEST_F(SweepProgram, CollectsWhatAnArrayJobDid) {
    // In place of Slurm: the array's tasks one after the other, the second of them lost and run again.
    fake("sbatch", R"([ "$1" = --version ] && exit 0
for word; do case $word in --array=0-*) last=${word#--array=0-};; --job-name=*) echo "${word#*=}" >>names;; esac; script=$word; done
for task in $(seq 0 "$last") 1; do
    SLURM_ARRAY_TASK_ID=$task sh "$script" || exit 1
done
echo 17)");
    fake("squeue", R"(for word; do case $word in --name=*) echo "${word#*=}" >>names;; esac; done)");
    fake("scontrol", "echo 'MaxArraySize            = 1001'");
    expect(0, sweep("array", {"--slurm", "--tasks", "4"}));
    expect(0, sweep("whole"));
    EXPECT_EQ(data_set("whole"), data_set("array"));
    // The array is asked for by the name it was given, though its folder was not there at first.
    std::ifstream names(file("names"));
    std::set<std::string> different;
    for (std::string name; std::getline(names, name);)
        different.insert(name);
    EXPECT_EQ(different.size(), 1u);
}

TEST_F(SweepProgram, GivesTheSameUnderMpi) {
    const std::filesystem::path worker = std::filesystem::path(SELVAGE_PROGRAM).parent_path() / "selvage-mpi";
    if (!std::filesystem::exists(worker) || std::system("command -v mpirun >/dev/null") != 0)
        GTEST_SKIP() << "no MPI here; scripts/setup sweep installs it";
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1); // tests may run as root in a container
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    expect(0, sweep("mpi", {"--mpi", "2"}));
    expect(0, sweep("whole"));
    EXPECT_EQ(data_set("whole"), data_set("mpi"));
    expect_error(1, "nowhere: no such program; --mpi needs Open MPI",
                 sweep("mpi", {"--mpi", "2", "--mpirun", "nowhere"}));
}

} // namespace
} // namespace selvage
