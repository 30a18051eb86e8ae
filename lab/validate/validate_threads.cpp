// Each number of a fabric by itself, on pieces cut along the warp, along the weft and in between. Warp, weft and shear
// differ here, so that none can stand for another. Pieces hang, so that the load is their weight and nothing has to be
// applied to a solver; what is read lies far from the held edge, where only the load counts (Saint-Venant).

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/cut_pieces.h"
#include "lab/validate/relaxed_sheet.h"
#include "lab/validate/validate_internal.h"

namespace selvage {

namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

/// C11, C12, C22, C33 of the plane law; the woven one has no C12: pulled along one thread it does not narrow along the other.
struct PlaneLaw {
    const char* name;
    MembraneKind kind;
    double c11, c12, c22, c33;

    Material material() const {
        Material m;
        m.density = kSheetDensity;
        m.membrane = kind;
        m.stretch_warp = c11;
        m.coupling = c12;
        m.stretch_weft = c22;
        m.shear = c33;
        m.damping = 0.0;
        return m;
    }
    /// Of a strip with free sides, pulled at an angle to the warp: 1/E = S11 c^4 + S22 s^4 + (2 S12 + S33) s^2 c^2.
    double modulus(double angle) const {
        const double determinant = c11 * c22 - c12 * c12, c = std::cos(angle), s = std::sin(angle);
        const double s11 = c22 / determinant, s22 = c11 / determinant, s12 = -c12 / determinant;
        return 1.0 / (s11 * c * c * c * c + s22 * s * s * s * s + (2.0 * s12 + 1.0 / c33) * s * s * c * c);
    }
};
constexpr PlaneLaw kWovenLaw{"woven", MembraneKind::woven, 400.0, 0.0, 150.0, 60.0};
constexpr PlaneLaw kStvkLaw{"stvk", MembraneKind::stvk, 400.0, 90.0, 150.0, 60.0};

/// A strip in the x-y plane that hangs from, or stands on, one of its ends.
struct HangingStrip {
    static constexpr int kColumns = 7, kRows = 61;
    static constexpr double kWidth = 0.06, kLength = 0.6;

    SceneDesc scene;

    HangingStrip(const SolverSettings& solver, const Material& material, double grain, bool stands = false)
        : scene(sheet_scene(solver, kSettleStep, {kColumns, kRows}, {kWidth, kLength})) {
        // Along the strip is y; cut_at() turns the warp from +x.
        hang(scene, cut_at(GridDesc{{kWidth, kLength}, {kColumns, kRows}, Diagonals::alternating},
                           0.5 * std::numbers::pi - grain));
        scene.cloths[0].material = material;
        std::vector<int> held;
        for (int i = 0; i < kColumns; ++i)
            held.push_back(stands ? i : (kRows - 1) * kColumns + i);
        pin_at_start(scene, held);
    }
    static double mean_height(const std::vector<Vec3>& x, int row) {
        double sum = 0.0;
        for (int i = 0; i < kColumns; ++i)
            sum += x[row * kColumns + i].y / kColumns;
        return sum;
    }
};

/// The modulus that a strip shows between a sixth and two thirds of its height: its weight below a point stretches it there.
double modulus_shown(const Variant& variant, const PlaneLaw& law, double angle) {
    const HangingStrip strip(variant.settings, law.material(), angle);
    const std::vector<Vec3> x = shape_at_rest(variant, strip.scene);
    constexpr int kLow = HangingStrip::kRows / 6, kHigh = 2 * HangingStrip::kRows / 3;
    constexpr double kCell = HangingStrip::kLength / (HangingStrip::kRows - 1);
    const double longer =
        HangingStrip::mean_height(x, kHigh) - HangingStrip::mean_height(x, kLow) - (kHigh - kLow) * kCell;
    const double low = kLow * kCell, high = kHigh * kCell;
    return 0.5 * kSheetDensity * kGravity * (high * high - low * low) / longer;
}

} // namespace

