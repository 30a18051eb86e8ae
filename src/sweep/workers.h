#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sweep/job.h"

namespace selvage {

/// Does jobs somewhere else: in other processes, on other machines.
class WorkerPool {
public:
    struct Answer {
        int worker;
        JobRow row;
    };
    virtual ~WorkerPool() = default;
    virtual int size() const = 0;
    /// To a worker that has nothing to do.
    virtual Status assign(int worker, std::int64_t job) = 0;
    /// Waits until something is done, or `stopped`; then it may be nothing.
    virtual std::vector<Answer> wait(const std::function<bool()>& stopped) = 0;
};

/// Processes on this machine, one simulation each. A job that crashes its process has failed; the process is replaced.
/// They end with the one that made them, however that ends.
class LocalWorkers : public WorkerPool {
public:
    /// `spec` and `folder` must outlive it. Make it before any thread is started.
    LocalWorkers(const SweepSpec& spec, const SweepFolder& folder, std::string version, int count);
    LocalWorkers(const LocalWorkers&) = delete;
    LocalWorkers& operator=(const LocalWorkers&) = delete;
    ~LocalWorkers() override; ///< Ends them, in the middle of a job if need be.

    int size() const override { return static_cast<int>(workers_.size()); }
    Status assign(int worker, std::int64_t job) override;
    std::vector<Answer> wait(const std::function<bool()>& stopped) override;

private:
    struct Process {
        pid_t id = -1;
        int jobs = -1, answers = -1; // our ends of two pipes
        std::int64_t job = -1;       // at work on it
    };
    Status start(Process& process);
    void end(Process& process);
    Answer answer_of(int worker);
    [[noreturn]] void work(int jobs, int answers) const;

    const SweepSpec& spec_;
    const SweepFolder& folder_;
    std::string version_;
    std::vector<Process> workers_;
};

} // namespace selvage
