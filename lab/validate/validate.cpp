#include "lab/validate/validate.h"

#include <cmath>
#include <numbers>

#include "base/assert.h"
#include "base/concat.h"
#include "lab/validate/relaxation.h"
#include "lab/validate/validate_internal.h"
#include "model/bare_net.h"
#include "model/measures.h"

namespace selvage {

ValidationRow make_row(std::string name, double expected, double got, double tolerance, std::string unit) {
    ValidationRow row{std::move(name), expected, got, tolerance, std::move(unit)};
    row.error = expected != 0.0 ? std::abs(got - expected) / std::abs(expected) : std::abs(got);
    row.pass = row.error <= tolerance; // false for NaN
    return row;
}

Json validation_json(const std::vector<ValidationRow>& rows) {
    Json json = Json::array();
    for (const ValidationRow& row : rows)
        json.push_back({{"name", row.name},
                        {"expected", row.expected},
                        {"got", row.got},
                        {"error", row.error},
                        {"tolerance", row.tolerance},
                        {"unit", row.unit},
                        {"pass", row.pass}});
    return json;
}

std::vector<Variant> variants() {
    std::vector<Variant> list;
    for (const SolverEntry& entry : solver_catalog())
        list.push_back({entry.name, entry.defaults, entry.traits});
    ImplicitCgSettings second;
    second.integrator = Integrator::sdirk2;
    second.newton = 3;
    list.push_back({"implicit-cg:sdirk2", second, {}});
    return list;
}

std::vector<Variant> sheet_variants() {
    std::vector<Variant> list;
    for (const Variant& variant : variants()) {
        if (!variant.traits.own_elements) continue;
        list.push_back(variant);
        if (const auto* settings = std::get_if<MultilevelSettings>(&variant.settings)) {
            MultilevelSettings fine = *settings;
            fine.quality = Quality::high;
            list.push_back({variant.name + ":high", fine, variant.traits});
        }
    }
    return list;
}

std::vector<Variant> energies_alone() {
    return {{kEnergies, ImplicitCgSettings{}, {}}}; // any settings: nothing is stepped
}

std::vector<Variant> bending_variants_once() {
    std::vector<Variant> list = bending_variants();
    std::erase_if(list, [](const Variant& variant) { return variant.name == "multilevel:high"; });
    return list;
}

std::vector<Variant> bending_variants() {
    std::vector<Variant> list = energies_alone();
    for (const Variant& variant : sheet_variants())
        list.push_back(variant);
    return list;
}

SceneDesc sheet_scene(const SolverSettings& solver, double dt, IntPair vertices, Pair size) {
    SceneDesc scene;
    scene.name = "validate";
    scene.solver = solver;
    scene.dt = dt;
    scene.substeps = 1;
    ClothDesc cloth;
    cloth.name = "sheet";
    cloth.mesh = GridDesc{size, vertices, Diagonals::alternating};
    cloth.material.density = kSheetDensity;
    scene.cloths.push_back(cloth);
    return scene;
}

void soften(SceneDesc& scene) {
    Material& m = scene.cloths[0].material;
    m.stretch_warp = m.stretch_weft = 20.0;
    m.shear = 4.0;
}

Simulation make_or_die(const SceneDesc& scene) {
    Result<Simulation> sim = Simulation::make(scene, 1);
    SELVAGE_ASSERT(sim); // the scenes of the checks are our own
    return std::move(*sim);
}

void run_for(Simulation& sim, double seconds) {
    const long long steps = std::llround(seconds / sim.step_size());
    for (long long k = 0; k < steps; ++k)
        sim.step();
}

bool settle(Simulation& sim, double still, double seconds) {
    Relaxation relaxation(sim);
    const long long steps = std::llround(seconds / sim.step_size());
    for (long long k = 0; k < steps && !sim.divergence(); ++k) {
        sim.step();
        const std::optional<double> moved = relaxation.after_step(sim);
        if (moved && *moved < still) return true;
    }
    return false;
}

namespace {

/// A sheet moving across itself, in still air or none, falls as a rigid plate: h -> g t (t + h) / 2 in every
/// first-order method here, g t^2 / 2 in sdirk2.
std::vector<ValidationRow> free_fall() {
    std::vector<ValidationRow> rows;
    const double t = 0.5, h = 1.0 / 240.0;
    for (Variant variant : variants()) {
        // The law holds for the steps really taken: these would cut them.
        if (auto* multilevel = std::get_if<MultilevelSettings>(&variant.settings)) multilevel->substeps = 1;
        if (auto* xpbd = std::get_if<XpbdSettings>(&variant.settings)) xpbd->substeps = 1;
        SceneDesc scene = sheet_scene(variant.settings, h, {9, 9});
        soften(scene);
        Simulation sim = make_or_die(scene);
        const double start = centre_of_mass(sim.model(), sim.state()).y;
        run_for(sim, t);
        const bool second_order = variant.name == "implicit-cg:sdirk2";
        const double expected = second_order ? 0.5 * kGravity * t * t : 0.5 * kGravity * t * (t + h);
        rows.push_back(make_row("free-fall/" + variant.name, expected,
                                start - centre_of_mass(sim.model(), sim.state()).y, 1e-6, "m"));
    }
    return rows;
}

/// Weight against drag: v = sqrt(2 sigma g / (rho C_D)).
std::vector<ValidationRow> terminal_speed() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : variants()) {
        SceneDesc scene = sheet_scene(variant.settings, 1.0 / 240.0, {9, 9});
        scene.cloths[0].place.rotate_deg = {-90, 0, 0};
        soften(scene);
        scene.air.density = 1.2;
        Simulation sim = make_or_die(scene);
        run_for(sim, 3.0);
        const double mass = 0.2; // of the square metre
        rows.push_back(make_row("terminal-speed/" + variant.name,
                                std::sqrt(2.0 * 0.2 * kGravity / (1.2 * scene.air.drag)),
                                -measure_momentum(sim.model(), sim.state()).linear.y / mass, 0.01, "m/s"));
    }
    return rows;
}