std::vector<ValidationRow> thread_pull(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : by)
        for (const PlaneLaw& law : {kWovenLaw, kStvkLaw})
            for (const double degrees : {0.0, 22.5, 45.0, 90.0}) {
                const double angle = degrees / kDegrees;
                rows.push_back(make_row(concat("thread-pull/", variant.name, ":", law.name, ":", degrees, "-deg"),
                                        law.modulus(angle), modulus_shown(variant, law, angle), 0.015, "N/m"));
            }
    return rows;
}

/// A strip that stands is pushed: its threads then have a fraction of their stiffness, which is a setting of the method.
std::vector<ValidationRow> thread_push() {
    std::vector<ValidationRow> rows;
    MultilevelSettings settings;
    settings.compression = 0.25;
    const double weight = kSheetDensity * kGravity * HangingStrip::kLength;
    const Variant variant{"multilevel", settings, {}};
    Material material = kWovenLaw.material();
    material.stretch_warp *= 4.0; // 0.15 % at most
    material.stretch_weft *= 4.0;
    material.bend_warp = material.bend_weft = 0.1; // stands
    for (const bool warp : {true, false}) {
        const HangingStrip strip(settings, material, warp ? 0.0 : 0.5 * std::numbers::pi, true);
        const std::vector<Vec3> x = shape_at_rest(variant, strip.scene);
        const double shorter = 0.5 * HangingStrip::kLength - HangingStrip::mean_height(x, HangingStrip::kRows - 1);
        rows.push_back(make_row(concat("thread-push/", variant.name, warp ? ":warp" : ":weft"),
                                settings.compression * (warp ? material.stretch_warp : material.stretch_weft),
                                0.5 * weight * HangingStrip::kLength / shorter, 0.01, "N/m"));
    }
    return rows;
}

namespace {

/// Work per angle that it takes to shear a picture frame of unit area further, its bars as long as before: G sin cos.
double frame_torque(const PlaneLaw& law, double angle) {
    SceneDesc scene = sheet_scene(ImplicitCgSettings{}, kSettleStep, {5, 4}, {0.2, 0.15});
    scene.cloths[0].material = law.material();
    const Simulation sim = make_or_die(scene);
    const std::vector<Vec3>& rest = sim.model().mesh.positions;
    std::vector<Vec3> x, force(rest.size());
    for (const Vec3& p : rest)
        x.emplace_back(p.x + p.y * std::sin(angle), p.y * std::cos(angle), 0.0);
    add_sheet_forces(make_sheet(sim.model()), x, 1.0, force);
    double torque = 0.0;
    for (std::size_t i = 0; i < rest.size(); ++i)
        torque -= dot(force[i], Vec3{rest[i].y * std::cos(angle), -rest[i].y * std::sin(angle), 0.0});
    return torque / (0.2 * 0.15);
}

/// A wall of cloth held along one edge, its weight along that edge. Threads that hardly stretch leave it nothing but
/// shear: u = density g (H y - y^2/2) / G at a distance y from the held edge.
double wall_shear(const SolverSettings& solver, bool hangs_by_warp) {
    constexpr int kSide = 13;
    constexpr double kSize = 0.3;
    SceneDesc scene = sheet_scene(solver, kSettleStep, {kSide, kSide}, {kSize, kSize});
    Material& m = scene.cloths[0].material;
    m.stretch_warp = 60000.0;
    m.stretch_weft = 40000.0;
    m.shear = 40.0;
    m.bend_warp = m.bend_weft = 1e-4;
    m.damping = 0.0;
    scene.cloths[0].self_collision = false;
    scene.gravity = hangs_by_warp ? Triple{0, -kGravity, 0} : Triple{kGravity, 0, 0};
    std::vector<int> held; // the left edge, where warp threads start; or the top one, where weft threads do
    for (int k = 0; k < kSide; ++k)
        held.push_back(hangs_by_warp ? k * kSide : (kSide - 1) * kSide + k);
    pin_at_start(scene, held);
    Simulation sim = make_or_die(scene);
    settle(sim, 1e-8);
    double slid = 0.0;
    for (int k = 0; k < kSide; ++k) {
        const int v = hangs_by_warp ? k * kSide + kSide - 1 : k;
        const Vec3 moved = sim.state().position[v] - sim.model().mesh.positions[v];
        slid += (hangs_by_warp ? -moved.y : moved.x) / kSide;
    }
    return 0.5 * kSheetDensity * kGravity * kSize * kSize / slid;
}

} // namespace

