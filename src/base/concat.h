#pragma once

#include <locale>
#include <sstream>
#include <string>

namespace selvage {

/// Joins anything that streams into one string; numbers keep nine significant digits, and a point whatever the host's locale.
template <class... Parts>
std::string concat(const Parts&... parts) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(9);
    (out << ... << parts);
    return out.str();
}

} // namespace selvage
