#pragma once

#include <vector>

#include "base/fields.h"
#include "math/block.h"
#include "model/solver.h"
#include "solvers/parts/tethers.h"
#include "solvers/solver_info.h"

namespace selvage {

struct XpbdSettings {
    bool tethers = true; ///< Keep points within reach of the held points.
    double tether_slack =
        10.0; ///< Allowed stretch of a tether, in multiples of the stretch of the hanging cloth by its own weight.
};

const std::vector<Field<XpbdSettings>>& settings_fields(const XpbdSettings&);

/// Extended position-based dynamics in small steps: every spring is a length constraint whose compliance is
/// 1/stiffness, projected once per step (Macklin and others 2016, 2019). Many short steps beat many rounds.
class XpbdSolver final : public Solver {
public:
    using Settings = XpbdSettings;
    static SolverInfo info();

    XpbdSolver(const ClothModel& model, const XpbdSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;

private:
    void fit_to_step(const StepInput& input);
    void predict(const ClothState& state, const StepInput& input);
    void project_links();
    void damp_relative(double h);
    void keep_in_reach(const StepInput& input);

    const ClothModel& model_;
    XpbdSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    Tethers tethers_;

    // Springs as links, sorted by colour; colours filled up to whole batches with links that do nothing.
    std::vector<int> batch_start_; // of each colour
    std::vector<int> link_spring_; // -1 for a filler
    std::vector<Edge> link_;
    std::vector<float> rest_;                     // [m]
    std::vector<float> stretch_factor_, damping_; // for fitted_step_ and fitted_held_, like the next two
    std::vector<double> weight_a_, weight_b_;     // of the ends, by inverse mass; they add up to 1
    std::vector<SpringDamping> spring_damping_;
    bool damped_ = false, relative_ = false;
    double fitted_step_ = 0.0;
    std::vector<std::uint8_t> fitted_held_;

    Points point_, before_; // one more than vertices: the fillers' point
    std::vector<double> inverse_mass_;
};

} // namespace selvage