/// Points joined in a row by springs, without triangles; point 0 is held.
struct Chain {
    ClothModel model;
    ClothState state;

    Chain(int links, double link_length, double mass, double stiffness, const Vec3& direction) {
        std::vector<Vec3> x;
        std::vector<Spring> springs;
        for (int i = 0; i <= links; ++i) {
            x.push_back(static_cast<double>(i) * link_length * direction);
            if (i < links)
                springs.push_back({i, i + 1, static_cast<float>(link_length), static_cast<float>(stiffness)});
        }
        model = make_net(std::move(x), std::vector<double>(links + 1, mass), std::move(springs));
        state = at_rest(model);
    }

    /// Steps until `reading` of the last point has fallen through zero twice; the time between by interpolation.
    template <class Reading>
    double measure_period(const SolverSettings& settings, double h, const Vec3& gravity, const Reading& reading) {
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(model, settings, pool);
        Hands hand(model.vertex_count());
        hand.grab(0, model.mesh.positions[0]);
        const StepInput input = hand.input(h, gravity);
        double first = -1.0, before = reading(state.position.back());
        for (long long step = 1; step < 2'000'000; ++step) {
            solver->step(state, input);
            const double now = reading(state.position.back());
            if (before > 0.0 && now <= 0.0) {
                const double time = h * (static_cast<double>(step) - 1.0 + before / (before - now));
                if (first >= 0.0) return time - first;
                first = time;
            }
            before = now;
        }
        return std::nan("");
    }
};

/// One mass on one spring: T = 2 pi sqrt(m/k); backward Euler turns by atan(omega h) per step instead of omega h.
std::vector<ValidationRow> spring_period() {
    std::vector<ValidationRow> rows;
    const double m = 0.1, k = 40.0, h = 1e-4;
    const double omega = std::sqrt(k / m);
    for (const Variant& variant : variants()) {
        if (!variant.traits.elastic) continue;
        Chain chain(1, 1.0, m, k, {1, 0, 0});
        chain.state.position[1].x += 0.01;
        const double period = chain.measure_period(variant.settings, h, {}, [](const Vec3& p) { return p.x - 1.0; });
        rows.push_back(make_row("spring-period/" + variant.name, 2.0 * std::numbers::pi / omega, period, 1e-3, "s"));
    }
    return rows;
}

