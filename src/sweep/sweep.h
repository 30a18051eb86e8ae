#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sweep/manifest.h"
#include "sweep/workers.h"

namespace selvage {

/// Held by whoever fills a folder, so that nobody else does at the same time. Gone when its process is.
class FolderLock {
public:
    static Result<FolderLock> take(const SweepFolder& folder);
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock();

private:
    explicit FolderLock(int file) : file_(file) {}
    int file_;
};

/// Makes the folder, or finds that it is this sweep's. Fails on one that is another's, or holds other files. Nothing is
/// left of a folder that could not be made whole.
Result<SweepFolder> prepare_folder(const SweepSpec& spec, const std::filesystem::path& root,
                                   const std::string& version);

/// The same for a task among many, of a folder that is there: what the sweep reads is not looked at again.
Result<SweepFolder> open_folder(const SweepSpec& spec, const std::filesystem::path& root, const std::string& version);

/// Jobs of a part that are left to do.
std::vector<std::int64_t> pending_jobs(const JobRows& rows, const SweepPart& part = {});

struct SweepProgress {
    std::int64_t done = 0, failed = 0; ///< Of the jobs handed out.
    double busy_seconds = 0.0;         ///< Wall time that workers spent on jobs.
};

/// Hands jobs to workers as they become free, and notes what comes back, first in `rows` and `journal`. Ends early when
/// `stopped`. Fails where the folder cannot be written any more.
Status do_jobs(WorkerPool& workers, const std::vector<std::int64_t>& pending, JobRows& rows, Journal& journal,
               SweepProgress& progress, const std::function<bool()>& stopped,
               const std::function<void(double fraction)>& show);

/// What a sweep is asked to do, wherever its jobs run.
struct SweepRequest {
    std::filesystem::path spec, out;
    std::string version;
    bool retry = false;                          ///< Jobs that failed before, too.
    int thumbnails = 48;                         ///< At most, in the index.
    std::function<bool()> stopped;               ///< A signal came.
    std::function<void(double fraction)> show;   ///< Of the jobs.
    std::function<void(const std::string&)> say; ///< A line for the user.
};

/// How it stands at the end of a run.
struct SweepOutcome {
    std::int64_t jobs = 0, done = 0, failed = 0, pending = 0; ///< Of the whole sweep.
    std::int64_t done_now = 0;                                ///< By this run.
    double seconds = 0.0;                                     ///< Of this run, without the index.
    double busy = 0.0;                                        ///< Fraction of that which workers spent on jobs.
    std::vector<std::string> failures = {};                   ///< The first few: job and reason.
};

using MakeWorkers = std::function<std::unique_ptr<WorkerPool>(const SweepSpec&, const SweepFolder&)>;

/// A sweep with its folder, checked, locked and read: what there is to do is known.
struct OpenSweep {
    SweepSpec spec;
    SweepFolder folder;
    FolderLock lock;
    JobRows rows;
};
/// Where failed jobs are to be tried again they are pending.
Result<OpenSweep> open_sweep(const SweepRequest& request);

/// The whole of it: checks, folder, jobs, manifest, index.
Result<SweepOutcome> run_sweep(const SweepRequest& request, const MakeWorkers& make_workers);

/// One part of it, as a task of an array job does: no manifest, no index.
Result<SweepOutcome> run_part(const SweepRequest& request, const SweepPart& part, const MakeWorkers& make_workers);

/// Writes manifest and index of what is there, and sums it up.
Result<SweepOutcome> finish_sweep(const SweepRequest& request, const SweepSpec& spec, const SweepFolder& folder,
                                  const JobRows& rows);

/// A line for the user, and whether the sweep is whole: jobs that failed or are left make it an error.
std::string outcome_text(const SweepOutcome& outcome);
Status outcome_status(const SweepOutcome& outcome, const SweepRequest& request);

} // namespace selvage
