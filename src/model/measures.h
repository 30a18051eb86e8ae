#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "model/cloth_model.h"
#include "model/cloth_state.h"

namespace selvage {

/// length / rest - 1 over the mesh's edges; compression kept apart.
struct Strain {
    double max = 0.0;
    double rms = 0.0;  ///< Over all edges, compressed ones counting as 0.
    double p999 = 0.0; ///< Stretch that 99.9 % of the edges stay under.
    double compression_max = 0.0;
};

/// Allocates for the percentile; not for use inside a step.
Strain measure_strain(const ClothModel& model, const ClothState& state);
/// The largest stretch alone: cheap enough for every frame.
double largest_strain(ThreadPool& pool, const ClothModel& model, const ClothState& state);

struct Energy {
    double kinetic = 0.0, elastic = 0.0, gravity = 0.0; ///< [J]; gravity counts from the origin.
    double total() const { return kinetic + elastic + gravity; }
};
double kinetic_energy(const ClothModel& model, const ClothState& state);    ///< [J].
double spring_energy(const Spring& spring, std::span<const Vec3> position); ///< [J].
/// Elastic: of the springs. Simulation::energy() knows methods that see the cloth otherwise.
Energy measure_energy(const ClothModel& model, const ClothState& state, const Vec3& gravity);

struct Momentum {
    Vec3 linear;  ///< [kg m/s].
    Vec3 angular; ///< About the centre of mass [kg m2/s].
};
Momentum measure_momentum(const ClothModel& model, const ClothState& state);

Vec3 centre_of_mass(const ClothModel& model, const ClothState& state);

/// E and S of eqs. 35-37: how far and in how different a direction the points moved from one check point to the next.
/// Points that rest in the reference (pinned ones) add nothing to either.
struct MotionError {
    double error = 0.0;      ///< E, mean squared relative difference of displacements.
    double similarity = 0.0; ///< S, mean squared cosine between displacements.
};
MotionError compare_motion(const std::vector<Vec3>& reference_before, const std::vector<Vec3>& reference_after,
                           const std::vector<Vec3>& before, const std::vector<Vec3>& after);

} // namespace selvage