/// Backward Euler shrinks an oscillation by 1/sqrt(1 + omega^2 h^2) per step.
std::vector<ValidationRow> spring_damping() {
    std::vector<ValidationRow> rows;
    const double m = 0.1, k = 40.0, h = 0.01;
    const double omega = std::sqrt(k / m);
    for (const Variant& variant : variants()) {
        if (variant.name != "implicit-cg" && variant.name != "implicit-jacobi") continue;
        Chain chain(1, 1.0, m, k, {1, 0, 0});
        chain.state.position[1].x += 0.01;
        ThreadPool pool(1);
        const std::unique_ptr<Solver> solver = make_solver(chain.model, variant.settings, pool);
        Hands hand(2);
        hand.grab(0, {});
        const StepInput input = hand.input(h);
        // Energy in the norm that the linear map shrinks evenly: x^2 omega^2 + v^2. Stretched springs only stay linear
        // along their axis, where this one moves.
        const auto norm = [&] {
            const double x = chain.state.position[1].x - 1.0, v = chain.state.velocity[1].x;
            return std::sqrt(omega * omega * x * x + v * v);
        };
        const double before = norm();
        constexpr int kSteps = 50;
        for (int s = 0; s < kSteps; ++s)
            solver->step(chain.state, input);
        rows.push_back(make_row("spring-damping/" + variant.name, 1.0 / std::sqrt(1.0 + omega * omega * h * h),
                                std::pow(norm() / before, 1.0 / kSteps), 1e-4, "per step"));
    }
    return rows;
}

/// Smallest root of the Laguerre polynomial L_n, by Newton from 0 (L_n(0) = 1, L_n'(0) = -n).
double first_laguerre_root(int n) {
    double x = 0.0;
    for (int iteration = 0; iteration < 100; ++iteration) {
        double previous = 1.0, value = 1.0 - x, d_previous = 0.0, d_value = -1.0;
        for (int k = 1; k < n; ++k) {
            const double next = ((2 * k + 1 - x) * value - k * previous) / (k + 1);
            const double d_next = ((2 * k + 1 - x) * d_value - value - k * d_previous) / (k + 1);
            previous = value, value = next, d_previous = d_value, d_value = d_next;
        }
        x -= value / d_value;
    }
    return x;
}

/// A hanging chain of n equal masses swings in modes with omega^2 = (g/l) x, x a root of L_n; n -> infinity gives
/// the heavy string's j0/2 sqrt(g/L).
std::vector<ValidationRow> chain_swing() {
    std::vector<ValidationRow> rows;
    constexpr int kLinks = 20;
    const double link = 1.0 / kLinks, root = first_laguerre_root(kLinks);
    for (Variant variant : variants()) {
        if (auto* verlet = std::get_if<VerletSettings>(&variant.settings)) verlet->strain_limit = 0.0; // no slack
        Chain chain(kLinks, link, 0.01, 2e4, {0, -1, 0});
        for (int i = 1; i <= kLinks; ++i) {
            // Mode shape: L_n-like in the depth; the heavy string's J0(2 omega sqrt(s/g)) with s from the free end.
            const double s = 1.0 - static_cast<double>(i) / kLinks;
            chain.state.position[i].x = 0.01 * std::cyl_bessel_j(0.0, 2.404825557695773 * std::sqrt(s));
        }
        // h k/m is the rate at which such a method stops a link's turning: it has to be far below the swing's own.
        const double h = variant.traits.damps_swings ? 1.0 / 400000.0 : 1.0 / 4000.0;
        const double period =
            chain.measure_period(variant.settings, h, {0, -kGravity, 0}, [](const Vec3& p) { return p.x; });
        rows.push_back(make_row("chain-swing/" + variant.name,
                                2.0 * std::numbers::pi / std::sqrt(kGravity / link * root), period, 0.02, "s"));
    }
    return rows;
}

/// How each method settles a hanging strip. Under-solving acts like a softer cloth, so the sweeps of implicit-jacobi
/// must reach across a step's h^2 k/m + h c/m; `explicit` must stay under its limit. Damping does not move the rest.
struct SettlePlan {
    std::string name;
    SolverSettings settings;
    double h, damping, seconds;
};

