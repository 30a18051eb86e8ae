// Coulomb friction on solids. Thresholds are found by halving an interval; each trial is a short run that asks whether
// the cloth keeps gaining speed: a cloth that settles, slides to a stop or creeps covers no more ground in the last
// third of the run than in the one before.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/strip_over_bend.h"
#include "lab/validate/validate_internal.h"
#include "model/measures.h"

namespace selvage {

namespace {

constexpr double kRestingSlide = 1e-6; // [m] in a third of a run; rounding alone stays far below
constexpr double kLeastSlide = 1e-4;   // [m] in the last third, to count as slipping
constexpr double kLeastGrowth = 1.25;  // from one third to the next; 5/3 where it accelerates evenly from the start
constexpr double kCertainSlide = 0.02; // [m]; no settling goes so far
constexpr double kThickness = 0.001;   // of the solids [m]
constexpr double kRadians = std::numbers::pi / 180.0;

/// Whether the distance `slid()` keeps growing faster and faster.
template <class Distance>
bool slips(Simulation& sim, double seconds, const Distance& slid) {
    const double start = slid();
    double before = 0.0, last = 0.0; // covered in the last two thirds
    for (int third = 0; third < 3; ++third) {
        const double from = slid();
        run_for(sim, seconds / 3.0);
        before = last;
        last = slid() - from;
        if (slid() - start > kCertainSlide) return true;
        if (std::abs(last) < kRestingSlide) return false; // Coulomb friction does not let go of what it has stopped
    }
    return last > kLeastSlide && last > kLeastGrowth * before;
}

/// Where the answer changes, to within `precision`.
template <class Question>
double threshold(double yes, double no, double precision, const Question& question) {
    while (std::abs(no - yes) > precision) {
        const double middle = 0.5 * (yes + no);
        (question(middle) ? yes : no) = middle;
    }
    return 0.5 * (yes + no);
}

/// A sheet just above a tilted plane, its threads askew to the slope.
Simulation sheet_on_slope(const SolverSettings& solver, double angle_deg, double friction) {
    SceneDesc scene = sheet_scene(solver, 1.0 / 240.0, {5, 5}, {0.5, 0.5});
    soften(scene);
    ColliderDesc slope;
    slope.shape = Plane{};
    slope.place.rotate_deg = {0, 0, -angle_deg};
    slope.friction = friction;
    slope.thickness = kThickness;
    scene.colliders.push_back(slope);
    scene.cloths[0].place.rotate_deg = {-90, 0, 0};
    Simulation sim = make_or_die(scene);
    ClothState state = sim.state();
    const Rotation turn = rotation_from_degrees({0, 0, -angle_deg}) * rotation_from_degrees({0, 20, 0});
    for (Vec3& p : state.position)
        p = turn * (p + Vec3{0, 2.0 * kThickness, 0});
    sim.set_state(std::move(state), 0);
    return sim;
}

Vec3 downhill(double angle_deg) {
    return {std::cos(kRadians * angle_deg), -std::sin(kRadians * angle_deg), 0};
}

double distance_downhill(const Simulation& sim, double angle_deg) {
    return dot(centre_of_mass(sim.model(), sim.state()), downhill(angle_deg));
}

ValidationRow slip_angle_row(const std::string& solver_name, const SolverSettings& solver, double friction) {
    const double expected = std::atan(friction) / kRadians;
    const double got = threshold(80.0, 1.0, 0.05, [&](double angle_deg) {
        Simulation sim = sheet_on_slope(solver, angle_deg, friction);
        return slips(sim, 0.4, [&] { return distance_downhill(sim, angle_deg); });
    });
    return make_row(concat("incline/", solver_name, ":mu-", friction), expected, got, 0.5 / expected, "deg");
}

constexpr double kStripStiffness = 100.0; // [N/m]; its weight stretches it by 2 %
constexpr double kStripSpacing = 0.02;    // [m]; sixteen points to half a turn

/// A strip two points wide, laid over a roller as it would rest there; where it turns by a right angle only, a table
/// leads up to the roller and its near end lies on that.
Simulation strip_over_roller(const SolverSettings& solver, double h, const StripOverBend& strip, double near_length) {
    const int rows = static_cast<int>(std::lround(strip.length / kStripSpacing)) + 1;
    SceneDesc scene = sheet_scene(solver, h, {2, rows}, {kStripSpacing, strip.length});
    ClothDesc& cloth = scene.cloths[0];
    cloth.material.stretch_warp = cloth.material.stretch_weft = kStripStiffness;
    cloth.material.shear = 0.1 * kStripStiffness;
    cloth.net.bend = false;       // limp
    cloth.self_collision = false; // its two ends hang apart
    ColliderDesc roller;
    const double solid_radius = strip.radius - kThickness;
    roller.shape = Cylinder{solid_radius, 0.5};
    roller.place.rotate_deg = {90, 0, 0}; // its axis along z
    roller.friction = strip.bend_friction;
    roller.thickness = kThickness;
    scene.colliders.push_back(roller);
    if (strip.lies_on_table()) {
        // Ends where the roller is highest, so no point touches both but there.
        ColliderDesc table;
        table.shape = Box{{4.0, 0.1, 0.5}};
        table.place.translate = {-2.0, solid_radius - 0.05, 0};
        table.friction = strip.table_friction;
        table.thickness = kThickness;
        scene.colliders.push_back(table);
    }
    Simulation sim = make_or_die(scene);
    ClothState state = sim.state();
    const std::vector<Vec3> line =
        resting_strip(strip, near_length, rows, kStripStiffness / (cloth.material.density * kGravity));
    for (int row = 0; row < rows; ++row)
        for (int side = 0; side < 2; ++side)
            state.position[2 * row + side] = line[row] + Vec3{0, 0, (side - 0.5) * kStripSpacing};
    sim.set_state(std::move(state), 0);
    return sim;
}

double near_length_where_slips(const SolverSettings& solver, double h, const StripOverBend& strip) {
    const double hanging = strip.length - strip.radius * strip.turn;
    return threshold(0.02 * hanging, 0.9 * hanging, 0.002 * hanging, [&](double near_length) {
        Simulation sim = strip_over_roller(solver, h, strip, near_length);
        // A point that is about to reach the top: friction stops it for good, while the ends go on bobbing.
        const double top = near_length + strip.radius * (strip.turn - 0.5 * std::numbers::pi);
        const int row = static_cast<int>(std::max(0.0, top - kCertainSlide) / kStripSpacing);
        return slips(sim, 0.3, [&] { return sim.state().position[2 * row].x; });
    });
}

/// Contact comes after the elastic step. What that step does to the tension on the bend within one h is lost to
/// friction: little where the step is solved, so that it may be long; more where it is explicit or a few sweeps.
double strip_step(const SolverSettings& solver, double unsolved) {
    const bool solved =
        std::holds_alternative<ImplicitCgSettings>(solver) || std::holds_alternative<MultilevelSettings>(solver);
    return solved ? 1.0 / 1000.0 : unsolved;
}

/// The methods whose strips are tried; those for study would only add to the time.
std::vector<Variant> strip_variants() {
    std::vector<Variant> list = variants();
    std::erase_if(list, [](const Variant& variant) {
        const SolverTraits& traits = variant.traits;
        return !traits.coulomb || !traits.elastic || traits.can_diverge;
    });
    return list;
}

ValidationRow capstan_row(const std::string& name, const SolverSettings& solver, double friction) {
    const StripOverBend strip{1.8, 0.1, std::numbers::pi, 0.0, friction};
    const double near = near_length_where_slips(solver, strip_step(solver, 1.0 / 8000.0), strip);
    // far = near e^(mu pi) + arc (1 + e^(mu pi)): the arc weighs as if both ends were longer and shorter by this.
    const double arc = 2.0 * friction * strip.radius / (1.0 + friction * friction);
    return make_row(concat("capstan/", name, ":mu-", friction), std::exp(friction * std::numbers::pi),
                    (strip.far_length(near) - arc) / (near + arc), 0.05, "ratio");
}

ValidationRow table_edge_row(const std::string& name, const SolverSettings& solver, const StripOverBend& strip) {
    const double near = near_length_where_slips(solver, strip_step(solver, 1.0 / 4000.0), strip);
    return make_row("table-edge/" + name, 1.0 - strip.near_length_at_slip() / strip.length, 1.0 - near / strip.length,
                    0.05, "overhang/length");
}

} // namespace

/// Slips iff tan(angle) > mu.
std::vector<ValidationRow> incline() {
    std::vector<ValidationRow> rows;
    // Of the usual method and of the one that has contact in its own system.
    for (const SolverSettings& solver : {SceneDesc{}.solver, SolverSettings{MultilevelSettings{}}})
        for (const double friction : {0.2, 0.8})
            rows.push_back(slip_angle_row(solver_name(solver), solver, friction));
    for (const Variant& variant : variants())
        if (variant.traits.coulomb) rows.push_back(slip_angle_row(variant.name, variant.settings, 0.5));
    return rows;
}

/// Below that angle it stays where it is, however long.
std::vector<ValidationRow> sticking() {
    std::vector<ValidationRow> rows;
    const double friction = 0.5, angle_deg = 25.0;
    for (const Variant& variant : variants()) {
        if (!variant.traits.coulomb) continue;
        Simulation sim = sheet_on_slope(variant.settings, angle_deg, friction);
        run_for(sim, 0.5); // landed and at rest
        const double before = distance_downhill(sim, angle_deg);
        run_for(sim, 1.0);
        rows.push_back(
            make_row("sticking/" + variant.name, 0.0, distance_downhill(sim, angle_deg) - before, 1e-6, "m in 1 s"));
    }
    return rows;
}

/// Beyond it: a = g (sin - mu cos).
std::vector<ValidationRow> sliding() {
    std::vector<ValidationRow> rows;
    const double angle_deg = 30.0, friction = 0.3, mass = 0.2 * 0.5 * 0.5;
    const double expected = kGravity * (std::sin(kRadians * angle_deg) - friction * std::cos(kRadians * angle_deg));
    for (const Variant& variant : variants()) {
        if (!variant.traits.coulomb) continue;
        Simulation sim = sheet_on_slope(variant.settings, angle_deg, friction);
        const auto momentum = [&] {
            return dot(measure_momentum(sim.model(), sim.state()).linear, downhill(angle_deg));
        };
        run_for(sim, 0.1); // landed
        const double before = momentum();
        run_for(sim, 0.4);
        rows.push_back(
            make_row("sliding/" + variant.name, expected, (momentum() - before) / (0.4 * mass), 0.02, "m/s2"));
    }
    return rows;
}

/// Over half a turn a strip holds up to e^(mu pi) times the light end's pull.
std::vector<ValidationRow> capstan() {
    std::vector<ValidationRow> rows;
    const SolverSettings usual = SceneDesc{}.solver;
    rows.push_back(capstan_row(solver_name(usual), usual, 0.5));
    for (const Variant& variant : strip_variants())
        rows.push_back(capstan_row(variant.name, variant.settings, 0.3));
    return rows;
}

/// A strip on a table slips when its overhang outweighs the friction of the rest; a rough edge holds back some more.
std::vector<ValidationRow> table_edge() {
    std::vector<ValidationRow> rows;
    StripOverBend strip{1.5, 0.1, 0.5 * std::numbers::pi, 0.5, 0.0};
    for (const Variant& variant : strip_variants())
        rows.push_back(table_edge_row(variant.name, variant.settings, strip));
    strip.bend_friction = strip.table_friction;
    const SolverSettings usual = SceneDesc{}.solver;
    rows.push_back(table_edge_row(solver_name(usual) + ":rough-edge", usual, strip));
    return rows;
}

} // namespace selvage
