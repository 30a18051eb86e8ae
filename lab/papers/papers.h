#pragma once

#include <filesystem>

#include "base/result.h"
#include "sim/device.h"

namespace selvage {

/// Tables 2 to 4 and figures 3 to 7 of Kang and Cho's linear-time implicit method, with the experiments around them.
Status reproduce_kang(const std::filesystem::path& folder, bool quiet);

/// Figures 3 and 5 to 11 of Kang and Cho 2012 and the stability limits behind them; on a device Table I and figure 12 too.
Status reproduce_harmonic(const std::filesystem::path& folder, bool quiet, const Device& device);

/// Figures 1 to 3 of Fuhrmann, Gross and Luckas 2003, and how the cost of self-collision grows.
Status reproduce_fuhrmann(const std::filesystem::path& folder, bool quiet);
/// Figures 1 to 3 of Oshita and Makinouchi's curved faces over sparse particles, and how well they keep their promises.
Status reproduce_oshita(const std::filesystem::path& folder, bool quiet);
/// Momentum, stability, cost and figures 7 and 8 of Desbrun, Schroeder and Barr 1999.
Status reproduce_desbrun(const std::filesystem::path& folder, bool quiet);

} // namespace selvage
