// Shapes at rest and small motions with known answers: the heavy elastica, buckling, the catenary, swinging sheets, a strip
// in the wind, patches. Bending belongs to the methods that see cloth as triangles and hinges; their energies are also tried
// alone ("energies"), so that an error of the mesh can be told from one of the solver. Springs only hang, swing and blow.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "model/bare_net.h"
#include "model/measures.h"
#include "sim/reference_shapes.h"
#include "sim/relaxed_sheet.h"
#include "sim/validate_internal.h"

namespace selvage {

namespace {

constexpr double kDensity = 0.2; // of the strips [kg/m2]

Vec3 mean_of(const std::vector<Vec3>& position, const std::vector<int>& vertices) {
    Vec3 sum;
    for (const int v : vertices)
        sum += position[v] / static_cast<double>(vertices.size());
    return sum;
}

/// A strip lying along x, its first columns held. The fold at the last held column stands for the bending of some length on
/// either side of it (half a cell; a quarter in cells cut crosswise, whose other half folds inside), but the held side
/// cannot bend: what is free starts that much before the column.
struct HeldStrip {
    static constexpr int kHeldColumns = 3;
    int cells = 30, across = 1;
    Diagonals diagonals = Diagonals::cross;
    double length = 0.3; ///< Of the free part [m].
    double jitter = 0.0;
    double gamma = 8.0; ///< density g length^3 / B.

    double share_before() const { return diagonals == Diagonals::cross ? 0.25 : 0.5; } ///< Of a cell.
    double cell() const { return length / (cells + share_before()); }
    double width() const { return across * cell(); }
    int columns() const { return kHeldColumns + cells; }
    double held_length() const { return cell() * (kHeldColumns - 1 - share_before()); } ///< Before the free part.
    double rigidity() const { return kDensity * kGravity * length * length * length / gamma; }

    /// Along `rotate_deg`; gravity as given.
    SceneDesc scene(const SolverSettings& solver, double dt, const Triple& rotate_deg, const Triple& gravity) const {
        const double total = cell() * (columns() - 1);
        SceneDesc scene = sheet_scene(solver, dt, {columns(), across + 1}, {total, width()});
        GridDesc& grid = std::get<GridDesc>(scene.cloths[0].mesh);
        grid.diagonals = diagonals;
        grid.jitter = jitter;
        scene.gravity = gravity;
        ClothDesc& cloth = scene.cloths[0];
        Material& m = cloth.material;
        m.density = kDensity;
        m.stretch_warp = m.stretch_weft = 5000.0; // stretches by 1e-4
        m.shear = 2000.0;
        m.bend_warp = m.bend_weft = rigidity();
        m.damping = 0.0;
        cloth.self_collision = false;
        cloth.place.rotate_deg = rotate_deg;
        std::vector<int> held; // columns keep their points wherever these are shaken to
        for (int row = 0; row <= across; ++row)
            for (int column = 0; column < kHeldColumns; ++column)
                held.push_back(row * columns() + column);
        if (diagonals == Diagonals::cross) // and the middles of the cells between them
            for (int row = 0; row < across; ++row)
                for (int column = 0; column + 1 < kHeldColumns; ++column)
                    held.push_back((across + 1) * columns() + row * (columns() - 1) + column);
        PinDesc pin;
        pin.select = held;
        cloth.pins.push_back(pin);
        return scene;
    }
    std::vector<int> tip() const {
        std::vector<int> list;
        for (int row = 0; row <= across; ++row)
            list.push_back(row * columns() + columns() - 1);
        return list;
    }
    /// Where the free part starts, in the strip's own coordinates.
    double clamp_x() const { return -0.5 * cell() * (columns() - 1) + held_length(); }
};

const Triple kLevel{-90, 0, 0}; // turns the x-y plane of a grid into the horizontal

constexpr const char* kEnergies = "energies";

/// Where the points of a scene come to rest: by a solver, or by the energies alone.
std::vector<Vec3> rest_shape(const Variant& variant, const SceneDesc& scene) {
    Simulation sim = make_or_die(scene);
    if (variant.name != kEnergies) {
        settle(sim);
        return sim.state().position;
    }
    std::vector<std::uint8_t> is_held(sim.model().vertex_count(), 0);
    for (const PinDesc& pin : scene.cloths[0].pins)
        for (const int v : std::get<std::vector<int>>(pin.select))
            is_held[v] = 1;
    std::vector<Vec3> load;
    for (const double mass : sim.model().mass)
        load.push_back(mass * Vec3{scene.gravity[0], scene.gravity[1], scene.gravity[2]});
    return relax_sheet(make_sheet(sim.model()), sim.model().mesh.positions, load, is_held).position;
}

/// Drop over reach of a strip that bends under its own weight.
double drop_over_reach(const Variant& variant, const HeldStrip& strip) {
    const std::vector<Vec3> x =
        rest_shape(variant, strip.scene(variant.settings, kSettleStep, kLevel, {0, -kGravity, 0}));
    const Vec3 tip = mean_of(x, strip.tip());
    return -tip.y / (tip.x - strip.clamp_x());
}

/// The load, as a share of the critical one, at which the closed form leans as much as was found; `lean` grows to infinity at 1.
template <class Lean>
double share_of_critical(double found, const Lean& lean) {
    double low = 0.0, high = 0.9999;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (lean(middle) < found ? low : high) = middle;
    }
    return low;
}

} // namespace