std::vector<ValidationRow> frame_shear() {
    std::vector<ValidationRow> rows;
    for (const PlaneLaw& law : {kWovenLaw, kStvkLaw})
        for (const double degrees : {-10.0, 5.0, 20.0}) {
            const double angle = degrees / kDegrees;
            rows.push_back(make_row(concat("picture-frame/", kEnergies, ":", law.name, ":", degrees, "-deg"),
                                    law.c33 * std::sin(angle) * std::cos(angle), frame_torque(law, angle), 1e-6, "N"));
        }
    for (Variant variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2" || variant.name == "multilevel:high") continue;
        // Half of the threads are pushed.
        if (auto* multilevel = std::get_if<MultilevelSettings>(&variant.settings)) multilevel->compression = 1.0;
        for (const bool by_warp : {true, false})
            rows.push_back(make_row(concat("shear-wall/", variant.name, by_warp ? ":warp" : ":weft"), 40.0,
                                    wall_shear(variant.settings, by_warp), 0.02, "N/m"));
    }
    return rows;
}

namespace {

/// Sag of a strip that stretches, hung between two points (the elastic catenary; Irvine 1981), of stiffness k [N/m]:
///   span/2 = H L/(2 k) + H/q asinh(q L/(2 H)),  sag = q L^2/(8 k) + H/q (sqrt(1 + (q L/(2 H))^2) - 1),  q = density g.
double elastic_catenary_sag(double rest_length, double span, double stiffness) {
    const double q = kSheetDensity * kGravity, half = 0.5 * rest_length;
    double low = 1e-6, high = 1e4; // of H, the pull at the ends along the span
    for (int k = 0; k < 100; ++k) {
        const double pull = 0.5 * (low + high);
        const double reach = pull * half / stiffness + pull / q * std::asinh(q * half / pull);
        (reach < 0.5 * span ? low : high) = pull;
    }
    const double slope = q * half / low;
    return 0.5 * q * half * half / stiffness + low / q * (std::sqrt(1.0 + slope * slope) - 1.0);
}

} // namespace

/// A limp strip between two points that are as far apart as it is long: how far it sags is how far its thread stretches.
std::vector<ValidationRow> elastic_catenary() {
    std::vector<ValidationRow> rows;
    constexpr double kLength = 1.0, kWidth = 0.05;
    constexpr int kColumns = 41, kRows = 3;
    Material material;
    material.density = kSheetDensity;
    material.stretch_warp = 400.0;
    material.stretch_weft = 100.0;
    material.shear = 1.0; // springs couple stretch to it
    material.damping = 0.0;
    for (const Variant& variant : hanging_variants()) {
        if (variant.name == "implicit-cg:sdirk2" || variant.name == "multilevel:high") continue;
        for (const bool warp : {true, false}) {
            SceneDesc scene = sheet_scene(variant.settings, kSettleStep, {kColumns, kRows}, {kLength, kWidth});
            hang(scene, cut_at(GridDesc{{kLength, kWidth}, {kColumns, kRows}, Diagonals::alternating},
                               warp ? 0.0 : 0.5 * std::numbers::pi));
            scene.cloths[0].material = material;
            scene.cloths[0].net.bend = false;
            std::vector<int> held;
            for (int row = 0; row < kRows; ++row)
                for (const int column : {0, kColumns - 1})
                    held.push_back(row * kColumns + column);
            pin_at_start(scene, held);
            scene.gravity = {0, 0, -kGravity}; // across the strip
            Simulation sim = make_or_die(scene);
            settle(sim, 1e-7);
            rows.push_back(make_row(concat("elastic-catenary/", variant.name, warp ? ":warp" : ":weft"),
                                    elastic_catenary_sag(kLength, kLength, warp ? 400.0 : 100.0),
                                    -sim.state().position[kRows / 2 * kColumns + kColumns / 2].z, 0.01, "m"));
        }
    }
    return rows;
}

} // namespace selvage
