#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace selvage {

/// A file that appears whole or not at all: written beside its final name, moved there by commit(), removed otherwise.
/// Errors (full disk, lost device) are kept and returned by commit(), so writers need no checks in between.
class AtomicFile {
public:
    static Result<AtomicFile> create(const std::filesystem::path& path);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    void write(const void* data, std::size_t size);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Overwrites bytes already written, for counts known only at the end; then goes on at the end of the file.
    void write_at(std::int64_t offset, const void* data, std::size_t size);
    Status commit();
    /// Where the bytes go until then, for another program that writes them.
    const std::filesystem::path& place() const { return temporary_.empty() ? path_ : temporary_; }

private:
    AtomicFile(std::FILE* file, std::filesystem::path path, std::filesystem::path temporary);

    std::FILE* file_ = nullptr;
    std::filesystem::path path_, temporary_;
    int first_error_ = 0; // errno of the first failed write
};

Status write_file(const std::filesystem::path& path, std::string_view content);

/// Removes what killed programs left of files they were writing to `folder`, where `is_wanted` says so of the file's
/// final name. What a running program is writing stays. Call it before long work: it reads the whole folder.
void remove_abandoned(const std::filesystem::path& folder, const std::function<bool(const std::string&)>& is_wanted);
/// The same for one file.
void remove_abandoned(const std::filesystem::path& path);

/// The whole file as bytes. Fails on directories and on files above `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t limit = std::uintmax_t{1} << 32);

/// ".OBJ" of a file's name as ".obj"; empty without one.
std::string lower_extension(const std::filesystem::path& path);

} // namespace selvage