bool settle(Simulation& sim, double still, double seconds) {
    const auto kinetic = [&] {
        double sum = 0.0;
        for (std::size_t i = 0; i < sim.state().velocity.size(); ++i)
            sum += sim.model().mass[i] * length_squared(sim.state().velocity[i]);
        return sum;
    };
    std::vector<Vec3> last = sim.state().position;
    double before = 0.0;
    const long long steps = std::llround(seconds / sim.step_size());
    for (long long k = 0; k < steps; ++k) {
        sim.step();
        if (sim.divergence()) return false;
        const double now = kinetic();
        const bool past_peak = now < before;
        before = past_peak ? 0.0 : now;
        if (!past_peak) continue;
        ClothState state = sim.state();
        state.velocity.assign(state.velocity.size(), Vec3{});
        sim.set_state(std::move(state), sim.step_count());
        double moved = 0.0;
        for (std::size_t i = 0; i < last.size(); ++i)
            moved = std::max(moved, length(sim.state().position[i] - last[i]));
        if (moved < still) return true;
        last = sim.state().position;
    }
    return false;
}

std::vector<Variant> sheet_variants() {
    std::vector<Variant> list;
    for (const Variant& variant : variants()) {
        if (!variant.traits.own_elements) continue;
        list.push_back(variant);
        MultilevelSettings fine = std::get<MultilevelSettings>(variant.settings);
        fine.quality = Quality::high;
        list.push_back({variant.name + ":high", fine, variant.traits});
    }
    return list;
}

std::vector<Variant> energies_alone() {
    return {{kEnergies, ImplicitCgSettings{}, {}}}; // any settings: nothing is stepped
}

std::vector<Variant> bending_variants() {
    std::vector<Variant> list = energies_alone();
    for (const Variant& variant : sheet_variants())
        list.push_back(variant);
    return list;
}

/// The heavy elastica: drop over reach at three loads. What a cut does to bending is derived in docs/validation.md: squares cut
/// crosswise bend by B exactly, others by a mean of what their hinges see.
std::vector<ValidationRow> cantilever(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    struct Mesh {
        const char* name;
        Diagonals diagonals;
        int across;
        double jitter, tolerance;
    };
    for (const Variant& variant : by)
        for (const Mesh& mesh : {Mesh{"", Diagonals::cross, 1, 0.0, 0.02},
                                 {":irregular", Diagonals::alternating, 4, 0.25, 0.10},
                                 {":alternating", Diagonals::alternating, 4, 0.0, 0.10}})
            for (const double gamma : {1.0, 8.0, 20.0}) {
                const HeavyCantilever shape = heavy_cantilever(gamma);
                HeldStrip strip;
                strip.gamma = gamma;
                strip.diagonals = mesh.diagonals;
                strip.across = mesh.across;
                strip.jitter = mesh.jitter;
                rows.push_back(make_row(concat("cantilever/", variant.name, mesh.name, ":gamma-", gamma),
                                        shape.drop / shape.reach, drop_over_reach(variant, strip), mesh.tolerance,
                                        "drop/reach"));
            }
    return rows;
}

