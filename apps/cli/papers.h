#pragma once

#include <filesystem>

#include "base/result.h"

namespace selvage {

/// Tables 2 to 4 and figures 3 to 7 of Kang and Cho's linear-time implicit method, with the experiments around them.
Status reproduce_kang(const std::filesystem::path& folder, bool quiet);

/// Figure 7 of Kang and Cho 2012 and the stability limits behind it.
Status reproduce_harmonic(const std::filesystem::path& folder, bool quiet);

/// Momentum, stability, cost and figures 7 and 8 of Desbrun, Schroeder and Barr 1999.
Status reproduce_desbrun(const std::filesystem::path& folder, bool quiet);

} // namespace selvage
