#pragma once

#include <filesystem>

#include "base/result.h"

namespace selvage {

/// Tables 2 to 4 and figures 3 to 7 of Kang and Cho, with the experiments around them, into `folder`.
Status reproduce_kang(const std::filesystem::path& folder, bool quiet);

} // namespace selvage
