// Friction of bending against its closed forms. Dahl's law between curvatures -k and k runs along
//   m = H - (H - m0) exp(-K (kappa - kappa0)/H)
// and back, from m = -H tanh(a) to H tanh(a), a = K k/H. The loop that it closes has the area
//   4 H k (1 - tanh(a)/a):
// KES' 2HB times the span of 2 k, less what the corners cut off.
// Where a swing bends far beyond H/K each half of it loses 2 H per curvature, however far it goes, so its amplitude falls
// by the same length from swing to swing. For the first mode phi of a strip held at one end, with phi = 1 at the other,
//   dA per period = 4 H A integral |phi''| / (A w^2 density integral phi^2) = 4 (1.37651/L) / (12.3624/(4 L^3)) H/B.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/concat.h"
#include "lab/validate/validate_internal.h"
#include "solvers/multilevel/yarn_friction.h"

namespace selvage {

namespace {

constexpr double kRigidity = 1.2e-5, kSlip = 6e-4; // those of a cotton broadcloth [N m], [N]

/// A patch bent over cylinders by hand, and what its friction takes for that.
class BentPatch {
public:
    BentPatch(Diagonals diagonals, double turn) : turn_(turn) {
        GridDesc grid{{kLength, kWidth}, {kColumns, kRows}, diagonals};
        Material m;
        m.bend_warp = m.bend_weft = kRigidity;
        m.bend_friction_warp = kSlip;
        m.bend_friction_weft = 0.5 * kSlip;
        std::vector<std::string> warnings;
        model_ = *make_cloth_model({{"patch", *make_grid(grid), m, {}}}, warnings);
        law_ = yarn_law(m);
        order_.resize(model_.mass.size());
        std::iota(order_.begin(), order_.end(), 0);
        yarn_ = YarnFriction(make_sheet(model_), order_, padded(model_.vertex_count()));
        memory_.resize(model_.mass.size());
        before_ = bent(0.0);
    }

    /// From one curvature to another in small steps: the work it takes [J].
    double bend(double from, double to, int steps) {
        ThreadPool pool(1);
        const std::vector<std::uint8_t> free(before_.size(), 0);
        std::vector<Floats4> force(before_.size());
        double work = 0.0;
        for (int k = 1; k <= steps; ++k) {
            const Points after = bent(from + (to - from) * k / steps);
            yarn_.start_small_step(pool, before_, order_, memory_);
            std::fill(force.begin(), force.end(), Floats4{});
            yarn_.add_forces(pool, after, free, force);
            for (int i = 0; i < static_cast<int>(after.size()); ++i)
                for (int c = 0; c < 3; ++c)
                    work -= force[i][c] * (after[i][c] - before_[i][c]);
            before_ = after;
        }
        return work;
    }

    /// Hinges along the last columns and rows are missing: half a cell bends on either side of each edge that has one.
    double bent_area() const {
        const double cell = kLength / (kColumns - 1);
        const double c = std::cos(turn_), s = std::sin(turn_);
        const double cut = cell * (c * c * kWidth + s * s * kLength);
        return kLength * kWidth - cut;
    }
    const YarnLaw& law() const { return law_; }

private:
    static constexpr int kColumns = 41, kRows = 41;
    static constexpr double kLength = 0.04, kWidth = 0.04;

    /// Rolled about an axis at right angles to the direction `turn_` from the warp.
    Points bent(double curvature) const {
        Points x;
        x.resize(padded(model_.vertex_count()));
        const double c = std::cos(turn_), s = std::sin(turn_);
        for (int i = 0; i < model_.vertex_count(); ++i) {
            const Vec3& p = model_.mesh.positions[i];
            const double along = c * p.x + s * p.y, across = -s * p.x + c * p.y, angle = curvature * along;
            const double reach = std::abs(angle) > 1e-9 ? std::sin(angle) / curvature : along;
            const double rise = std::abs(angle) > 1e-9 ? (1.0 - std::cos(angle)) / curvature : 0.0;
            x[i] = Doubles4{c * reach - s * across, s * reach + c * across, rise, 0.0};
        }
        return x;
    }

