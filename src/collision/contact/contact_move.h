#pragma once

#include <span>

#include "collision/contact/contact_data.h"
#include "collision/contact/contact_stats.h"

// The last phase: the new state.

namespace selvage {

/// Writes positions and velocities where contact has changed them, and what there is to report.
void write_state(ThreadPool& pool, const ContactInput& input, std::span<Vec3> positions, std::span<Vec3> velocities,
                 ContactData& data, ContactStats& stats);

} // namespace selvage