std::vector<SettlePlan> settle_plans() {
    std::vector<SettlePlan> plans;
    for (Variant& variant : variants()) {
        if (!variant.traits.elastic) continue;
        if (auto* jacobi = std::get_if<ImplicitJacobiSettings>(&variant.settings)) {
            jacobi->sweeps = 7;
            variant.name += ":7-sweeps";
        }
        const bool implicit = std::holds_alternative<ImplicitCgSettings>(variant.settings) ||
                              std::holds_alternative<MultilevelSettings>(variant.settings);
        if (implicit)
            plans.push_back({variant.name, variant.settings, 1.0 / 1000.0, 0.02, 0.6});
        else
            plans.push_back({variant.name, variant.settings, 1.0 / 40000.0, 0.001, 2.4});
    }
    return plans;
}

enum class HangsBy { warp, weft };
constexpr double kWarpStretch = 800.0, kWeftStretch = 500.0; // [N/m]

/// Extension at rest of a strip hung by one end, as a fraction of its length.
double hanging_extension(const SettlePlan& plan, int across, int along, HangsBy threads) {
    const bool warp = threads == HangsBy::warp;
    SceneDesc scene = sheet_scene(plan.settings, plan.h, warp ? IntPair{along, across} : IntPair{across, along},
                                  warp ? Pair{1.0, 0.1} : Pair{0.1, 1.0});
    scene.gravity = warp ? Triple{-kGravity, 0, 0} : Triple{0, -kGravity, 0};
    Material& m = scene.cloths[0].material;
    m.stretch_warp = kWarpStretch;
    m.stretch_weft = kWeftStretch;
    m.shear = 50.0;
    m.damping = plan.damping;
    PinDesc pin;
    pin.select = EdgeName{warp ? "right" : "top"};
    scene.cloths[0].pins.push_back(pin);
    Simulation sim = make_or_die(scene);
    run_for(sim, plan.seconds);
    double end = 0.0;
    for (int i = 0; i < across; ++i) {
        const Vec3& p = sim.state().position[warp ? i * along : i];
        end += (warp ? p.x : p.y) / across;
    }
    return -0.5 - end;
}

/// dL/L = sigma g L / (2 Y). Along the weft by every method; along the warp by one of springs and one of triangles.
std::vector<ValidationRow> elastic_hang() {
    std::vector<ValidationRow> rows;
    for (const SettlePlan& plan : settle_plans())
        rows.push_back(make_row("elastic-hang/" + plan.name, 0.2 * kGravity / (2.0 * kWeftStretch),
                                hanging_extension(plan, 3, 21, HangsBy::weft), 0.005, ""));
    for (const SettlePlan& plan : settle_plans())
        if (plan.name == "implicit-cg" || plan.name == "multilevel")
            rows.push_back(make_row("elastic-hang/" + plan.name + ":warp", 0.2 * kGravity / (2.0 * kWarpStretch),
                                    hanging_extension(plan, 3, 21, HangsBy::warp), 0.005, ""));
    return rows;
}

/// The same strip, twice as fine: the same extension.
std::vector<ValidationRow> mesh_independence() {
    std::vector<ValidationRow> rows;
    for (const SettlePlan& plan : settle_plans())
        rows.push_back(
            make_row("mesh-independence/" + plan.name, 1.0,
                     hanging_extension(plan, 5, 41, HangsBy::weft) / hanging_extension(plan, 3, 21, HangsBy::weft),
                     0.02, "ratio"));
    return rows;
}

/// How far a sheet that starts at 30 degrees to the ground glides and falls in half a second, held up by drag and lift.
Vec3 fall_in_air(const SolverSettings& settings, int vertices) {
    SceneDesc scene = sheet_scene(settings, 1.0 / 2000.0, {vertices, vertices});
    scene.cloths[0].place.rotate_deg = {-60, 0, 0};
    scene.cloths[0].spin = {2, 0, 1}; // it bends and turns, or it would fall like a board
    scene.cloths[0].material.stretch_warp = scene.cloths[0].material.stretch_weft = 100.0;
    scene.cloths[0].material.shear = 50.0;
    scene.air.density = 1.2;
    Simulation sim = make_or_die(scene);
    run_for(sim, 0.5);
    return centre_of_mass(sim.model(), sim.state());
}

