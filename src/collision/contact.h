#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collision/collider.h"

namespace selvage {

/// Keeps points out of the solids after a step of h seconds, with plastic contact and Coulomb friction: a point nearer than
/// the thickness is set back along the normal, loses its velocity into the surface, and slides on it slower by at most
/// friction times that loss. Held points stay where they are held. For solvers that know nothing of solids.
void resolve_collider_contacts(ThreadPool& pool, std::span<const Collider> colliders, double h,
                               std::span<const std::uint8_t> is_held, std::vector<Vec3>& positions,
                               std::vector<Vec3>& velocities);

} // namespace selvage
