#include "geometry/export_names.h"

#include <algorithm>
#include <cctype>

#include "base/atomic_file.h"
#include "base/concat.h"

namespace selvage {

namespace {

std::filesystem::path full_path(const std::filesystem::path& path) {
    std::error_code code;
    const std::filesystem::path absolute = std::filesystem::absolute(path, code);
    const std::filesystem::path full = std::filesystem::weakly_canonical(absolute, code);
    return code ? absolute.lexically_normal() : full;
}

/// Also of links, and of names that differ in case where the file system does not tell them apart.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code code;
    if (std::filesystem::equivalent(a, b, code) && !code) return true;
    return full_path(a) == full_path(b);
}

/// What a file name may hold everywhere.
std::string file_part(std::string name) {
    for (char& c : name)
        if (std::iscntrl(static_cast<unsigned char>(c)) || std::string_view("/\\:*?\"<>|").find(c) != std::string::npos)
            c = '_';
    return name;
}

} // namespace

std::string NamePattern::name(int frame) const {
    if (!numbered) return before;
    const std::string number = concat(frame);
    const std::size_t zeros = std::max<std::size_t>(number.size(), static_cast<std::size_t>(digits)) - number.size();
    return before + std::string(zeros, '0') + number + after;
}

bool NamePattern::matches(std::string_view name) const {
    if (!numbered) return name == before;
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after))
        return false;
    const std::string_view number = name.substr(before.size(), name.size() - before.size() - after.size());
    return number.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<NamePattern> parse_pattern(std::string_view name, const std::string& location) {
    NamePattern pattern;
    for (std::size_t i = 0; i < name.size(); ++i) {
        std::string& side = pattern.numbered ? pattern.after : pattern.before;
        if (name[i] != '%') {
            side += name[i];
            continue;
        }
        std::string_view rest = name.substr(i + 1);
        if (rest.starts_with('%')) {
            side += '%';
            ++i;
            continue;
        }
        int digits = 0;
        if (rest.size() > 2 && rest[0] == '0' && rest[1] >= '1' && rest[1] <= '9') {
            digits = rest[1] - '0';
            rest.remove_prefix(2);
        }
        if (!rest.starts_with('d') || pattern.numbered)
            return Error{concat("found \"", name.substr(i, 4),
                                "\"; expected at most one %d or %0Nd (N from 1 to 9), and %% for a percent sign"),
                         location};
        pattern.numbered = true;
        pattern.digits = digits;
        i += digits > 0 ? 3 : 1;
    }
    return pattern;
}

ExportNames export_names(const std::filesystem::path& path, std::span<const std::string> cloths) {
    const Result<NamePattern> pattern = parse_pattern(path.filename().string(), path.string());
    if (!pattern) return plain_name(path); // whoever opens it complains
    ExportNames out{path.parent_path(), {pattern->name(0)}, *pattern};
    if (pattern->numbered) {
        out.names.push_back(pattern->name(1'000'000'000)); // has as many digits as any pattern asks for
        return out;
    }
    const std::string extension = lower_extension(path);
    if (cloths.size() < 2 || (extension != ".pc2" && extension != ".mdd")) return out;
    const std::filesystem::path whole = out.names.front();
    out.names.clear();
    for (const std::string& cloth : cloths) {
        std::string name = concat(whole.stem().string(), "-", file_part(cloth), whole.extension().string());
        for (int k = 2; std::find(out.names.begin(), out.names.end(), name) != out.names.end(); ++k)
            name = concat(whole.stem().string(), "-", file_part(cloth), "-", k, whole.extension().string());
        out.names.push_back(name);
    }
    return out;
}

ExportNames plain_name(const std::filesystem::path& path) {
    return {path.parent_path(), {path.filename().string()}};
}

bool may_write(const ExportNames& names, const std::filesystem::path& file) {
    for (const std::string& name : names.names)
        if (same_file(names.folder / name, file)) return true;
    if (!names.sequence.numbered) return false;
    const std::filesystem::path full = full_path(file);
    if (full.parent_path() == full_path(names.folder / "x").parent_path() &&
        names.sequence.matches(full.filename().string()))
        return true;
    std::error_code code; // a frame's name may be a link to the file
    const std::filesystem::path folder = names.folder.empty() ? "." : names.folder;
    for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        if (names.sequence.matches(entry->path().filename().string()) && same_file(entry->path(), file)) return true;
    return false;
}

bool overlap(const ExportNames& a, const ExportNames& b) {
    const auto writes_any = [](const ExportNames& one, const ExportNames& other) {
        return std::any_of(other.names.begin(), other.names.end(),
                           [&](const std::string& name) { return may_write(one, other.folder / name); });
    };
    return writes_any(a, b) || writes_any(b, a);
}

} // namespace selvage