/// Air acts per area, so the same sheet twice as fine falls alike.
std::vector<ValidationRow> mesh_independent_fall() {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : variants()) {
        if (!variant.traits.elastic) continue; // its bending is a number per hinge, not per area
        const Vec3 coarse = fall_in_air(variant.settings, 17), fine = fall_in_air(variant.settings, 33);
        rows.push_back(make_row("mesh-independent-fall/" + variant.name, 1.0,
                                1.0 + length(fine - coarse) / length(coarse), 0.01, "ratio"));
    }
    return rows;
}

/// A free, spinning, folding sheet: nothing outside acts, so both momenta stay. Backward Euler shrinks a rotation by
/// 1/sqrt(1 + omega^2 h^2) per step: at 3.6 rad/s and 1/1000 s that is 0.65 % of the angular momentum in a second, and
/// the folding adds to it, hence the wider tolerance; unfinished sweeps lose more.
std::vector<ValidationRow> momentum() {
    std::vector<ValidationRow> rows;
    for (Variant variant : variants()) {
        if (auto* cg = std::get_if<ImplicitCgSettings>(&variant.settings)) cg->tolerance = 1e-10;
        SceneDesc scene = sheet_scene(variant.settings, 1.0 / 1000.0, {17, 17});
        scene.gravity = {0, 0, 0};
        Material& m = scene.cloths[0].material;
        m.stretch_warp = m.stretch_weft = 100.0;
        m.shear = 10.0;
        m.damping = 0.0;
        scene.cloths[0].velocity = {1, 0, 0};
        scene.cloths[0].spin = {0, 2, 3}; // out of plane as well: the sheet folds
        Simulation sim = make_or_die(scene);
        const Momentum before = measure_momentum(sim.model(), sim.state());
        run_for(sim, 1.0);
        const Momentum after = measure_momentum(sim.model(), sim.state());
        rows.push_back(make_row("linear-momentum/" + variant.name, 0.0,
                                length(after.linear - before.linear) / length(before.linear), 1e-6,
                                "relative drift in 1 s"));
        const bool exact = std::holds_alternative<ExplicitSettings>(variant.settings);
        rows.push_back(make_row("angular-momentum/" + variant.name, 0.0,
                                length(after.angular - before.angular) / length(before.angular), exact ? 1e-9 : 0.02,
                                "relative drift in 1 s"));
    }
    return rows;
}

} // namespace