    double turn_;
    ClothModel model_;
    YarnLaw law_;
    std::vector<int> order_;
    YarnFriction yarn_;
    std::vector<YarnMemory> memory_;
    Points before_;
};

/// A strip clamped at its end and let go from its first mode, without weight or air: heights of the free end at its peaks.
std::vector<double> peaks_of_swing(const MultilevelSettings& settings, double slip, double rigidity, double length,
                                   double amplitude, int count) {
    constexpr int kColumns = 41, kRows = 3;
    const double cell = length / (kColumns - 1.5); // bends from half a cell before the last held column on
    const double h = 1.0 / 2000.0;
    SceneDesc scene = sheet_scene(settings, h, {kColumns, kRows}, {cell * (kColumns - 1), cell * (kRows - 1)});
    scene.gravity = {0, 0, 0};
    ClothDesc& cloth = scene.cloths[0];
    cloth.self_collision = false;
    Material& m = cloth.material;
    m.bend_warp = m.bend_weft = rigidity;
    m.bend_friction_warp = m.bend_friction_weft = slip;
    m.damping = 0.0;
    PinDesc pin;
    std::vector<int> held;
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < 2; ++column)
            held.push_back(row * kColumns + column);
    pin.select = held;
    cloth.pins.push_back(pin);
    Simulation sim = make_or_die(scene);
    ClothState state = sim.state();
    const double root = 1.8751040687, sigma = 0.7340955; // of the first mode
    const auto height = [&](int column) {
        const double s = root * std::max(0.0, column - 0.5) * cell / length;
        return column < 2 ? 0.0 : 0.5 * amplitude * (std::cosh(s) - std::cos(s) - sigma * (std::sinh(s) - std::sin(s)));
    };
    double x = state.position[0].x;
    for (int column = 1; column < kColumns; ++column) { // as long as at rest
        const double rise = height(column) - height(column - 1);
        x += std::sqrt(cell * cell - rise * rise);
        for (int row = 0; row < kRows; ++row) {
            state.position[row * kColumns + column].x = x;
            state.position[row * kColumns + column].z = height(column);
        }
    }
    sim.set_state(std::move(state), 0);
    std::vector<double> peaks;
    double before = 0.0, last = amplitude;
    for (long long step = 0; step < 200000 && static_cast<int>(peaks.size()) < count; ++step) {
        sim.step();
        const double now = sim.state().position[kColumns - 1].z;
        if (step > 100 && last > before && last >= now && last > 0.0) peaks.push_back(last);
        before = last;
        last = now;
    }
    peaks.resize(count, std::nan(""));
    return peaks;
}

} // namespace

std::vector<ValidationRow> bending_loop() {
    std::vector<ValidationRow> rows;
    struct Case {
        const char* name;
        Diagonals diagonals;
        double turn, share;      // share of the mean slip
        double tolerance = 0.02; // folds across the cells differ from vertex to vertex
    };
    const double diagonal = std::atan(1.0);
    for (const Case& c : {Case{"warp", Diagonals::alternating, 0.0, 4.0 / 3.0},
                          Case{"weft", Diagonals::alternating, 2.0 * diagonal, 2.0 / 3.0},
                          Case{"bias", Diagonals::alternating, diagonal, 1.0, 0.1},
                          Case{"warp-one-way", Diagonals::uniform, 0.0, 4.0 / 3.0},
                          Case{"bias-one-way", Diagonals::uniform, diagonal, 1.0, 0.1},
                          Case{"bias-other-way", Diagonals::uniform, -diagonal, 1.0, 0.1}}) {
        BentPatch patch(c.diagonals, c.turn);
        const double most = 60.0; // [1/m]
        const int steps = 400;
        patch.bend(0.0, most, steps);
        patch.bend(most, -most, steps);
        const double area = patch.bend(-most, most, steps) + patch.bend(most, -most, steps);
        // In the scaled axes the curvature grows by the share, and so does the slip: H' = share H, K' = share^2 K.
        const double slip = c.share * patch.law().slip, stick = c.share * c.share * patch.law().stick;
        const double a = stick * most / slip;
        rows.push_back(make_row(concat("bending-loop/", kEnergies, ":", c.name),
                                4.0 * slip * most * (1.0 - std::tanh(a) / a), area / patch.bent_area(), c.tolerance,
                                "J/m2"));
    }
    return rows;
}

std::vector<ValidationRow> hysteretic_swing() {
    const double slip = 1.4e-6, rigidity = 2e-5, length = 0.1, amplitude = 0.01;
    MultilevelSettings settings;
    settings.substeps = 1;
    settings.linearisations = 4;
    settings.iterations = 12; // friction is the subject, not the damping of a solve left early
    const std::vector<double> rubbing = peaks_of_swing(settings, slip, rigidity, length, amplitude, 5);
    const std::vector<double> free = peaks_of_swing(settings, 0.0, rigidity, length, amplitude, 5);
    // What the method takes off by itself is a fraction of the amplitude in each period.
    const double own = std::log(free[0] / free[4]) / 4.0;
    const auto by_friction = [&](int from, int to) {
        double loss = 0.0;
        for (int k = from; k < to; ++k)
            loss += rubbing[k] - rubbing[k + 1] - own * 0.5 * (rubbing[k] + rubbing[k + 1]);
        return loss / (to - from);
    };
    // Where it turns, a loop's corners are cut off: H^2/K of each.
    const double mean = std::accumulate(rubbing.begin(), rubbing.end(), 0.0) / 5.0;
    const double corners = slip / (kYarnStick * rigidity) * length * length / (1.37651 * mean);
    const double expected = 4.0 * 1.37651 / (0.25 * 12.3624) * slip * length * length / rigidity * (1.0 - corners);
    return {make_row("hysteretic-swing/multilevel:loss", expected, by_friction(0, 4), 0.05, "m per period"),
            make_row("hysteretic-swing/multilevel:linear", 1.0, by_friction(0, 2) / by_friction(2, 4), 0.05, "ratio")};
}

} // namespace selvage
