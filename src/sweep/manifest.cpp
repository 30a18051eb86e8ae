#include "sweep/manifest.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/hash.h"
#include "sweep/dataset_file.h"

namespace selvage {

namespace {

constexpr std::int64_t kJobsPerShard = 1000;
constexpr char kMeasureColumns[] =
    "vertices,triangles,frames,simulated_s,kinetic_j,elastic_j,gravity_j,strain_max,"
    "width_m,height_m,depth_m,lowest_m,crossings_self,crossings_collider,penetration_mm,state_hash";

std::string padded(std::int64_t number, int digits) {
    std::string text = std::to_string(number);
    if (static_cast<int>(text.size()) < digits) text.insert(0, static_cast<std::size_t>(digits) - text.size(), '0');
    return text;
}

/// "12,done,..." as a row; nothing where the line is none.
bool parse_line(std::string_view line, std::int64_t jobs, JobRow& row) {
    const char* end = line.data() + line.size();
    const auto [after, code] = std::from_chars(line.data(), end, row.job);
    if (code != std::errc{} || after == end || *after != ',' || row.job < 0 || row.job >= jobs) return false;
    const std::string_view rest = line.substr(static_cast<std::size_t>(after + 1 - line.data()));
    if (rest.starts_with("done,"))
        row.status = JobStatus::done;
    else if (rest.starts_with("failed,"))
        row.status = JobStatus::failed;
    else
        return false;
    row.manifest = line;
    return true;
}

/// Calls `use(line)` for each whole line after the header; a torn one at the end of a file is left out.
template <class Use>
Status for_each_line(const std::filesystem::path& path, bool has_header, const Use& use) {
    std::error_code code;
    if (!std::filesystem::exists(path, code)) return Done{};
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    std::size_t begin = 0;
    for (bool header = has_header; begin < text->size(); header = false) {
        const std::size_t end = text->find('\n', begin);
        if (end == std::string::npos) break;
        if (!header) use(std::string_view(*text).substr(begin, end - begin));
        begin = end + 1;
    }
    return Done{};
}

/// A line of a journal: a packed row as text, with its hash in front so that half a line is no line.
std::string journal_line(const JobRow& row) {
    const std::string text = concat(row.seconds, "|", row.timing, "|", row.manifest);
    return concat(hex(hash_text(text)), "|", text, "\n");
}

bool parse_journal_line(std::string_view line, std::int64_t jobs, JobRow& row) {
    constexpr std::size_t kHash = 16;
    if (line.size() < kHash + 1 || line.substr(0, kHash) != hex(hash_text(line.substr(kHash + 1)))) return false;
    const std::size_t timing = line.find('|', kHash + 1) + 1, manifest = line.find('|', timing) + 1;
    if (timing == 0 || manifest == 0 || !parse_line(line.substr(manifest), jobs, row)) return false;
    row.timing = line.substr(timing, manifest - 1 - timing);
    return true;
}

Status read_manifest(const SweepFolder& folder, JobRows& rows) {
    const auto jobs = static_cast<std::int64_t>(rows.size());
    Status ok = for_each_line(folder.manifest(), true, [&](std::string_view line) {
        JobRow row;
        if (parse_line(line, jobs, row)) rows[static_cast<std::size_t>(row.job)] = std::move(row);
    });
    if (!ok) return ok;
    return for_each_line(folder.timings(), true, [&](std::string_view line) {
        std::int64_t job = -1;
        std::from_chars(line.data(), line.data() + line.size(), job);
        if (job >= 0 && job < jobs) rows[static_cast<std::size_t>(job)].timing = line;
    });
}

Status read_journals(const SweepFolder& folder, const std::string& only, JobRows& rows) {
    std::vector<std::filesystem::path> files;
    std::error_code code;
    if (!only.empty()) {
        files.push_back(folder.journals() / only);
    } else {
        for (std::filesystem::directory_iterator entry(folder.journals(), code), end; !code && entry != end;
             entry.increment(code))
            files.push_back(entry->path());
        std::sort(files.begin(), files.end());
    }
    const auto jobs = static_cast<std::int64_t>(rows.size());
    for (const std::filesystem::path& file : files) {
        Status ok = for_each_line(file, false, [&](std::string_view line) {
            JobRow row;
            if (parse_journal_line(line, jobs, row)) rows[static_cast<std::size_t>(row.job)] = std::move(row);
        });
        if (!ok) return ok;
    }
    return Done{};
}

std::vector<std::filesystem::path> shards_of(const SweepFolder& folder) {
    std::error_code code;
    std::vector<std::filesystem::path> shards;
    for (std::filesystem::directory_iterator entry(folder.jobs(), code), end; !code && entry != end;
         entry.increment(code))
        shards.push_back(entry->path());
    return shards;
}

/// The jobs whose file is there. Lists folders instead of asking for each file: a thousand times fewer questions.
std::vector<char> list_files(const SweepFolder& folder, std::size_t jobs) {
    std::vector<char> is_there(jobs, 0);
    std::error_code code;
    for (const std::filesystem::path& shard : shards_of(folder)) {
        for (std::filesystem::directory_iterator entry(shard, code), end; !code && entry != end;
             entry.increment(code)) {
            const std::string name = entry->path().filename().string();
            std::size_t job = jobs;
            const auto [after, error] = std::from_chars(name.data(), name.data() + name.size(), job);
            if (error == std::errc{} && job < jobs && std::string_view(after) == ".h5") is_there[job] = 1;
        }
    }
    return is_there;
}

/// The row of a file that was moved into place just before its program was killed.
Result<JobRow> recovered_row(const SweepFolder& folder, std::int64_t job, const std::string& version) {
    const Result<std::string> bytes = read_file(folder.job_file(job));
    if (!bytes) return bytes.error();
    const Result<std::string> row = dataset_row(*bytes);
    if (!row) return Error{row.error().message, folder.job_file(job).string(), ErrorKind::io};
    return JobRow{job, JobStatus::done, 0.0, *row + manifest_tail(job, *bytes, version), concat(job, ",,,,,,,")};
}

/// The file has the last word on whether a job is done.
Status settle_row(const SweepFolder& folder, const std::string& version, std::size_t i, bool is_there, JobRows& rows) {
    const auto job = static_cast<std::int64_t>(i);
    if (!is_there && rows[i].status == JobStatus::done) rows[i] = {};
    if (is_there && rows[i].status != JobStatus::done) {
        Result<JobRow> row = recovered_row(folder, job, version);
        if (!row) return row.error();
        rows[i] = std::move(*row);
    }
    rows[i].job = job;
    return Done{};
}

} // namespace

std::string SweepPart::journal() const {
    return concat("part-", index, "-of-", count, ".txt");
}

std::string SweepFolder::job_name(std::int64_t job) {
    return concat("jobs/", padded(job / kJobsPerShard, 3), "/", padded(job, 6), ".h5");
}

std::string csv_field(std::string text) {
    std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    if (text.find_first_of(",\"") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::vector<std::string> csv_fields(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

std::string manifest_header(const SweepSpec& spec) {
    std::string header = "job,status";
    for (const std::string& column : spec.columns())
        header += "," + csv_field(column);
    return concat(header, ",", kMeasureColumns, ",file,bytes,file_hash,version,error");
}

std::string timing_header() {
    return "job,host,started_utc,wall_s,cpu_s,setup_s,step_s,write_s";
}

std::string manifest_tail(std::int64_t job, const std::string& file_bytes, const std::string& version) {
    return concat(",", SweepFolder::job_name(job), ",", file_bytes.size(), ",", hex(hash_text(file_bytes)), ",",
                  version, ",");
}

std::string pack_row(const JobRow& row) {
    return concat(row.job, "|", static_cast<int>(row.status), "|", row.seconds, "|", row.timing, "|", row.manifest);
}

Result<JobRow> unpack_row(std::string_view bytes) {
    JobRow row;
    std::string_view parts[4];
    for (std::string_view& part : parts) {
        const std::size_t bar = bytes.find('|');
        if (bar == std::string_view::npos) return Error{"a worker's answer is torn", "", ErrorKind::work};
        part = bytes.substr(0, bar);
        bytes.remove_prefix(bar + 1);
    }
    int status = 0;
    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), row.job);
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), status);
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), row.seconds);
    row.status = static_cast<JobStatus>(status);
    row.timing = parts[3];
    row.manifest = bytes;
    return row;
}