/// A strip stands up to Gamma = 7.837. How far it leans over at 70 % of that, the weight leaning by a hundredth, says where
/// it would fall (Southwell's method): the load at which the column would lean as much, over the load it has.
std::vector<ValidationRow> self_buckling(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    const double critical = self_buckling_gamma(), lean = 0.01, load = 0.7;
    for (const Variant& variant : by) {
        HeldStrip strip;
        strip.gamma = load * critical;
        // Upright, its front to +z.
        const std::vector<Vec3> x = rest_shape(
            variant, strip.scene(variant.settings, kSettleStep, {0, 0, 90}, {0, -kGravity, kGravity * lean}));
        const double found = mean_of(x, strip.tip()).z / (lean * strip.length);
        const double share = share_of_critical(found, [&](double s) { return standing_strip_lean(s * critical); });
        rows.push_back(make_row("self-buckling/" + variant.name, critical, critical * load / share, 0.02, "Gamma"));
    }
    return rows;
}

namespace {

/// A strip of equilateral triangles on edge: length along x, front to +z, held up to x = 0.
struct DeepStrip {
    static constexpr int kCells = 40, kRows = 8, kColumns = kCells + 4;
    static constexpr double kLength = 0.3;
    ClothModel model;
    std::vector<int> held;
    int top_tip = 0, bottom_tip = 0;

    explicit DeepStrip(double gamma) {
        const double h = kLength / kCells, height = h * std::sqrt(0.75);
        GeneratedMesh strip;
        for (int j = 0; j <= kRows; ++j)
            for (int i = 0; i < kColumns; ++i) {
                const double x = (i - 2 + 0.5 * (j % 2)) * h, y = (j - 0.5 * kRows) * height;
                if (x < 0.51 * h) held.push_back(j * kColumns + i); // the fold there stands for half a cell
                strip.mesh.positions.emplace_back(x, y, 0.0);
                strip.mesh.uv.push_back({x, y});
            }
        for (int j = 0; j < kRows; ++j)
            for (int i = 0; i + 1 < kColumns; ++i) {
                const int a = j * kColumns + i, b = a + 1, c = a + kColumns, d = c + 1;
                const bool even = j % 2 == 0;
                strip.mesh.triangles.push_back({a, b, even ? c : d});
                strip.mesh.triangles.push_back({even ? b : a, d, c});
            }
        Material m;
        m.density = kDensity;
        m.stretch_warp = m.stretch_weft = 5000.0;
        m.shear = 2000.0;
        m.bend_warp = m.bend_weft = kDensity * kGravity * kLength * kLength * kLength / gamma;
        m.damping = 0.0;
        std::vector<std::string> warnings;
        model = *make_cloth_model({{"strip", std::move(strip), m, {}}}, warnings);
        top_tip = (kRows + 1) * kColumns - 1;
        bottom_tip = kColumns - 1;
    }

    std::vector<Vec3> rest(const Variant& variant, const Vec3& gravity) const {
        const std::size_t n = model.mesh.positions.size();
        if (variant.name == kEnergies) {
            std::vector<std::uint8_t> is_held(n, 0);
            for (const int v : held)
                is_held[v] = 1;
            std::vector<Vec3> load;
            for (const double mass : model.mass)
                load.push_back(mass * gravity);
            return relax_sheet(make_sheet(model), model.mesh.positions, load, is_held, 1e-3).position;
        }
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(model, variant.settings, pool);
        Hands hands(static_cast<int>(n));
        for (const int v : held)
            hands.grab(v, model.mesh.positions[v]);
        const StepInput input = hands.input(kSettleStep, gravity);
        ClothState state = at_rest(model);
        double before = 0.0;
        for (int step = 0; step < 600; ++step) { // 10 s, with speeds dropped past each peak, as settle() does
            solver->step(state, input);
            double now = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                now += model.mass[i] * length_squared(state.velocity[i]);
            if (now < before) {
                state.velocity.assign(n, Vec3{});
                solver->reset(state);
                now = 0.0;
            }
            before = now;
        }
        return state.position;
    }
};

} // namespace

/// A strip clamped on edge twists out of its plane at q L^3 = 12.85 sqrt(EI C); found as above, from the turning of its tip.
/// Hinges between equilateral triangles make a plate with the rigidity B and nu = -1/3 (Seung and Nelson 1988):
/// EI = B (1 - nu^2) w, C = 2 B (1 - nu) w.
std::vector<ValidationRow> lateral_buckling(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    const double critical = lateral_buckling_load(), lean = 0.01, load = 0.7, nu = -1.0 / 3.0;
    const double scale = (1.0 - nu) * std::sqrt(2.0 * (1.0 + nu)); // sqrt(EI C) / (B w)
    const DeepStrip strip(load * critical * scale);
    for (const Variant& variant : by) {
        const std::vector<Vec3> x = strip.rest(variant, {0, -kGravity, kGravity * lean});
        const Vec3 edge = x[strip.top_tip] - x[strip.bottom_tip];
        const double found = std::abs(std::atan2(edge.z, edge.y)) / lean;
        const double share = share_of_critical(found, [&](double s) { return deep_strip_turn(s * critical); });
        rows.push_back(make_row("lateral-buckling/" + variant.name, critical * scale, critical * scale * load / share,
                                0.10, "Gamma"));
    }
    return rows;
}

