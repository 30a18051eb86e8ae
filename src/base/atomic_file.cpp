#include "base/atomic_file.h"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#if defined(_WIN32)
#include <process.h>
#elif defined(__unix__) || defined(__APPLE__)
#define SELVAGE_POSIX 1
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "base/concat.h"

namespace selvage {

namespace {

long process_id() {
#if defined(_WIN32)
    return _getpid();
#elif defined(SELVAGE_POSIX)
    return static_cast<long>(getpid());
#else
    return 0;
#endif
}

std::FILE* open_for_writing(const std::filesystem::path& path) {
#if defined(_WIN32) // names there are wide, and the narrow ones cannot spell all of them
    return _wfopen(path.c_str(), L"wb");
#else
    return std::fopen(path.c_str(), "wb");
#endif
}

/// A file that is locked as long as it is open, so that remove_abandoned() can tell it from one left behind.
std::FILE* open_locked(const std::filesystem::path& path) {
    std::FILE* file = open_for_writing(path);
#ifdef SELVAGE_POSIX
    // Between opening and locking another program may have taken it for abandoned and removed it: then once more.
    // Where the file system has no locks, neither has the other program, and leaves everything.
    struct stat now{};
    while (file && flock(fileno(file), LOCK_EX) == 0 && fstat(fileno(file), &now) == 0 && now.st_nlink == 0) {
        std::fclose(file);
        file = open_for_writing(path);
    }
#endif
    return file;
}

void remove_unless_locked(const std::filesystem::path& path) {
    std::error_code ignored;
#ifdef SELVAGE_POSIX
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove(path, ignored);
    close(file);
#elif defined(_WIN32) // what somebody has open cannot be removed there
    std::filesystem::remove(path, ignored);
#else
    static_cast<void>(path);
#endif
}

/// The final name behind that of a temporary file, "a.obj" of "a.obj.123-4.part"; empty for other names.
std::string final_name(const std::string& name) {
    constexpr std::string_view kPart = ".part";
    if (!name.ends_with(kPart)) return "";
    const std::string rest = name.substr(0, name.size() - kPart.size());
    const std::size_t dot = rest.find_last_not_of("-0123456789");
    const bool numbered = dot != std::string::npos && dot > 0 && rest[dot] == '.' && dot + 1 < rest.size();
    return numbered ? rest.substr(0, dot) : "";
}

/// 0, or not. A long has 32 bits on Windows, and files may be longer.
int seek(std::FILE* file, std::int64_t offset, int from) {
#if defined(_WIN32)
    return _fseeki64(file, offset, from);
#elif defined(SELVAGE_POSIX)
    return fseeko(file, static_cast<off_t>(offset), from);
#else
    return std::fseek(file, static_cast<long>(offset), from);
#endif
}

Error io_error(const std::filesystem::path& path, std::string_view action, int code) {
    return {concat("cannot ", action, ": ", std::strerror(code)), path.string(), ErrorKind::io};
}

} // namespace

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
    if (path.filename().empty()) return Error{"is not a file name", path.string()};
    std::error_code code;
    if (std::filesystem::is_directory(path, code))
        return Error{"is a directory; expected a file name", path.string(), ErrorKind::io};
    // A device or a pipe cannot be renamed over: write to it as it is.
    const bool special = std::filesystem::exists(path, code) && !std::filesystem::is_regular_file(path, code);
    std::filesystem::path temporary = path;
    static std::atomic<int> count{0}; // two files of one program may have one final name
    if (!special) temporary += concat(".", process_id(), "-", count++, ".part");
    std::FILE* file = special ? open_for_writing(temporary) : open_locked(temporary);
    if (!file) return io_error(path, "open for writing", errno);
    return AtomicFile(file, path, special ? std::filesystem::path{} : temporary);
}

AtomicFile::AtomicFile(std::FILE* file, std::filesystem::path path, std::filesystem::path temporary)
    : file_(file), path_(std::move(path)), temporary_(std::move(temporary)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)), first_error_(other.first_error_) {}

AtomicFile::~AtomicFile() {
    if (!file_) return;
    std::fclose(file_);
    std::error_code ignored; // nothing to do about a leftover we cannot remove
    if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::write(const void* data, std::size_t size) {
    if (first_error_ == 0 && size > 0 && std::fwrite(data, 1, size, file_) != size)
        first_error_ = errno != 0 ? errno : EIO;
}

void AtomicFile::write_at(std::int64_t offset, const void* data, std::size_t size) {
    if (first_error_ == 0 && seek(file_, offset, SEEK_SET) != 0) first_error_ = errno;
    write(data, size);
    if (first_error_ == 0 && seek(file_, 0, SEEK_END) != 0) first_error_ = errno;
}

Status AtomicFile::commit() {
    if (first_error_ == 0 && std::fflush(file_) != 0) first_error_ = errno;
#ifdef SELVAGE_POSIX
    // The data must be on the disk before the name is, or a power cut leaves an empty file under the old name.
    if (first_error_ == 0 && !temporary_.empty() && fsync(fileno(file_)) != 0) first_error_ = errno;
#endif
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && first_error_ == 0) first_error_ = errno;
    std::error_code code;
    if (first_error_ == 0 && !temporary_.empty()) {
        std::filesystem::rename(temporary_, path_, code);
        if (code) first_error_ = code.value();
    }
    if (first_error_ == 0) return Done{};
    if (!temporary_.empty()) std::filesystem::remove(temporary_, code);
    return io_error(path_, "write", first_error_);
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    file->write(content);
    return file->commit();
}

void remove_abandoned(const std::filesystem::path& folder, const std::function<bool(const std::string&)>& is_wanted) {
    std::error_code code;
    std::vector<std::filesystem::path> found; // first all names: removing while listing may skip some
    for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, code), end; !code && entry != end;
         entry.increment(code)) {
        const std::string name = final_name(entry->path().filename().string());
        if (!name.empty() && is_wanted(name)) found.push_back(entry->path());
    }
    for (const std::filesystem::path& path : found)
        remove_unless_locked(path);
}

void remove_abandoned(const std::filesystem::path& path) {
    remove_abandoned(path.parent_path(), [name = path.filename().string()](const std::string& n) { return n == name; });
}

Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t limit) {
    std::error_code code;
    if (std::filesystem::is_directory(path, code)) return Error{"is a directory; expected a file", path.string()};
    if (!std::filesystem::exists(path, code)) return Error{"no such file", path.string()};
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    if (!code && size > limit) return Error{concat("has ", size, " bytes; expected at most ", limit), path.string()};
    std::ifstream in(path, std::ios::binary);
    if (!in) return io_error(path, "open for reading", errno);
    // Piece by piece: a device has no size to check beforehand.
    std::string content(code ? 0 : size, '\0');
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(in.gcount()));
    char piece[1 << 16];
    while (in && (in.read(piece, sizeof piece), in.gcount() > 0)) {
        content.append(piece, static_cast<std::size_t>(in.gcount()));
        if (content.size() > limit) return Error{concat("has more than ", limit, " bytes"), path.string()};
    }
    if (in.bad()) return io_error(path, "read", errno);
    return content;
}

std::string lower_extension(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    for (char& c : extension)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

} // namespace selvage
