#pragma once

#include <vector>

#include "base/fields.h"
#include "model/solver.h"
#include "solvers/parts/quality.h"
#include "solvers/solver_info.h"
#include "solvers/xpbd/link_blocks.h"
#include "solvers/xpbd/near_contacts.h"
#include "solvers/xpbd/tether_batches.h"

namespace selvage {

struct XpbdSettings {
    Quality quality = Quality::standard;
    int substeps = 0;    ///< Small steps per step; 0: as many as the quality and the size of the net ask for.
    bool tethers = true; ///< Keep points within reach of the held points.
    double tether_slack =
        2.0; ///< Allowed stretch of a tether at low quality, in those of the hanging cloth by its own weight.
};

const Fields<XpbdSettings>& settings_fields(const XpbdSettings&);

/// Extended position-based dynamics in small steps: every spring is a length constraint whose compliance is
/// 1/stiffness, projected once per small step (Macklin and others 2016, 2019). Many short steps beat many rounds.
class XpbdSolver final : public Solver {
public:
    using Settings = XpbdSettings;
    static SolverInfo info();

    XpbdSolver(const ClothModel& model, const XpbdSettings& settings, ThreadPool& pool);
    StepStats step(ClothState& state, const StepInput& input) override;
    bool wants_contact(double dt) const override { return small_steps(dt, 1.0) > 1; }
    int small_steps(double dt, double effort) const override;
    std::size_t bytes() const override;

private:
    /// What the points of a piece of cloth are seen from during a step. It stands still where something holds the piece.
    struct Frame {
        bool falls = false;          // gravity moves the frame, not the points in it
        bool keeps_momentum = false; // there is no drag
        Vec3 displacement, velocity; // over the step [m], at its end [m/s]
    };
    struct Mean {
        Vec3 sum; // weighted by mass
        double mass = 0.0;
        int held = 0;
        Mean& operator+=(const Mean& other) {
            sum += other.sum;
            mass += other.mass;
            held += other.held;
            return *this;
        }
    };
    template <class Term>
    Mean mean_over(int piece, const Term& term) {
        const std::span<const int> vertices = pieces_[piece];
        return pool_.sum<Mean>(static_cast<int>(vertices.size()), [&](int k) { return term(vertices[k]); });
    }
    double small_steps_per_frame(Quality quality) const;
    void fit_to_step(const StepInput& input, double h);
    void choose_frames(const ClothState& state, const StepInput& input, int count);
    void read_state(const ClothState& state, const StepInput& input, double h);
    void write_state(ClothState& state, const StepInput& input);
    void take_small_steps(int count, double h);

    const ClothModel& model_;
    XpbdSettings settings_;
    ThreadPool& pool_;
    ExternalForces external_;
    LinkBlocks links_;
    TetherBatches tethers_;
    NearContacts contacts_;
    SmallStepPoints points_;
    IndexLists pieces_; // vertices that springs join
    std::vector<int> piece_of_;
    std::vector<Frame> frames_; // of each piece
    double mean_mass_ = 1.0;    // [kg]
    double side_ = 1.0;         // points along a side of the largest cloth, were it square

    // What links and tethers were fitted to.
    double fitted_step_ = 0.0;
    Vec3 fitted_gravity_;
    std::vector<std::uint8_t> fitted_held_;
    std::vector<float> inverse_mass_; // by point, over the mean one
};

} // namespace selvage
