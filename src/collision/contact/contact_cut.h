#pragma once

#include "collision/contact/contact_data.h"

// The fourth phase, which makes the guarantee: displacements are cut short until every pair of features is separated by
// a plane: of cloth and cloth always, of cloth and the triangles of a solid wherever the solid leaves room.

namespace selvage {

/// How a round cuts.
enum class Cut {
    apart,        ///< Only the part of a displacement across the plane that the other side does not make as well.
    across,       ///< The part of a displacement across the plane.
    proportional, ///< The whole displacement, to the fraction that the plane leaves.
    all,          ///< The whole displacement, to nothing.
};

/// Cuts the displacements of vertices that would take a feature through the plane between it and another, until none
/// does: first across the planes, pair by pair; then across them against one common displacement; then, where planes
/// contradict each other, the whole displacement. On straight paths features stay apart that are separated by a plane
/// at both ends. `first` says how to begin. Returns the rounds it took.
int cut_displacements(ThreadPool& pool, Cut first, ContactData& data);

/// So many records were tested in this step that from here on whatever meets is stopped at once.
bool is_over_budget(const ContactData& data);

} // namespace selvage
