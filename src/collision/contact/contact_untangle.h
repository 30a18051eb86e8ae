#pragma once

#include "collision/contact/contact_data.h"

// A phase of steps in which something is tangled: what passes through another is pulled back, and what lies inside a
// collider comes out. The other phases leave these places alone (Tangles::leaves_alone).

namespace selvage {

/// Changes displacements so that the pulls and exits of data.tangles go on at their speeds.
void untangle(ThreadPool& pool, double dt, ContactData& data);

/// Moves layers of cloth that lie in one place apart by a hair, bodies in their order and along the first one's normal;
/// false when nothing touches. What touches was marked when records were gathered.
bool part_touching_layers(ThreadPool& pool, ContactData& data);

} // namespace selvage
