#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sweep/spec.h"

namespace selvage {

/// A folder that a sweep fills:
///   sweep.json             what it is: the sweep file, the version, hashes of what it reads
///   manifest.csv           a row per job: values, measures, hashes
///   jobs/000/000123.h5     the simulations, a thousand to a folder
///   timings.csv            a row per job: when, where, how long. Not part of the data set: no two runs agree on it
///   index.html             to look at
///   journal/               rows since the manifest was written; gone when a run ends
struct SweepFolder {
    std::filesystem::path root;

    std::filesystem::path identity() const { return root / "sweep.json"; }
    std::filesystem::path manifest() const { return root / "manifest.csv"; }
    std::filesystem::path timings() const { return root / "timings.csv"; }
    std::filesystem::path index() const { return root / "index.html"; }
    std::filesystem::path lock() const { return root / ".lock"; }
    std::filesystem::path journals() const { return root / "journal"; }
    std::filesystem::path slurm() const { return root / "slurm"; }
    std::filesystem::path jobs() const { return root / "jobs"; }
    static std::string job_name(std::int64_t job); ///< Relative to the root, as the manifest has it.
    std::filesystem::path job_file(std::int64_t job) const { return root / job_name(job); }
};

enum class JobStatus {
    pending,
    done,
    failed,
    unwritable, ///< The folder cannot be written: not the job's fault, and no other will fare better.
};

/// What is known of a job.
struct JobRow {
    std::int64_t job = -1;
    JobStatus status = JobStatus::pending;
    double seconds = 0.0;                   ///< Wall time; 0 where it was not measured.
    std::string manifest = {}, timing = {}; ///< Lines of the two tables. Of an unwritable one: the error.
};

/// All rows of a sweep by job; those without one are pending.
using JobRows = std::vector<JobRow>;

std::string manifest_header(const SweepSpec& spec);
std::string timing_header();
std::string csv_field(std::string text); ///< Quoted where it must be, on one line.
std::vector<std::string> csv_fields(std::string_view line);

/// For sending a row through a pipe or a message.
std::string pack_row(const JobRow& row);
Result<JobRow> unpack_row(std::string_view bytes);

/// Appends rows as they come. Each is on the disk before the call returns.
class Journal {
public:
    static Result<Journal> open(const std::filesystem::path& path);
    Journal(Journal&& other) noexcept;
    Journal& operator=(Journal&&) = delete;
    ~Journal();
    Status add(const std::vector<JobRow>& rows);

private:
    Journal(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
    int file_;
    std::filesystem::path path_;
};

/// What was done so far: by the manifest and the journals, and above all by the files that are there. Rows of files that
/// nobody noted are read from them; rows whose file is gone are pending. Removes what killed runs left half-written.
Result<JobRows> read_rows(const SweepSpec& spec, const SweepFolder& folder, const std::string& version);

/// Removes what workers that were ended had half-written.
void remove_half_written(const SweepFolder& folder);

/// One of many tasks that fill a folder together: every count-th job from `index` on.
struct SweepPart {
    std::int64_t index = 0, count = 1;
    std::string journal() const; ///< The name of the one it writes.
};

/// The same for a part: asks for its own files alone, and removes nothing of the others'.
Result<JobRows> read_part_rows(const SweepSpec& spec, const SweepFolder& folder, const std::string& version,
                               const SweepPart& part);

/// Writes manifest.csv and timings.csv, then removes the journals, which say nothing more.
Status write_manifest(const SweepSpec& spec, const SweepFolder& folder, const JobRows& rows);

/// The end of a done row, which only its file tells.
std::string manifest_tail(std::int64_t job, const std::string& file_bytes, const std::string& version);

} // namespace selvage
