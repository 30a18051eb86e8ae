#include <cstdio>

#include "base/concat.h"
#include "base/stopwatch.h"
#include "sweep/dataset_file.h"
#include "sweep/index_page.h"
#include "sweep/sweep.h"

namespace selvage {

namespace {

SweepOutcome outcome_of(const SweepSpec& spec, const JobRows& rows) {
    constexpr std::size_t kNamed = 10;
    SweepOutcome outcome{.jobs = spec.job_count()};
    for (const JobRow& row : rows) {
        if (row.status == JobStatus::done) ++outcome.done;
        if (row.status == JobStatus::pending) ++outcome.pending;
        if (row.status != JobStatus::failed) continue;
        if (outcome.failures.size() < kNamed)
            outcome.failures.push_back(concat("job ", row.job, ": ", csv_fields(row.manifest).back()));
        ++outcome.failed;
    }
    return outcome;
}

void add_work(const SweepProgress& progress, double seconds, int workers, SweepOutcome& outcome) {
    outcome.done_now = progress.done + progress.failed;
    outcome.seconds = seconds;
    outcome.busy = seconds > 0.0 ? progress.busy_seconds / (seconds * workers) : 0.0;
}

} // namespace

Result<SweepOutcome> finish_sweep(const SweepRequest& request, const SweepSpec& spec, const SweepFolder& folder,
                                  const JobRows& rows) {
    if (const Status ok = write_manifest(spec, folder, rows); !ok) return ok.error();
    if (request.stopped()) return outcome_of(spec, rows);
    if (const Status ok = write_index_page(spec, folder, rows, request); !ok) return ok.error();
    return outcome_of(spec, rows);
}

Result<OpenSweep> open_sweep(const SweepRequest& request) {
    if (const Status ok = check_dataset_support(); !ok) return ok.error();
    Result<SweepSpec> spec = load_sweep(request.spec);
    if (!spec) return spec.error();
    if (const Status ok = check_scenes(*spec); !ok) return ok.error();
    const Result<SweepFolder> folder = prepare_folder(*spec, request.out, request.version);
    if (!folder) return folder.error();
    Result<FolderLock> lock = FolderLock::take(*folder);
    if (!lock) return lock.error();
    Result<JobRows> rows = read_rows(*spec, *folder, request.version);
    if (!rows) return rows.error();
    for (JobRow& row : *rows)
        if (request.retry && row.status == JobStatus::failed) row = JobRow{.job = row.job};
    return OpenSweep{std::move(*spec), *folder, std::move(*lock), std::move(*rows)};
}

Result<SweepOutcome> run_sweep(const SweepRequest& request, const MakeWorkers& make_workers) {
    Result<OpenSweep> sweep = open_sweep(request);
    if (!sweep) return sweep.error();
    const std::vector<std::int64_t> pending = pending_jobs(sweep->rows);
    if (pending.size() < sweep->rows.size())
        request.say(concat(sweep->rows.size() - pending.size(), " of ", sweep->rows.size(), " jobs are done already"));
    SweepProgress progress;
    int worker_count = 1;
    double seconds = 0.0;
    if (!pending.empty()) {
        Result<Journal> journal = Journal::open(sweep->folder.journals() / "run.txt");
        if (!journal) return journal.error();
        const Stopwatch clock;
        std::unique_ptr<WorkerPool> workers = make_workers(sweep->spec, sweep->folder);
        worker_count = workers->size();
        const Status worked =
            do_jobs(*workers, pending, sweep->rows, *journal, progress, request.stopped, request.show);
        seconds = clock.seconds();
        workers.reset();
        if (!worked || request.stopped()) remove_half_written(sweep->folder);
        if (!worked) return worked.error(); // the journal has what was done
    }
    Result<SweepOutcome> outcome = finish_sweep(request, sweep->spec, sweep->folder, sweep->rows);
    if (outcome) add_work(progress, seconds, worker_count, *outcome);
    return outcome;
}

Result<SweepOutcome> run_part(const SweepRequest& request, const SweepPart& part, const MakeWorkers& make_workers) {
    if (const Status ok = check_dataset_support(); !ok) return ok.error();
    const Result<SweepSpec> spec = load_sweep(request.spec);
    if (!spec) return spec.error();
    std::error_code code;
    const bool is_begun = std::filesystem::exists(SweepFolder{request.out}.identity(), code);
    if (!is_begun)
        if (const Status ok = check_scenes(*spec); !ok) return ok.error();
    const Result<SweepFolder> folder = is_begun ? open_folder(*spec, request.out, request.version)
                                                : prepare_folder(*spec, request.out, request.version);
    if (!folder) return folder.error();
    Result<JobRows> rows = read_part_rows(*spec, *folder, request.version, part);
    if (!rows) return rows.error();
    const std::vector<std::int64_t> pending = pending_jobs(*rows, part);
    Result<Journal> journal = Journal::open(folder->journals() / part.journal());
    if (!journal) return journal.error();
    const std::unique_ptr<WorkerPool> workers = make_workers(*spec, *folder);
    SweepProgress progress;
    const Stopwatch clock;
    if (const Status ok = do_jobs(*workers, pending, *rows, *journal, progress, request.stopped, request.show); !ok)
        return ok.error();
    SweepOutcome outcome{.jobs = static_cast<std::int64_t>(pending.size()),
                         .done = progress.done,
                         .failed = progress.failed,
                         .pending = static_cast<std::int64_t>(pending.size()) - progress.done - progress.failed};
    add_work(progress, clock.seconds(), workers->size(), outcome);
    return outcome;
}

std::string outcome_text(const SweepOutcome& outcome) {
    std::string text =
        concat(outcome.jobs, " jobs: ", outcome.done, " done, ", outcome.failed, " failed, ", outcome.pending, " left");
    if (outcome.done_now == 0) return text;
    char now[128];
    std::snprintf(now, sizeof now, "; %lld of them now, in %.1f s", static_cast<long long>(outcome.done_now),
                  outcome.seconds);
    text += now;
    if (outcome.busy > 0.0) {
        std::snprintf(now, sizeof now, " (workers busy %.1f %% of the time)", 100.0 * outcome.busy);
        text += now;
    }
    return text;
}

Status outcome_status(const SweepOutcome& outcome, const SweepRequest& request) {
    const auto fail = [&](const std::string& message) { return Error{message, request.out.string(), ErrorKind::work}; };
    if (request.stopped())
        return fail(
            concat("stopped by a signal with ", outcome.pending, " jobs left; the same command goes on with them"));
    if (outcome.pending > 0)
        return fail(concat(outcome.pending, " jobs were not done; the same command goes on with them"));
    if (outcome.failed == 0) return Done{};
    std::string named;
    for (const std::string& failure : outcome.failures)
        named += "\n  " + failure;
    return fail(concat(outcome.failed, outcome.failed == 1 ? " job" : " jobs",
                       " failed; manifest.csv has the reasons, --retry tries again:", named,
                       outcome.failures.size() < static_cast<std::size_t>(outcome.failed) ? "\n  ..." : ""));
}

} // namespace selvage