Result<Journal> Journal::open(const std::filesystem::path& path) {
    std::error_code code;
    std::filesystem::create_directories(path.parent_path(), code);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return Error{concat("cannot open for writing: ", std::strerror(errno)), path.string(), ErrorKind::io};
    // A killed run may have left half a line: end it, so that the next one stands alone.
    char last = '\n';
    if (const off_t size = lseek(file, 0, SEEK_END); size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n')
        if (write(file, "\n", 1) != 1) last = '\n'; // the next add() tells
    return Journal(file, path);
}

Journal::Journal(Journal&& other) noexcept : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

Journal::~Journal() {
    if (file_ >= 0) close(file_);
}

Status Journal::add(const std::vector<JobRow>& rows) {
    std::string text;
    for (const JobRow& row : rows)
        text += journal_line(row);
    if (text.empty()) return Done{};
    const ssize_t written = write(file_, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()) || fsync(file_) != 0)
        return Error{concat("cannot write: ", std::strerror(written >= 0 && errno == 0 ? ENOSPC : errno)),
                     path_.string(), ErrorKind::io};
    return Done{};
}

Result<JobRows> read_rows(const SweepSpec& spec, const SweepFolder& folder, const std::string& version) {
    JobRows rows(static_cast<std::size_t>(spec.job_count()));
    if (const Status ok = read_manifest(folder, rows); !ok) return ok.error();
    if (const Status ok = read_journals(folder, "", rows); !ok) return ok.error();
    remove_half_written(folder);
    const std::vector<char> is_there = list_files(folder, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (const Status ok = settle_row(folder, version, i, is_there[i] != 0, rows); !ok) return ok.error();
    return rows;
}

void remove_half_written(const SweepFolder& folder) {
    for (const std::filesystem::path& shard : shards_of(folder))
        remove_abandoned(shard, [](const std::string&) { return true; });
}

Result<JobRows> read_part_rows(const SweepSpec& spec, const SweepFolder& folder, const std::string& version,
                               const SweepPart& part) {
    JobRows rows(static_cast<std::size_t>(spec.job_count()));
    if (const Status ok = read_manifest(folder, rows); !ok) return ok.error();
    if (const Status ok = read_journals(folder, part.journal(), rows); !ok) return ok.error();
    for (std::size_t i = static_cast<std::size_t>(part.index); i < rows.size();
         i += static_cast<std::size_t>(part.count)) {
        std::error_code code;
        const bool is_there = std::filesystem::exists(folder.job_file(static_cast<std::int64_t>(i)), code);
        if (const Status ok = settle_row(folder, version, i, is_there, rows); !ok) return ok.error();
    }
    return rows;
}

Status write_manifest(const SweepSpec& spec, const SweepFolder& folder, const JobRows& rows) {
    std::string manifest = manifest_header(spec) + "\n", timings = timing_header() + "\n";
    for (const JobRow& row : rows) {
        if (!row.manifest.empty()) manifest += row.manifest + "\n";
        if (!row.timing.empty()) timings += row.timing + "\n";
    }
    if (Status ok = write_file(folder.timings(), timings); !ok) return ok;
    if (Status ok = write_file(folder.manifest(), manifest); !ok) return ok;
    std::error_code ignored; // what is left there is read again and says the same
    std::filesystem::remove_all(folder.journals(), ignored);
    return Done{};
}

} // namespace selvage
