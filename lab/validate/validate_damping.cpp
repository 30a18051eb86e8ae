// How fast motion dies, mode by mode. The damping of a fabric is Kelvin-Voigt's: a mode of frequency w loses tau w^2/2 of
// its size per second. A backward Euler step of length h takes off some more; both together are exactly
//   ln(1 + h tau w^2 + h^2 w^2) / (2 h),
// from (1 + h tau w^2 + h^2 w^2) z^2 - (2 + h tau w^2) z + 1 = 0 for what a step does to the mode.

#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/validate_internal.h"
#include "model/bare_net.h"
#include "model/measures.h"

namespace selvage {

namespace {

constexpr double kDampingTime = 6e-4; // [s]
constexpr double kModeStep = 1.0 / 2500.0;

/// A panel held along one edge that swings in its own plane: along its threads or across them.
struct SwingingPanel {
    static constexpr int kSide = 17;
    static constexpr double kSize = 0.5;
    enum class Kind { warp, weft, shear };

    Simulation sim;
    std::vector<Vec3> shape; // of the mode, times the mass

    static double stiffness(Kind kind) { return kind == Kind::warp ? 800.0 : kind == Kind::weft ? 200.0 : 150.0; }
    /// A rod, or a wall of threads that do not stretch: w = (n - 1/2) pi/L sqrt(k/density).
    static double omega(Kind kind, int mode) {
        return (mode - 0.5) * std::numbers::pi / kSize * std::sqrt(stiffness(kind) / kSheetDensity);
    }
    static Simulation make(const SolverSettings& solver, Kind kind) {
        SceneDesc scene = sheet_scene(solver, kModeStep, {kSide, kSide}, {kSize, kSize});
        scene.gravity = {0, 0, 0};
        ClothDesc& cloth = scene.cloths[0];
        cloth.self_collision = false;
        Material& m = cloth.material;
        m.stretch_warp = kind == Kind::shear ? 150000.0 : stiffness(Kind::warp);
        m.stretch_weft = kind == Kind::shear ? 150000.0 : stiffness(Kind::weft);
        m.shear = kind == Kind::shear ? stiffness(kind) : 5.0;
        m.damping = kDampingTime;
        PinDesc pin;
        pin.select = EdgeName{kind == Kind::warp ? "left" : "top"};
        cloth.pins.push_back(pin);
        return make_or_die(scene);
    }

    SwingingPanel(const SolverSettings& solver, Kind kind, int mode) : sim(make(solver, kind)) {
        ClothState state = sim.state();
        for (std::size_t i = 0; i < state.position.size(); ++i) {
            const Vec3& p = state.position[i];
            const double from_edge = 0.5 * kSize + (kind == Kind::warp ? p.x : -p.y);
            const double value = std::sin((mode - 0.5) * std::numbers::pi * from_edge / kSize);
            const Vec3 along = kind == Kind::weft ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
            state.position[i] += 1e-4 * value * along;
            shape.push_back(value * sim.model().mass[i] * along);
        }
        sim.set_state(std::move(state), 0);
    }

    double projected(const std::vector<Vec3>& of) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < shape.size(); ++i)
            sum += dot(shape[i], of[i]);
        return sum;
    }

    /// From the speeds at which the mode falls through zero, three periods apart.
    double rate_of_decay() {
        const double rest = projected(sim.model().mesh.positions), h = sim.step_size();
        double before = projected(sim.state().position) - rest, first_speed = 0.0, first_time = 0.0;
        int falls = 0;
        for (long long step = 1; step < 20000; ++step) {
            const double speed_before = projected(sim.state().velocity);
            sim.step();
            const double now = projected(sim.state().position) - rest;
            if (before > 0.0 && now <= 0.0) {
                const double part = before / (before - now), speed = projected(sim.state().velocity);
                const double time = h * (static_cast<double>(step) - 1.0 + part);
                const double at_zero = std::abs(speed_before + part * (speed - speed_before));
                if (falls == 0) {
                    first_speed = at_zero;
                    first_time = time;
                }
                if (++falls == 4) return std::log(first_speed / at_zero) / (time - first_time);
            }
            before = now;
        }
        return std::nan("");
    }
};

} // namespace