namespace {

/// The methods that hang and swing a limp strip well enough at a step that a check can afford.
std::vector<Variant> hanging_variants() {
    std::vector<Variant> list = variants();
    std::erase_if(list, [](const Variant& v) { return v.name != "implicit-cg" && v.name != "implicit-cg:sdirk2"; });
    for (const Variant& variant : sheet_variants())
        list.push_back(variant);
    return list;
}

SceneDesc limp_strip(const SolverSettings& solver, double dt, IntPair vertices, Pair size) {
    SceneDesc scene = sheet_scene(solver, dt, vertices, size);
    ClothDesc& cloth = scene.cloths[0];
    cloth.material.density = kDensity;
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
            // J0(j sqrt(s)), s the share of the length below: the modes of a heavy string (D. Bernoulli 1733).
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
            rows.push_back(
                make_row(concat("wind-angle/", variant.name, ":", speed, "-m/s"),
                         strip_angle_in_wind(kDensity, 1.2, scene.air.drag, speed, kGravity) * 180.0 / std::numbers::pi,
                         angle * 180.0 / std::numbers::pi, 0.01, "deg"));
        }
    }
    return rows;
}

/// Points inside a patch whose border is moved by an affine map go where the map puts them, on any mesh.
std::vector<ValidationRow> patch_tests() {
    std::vector<ValidationRow> rows;
    struct Map {
        const char* name;
        double xx, xy, yx, yy;
    };
    constexpr int kSide = 9;
    for (const Variant& variant : bending_variants())
        for (const Map& map : {Map{"warp", 1.05, 0, 0, 1}, Map{"weft", 1, 0, 0, 1.05}, Map{"shear", 1, 0.1, 0, 1}}) {
            SceneDesc scene = sheet_scene(variant.settings, kSettleStep, {kSide, kSide}, {0.2, 0.2});
            std::get<GridDesc>(scene.cloths[0].mesh).jitter = 0.3;
            scene.gravity = {0, 0, 0};
            Simulation sim = make_or_die(scene);
            const std::vector<Vec3> rest = sim.model().mesh.positions;
            const auto moved = [&](const Vec3& p) {
                return Vec3{map.xx * p.x + map.xy * p.y, map.yx * p.x + map.yy * p.y, p.z};
            };
            std::vector<Vec3> x = rest;
            std::vector<std::uint8_t> is_held(x.size(), 0);
            double farthest = 0.0;
            for (int i = 0; i < kSide * kSide; ++i) {
                const int column = i % kSide, row = i / kSide;
                farthest = std::max(farthest, length(moved(rest[i]) - rest[i]));
                is_held[i] = column == 0 || row == 0 || column == kSide - 1 || row == kSide - 1;
                if (!is_held[i]) continue;
                x[i] = moved(rest[i]);
                sim.grab(i, x[i]);
            }
            if (variant.name == kEnergies)
                x = relax_sheet(make_sheet(sim.model()), x, std::vector<Vec3>(x.size()), is_held, 1e-6).position;
            else {
                settle(sim, 1e-8);
                x = sim.state().position;
            }
            double off = 0.0;
            for (int i = 0; i < kSide * kSide; ++i)
                off = std::max(off, length(x[i] - moved(rest[i])));
            rows.push_back(
                make_row(concat("patch/", variant.name, ":", map.name), 0.0, off / farthest, 1e-3, "of the movement"));
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
        const Sheet sheet = make_sheet(sim.model());
        const auto* multilevel = std::get_if<MultilevelSettings>(&variant.settings);
        const auto total = [&] {
            const Energy e = measure_energy(sim.model(), sim.state(), {0, -kGravity, 0});
            if (!multilevel) return e.total();
            return e.kinetic + e.gravity + sheet_energy(sheet, sim.state().position, multilevel->compression);
        };
        double before = total(), most = 0.0, lowest = before;
        const double start = before;
        for (int k = 0; k < 240; ++k) {
            sim.step();
            const double now = total();
            most = std::max(most, now - before);
            lowest = std::min(lowest, measure_energy(sim.model(), sim.state(), {0, -kGravity, 0}).gravity);
            before = now;
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
