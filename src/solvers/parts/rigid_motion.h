#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "math/vec.h"

namespace selvage {

/// Takes the rigid motion out of the velocities `v` of the given points, so that their linear and angular momentum
/// about any point is zero: v_i -= u + omega x (x_i - x_G), with u the mean velocity and I_G omega the angular momentum
/// about the centre of mass. The closest such change in the mass-weighted norm; points on a line or in one place are
/// fine, since no rotation about that line moves them.
void remove_rigid_motion(ThreadPool& pool, const std::vector<double>& mass, const std::vector<Vec3>& x,
                         std::span<const int> points, std::vector<Vec3>& v);

} // namespace selvage
