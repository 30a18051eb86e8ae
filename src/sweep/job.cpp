#include "sweep/job.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <new>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "base/stopwatch.h"
#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "garment/scene_garments.h"
#include "scene/scene_io.h"
#include "sim/checkpoint.h"
#include "sweep/dataset_file.h"

namespace selvage {

namespace {

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Times of one job, for a row of timings.csv.
struct JobClock {
    std::time_t started = std::time(nullptr);
    Stopwatch wall = {};
    double cpu_before = processor_seconds();
    double setup = 0.0, step = 0.0, write = 0.0; // [s]

    std::string row(std::int64_t job) const {
        char host[256] = "", start[32] = "";
        gethostname(host, sizeof host - 1);
        std::tm utc{};
        gmtime_r(&started, &utc);
        std::strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", &utc);
        std::string text = concat(job, ",", csv_field(host), ",", start);
        for (const double seconds : {wall.seconds(), processor_seconds() - cpu_before, setup, step, write}) {
            text += ",";
            append_number(text, seconds, 6);
        }
        return text;
    }
};

std::string row_head(const SweepSpec& spec, std::int64_t job, const char* status) {
    std::string row = concat(job, ",", status);
    for (const Json& value : spec.job(job).values)
        row += "," + csv_field(value.is_string() ? value.get<std::string>() : value.dump());
    return row;
}

std::string measures_of(Simulation& sim, const DatasetRecord& record) {
    const ClothModel& model = sim.model();
    const FrameMeasures& last = record.measures().back();
    CrossingCounter counter;
    const std::vector<Vec3>& x = sim.state().position;
    const int self = counter.count(sim.pool(), model.edges, model.mesh.triangles, x).count;
    const int collider =
        count_collider_crossings(sim.pool(), sim.colliders(), model.edges, model.mesh.triangles, x).count;
    std::string text =
        concat(",", model.vertex_count(), ",", model.mesh.triangle_count(), ",", record.measures().size());
    const Vec3 size = last.high - last.low;
    for (const double value :
         {last.time, last.kinetic, last.elastic, last.gravity, last.strain_max, size.x, size.y, size.z, last.low.y}) {
        text += ",";
        append_number(text, value, 9);
    }
    text += concat(",", self, ",", collider, ",");
    append_number(text, 1000.0 * deepest_penetration(sim.pool(), sim.colliders(), x), 6);
    return text;
}

/// Frames between two that are kept.
std::int64_t frames_between(const SweepOutput& output, double dt, std::int64_t frame_count) {
    if (!(output.frames_per_second > 0.0)) return std::max<std::int64_t>(1, frame_count);
    return std::max<std::int64_t>(1, std::llround(std::ceil(1.0 / output.frames_per_second / dt - 1e-6)));
}

Status simulate(const SweepSpec& spec, Simulation& sim, DatasetRecord& record) {
    const auto count = static_cast<std::int64_t>(std::llround(std::ceil(sim.scene().seconds / sim.scene().dt - 1e-6)));
    const std::int64_t every = frames_between(spec.output, sim.scene().dt, count);
    record.add_frame();
    for (std::int64_t frame = 1; frame <= count; ++frame) {
        sim.step_frame();
        if (sim.divergence()) return Error{sim.divergence()->text(), sim.scene().name, ErrorKind::work};
        if (frame % every == 0 || frame == count) record.add_frame();
    }
    return Done{};
}

/// The file goes to its place last of all: where it is, the job is done.
Status write_job(const SweepFolder& folder, std::int64_t job, const std::string& bytes) {
    const std::filesystem::path path = folder.job_file(job);
    std::error_code code;
    std::filesystem::create_directories(path.parent_path(), code);
    if (code) return Error{concat("cannot be made: ", code.message()), path.parent_path().string(), ErrorKind::io};
    return write_file(path, bytes);
}

Result<JobRow> try_job_itself(const SweepSpec& spec, const SweepFolder& folder, const SweepJob& job,
                              const std::string& version, JobClock& clock) {
    Result<SceneDesc> scene = load_scene(job.scene, job.overrides);
    if (!scene) return scene.error();
    scene->budget_ms = 0.0; // results must not depend on the speed of a machine
    if (const Status ok = dress_scene(*scene, 1); !ok) return ok.error();
    Result<Simulation> sim = Simulation::make(*scene, 1);
    if (!sim) return sim.error();
    clock.setup = clock.wall.seconds();
    DatasetRecord record(*sim);
    if (const Status ok = simulate(spec, *sim, record); !ok) return ok.error();
    clock.step = clock.wall.seconds() - clock.setup;

    const std::vector<std::string> columns = spec.columns();
    Json settings = Json::object();
    for (std::size_t c = 1; c < columns.size(); ++c)
        settings[columns[c]] = job.values[c];
    DatasetLabels labels{.version = version,
                         .sweep = spec.name,
                         .scene = job.values[0].is_string() ? job.values[0].get<std::string>() : "",
                         .settings = settings.dump(),
                         .state_hash = hex(state_hash(sim->state())),
                         .job = job.index};
    labels.row = concat(row_head(spec, job.index, "done"), measures_of(*sim, record), ",", labels.state_hash);
    const Result<std::string> bytes = dataset_bytes(record, labels, spec.output.compression);
    if (!bytes) return bytes.error();
    if (const Status ok = write_job(folder, job.index, *bytes); !ok)
        return JobRow{job.index, JobStatus::unwritable, 0.0, ok.error().text(), ""};
    clock.write = clock.wall.seconds() - clock.setup - clock.step;
    return JobRow{job.index, JobStatus::done, 0.0, labels.row + manifest_tail(job.index, *bytes, version), ""};
}

} // namespace

JobRow failed_row(const SweepSpec& spec, std::int64_t job, const std::string& error, const std::string& version) {
    const std::string header = manifest_header(spec);
    std::string row = row_head(spec, job, "failed");
    // Empty fields up to the version.
    const std::size_t columns = csv_fields(header).size(), given = csv_fields(row).size();
    row.append(columns - 2 - given + 1, ',');
    return {job, JobStatus::failed, 0.0, concat(row, version, ",", csv_field(error)), ""};
}

JobRow run_job(const SweepSpec& spec, const SweepFolder& folder, std::int64_t job, const std::string& version) {
    JobClock clock;
    JobRow row;
    try {
        const Result<JobRow> done = try_job_itself(spec, folder, spec.job(job), version, clock);
        row = done ? *done : failed_row(spec, job, done.error().text(), version);
    } catch (const std::bad_alloc&) {
        row = failed_row(spec, job, "needs more memory than there is", version);
    }
    row.seconds = clock.wall.seconds();
    row.timing = clock.row(job);
    return row;
}

} // namespace selvage
