#pragma once

#include <filesystem>
#include <string>

#include "garment/pattern.h"

namespace selvage {

/// A pattern file. Fails on unknown keys and on what check_pattern() refuses, and says where.
Result<Pattern> parse_pattern(std::string text, std::string source);
Result<Pattern> load_pattern(const std::filesystem::path& path); ///< .json or .svg.

/// JSON that reads back to the same pattern.
std::string pattern_text(const Pattern& pattern);
Status save_pattern(const std::filesystem::path& path, const Pattern& pattern); ///< .json or .svg.

} // namespace selvage