std::vector<ValidationRow> decay_of_modes() {
    std::vector<ValidationRow> rows;
    using Kind = SwingingPanel::Kind;
    for (Variant variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2" || variant.name == "multilevel:high") continue; // the same damping
        if (auto* multilevel = std::get_if<MultilevelSettings>(&variant.settings)) {
            multilevel->compression = 1.0; // half of a swing is a push
            multilevel->iterations = 10;   // the fabric's damping is the subject, not that of a solve left early
        }
        for (const Kind kind : {Kind::warp, Kind::weft, Kind::shear})
            for (const int mode : {1, 2}) {
                SwingingPanel panel(variant.settings, kind, mode);
                const double omega2 = SwingingPanel::omega(kind, mode) * SwingingPanel::omega(kind, mode);
                const char* name = kind == Kind::warp ? "warp" : kind == Kind::weft ? "weft" : "shear";
                rows.push_back(
                    make_row(concat("log-decrement/", variant.name, ":", name, "-", mode),
                             std::log(1.0 + kModeStep * omega2 * (kDampingTime + kModeStep)) / (2.0 * kModeStep),
                             panel.rate_of_decay(), 0.03, "1/s"));
            }
    }
    return rows;
}

/// One mass on one spring, in steps so short that a method's own damping hardly counts.
std::vector<ValidationRow> spring_decay() {
    std::vector<ValidationRow> rows;
    const double m = 0.1, k = 40.0, tau = 5e-3, h = 2e-5, omega2 = k / m;
    for (const Variant& variant : variants()) {
        if (!variant.traits.elastic) continue;
        ClothModel model = make_net({{0, 0, 0}, {1, 0, 0}}, {m, m}, {{0, 1, 1.0F, static_cast<float>(k)}});
        model.parts[0].damping.axial_time = tau;
        ClothState state = at_rest(model);
        state.position[1].x += 0.01;
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(model, variant.settings, pool);
        Hands hand(2);
        hand.grab(0, {});
        const StepInput input = hand.input(h);
        // Speeds at which it falls through its rest length, two periods apart.
        double first_speed = 0.0, first_time = 0.0, rate = std::nan("");
        int falls = 0;
        for (int step = 1; step < 100000 && falls < 3; ++step) {
            const double before = state.position[1].x - 1.0;
            solver->step(state, input);
            if (!(before > 0.0 && state.position[1].x <= 1.0)) continue;
            const double speed = std::abs(state.velocity[1].x), time = h * step;
            if (++falls == 1) {
                first_speed = speed;
                first_time = time;
            }
            rate = std::log(first_speed / speed) / (time - first_time);
        }
        rows.push_back(make_row("spring-decay/" + variant.name, 0.5 * tau * omega2, rate, 0.02, "1/s"));
    }
    return rows;
}

/// A sheet in flight whose velocity fades at a rate r: by 1/(1 + h r) per step of every method, which tends to exp(-r t).
std::vector<ValidationRow> velocity_decay() {
    std::vector<ValidationRow> rows;
    const double rate = 3.0, seconds = 0.25, h = 1.0 / 240.0;
    for (Variant variant : variants()) {
        if (variant.name == "implicit-cg:sdirk2") continue; // of second order
        if (auto* multilevel = std::get_if<MultilevelSettings>(&variant.settings)) multilevel->substeps = 1;
        if (auto* xpbd = std::get_if<XpbdSettings>(&variant.settings)) xpbd->substeps = 1;
        SceneDesc scene = sheet_scene(variant.settings, h, {5, 5});
        soften(scene);
        scene.gravity = {0, 0, 0};
        scene.velocity_damping = 0.4 * rate; // the scene's and the cloth's add up
        scene.cloths[0].velocity_damping = 0.6 * rate;
        scene.cloths[0].velocity = {1.0, 2.0, -2.0};
        Simulation sim = make_or_die(scene);
        run_for(sim, seconds);
        rows.push_back(make_row("velocity-decay/" + variant.name, 3.0 * std::pow(1.0 + h * rate, -seconds / h),
                                length(measure_momentum(sim.model(), sim.state()).linear) / kSheetDensity, 1e-6,
                                "m/s"));
    }
    return rows;
}

} // namespace selvage
