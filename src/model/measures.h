#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "model/cloth_model.h"
#include "model/cloth_state.h"

namespace selvage {

/// length / rest - 1 over the mesh's edges; compression is separate.
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

/// Stretch along the threads, max(|f_u|, |f_v|) - 1 of each triangle (membrane.h), whatever the direction of its edges:
/// what a shear does to diagonals does not count.
struct ThreadStrain {
    double max = 0.0;
    double rms = 0.0;  ///< Over all triangles, compressed ones counting as 0.
    double p999 = 0.0; ///< Stretch that 99.9 % of the triangles stay under.
};

/// The threads of a cloth at rest, for measuring it as often as one likes. Triangles without area are left out.
class ThreadGauge {
public:
    explicit ThreadGauge(const ClothModel& model);
    ThreadStrain measure(const std::vector<Vec3>& position) const; ///< Allocates for the percentile.
    double largest(ThreadPool& pool, const std::vector<Vec3>& position) const;

private:
    struct Element {
        Triangle vertex;
        double u1, v1, u2, v2; // f_u = u1 e1 + u2 e2, f_v = v1 e1 + v2 e2
    };
    static double stretch(const Element& element, const std::vector<Vec3>& position);
    std::vector<Element> elements_;
};

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
