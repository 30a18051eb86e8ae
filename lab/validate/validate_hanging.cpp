// Limp cloth that hangs, swings and blows, and what must not depend on step or mesh. The springs' reference is tried
// beside the methods that see cloth as triangles and hinges.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/reference_shapes.h"
#include "lab/validate/validate_internal.h"

namespace selvage {

std::vector<Variant> hanging_variants() {
    std::vector<Variant> list = variants();
    std::erase_if(list, [](const Variant& v) { return v.name != "implicit-cg" && v.name != "implicit-cg:sdirk2"; });
    for (const Variant& variant : sheet_variants())
        list.push_back(variant);
    return list;
}

namespace {

SceneDesc limp_strip(const SolverSettings& solver, double dt, IntPair vertices, Pair size) {
    SceneDesc scene = sheet_scene(solver, dt, vertices, size);
    ClothDesc& cloth = scene.cloths[0];
    cloth.material.density = kSheetDensity;
    cloth.material.stretch_warp = cloth.material.stretch_weft = 5000.0;
    cloth.material.shear = 500.0;
    cloth.material.damping = 0.0;
    cloth.net.bend = false;
    cloth.self_collision = false;
    return scene;
}

} // namespace

/// A limp strip between two points nearer than it is long.
std::vector<ValidationRow> hanging_chain() {
    std::vector<ValidationRow> rows;
    const double length = 1.2, span = 1.0;
    for (const Variant& variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2") continue; // at rest it is implicit-cg
        SceneDesc scene = limp_strip(variant.settings, kSettleStep, {41, 3}, {length, 0.06});
        scene.cloths[0].place.rotate_deg = kLevel;
        for (const double side : {-1.0, 1.0}) {
            PinDesc pin;
            pin.select = EdgeName{side < 0 ? "left" : "right"};
            KeyframeDesc moved;
            moved.t = 0.5;
            moved.translate = {-side * 0.5 * (length - span), 0, 0};
            pin.keyframes = {KeyframeDesc{}, moved};
            scene.cloths[0].pins.push_back(pin);
        }
        Simulation sim = make_or_die(scene);
        run_for(sim, 0.6);
        settle(sim);
        double lowest = 0.0;
        for (const Vec3& p : sim.state().position)
            lowest = std::min(lowest, p.y);
        rows.push_back(make_row("catenary/" + variant.name, catenary(length, span).sag, -lowest, 0.005, "m"));
    }
    return rows;
}

namespace {

/// A limp sheet hung by its top edge, in its n-th swinging mode.
struct SwingingSheet {
    static constexpr int kRows = 61;
    int mode;
    Simulation sim;
    std::vector<double> shape; // of the mode, times the mass

    SwingingSheet(const SolverSettings& solver, double h, int n) : mode(n), sim(make(solver, h)) {
        ClothState state = sim.state();
        for (std::size_t i = 0; i < state.position.size(); ++i) {
            const double from_bottom = std::clamp(state.position[i].y + 0.5, 0.0, 1.0);
            // J0(j sqrt(s)), s the fraction of the length below: the modes of a heavy string (D. Bernoulli 1733).
            const double value = std::cyl_bessel_j(0.0, bessel_zero(n) * std::sqrt(from_bottom));
            state.position[i].z = 0.005 * value;
            shape.push_back(value * sim.model().mass[i]);
        }
        sim.set_state(std::move(state), 0);
    }
    static Simulation make(const SolverSettings& solver, double h) {
        SceneDesc scene = limp_strip(solver, h, {3, kRows}, {2.0 / (kRows - 1), 1.0});
        PinDesc pin;
        pin.select = EdgeName{"top"};
        scene.cloths[0].pins.push_back(pin);
        return make_or_die(scene);
    }
    double omega() const { return 0.5 * bessel_zero(mode) * std::sqrt(kGravity); }
    double displacement() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < shape.size(); ++i)
            sum += shape[i] * sim.state().position[i].z;
        return sum;
    }
    double speed() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < shape.size(); ++i)
            sum += shape[i] * sim.state().velocity[i].z;
        return sum;
    }
    /// From one fall through zero to the next; a fall starts from half the first height, whatever trembles.
    double period() {
        double first = -1.0, before = displacement();
        const double h = sim.step_size(), armed_above = 0.5 * before;
        bool armed = true;
        for (long long step = 1; static_cast<double>(step) * h < 4.0; ++step) {
            sim.step();
            const double now = displacement();
            if (now > armed_above) armed = true;
            if (armed && now <= 0.0) {
                armed = false;
                const double time = h * (static_cast<double>(step) - 1.0 + before / (before - now));
                if (first >= 0.0) return time - first;
                first = time;
            }
            before = now;
        }
        return std::nan("");
    }
};

} // namespace

/// Periods of the first three modes.
std::vector<ValidationRow> swing_modes() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : hanging_variants())
        for (int mode = 1; mode <= 3; ++mode) {
            SwingingSheet sheet(variant.settings, 1.0 / 500.0, mode);
            rows.push_back(make_row(concat("swing-modes/", variant.name, ":", mode),
                                    2.0 * std::numbers::pi / sheet.omega(), sheet.period(), 0.02, "s"));
        }
    return rows;
}

