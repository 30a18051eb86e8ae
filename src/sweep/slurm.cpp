#include "sweep/slurm.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/hash.h"
#include "base/stopwatch.h"

namespace selvage {

namespace {

struct CommandOutput {
    int code = -1; // 127: there is no such program
    std::string text;
};

/// Runs a shell command; its output and its complaints in one text.
CommandOutput run_command(const std::string& command) {
    CommandOutput output;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe) return output;
    char piece[4096];
    while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe))
        output.text.append(piece, got);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) output.code = WEXITSTATUS(status);
    while (!output.text.empty() && output.text.back() == '\n')
        output.text.pop_back();
    return output;
}

std::string shell_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// The same for every run of this folder: how an array that is at work already is found.
std::string array_name(const SweepFolder& folder) {
    std::error_code code;
    // Absolute first: of a folder that is not there yet, only what is there is made so otherwise.
    const std::filesystem::path root = std::filesystem::absolute(folder.root, code);
    return "selvage-" + hex(hash_text(std::filesystem::weakly_canonical(root, code).string()));
}

/// How many tasks of the array wait or run. Fails when Slurm does not answer.
Result<std::int64_t> tasks_left(const std::string& name) {
    const CommandOutput queue = run_command("squeue --noheader --array --format=%i --name=" + shell_quoted(name));
    if (queue.code != 0) return Error{concat("does not answer: ", queue.text), "squeue", ErrorKind::work};
    if (queue.text.empty()) return std::int64_t{0};
    return std::count(queue.text.begin(), queue.text.end(), '\n') + 1;
}

/// What the cluster allows; its default where it does not say.
std::int64_t largest_array() {
    constexpr std::int64_t kDefault = 1001;
    const CommandOutput found = run_command("scontrol show config");
    const std::size_t at = found.text.find("MaxArraySize");
    const std::size_t equals = at == std::string::npos ? at : found.text.find('=', at);
    if (equals == std::string::npos) return kDefault;
    return std::max<std::int64_t>(1, std::atoll(found.text.c_str() + equals + 1));
}

Status submit(const SweepRequest& request, const SlurmSettings& settings, const SweepFolder& folder,
              std::int64_t tasks) {
    const auto absolute = [](const std::filesystem::path& path) {
        return shell_quoted(std::filesystem::absolute(path).lexically_normal().string());
    };
    std::error_code code;
    std::filesystem::create_directories(folder.slurm(), code);
    const std::filesystem::path script = folder.slurm() / "array.sh";
    const std::string text =
        concat("#!/bin/sh\n# One task of the array: its part of the jobs. Those that are done are left alone, so that "
               "a task may"
               " be\n# requeued.\nexec ",
               shell_quoted(settings.program.string()), " sweep ", absolute(request.spec), " --out ",
               absolute(request.out), " --part \"$SLURM_ARRAY_TASK_ID/", tasks, "\" --quiet\n");
    if (Status ok = write_file(script, text); !ok) return ok;
    const std::string command =
        concat("sbatch --parsable --job-name=", array_name(folder), " --array=0-", tasks - 1,
               " --ntasks=1 --cpus-per-task=1 --requeue --open-mode=append --output=",
               absolute(folder.slurm() / "task-%a.txt"), " ", settings.sbatch_options, " ", absolute(script));
    const CommandOutput answer = run_command(command);
    if (answer.code != 0)
        return Error{concat("refused the array job: ", answer.text.empty() ? "no reason given" : answer.text), "sbatch",
                     ErrorKind::work};
    request.say(concat("submitted array job ", answer.text, " with ", tasks, tasks == 1 ? " task" : " tasks"));
    return Done{};
}

/// Until no task is left. A controller that restarts is given time. An array is over when it is not in the queue and all
/// jobs have their files. A busy controller may not list one that was just submitted: while jobs are left, it must be
/// away for long.
Status wait_for_array(const SweepRequest& request, const std::string& name,
                      const std::function<bool()>& all_jobs_have_files) {
    constexpr double kPatience = 120.0, kLongAway = 30.0; // [s]
    std::int64_t most = 1;
    Stopwatch silence, absence;
    while (!request.stopped()) {
        const Result<std::int64_t> left = tasks_left(name);
        if (left) {
            if (*left > 0) absence.restart();
            if (*left == 0 && (absence.seconds() > kLongAway || all_jobs_have_files())) return Done{};
            silence.restart();
            most = std::max(most, *left);
            request.show(1.0 - static_cast<double>(*left) / static_cast<double>(most));
        } else if (silence.seconds() > kPatience) {
            return left.error();
        }
        for (int i = 0; i < 10 && !request.stopped(); ++i)
            usleep(100'000);
    }
    return Done{};
}

/// Failed jobs have no files: for them an array is waited for a little longer.
bool all_done(const OpenSweep& sweep) {
    const std::vector<std::int64_t> pending = pending_jobs(sweep.rows);
    std::error_code code;
    return std::all_of(pending.begin(), pending.end(),
                       [&](std::int64_t job) { return std::filesystem::exists(sweep.folder.job_file(job), code); });
}

} // namespace

Result<SweepOutcome> run_slurm(const SweepRequest& request, const SlurmSettings& settings) {
    if (const CommandOutput version = run_command("sbatch --version"); version.code != 0)
        return Error{
            concat("cannot be run here (", version.text,
                   "); --slurm needs a machine that may submit jobs, and without it the sweep runs on this one"),
            "sbatch", ErrorKind::work};
    const std::string name = array_name({request.out});
    const Result<std::int64_t> at_work = tasks_left(name); // before anything is written
    if (!at_work) return at_work.error();
    Result<OpenSweep> sweep = open_sweep(request);
    if (!sweep) return sweep.error();
    const Stopwatch clock;
    const auto pending = static_cast<std::int64_t>(pending_jobs(sweep->rows).size());
    if (*at_work > 0) {
        request.say(
            concat("an array job of this folder is at work already, with ", *at_work, " tasks left: waiting for it"));
    } else if (pending > 0) {
        // Tasks read the manifest and their own journal, not one another's.
        if (const Status ok = write_manifest(sweep->spec, sweep->folder, sweep->rows); !ok) return ok.error();
        const std::int64_t tasks = std::min({pending, std::int64_t{settings.tasks}, largest_array()});
        if (const Status ok = submit(request, settings, sweep->folder, tasks); !ok) return ok.error();
    }
    if (*at_work > 0 || pending > 0)
        if (const Status ok = wait_for_array(request, name, [&] { return all_done(*sweep); }); !ok) return ok.error();
    if (request.stopped())
        return Error{"stopped waiting; the array job goes on, and the same command collects it", request.out.string(),
                     ErrorKind::work};
    Result<JobRows> rows = read_rows(sweep->spec, sweep->folder, request.version);
    if (!rows) return rows.error();
    Result<SweepOutcome> outcome = finish_sweep(request, sweep->spec, sweep->folder, *rows);
    if (!outcome) return outcome;
    outcome->done_now = pending - outcome->pending;
    outcome->seconds = clock.seconds();
    if (outcome->pending > 0) request.say("tasks of the array ended before their jobs: see slurm/task-*.txt");
    return outcome;
}

} // namespace selvage
