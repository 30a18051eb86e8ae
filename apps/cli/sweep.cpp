#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/concat.h"
#include "cli.h"
#include "sweep/slurm.h"
#include "sweep/sweep.h"

namespace selvage {

namespace {

struct SweepFlags {
    std::string spec, out, part, sbatch, mpirun = "mpirun --oversubscribe --bind-to none";
    int workers = 0, thumbnails = 48, tasks = 256, mpi = 0;
    bool retry = false, quiet = false, slurm = false;
};

Status parse_part(const std::string& text, SweepPart& part) {
    long long index = 0, count = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%lld/%lld%c", &index, &count, &rest) != 2 || count < 1 || index < 0 ||
        index >= count || count > kMostJobs)
        return Error{concat("found \"", text, "\"; expected INDEX/COUNT, such as 0/8 for the first of eight"),
                     "--part"};
    part = {index, count};
    return Done{};
}

Result<std::filesystem::path> own_path() {
    std::error_code code;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", code);
    if (code) return Error{concat("cannot find this program: ", code.message()), "sweep", ErrorKind::work};
    return path;
}

/// Whether the shell would find it.
bool is_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
    std::istringstream folders(getenv("PATH") ? getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
    return false;
}

/// Becomes mpirun, whose processes do the sweep. Returns only where that fails.
Error become_mpirun(const SweepFlags& flags, const SweepRequest& request) {
    const Result<std::filesystem::path> self = own_path();
    if (!self) return self.error();
    const std::filesystem::path worker = self->parent_path() / "selvage-mpi";
    std::error_code code;
    if (!std::filesystem::exists(worker, code))
        return {concat("is not there: Selvage was built without MPI; install libopenmpi-dev and openmpi-bin "
                       "(scripts/setup sweep), and configure and build it again"),
                worker.string(), ErrorKind::work};
    std::vector<std::string> words;
    std::istringstream typed(flags.mpirun);
    for (std::string word; typed >> word;)
        words.push_back(word);
    if (words.empty() || !is_program(words[0]))
        return {"no such program; --mpi needs Open MPI (openmpi-bin)", words.empty() ? "--mpirun" : words[0],
                ErrorKind::work};
    // What is wrong with the sweep is said once, here, and not by every process.
    if (const Result<OpenSweep> sweep = open_sweep(request); !sweep) return sweep.error();
    words.insert(words.end(), {"-n", concat(flags.mpi + 1), worker.string(), flags.spec, "--out", flags.out,
                               "--thumbnails", concat(flags.thumbnails)});
    if (flags.retry) words.emplace_back("--retry");
    if (flags.quiet) words.emplace_back("--quiet");
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::fflush(nullptr);
    execvp(arguments[0], arguments.data());
    return {concat("cannot be run: ", std::strerror(errno)), words[0], ErrorKind::work};
}

int sweep_part(const SweepFlags& flags, const SweepRequest& request) {
    SweepPart part;
    if (const Status ok = parse_part(flags.part, part); !ok) return report_error(ok.error());
    const Result<SweepOutcome> outcome = run_part(request, part, [&](const SweepSpec& spec, const SweepFolder& folder) {
        return std::make_unique<LocalWorkers>(spec, folder, request.version, std::max(1, flags.workers));
    });
    if (!outcome) return report_error(outcome.error());
    if (!flags.quiet) std::printf("part %s: %s\n", flags.part.c_str(), outcome_text(*outcome).c_str());
    return outcome->pending > 0 ? kWorkFailed : kDone; // failed jobs are told when all parts are collected
}

Result<SweepOutcome> sweep_whole(const SweepFlags& flags, const SweepRequest& request) {
    if (flags.mpi > 0) return become_mpirun(flags, request);
    if (flags.slurm) {
        const Result<std::filesystem::path> self = own_path();
        if (!self) return self.error();
        return run_slurm(request, {*self, flags.tasks, flags.sbatch});
    }
    const int count = flags.workers > 0 ? flags.workers : static_cast<int>(std::thread::hardware_concurrency());
    return run_sweep(request, [&](const SweepSpec& spec, const SweepFolder& folder) {
        return std::make_unique<LocalWorkers>(spec, folder, request.version, count);
    });
}

int sweep(const SweepFlags& flags) {
    if (flags.slurm + (flags.mpi > 0) + !flags.part.empty() > 1)
        return report_error({"found more than one of --slurm, --mpi and --part; expected one of them"});
    stop_on_signals();
    Progress progress("sweep", flags.quiet);
    const auto say = [&](const std::string& line) {
        if (!flags.quiet) std::fprintf(stderr, "%s\n", line.c_str());
    };
    const SweepRequest request{.spec = flags.spec,
                               .out = flags.out,
                               .version = SELVAGE_VERSION,
                               .retry = flags.retry,
                               .thumbnails = flags.thumbnails,
                               .stopped = interrupted,
                               .show = [&](double fraction) { progress.update(fraction); },
                               .say = say};
    if (!flags.part.empty()) return sweep_part(flags, request);
    const Result<SweepOutcome> outcome = sweep_whole(flags, request);
    if (!outcome) return report_error(outcome.error());
    if (!flags.quiet)
        std::printf("%s\ndata set in %s: manifest.csv and jobs/; look at index.html\n", outcome_text(*outcome).c_str(),
                    flags.out.c_str());
    if (const Status ok = outcome_status(*outcome, request); !ok) return report_error(ok.error());
    return kDone;
}

} // namespace

void add_sweep_command(CommandLine& line) {
    Command command = line.add_command("sweep", "Simulate many variants of a scene into a data set");
    auto flags = std::make_shared<SweepFlags>();
    command.add_option("SPEC", flags->spec, "Sweep file: the scene, and what varies").type_name("FILE.json").required();
    command.add_option("--out", flags->out, "Folder of the data set; a sweep that was stopped goes on there")
        .type_name("DIR")
        .required();
    command.add_option("--workers", flags->workers, "Simulations at a time on this machine; 0: one per core")
        .range(0, 4096)
        .show_default();
    command.add_flag("--slurm", flags->slurm, "Run as an array job of Slurm; wait for it and collect it");
    command.add_option("--tasks", flags->tasks, "Tasks of the array job, at most").range(1, 1000000).show_default();
    command.add_option("--sbatch", flags->sbatch, "More options of sbatch, such as \"--time=4:00:00 --mem=2G\"")
        .type_name("OPTIONS");
    command
        .add_option("--mpi", flags->mpi, "Run under mpirun with so many workers, and one process that hands out jobs")
        .type_name("WORKERS")
        .range(1, 100000);
    command.add_option("--mpirun", flags->mpirun, "How processes are started").type_name("COMMAND").show_default();
    command
        .add_option("--part", flags->part,
                    "Every COUNTth job from INDEX on, without manifest and index: for other schedulers. The same "
                    "without --part collects them")
        .type_name("INDEX/COUNT");
    command.add_flag("--retry", flags->retry, "Do jobs that failed before once more");
    command.add_option("--thumbnails", flags->thumbnails, "Pictures in the index, at most")
        .range(0, 1000)
        .show_default();
    command.add_flag("--quiet", flags->quiet, "No progress, no summary");
    command.on_run([flags] { return sweep(*flags); });
}

} // namespace selvage
