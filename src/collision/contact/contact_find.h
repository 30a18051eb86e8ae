#pragma once

#include "collision/contact/contact_data.h"

// The second phase: which pairs of features may meet, and the plane between the sides of each.

namespace selvage {

enum class Gather {
    anew,  ///< All pairs of a new step.
    again, ///< All pairs once more, where nothing but displacements has changed: what is known of a pair is taken over.
    more,  ///< Those that a displacement changed within the step has brought into reach.
};

/// Makes records of the candidates that may touch in this step, with their distances where it starts. Whether there are
/// more than before: then they are to be tested.
bool gather_records(ThreadPool& pool, Gather what, ContactData& data);

} // namespace selvage
