#pragma once

#include <sstream>
#include <string>

namespace selvage {

/// Joins anything that streams into one string; numbers keep nine significant digits.
template <class... Parts>
std::string concat(const Parts&... parts) {
    std::ostringstream out;
    out.precision(9);
    (out << ... << parts);
    return out.str();
}

} // namespace selvage
