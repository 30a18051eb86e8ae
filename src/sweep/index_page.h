#pragma once

#include "sweep/sweep.h"

namespace selvage {

/// index.html: what the sweep is, plots of its measures, pictures of some jobs, and those that failed. One file that needs
/// nothing else. Where there is no GL driver it has no pictures.
Status write_index_page(const SweepSpec& spec, const SweepFolder& folder, const JobRows& rows,
                        const SweepRequest& request);

} // namespace selvage
