// The processes behind `selvage sweep --mpi`. Rank 0 hands out jobs as they are asked for and keeps the books; every
// other rank has one worker process, made before MPI starts so that a job that crashes takes nobody with it. Waiting
// ranks sleep between looks: MPI's own waiting would take a core each.

#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/concat.h"
#include "sweep/dataset_file.h"
#include "sweep/sweep.h"
#include "terminal/progress.h"

namespace selvage {
namespace {

constexpr int kJobTag = 1, kAnswerTag = 2;
constexpr std::int64_t kNoMore = -1;
constexpr useconds_t kNap = 200; // [us]

/// The size of the next message from `source`, once there is one.
MPI_Status wait_for_message(int source, int tag) {
    MPI_Status status;
    int is_there = 0;
    while (MPI_Iprobe(source, tag, MPI_COMM_WORLD, &is_there, &status), !is_there)
        usleep(kNap);
    return status;
}

/// The other ranks, seen from rank 0.
class MpiWorkers : public WorkerPool {
public:
    explicit MpiWorkers(int ranks) : count_(ranks - 1) {}
    MpiWorkers(const MpiWorkers&) = delete;
    MpiWorkers& operator=(const MpiWorkers&) = delete;
    ~MpiWorkers() override {
        while (at_work_ > 0)
            receive();
    }

    int size() const override { return count_; }
    Status assign(int worker, std::int64_t job) override {
        MPI_Send(&job, 1, MPI_INT64_T, worker + 1, kJobTag, MPI_COMM_WORLD);
        ++at_work_;
        return Done{};
    }
    std::vector<Answer> wait(const std::function<bool()>&) override {
        std::vector<Answer> answers;
        answers.push_back(receive());
        return answers;
    }

private:
    Answer receive() {
        const MPI_Status status = wait_for_message(MPI_ANY_SOURCE, kAnswerTag);
        int size = 0;
        MPI_Get_count(&status, MPI_CHAR, &size);
        std::string bytes(static_cast<std::size_t>(size), '\0');
        MPI_Recv(bytes.data(), size, MPI_CHAR, status.MPI_SOURCE, kAnswerTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        --at_work_;
        Result<JobRow> row = unpack_row(bytes);
        if (!row) MPI_Abort(MPI_COMM_WORLD, 1); // only a broken network does this
        return {status.MPI_SOURCE - 1, std::move(*row)};
    }

    int count_;
    int at_work_ = 0;
};

/// What every rank but the first does.
void serve(LocalWorkers& worker) {
    for (;;) {
        wait_for_message(0, kJobTag);
        std::int64_t job = kNoMore;
        MPI_Recv(&job, 1, MPI_INT64_T, 0, kJobTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (job == kNoMore) return;
        std::vector<WorkerPool::Answer> answers;
        if (worker.assign(0, job))
            while (answers.empty())
                answers = worker.wait([] { return false; });
        if (answers.empty()) answers.push_back({0, {job, JobStatus::unwritable, 0.0, "cannot start a worker process"}});
        const std::string row = pack_row(answers.front().row);
        MPI_Send(row.data(), static_cast<int>(row.size()), MPI_CHAR, 0, kAnswerTag, MPI_COMM_WORLD);
    }
}

int report(const Error& error) {
    std::fprintf(stderr, "selvage-mpi: %s\n", error.text().c_str());
    return error.kind == ErrorKind::input ? 2 : 1;
}

/// What rank 0 does.
int lead(const SweepRequest& request, int ranks, bool quiet) {
    if (ranks < 2) return report({"found one process; expected at least two: one hands out jobs, the others do them"});
    const Result<SweepOutcome> outcome =
        run_sweep(request, [&](const SweepSpec&, const SweepFolder&) { return std::make_unique<MpiWorkers>(ranks); });
    for (int rank = 1; rank < ranks; ++rank)
        MPI_Send(&kNoMore, 1, MPI_INT64_T, rank, kJobTag, MPI_COMM_WORLD);
    if (!outcome) return report(outcome.error());
    if (!quiet)
        std::printf("%s\ndata set in %s: manifest.csv and jobs/; look at index.html\n", outcome_text(*outcome).c_str(),
                    request.out.c_str());
    if (const Status ok = outcome_status(*outcome, request); !ok) return report(ok.error());
    return 0;
}

int run(int argc, char** argv, SweepRequest& request, bool quiet) {
    const Result<SweepSpec> spec = load_sweep(request.spec);
    if (!spec) return report(spec.error());
    const SweepFolder folder{request.out};
    std::optional<LocalWorkers> worker(std::in_place, *spec, folder, request.version, 1);
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1, code = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        worker.reset();
        code = lead(request, ranks, quiet);
    } else {
        serve(*worker);
    }
    MPI_Finalize();
    return code;
}

} // namespace
} // namespace selvage

int main(int argc, char** argv) {
    using namespace selvage;
    CLI::App app(
        "What `selvage sweep --mpi` starts: mpirun -n 9 selvage-mpi SPEC --out DIR does a sweep by 8 workers.");
    std::string spec, out;
    SweepRequest request;
    bool quiet = false;
    app.add_option("SPEC", spec, "Sweep file")->required();
    app.add_option("--out", out, "Folder of the data set")->required();
    app.add_option("--thumbnails", request.thumbnails, "Pictures in the index, at most")->check(CLI::Range(0, 1000));
    app.add_flag("--retry", request.retry, "Do jobs that failed before once more");
    app.add_flag("--quiet", quiet, "No summary");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    request.spec = spec;
    request.out = out;
    request.version = SELVAGE_VERSION;
    Progress progress("sweep", quiet);
    request.stopped = [] { return false; };
    request.show = [&](double fraction) { progress.update(fraction); };
    request.say = [&](const std::string& line) {
        if (!quiet) std::fprintf(stderr, "%s\n", line.c_str());
    };
    return run(argc, argv, request, quiet);
}
