#pragma once

#include "sweep/manifest.h"

namespace selvage {

/// Simulates one job and writes its file. A failure is a row as well.
JobRow run_job(const SweepSpec& spec, const SweepFolder& folder, std::int64_t job, const std::string& version);

/// The row of a job that came to nothing.
JobRow failed_row(const SweepSpec& spec, std::int64_t job, const std::string& error, const std::string& version);

} // namespace selvage
