#pragma once

#include <optional>
#include <span>

#include "base/fields.h"
#include "collision/search/pair_hash.h"
#include "collision/search/pair_hierarchy.h"
#include "model/solver.h"
#include "solvers/solver_info.h"

namespace selvage {

enum class PairSearch { hash, hierarchy };

struct VerletSettings {
    double strain_limit = 0.01;      ///< Edges may be longer than at rest by this fraction (d_max - 1).
    double compression_limit = 0.05; ///< Edges may be shorter by this fraction (1 - d_min).
    double bend = 0.9;               ///< Least distance of the points opposite an edge, as a fraction of that at rest.
    int sweeps = 4;                  ///< Rounds over all constraints per step.
    double damping = 1.0;            ///< Fraction of the velocity left after 1/120 s; 1: none is lost.
    bool self_collision = false;     ///< Keep particles that are not neighbours apart.
    PairSearch pair_search = PairSearch::hash;
    double distance = 0.0; ///< Least distance of such particles [m]; 0: from the mesh.
};

const Fields<VerletSettings>& settings_fields(const VerletSettings&);

/// Verlet steps with length constraints instead of springs (Fuhrmann, Gross and Luckas 2003) and, against
/// self-collision, a least distance between particles. Stable at any step. It models no material: the fabric's
/// stiffness is not read, and how far the cloth stretches depends on the sweeps.
class VerletSolver final : public Solver {
public:
    using Settings = VerletSettings;
    static SolverInfo info();

    VerletSolver(const ClothModel& model, const VerletSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;
    bool wants_distances() const override { return true; }

    double distance() const { return distance_; } ///< Least distance of particles that are not neighbours [m].

private:
    struct Length {
        int a, b;
        double rest; // [m]
    };
    /// Constraints of one colour share no point: they run in parallel, and always in the same order.
    struct ColouredLengths {
        std::vector<Length> lengths; // colour by colour
        std::vector<int> start;      // of each colour, and one more
        ColouredLengths() = default;
        ColouredLengths(const ClothModel& model, std::span<const Edge> pairs);
    };
    struct SelfCollision {
        PairFilter filter;
        PairLists lists;
        std::optional<PairHash> hash; // one of the two
        std::optional<PairHierarchy> hierarchy;
        std::vector<int> near_count; // pairs of each particle that are too near now
        std::vector<Vec3> correction;
        SelfCollision(PairFilter pair_filter, PairSearch search);
    };

    struct Friction {
        double coefficient = -1.0;  // the collider's
        double slip_fraction = 0.0; // of the slip that a step of fitted_step_ removes
    };

    void fit_to_step(const StepInput& input);
    void move_freely(ClothState& state, const StepInput& input);
    void find_pairs(const std::vector<Vec3>& x);
    void keep_lengths(std::vector<Vec3>& x, const ColouredLengths& lengths, double least, double most);
    void keep_apart(std::vector<Vec3>& x);
    void push_out(std::vector<Vec3>& x, std::span<const Collider> colliders);
    void slow_slip(std::vector<Vec3>& x, std::span<const Collider> colliders);

    const ClothModel& model_;
    VerletSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    ColouredLengths structural_, bending_;
    double distance_ = 0.0;
    std::optional<SelfCollision> self_collision_;
    double velocity_left_ = 1.0, fitted_step_ = 0.0; // fraction of the velocity left after a step of fitted_step_
    std::vector<double> inverse_mass_;               // 0 for held points; this step's
    std::vector<Vec3> start_;                        // positions at the start of the step
    std::vector<Friction> friction_;                 // by collider, for fitted_step_
    std::vector<int> touched_;                       // the collider each point has touched in this step, or -1
};

} // namespace selvage
