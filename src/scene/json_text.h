#pragma once

#include <optional>
#include <string>

namespace selvage {

/// Text from outside JSON (file names, arguments) made valid UTF-8, so that it can be written as JSON.
std::string printable(const std::string& text);

/// "1/150" or "0.01" as a number; nothing when it is neither or not finite.
std::optional<double> parse_fraction(const std::string& text);

} // namespace selvage
