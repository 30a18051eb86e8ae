#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace selvage {

/// Numbers as files spell them, with a point, whatever language the host program has chosen for its own output
/// (setlocale, std::locale::global). Reading rounds to the nearest double.

/// Reads the decimal number, "inf" or "nan" at the front of `text`, a sign before it allowed; returns how many characters
/// it takes, 0 where there is none. Numbers beyond a double's range become infinite or zero.
std::size_t read_number(std::string_view text, double& value);

/// Appends what printf writes for "%.*g".
void append_number(std::string& out, double value, int digits);

} // namespace selvage
