#include "sweep/sweep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>
#include <utility>

#include "base/atomic_file.h"
#include "base/concat.h"
#include "base/hash.h"
#include "scene/scene_io.h"

namespace selvage {

namespace {

std::uint64_t hash_of_file(const std::filesystem::path& path, std::uint64_t hash) {
    const Result<std::string> text = read_file(path);
    return text ? hash_text(*text, hash) : hash_text("missing", hash); // the jobs that need it will say so
}

/// A scene with everything it reads.
std::uint64_t hash_of_scene(const std::string& scene, std::uint64_t hash) {
    for (const BuiltinFile& file : builtin_scenes())
        if (file.name == scene) hash = hash_text(file.text, hash);
    if (const Result<SceneDesc> loaded = load_scene(scene))
        for (const std::filesystem::path& file : scene_files(scene, *loaded))
            hash = hash_of_file(file, hash);
    return hash;
}

/// What the sweep reads besides its own file: scenes by name, and files by the pointer they are given for.
Json input_hashes(const SweepSpec& spec) {
    Json hashes = Json::object();
    std::uint64_t scenes = kHashSeed;
    const std::string first = spec.job(0).scene;
    if (!spec.scene.empty()) scenes = hash_of_scene(first, scenes);
    for (const std::vector<SweepAxis>* room : {&spec.grid, &spec.list, &spec.random})
        for (const SweepAxis& axis : *room) {
            std::uint64_t files = kHashSeed;
            for (const Json& value : axis.values) {
                if (!value.is_string()) continue;
                const std::string name = value.get<std::string>();
                std::error_code code;
                const std::filesystem::path path = spec.directory / name;
                if (axis.pointer == kSceneColumn)
                    scenes = hash_of_scene(std::filesystem::exists(path, code) ? path.string() : name, scenes);
                else if (axis.is_file)
                    files = hash_of_file(path, files);
            }
            if (files != kHashSeed) hashes[axis.pointer] = hex(files);
        }
    hashes[kSceneColumn] = hex(scenes);
    return hashes;
}

Json identity_of(const SweepSpec& spec, const std::string& version) {
    Json files = Json::array(); // what patterns stood for
    for (const std::vector<SweepAxis>* room : {&spec.grid, &spec.random})
        for (const SweepAxis& axis : *room)
            if (axis.is_file) files.push_back({{"pointer", axis.pointer}, {"files", axis.values}});
    return {{"format", "selvage-sweep 1"}, {"version", version},          {"name", spec.name},
            {"jobs", spec.job_count()},    {"columns", spec.columns()},   {"sweep", spec.document.root},
            {"files", std::move(files)},   {"hashes", input_hashes(spec)}};
}

/// Which part of what a folder says of itself is not so.
Status compare_identity(const SweepFolder& folder, const Json& wanted, const std::set<std::string>& looked_at) {
    const Result<std::string> text = read_file(folder.identity());
    if (!text) return text.error();
    const Json found = Json::parse(*text, nullptr, false);
    const auto refuse = [&](const std::string& why) {
        return Error{concat(why, "; expected a folder of its own for each sweep"), folder.identity().string()};
    };
    if (!found.is_object() || !found.contains("sweep")) return refuse("is no sweep's");
    const auto part = [](const Json& json, const char* key) { return json.contains(key) ? json[key] : Json(); };
    if (looked_at.contains("version") && part(found, "version") != part(wanted, "version"))
        return refuse(concat("was begun by version ", part(found, "version").dump(), ", and this is ",
                             part(wanted, "version").dump(), ", whose results may differ"));
    if (part(found, "sweep") != part(wanted, "sweep")) {
        for (const auto& [key, value] : wanted["sweep"].items())
            if (part(found["sweep"], key.c_str()) != value)
                return refuse(concat("belongs to another sweep: its \"", key, "\" differs"));
        return refuse("belongs to another sweep");
    }
    for (const char* key : {"files", "hashes"})
        if (looked_at.contains(key) && part(found, key) != part(wanted, key))
            return refuse("was begun with other scenes or meshes: a file that the sweep reads has changed");
    return Done{};
}

/// Holds nothing but what another part may just be writing.
bool is_empty_folder(const std::filesystem::path& path) {
    std::error_code code;
    for (std::filesystem::directory_iterator entry(path, code), end; !code && entry != end; entry.increment(code))
        if (const std::string name = entry->path().filename().string();
            name != ".lock" && !name.starts_with("sweep.json"))
            return false;
    return true;
}

} // namespace

Result<FolderLock> FolderLock::take(const SweepFolder& folder) {
    const int file = open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0)
        return Error{concat("cannot open for writing: ", std::strerror(errno)), folder.lock().string(), ErrorKind::io};
    // Workers of a killed run let go a moment after it.
    for (int attempt = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++attempt) {
        constexpr int kAttempts = 20;
        if (errno == EWOULDBLOCK && attempt < kAttempts) {
            usleep(100'000);
            continue;
        }
        const bool busy = errno == EWOULDBLOCK;
        close(file);
        if (busy)
            return Error{"another sweep is filling this folder; wait for it", folder.root.string(), ErrorKind::work};
        break; // a file system without locks
    }
    return FolderLock(file);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock::~FolderLock() {
    if (file_ >= 0) close(file_);
}

Result<SweepFolder> prepare_folder(const SweepSpec& spec, const std::filesystem::path& root,
                                   const std::string& version) {
    const SweepFolder folder{root};
    const Json identity = identity_of(spec, version);
    std::error_code code;
    if (std::filesystem::exists(folder.identity(), code)) {
        if (const Status ok = compare_identity(folder, identity, {"version", "files", "hashes"}); !ok)
            return ok.error();
        return folder;
    }
    const bool was_there = std::filesystem::exists(root, code);
    if (was_there && !std::filesystem::is_directory(root, code))
        return Error{"is a file; expected a folder", root.string()};
    if (was_there && !is_empty_folder(root))
        return Error{"holds files, and none of them is a sweep.json; expected an empty or a new folder", root.string()};
    std::filesystem::create_directories(root, code);
    if (code) return Error{concat("cannot be made: ", code.message()), root.string(), ErrorKind::io};
    if (const Status ok = write_file(folder.identity(), identity.dump(1) + "\n"); !ok) {
        if (!was_there) std::filesystem::remove(root, code);
        return ok.error();
    }
    return folder;
}

Result<SweepFolder> open_folder(const SweepSpec& spec, const std::filesystem::path& root, const std::string& version) {
    const SweepFolder folder{root};
    const Json wanted = {{"version", version}, {"sweep", spec.document.root}};
    if (const Status ok = compare_identity(folder, wanted, {"version"}); !ok) return ok.error();
    return folder;
}

std::vector<std::int64_t> pending_jobs(const JobRows& rows, const SweepPart& part) {
    std::vector<std::int64_t> pending;
    for (auto i = static_cast<std::size_t>(part.index); i < rows.size(); i += static_cast<std::size_t>(part.count))
        if (rows[i].status == JobStatus::pending) pending.push_back(static_cast<std::int64_t>(i));
    return pending;
}

Status do_jobs(WorkerPool& workers, const std::vector<std::int64_t>& pending, JobRows& rows, Journal& journal,
               SweepProgress& progress, const std::function<bool()>& stopped,
               const std::function<void(double fraction)>& show) {
    std::size_t next = 0;
    int at_work = 0;
    const auto assign = [&](int worker) -> Status {
        if (next == pending.size() || stopped()) return Done{};
        if (Status ok = workers.assign(worker, pending[next]); !ok) return ok;
        ++next, ++at_work;
        return Done{};
    };
    for (int w = 0; w < workers.size(); ++w)
        if (Status ok = assign(w); !ok) return ok;
    while (at_work > 0 && !stopped()) {
        std::vector<WorkerPool::Answer> answers = workers.wait(stopped);
        std::vector<JobRow> finished;
        Status writable = Done{};
        for (WorkerPool::Answer& answer : answers) {
            --at_work;
            if (answer.row.status == JobStatus::unwritable) {
                writable = Error{answer.row.manifest, "", ErrorKind::io};
                continue;
            }
            // First the next job, then the bookkeeping: nobody waits for a disk.
            if (Status ok = assign(answer.worker); !ok) return ok;
            finished.push_back(std::move(answer.row));
        }
        if (Status ok = journal.add(finished); !ok) return ok;
        for (JobRow& row : finished) {
            progress.busy_seconds += row.seconds;
            ++(row.status == JobStatus::done ? progress.done : progress.failed);
            rows[static_cast<std::size_t>(row.job)] = std::move(row);
        }
        if (!writable) return writable;
        show(static_cast<double>(progress.done + progress.failed) / static_cast<double>(pending.size()));
    }
    return Done{};
}

} // namespace selvage
