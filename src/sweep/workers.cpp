#include "sweep/workers.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/concat.h"

namespace selvage {

namespace {

/// Reads all of it, or says that the other end is gone.
bool read_whole(int file, void* data, std::size_t size) {
    auto* at = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool write_whole(int file, const void* data, std::size_t size) {
    const auto* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        size -= static_cast<std::size_t>(put);
    }
    return true;
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status))
        return concat("its process was ended by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
    return concat("its process ended with code ", WEXITSTATUS(status));
}

} // namespace

LocalWorkers::LocalWorkers(const SweepSpec& spec, const SweepFolder& folder, std::string version, int count)
    : spec_(spec), folder_(folder), version_(std::move(version)), workers_(static_cast<std::size_t>(count)) {
    std::signal(SIGPIPE, SIG_IGN); // a worker that is gone is an error of the write to it
    for (Process& process : workers_)
        if (!start(process)) break; // assign() tries again, and tells
}

LocalWorkers::~LocalWorkers() {
    for (Process& process : workers_)
        end(process);
}

void LocalWorkers::end(Process& process) {
    if (process.id < 0) return;
    kill(process.id, SIGKILL);
    waitpid(process.id, nullptr, 0);
    close(process.jobs);
    close(process.answers);
    process = {};
}

Status LocalWorkers::start(Process& process) {
    int jobs[2] = {-1, -1}, answers[2] = {-1, -1};
    const auto fail = [&](const char* what) {
        const int code = errno;
        for (const int file : {jobs[0], jobs[1], answers[0], answers[1]})
            if (file >= 0) close(file);
        return Error{concat("cannot ", what, ": ", std::strerror(code)), "sweep", ErrorKind::work};
    };
    if (pipe(jobs) != 0 || pipe(answers) != 0) return fail("make a pipe to a worker");
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return fail("start a worker process");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(0); // it was gone already
        for (const Process& other : workers_)
            for (const int file : {other.jobs, other.answers})
                if (file >= 0) close(file);
        close(jobs[1]);
        close(answers[0]);
        work(jobs[0], answers[1]);
    }
    close(jobs[0]);
    close(answers[1]);
    process = {child, jobs[1], answers[0], -1};
    return Done{};
}

void LocalWorkers::work(int jobs, int answers) const {
    // Ctrl-C reaches all processes of a terminal; who handed out the jobs decides what becomes of them.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_IGN);
    std::int64_t job = 0;
    while (read_whole(jobs, &job, sizeof job)) {
        const std::string row = pack_row(run_job(spec_, folder_, job, version_));
        const std::uint64_t size = row.size();
        if (!write_whole(answers, &size, sizeof size) || !write_whole(answers, row.data(), row.size())) break;
    }
    _exit(0);
}

Status LocalWorkers::assign(int worker, std::int64_t job) {
    Process& process = workers_[static_cast<std::size_t>(worker)];
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (process.id < 0)
            if (Status ok = start(process); !ok) return ok;
        process.job = job;
        if (write_whole(process.jobs, &job, sizeof job)) return Done{};
        end(process); // it went while it had nothing to do
    }
    return Error{"worker processes end as soon as they start", "sweep", ErrorKind::work};
}

WorkerPool::Answer LocalWorkers::answer_of(int worker) {
    Process& process = workers_[static_cast<std::size_t>(worker)];
    std::uint64_t size = 0;
    std::string bytes;
    if (read_whole(process.answers, &size, sizeof size)) {
        bytes.resize(size);
        if (read_whole(process.answers, bytes.data(), bytes.size()))
            if (Result<JobRow> row = unpack_row(bytes)) {
                process.job = -1;
                return {worker, std::move(*row)};
            }
    }
    int status = 0;
    waitpid(process.id, &status, 0);
    close(process.jobs);
    close(process.answers);
    const std::int64_t job = process.job;
    process = {};
    return {worker, failed_row(spec_, job, how_it_ended(status), version_)};
}

std::vector<WorkerPool::Answer> LocalWorkers::wait(const std::function<bool()>& stopped) {
    std::vector<Answer> answers;
    std::vector<pollfd> waited;
    std::vector<int> worker_of;
    for (int w = 0; w < size(); ++w)
        if (const Process& process = workers_[static_cast<std::size_t>(w)]; process.job >= 0) {
            waited.push_back({process.answers, POLLIN, 0});
            worker_of.push_back(w);
        }
    constexpr int kLookUpEvery = 500; // [ms]; a signal cuts it short
    while (!waited.empty() && !stopped() && poll(waited.data(), waited.size(), kLookUpEvery) <= 0) {
    }
    for (std::size_t i = 0; i < waited.size(); ++i)
        if (waited[i].revents != 0) answers.push_back(answer_of(worker_of[i]));
    return answers;
}

} // namespace selvage