/// Backward Euler takes 1/sqrt(1 + omega^2 h^2) per step off a swing; as a rate of decay.
std::vector<ValidationRow> swing_damping() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2") continue; // of second order: it has another rate
        std::vector<double> steps = {1.0 / 60.0, 1.0 / 240.0};
        if (const auto* multilevel =
                std::get_if<MultilevelSettings>(&variant.settings)) // no longer than its small steps
            steps = {multilevel->quality == Quality::high ? 1.0 / 1200.0 : 1.0 / 600.0};
        for (const double h : steps) {
            SwingingSheet sheet(variant.settings, h, 1);
            const double omega = sheet.omega();
            const auto size = [&] { return std::hypot(omega * sheet.displacement(), sheet.speed()); };
            run_for(sheet.sim, 0.1); // the first steps find the mesh's own mode
            const double before = size();
            constexpr double kSeconds = 2.0;
            run_for(sheet.sim, kSeconds);
            rows.push_back(make_row(concat("swing-damping/", variant.name, ":h-1/", std::lround(1.0 / h)),
                                    std::log(1.0 + omega * omega * h * h) / (2.0 * h),
                                    std::log(before / size()) / kSeconds, 0.05, "1/s"));
        }
    }
    return rows;
}

/// A limp strip in a steady wind hangs straight, at the angle where drag across it balances its weight.
std::vector<ValidationRow> wind_angle() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2") continue;
        for (const double speed : {2.0, 5.0}) {
            SceneDesc scene = limp_strip(variant.settings, 1.0 / 240.0, {3, 21}, {0.05, 0.5});
            PinDesc pin;
            pin.select = EdgeName{"top"};
            scene.cloths[0].pins.push_back(pin);
            scene.cloths[0].material.damping = 1e-3;
            scene.air.density = 1.2;
            scene.air.lift = 0.0; // the formula's strip feels drag across it alone
            scene.air.wind = {0, 0, speed};
            Simulation sim = make_or_die(scene);
            run_for(sim, 4.0);
            // The mean over a second, should it tremble.
            double angle = 0.0;
            constexpr int kSamples = 240;
            for (int k = 0; k < kSamples; ++k) {
                sim.step();
                const Vec3 down = sim.state().position[1] - sim.state().position[1 + 3 * 20]; // bottom from top, middle
                angle += std::atan2(-down.y, down.z) / kSamples;
            }
            rows.push_back(make_row(concat("wind-angle/", variant.name, ":", speed, "-m/s"),
                                    strip_angle_in_wind(kSheetDensity, 1.2, scene.air.drag, speed, kGravity) * 180.0 /
                                        std::numbers::pi,
                                    angle * 180.0 / std::numbers::pi, 0.01, "deg"));
        }
    }
    return rows;
}

namespace {

/// A square sheet of poplin's stiffness that swings down from the level, held at two corners.
Simulation swinging_square(const SolverSettings& solver, double h, int side) {
    SceneDesc scene = sheet_scene(solver, h, {side, side});
    ClothDesc& cloth = scene.cloths[0];
    cloth.place.rotate_deg = kLevel;
    cloth.material.damping = 0.0;
    cloth.self_collision = false;
    for (const char* corner : {"top-left", "top-right"}) {
        PinDesc pin;
        pin.select = CornerName{corner};
        cloth.pins.push_back(pin);
    }
    return make_or_die(scene);
}

} // namespace

/// Nothing adds energy to a swing without damping; what a step gains over the one before, of all that was released.
std::vector<ValidationRow> energy() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2") continue; // of second order: it may gain a little and lose it again
        Simulation sim = swinging_square(variant.settings, 1.0 / 240.0, 17);
        double before = sim.energy().total(), most = 0.0, lowest = before;
        const double start = before;
        for (int k = 0; k < 240; ++k) {
            sim.step();
            const Energy now = sim.energy();
            most = std::max(most, now.total() - before);
            lowest = std::min(lowest, now.gravity);
            before = now.total();
        }
        rows.push_back(
            make_row("energy/" + variant.name, 0.0, most / (start - lowest), 1e-3, "largest gain in a step"));
    }
    return rows;
}

/// The same swing in steps half as long, and on a mesh twice as fine: where the middle of the free edge is after 0.6 s.
std::vector<ValidationRow> independence() {
    std::vector<ValidationRow> rows;
    for (Variant variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2" || variant.name == "multilevel:high") continue;
        if (auto* multilevel = std::get_if<MultilevelSettings>(&variant.settings)) multilevel->substeps = 1;
        const auto middle = [&](double h, int side) {
            Simulation sim = swinging_square(variant.settings, h, side);
            run_for(sim, 0.6);
            return sim.state().position[side / 2];
        };
        const double h = 1.0 / 600.0;
        const Vec3 start{0, 0, 0.5}, usual = middle(h, 17);
        const double path = length(usual - start);
        rows.push_back(make_row(concat("independence/", variant.name, ":step"), 0.0,
                                length(middle(0.5 * h, 17) - usual) / path, 0.02, "of the path"));
        rows.push_back(make_row(concat("independence/", variant.name, ":mesh"), 0.0,
                                length(middle(h, 33) - usual) / path, 0.02, "of the path"));
    }
    return rows;
}

} // namespace selvage