const std::vector<ValidationCheck>& validation_checks() {
    static const std::vector<ValidationCheck> checks = {
        {"free-fall", "g t (t + h)/2 for first-order methods, g t^2/2 for second order", free_fall},
        {"terminal-speed", "v = sqrt(2 sigma g/(rho C_D)), weight against drag", terminal_speed},
        {"spring-period", "T = 2 pi sqrt(m/k)", spring_period},
        {"spring-damping", "1/sqrt(1 + omega^2 h^2) per step, the growth factor of backward Euler", spring_damping},
        {"chain-swing", "omega^2 = x g/l, x the first root of the Laguerre polynomial of the chain", chain_swing},
        {"elastic-hang", "dL/L = sigma g L/(2 Y)", elastic_hang},
        {"mesh-independence", "the same strip on a mesh twice as fine", mesh_independence},
        {"mesh-independent-fall", "a tilted sheet falling through air on a mesh twice as fine", mesh_independent_fall},
        {"momentum", "conservation laws", momentum},
        {"cantilever", "heavy elastica (Peirce 1930): theta'' = -Gamma (1 - s) cos theta",
         [] { return cantilever(bending_variants()); }, [] { return cantilever(energies_alone()); }},
        {"self-buckling", "a standing strip falls at Gamma = 9/4 j^2, J_{-1/3}(j) = 0 (Greenhill 1881)",
         [] { return self_buckling(bending_variants()); }, [] { return self_buckling(energies_alone()); }},
        {"lateral-buckling", "12.85 sqrt(EI C)/L^2 (Prandtl, Michell 1899), twist of a clamped deep strip",
         [] { return lateral_buckling(bending_variants()); }, [] { return lateral_buckling(energies_alone()); }},
        {"catenary", "sag of a limp strip, L = 2 a sinh(D/(2 a))", hanging_chain},
        {"swing-modes", "omega = (j0/2) sqrt(g/L) of a limp hanging sheet (D. Bernoulli 1733)", swing_modes},
        {"swing-damping", "ln(1 + omega^2 h^2)/(2 h), what backward Euler takes off a swing", swing_damping},
        {"wind-angle", "sigma g cos a = rho C_D U^2 sin^2 a/2 for a limp strip in a steady wind", wind_angle},
        {"patch", "inside a patch all points follow an affine map of its border", patch_tests},
        {"uniaxial",
         "a film pulled lengthwise: A/A0 = (lambda + mu) l^2/(mu + lambda l^2); E22 = -C12/C22 E11 of tables",
         [] { return uniaxial(bending_variants()); }, [] { return uniaxial(energies_alone()); }},
        {"elastic-patch", "the same patches of sheets that are not woven",
         [] { return elastic_patches(bending_variants()); }, [] { return elastic_patches(energies_alone()); }},
        {"thread-pull",
         "1/E = S11 c^4 + S22 s^4 + (2 S12 + S33) s^2 c^2 of an orthotropic sheet pulled off its threads",
         [] { return thread_pull(bending_variants_once()); }},
        {"thread-push", "a standing strip: compression times the stiffness of its threads", thread_push},
        {"picture-frame", "G sin(angle) cos(angle); and a wall of threads: density g (H y - y^2/2)/G", frame_shear},
        {"thread-cantilever",
         "heavy elastica, 1/B = c^4/warp + s^4/weft + s^2 c^2/twist of a strip cut off its threads",
         [] { return thread_cantilever(bending_variants_once()); }},
        {"arc-cantilever", "the same of a strip that rests as an arc: theta'(1) = -1", arc_cantilever},
        {"elastic-catenary", "a strip that stretches between two points (Irvine 1981), along warp and weft",
         elastic_catenary},
        {"joined-panels", "each panel stretches by the weight below it, through seam and weld", joined_panels},
        {"tilted-plate", "drag 1/2 rho C_D U^2 sin a, lift 1/2 rho C_L U^2 (1 - sin a) cos a (Kang and Cho)",
         tilted_plate},
        {"log-decrement", "ln(1 + h tau w^2 + h^2 w^2)/(2 h) of each mode (Kelvin-Voigt, backward Euler)",
         decay_of_modes},
        {"spring-decay", "tau w^2/2 of a mass on a spring, by every method", spring_decay},
        {"bending-loop",
         "4 H k (1 - tanh(K k/H) H/(K k)), the loop of Dahl's law between -k and k (KES: 2HB times 2 k)", bending_loop},
        {"hysteretic-swing", "each period of a swing with friction takes the same length off its amplitude",
         hysteretic_swing},
        {"velocity-decay", "1/(1 + h r) per step", velocity_decay},
        {"spring-moduli", "the fabric's stiffness along its threads, on meshes that do not follow them, with a seam",
         spring_moduli},
        {"energy", "a swing without damping gains no energy", energy},
        {"independence", "the same swing in half the step, and on a mesh twice as fine", independence},
        {"incline", "a sheet slips where tan(angle) > mu", incline},
        {"sticking", "below that angle it stays where it is", sticking},
        {"sliding", "g (sin(angle) - mu cos(angle))", sliding},
        {"collider-friction", "g (sin(angle) - mu cos(angle)), or rest, on each kind of collider", collider_friction},
        {"stopping-distance", "v^2/(2 mu g) on the level; mu g on a belt", stopping_distance},
        {"cloth-on-cloth", "the same slopes covered with cloth, mu the root of both cloths' product", cloth_on_cloth},
        {"capstan", "e^(mu pi) over half a turn (Euler, Eytelwein), less the arc's own weight", capstan},
        {"drape-pair", "Cusick's test of cloth whose rigidities were measured in the same study", paired_drape,
         coarse_paired_drape},
        {"drape", "Cusick's test, bands of published readings", drape, coarse_drape},
        {"table-edge", "a strip slips off a table where its overhang outweighs the friction of the rest", table_edge},
    };
    return checks;
}

} // namespace selvage
