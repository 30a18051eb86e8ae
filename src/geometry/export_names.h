#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace selvage {

/// A file name cut at its frame number: "cloth_%04d.obj" is {"cloth_", ".obj", 4}.
struct NamePattern {
    std::string before, after;
    bool numbered = false;
    int digits = 0; ///< At least so many, with leading zeros.

    std::string name(int frame) const;
    bool matches(std::string_view name) const; ///< That of any frame.
};

/// %d or %04d once at most, and %% for a percent sign.
Result<NamePattern> parse_pattern(std::string_view name, const std::string& location);

/// All files that one export may write.
struct ExportNames {
    std::filesystem::path folder;
    std::vector<std::string> names; ///< Of a sequence, two frames that stand for all.
    NamePattern sequence = {};      ///< Not numbered: there is none.
};

/// A vertex cache holds one object: of several cloths each has a file of its own, "name-cloth.pc2".
ExportNames export_names(const std::filesystem::path& path, std::span<const std::string> cloths);
ExportNames plain_name(const std::filesystem::path& path);

/// Whether `file` is one of them, by whatever name or link.
bool may_write(const ExportNames& names, const std::filesystem::path& file);
bool overlap(const ExportNames& a, const ExportNames& b);

} // namespace selvage
