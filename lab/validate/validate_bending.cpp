// Bending under weight, with known answers: the heavy elastica, a standing strip and a deep one that buckle. It belongs
// to the methods that see cloth as triangles and hinges; their energies are also tried alone ("energies"), so that an
// error of the mesh can be told from one of the solver.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/concat.h"
#include "lab/validate/cut_pieces.h"
#include "lab/validate/reference_shapes.h"
#include "lab/validate/relaxed_sheet.h"
#include "lab/validate/validate_internal.h"
#include "model/bare_net.h"

namespace selvage {

namespace {

Vec3 mean_of(const std::vector<Vec3>& position, const std::vector<int>& vertices) {
    Vec3 sum;
    for (const int v : vertices)
        sum += position[v] / static_cast<double>(vertices.size());
    return sum;
}

/// A strip lying along x, its first columns held. The fold at the last held column stands for the bending of some
/// length on either side of it (half a cell; a quarter in cells cut crosswise, whose other half folds inside), but the
/// held side cannot bend: what is free starts that much before the column.
struct HeldStrip {
    static constexpr int kHeldColumns = 3;
    int cells = 30, across = 1;
    Diagonals diagonals = Diagonals::cross;
    double length = 0.3; ///< Of the free part [m].
    double jitter = 0.0;
    double gamma = 8.0; ///< density g length^3 / B.

    double length_before() const { return diagonals == Diagonals::cross ? 0.25 : 0.5; } ///< Of a cell.
    double cell() const { return length / (cells + length_before()); }
    double width() const { return across * cell(); }
    int columns() const { return kHeldColumns + cells; }
    double held_length() const { return cell() * (kHeldColumns - 1 - length_before()); } ///< Before the free part.
    double rigidity() const { return kSheetDensity * kGravity * length * length * length / gamma; }

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
        m.density = kSheetDensity;
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

/// Drop over reach of a strip that bends under its own weight.
double drop_over_reach(const Variant& variant, const HeldStrip& strip) {
    const std::vector<Vec3> x =
        shape_at_rest(variant, strip.scene(variant.settings, kSettleStep, kLevel, {0, -kGravity, 0}));
    const Vec3 tip = mean_of(x, strip.tip());
    return -tip.y / (tip.x - strip.clamp_x());
}

/// The load, as a fraction of the critical one, at which the closed form has the deflection that was found;
/// `deflection` grows to infinity at 1.
template <class Deflection>
double fraction_of_critical(double found, const Deflection& deflection) {
    double low = 0.0, high = 0.9999;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (deflection(middle) < found ? low : high) = middle;
    }
    return low;
}

} // namespace

/// The heavy elastica: drop over reach at three loads. What a cut does to bending is derived in
/// docs/explanation/bending.md: squares cut crosswise bend by B whatever their energy; their single row of cells is left
/// to its hinges.
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
                                 {":alternating", Diagonals::alternating, 4, 0.0, 0.02}})
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

namespace {

/// A fabric with three rigidities, none of which is another's.
struct ThreeRigidities {
    double warp, weft, bias;

    /// Of a strip cut at an angle to the warp whose sides are free to curl: 1/B = c^4/warp + s^4/weft + s^2 c^2/twist, twist as
    /// plate_rigidity() has it. A wide sheet that cannot curl has bend_rigidity() instead, on the bias 2 to its 1.55 here.
    double of_strip(double angle) const {
        const double c = std::cos(angle) * std::cos(angle), s = 1.0 - c;
        const double twist = 0.25 * (4.0 * bias - warp - weft);
        return 1.0 / (c * c / warp + s * s / weft + s * c / twist);
    }
};

} // namespace

/// The same elastica for strips of one fabric cut along warp, weft and bias: as plates, and along the threads by the hinges
/// of a single row of cells, at rest as they lie or as their pattern. Sewn: of two panels, joined across the strip where
/// it bends most, at a sixth of its free length, or along its middle.
std::vector<ValidationRow> thread_cantilever(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    struct Piece {
        const char* name;
        Diagonals diagonals;
        int across;
        RestShape rest;
        std::vector<double> degrees;
        enum class Seam { none, across, along } seam = Seam::none;
    };
    const std::vector<Piece> pieces = {
        {"", Diagonals::alternating, 4, RestShape::mesh, {0.0, 45.0, 90.0}},
        {":row", Diagonals::cross, 1, RestShape::mesh, {0.0, 90.0}},
        {":pattern", Diagonals::cross, 1, RestShape::uv, {0.0, 90.0}},
        {":panel", Diagonals::alternating, 4, RestShape::uv, {0.0, 45.0, 90.0}},
        {":sewn-across", Diagonals::alternating, 4, RestShape::uv, {0.0, 45.0, 90.0}, Piece::Seam::across},
        {":sewn-along", Diagonals::alternating, 4, RestShape::uv, {0.0, 45.0, 90.0}, Piece::Seam::along}};
    for (const Variant& variant : by)
        for (const Piece& piece : pieces) {
            if (variant.name == kEnergies && piece.across == 1) continue; // relaxing these takes long
            HeldStrip strip;
            strip.diagonals = piece.diagonals;
            strip.across = piece.across;
            strip.gamma = 4.0;
            const double weft = strip.rigidity();
            const ThreeRigidities fabric{4.0 * weft, weft, 2.0 * weft};
            for (const double degrees : piece.degrees) {
                const double angle = degrees * std::numbers::pi / 180.0;
                SceneDesc scene = strip.scene(variant.settings, kSettleStep, kLevel, {0, -kGravity, 0});
                Material& m = scene.cloths[0].material;
                m.bend_warp = fabric.warp;
                m.bend_weft = fabric.weft;
                m.bend_bias = fabric.bias;
                GeneratedMesh cut = cut_at(std::get<GridDesc>(scene.cloths[0].mesh), angle);
                const double seam_x = cut.mesh.positions[HeldStrip::kHeldColumns - 1 + strip.cells / 6].x;
                if (piece.seam == Piece::Seam::across) cut_pattern(cut, [&](const Vec3& p) { return p.x > seam_x; });
                if (piece.seam == Piece::Seam::along) cut_pattern(cut, [](const Vec3& p) { return p.y > 0.0; });
                for (Vec3& p : cut.mesh.positions)
                    p = rotation_from_degrees({-90, 0, 0}) * p;
                cut.rest = piece.rest;
                hang(scene, std::move(cut));
                const Vec3 tip = mean_of(shape_at_rest(variant, scene), strip.tip());
                const HeavyCantilever shape = heavy_cantilever(strip.gamma * weft / fabric.of_strip(angle));
                rows.push_back(make_row(concat("thread-cantilever/", variant.name, piece.name, ":", degrees, "-deg"),
                                        shape.drop / shape.reach, -tip.y / (tip.x - strip.clamp_x()),
                                        degrees == 45.0 ? 0.05 : 0.02, // the clamp keeps its end from curling
                                        "drop/reach"));
            }
        }
    return rows;
}

/// A strip that rests as an arc of one radian, held level where it starts.
std::vector<ValidationRow> arc_cantilever() {
    std::vector<ValidationRow> rows;
    constexpr double kArc = 1.0;
    for (const Variant& variant : sheet_variants())
        for (const double gamma : {3.0, 15.0, 50.0}) {
            if (variant.name == "multilevel:high") continue;
            HeldStrip strip;
            strip.gamma = gamma;
            SceneDesc scene = strip.scene(variant.settings, kSettleStep, kLevel, {0, -kGravity, 0});
            GeneratedMesh cut = cut_at(std::get<GridDesc>(scene.cloths[0].mesh), 0.0);
            for (Vec3& p : cut.mesh.positions) {
                const double along = std::max(0.0, p.x - strip.clamp_x()), turn = kArc * along / strip.length;
                const double radius = strip.length / kArc;
                p = {std::min(p.x, strip.clamp_x()) + radius * std::sin(turn), radius * (1.0 - std::cos(turn)), -p.y};
            }
            hang(scene, std::move(cut));
            const Vec3 tip = mean_of(shape_at_rest(variant, scene), strip.tip());
            const HeavyCantilever shape = heavy_cantilever(gamma, kArc);
            rows.push_back(make_row(concat("arc-cantilever/", variant.name, ":gamma-", gamma),
                                    std::atan2(shape.drop, shape.reach), std::atan2(-tip.y, tip.x - strip.clamp_x()),
                                    0.02, "rad"));
        }
    return rows;
}

/// A strip stands up to Gamma = 7.837. Its deflection at 70 % of that, with gravity tilted by a hundredth, says where
/// it would fall (Southwell's method): the load at which the column would be deflected as much, over the load it has.
std::vector<ValidationRow> self_buckling(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    const double critical = self_buckling_gamma(), tilt = 0.01, load = 0.7;
    for (const Variant& variant : by) {
        HeldStrip strip;
        strip.gamma = load * critical;
        // Upright, its front to +z.
        const std::vector<Vec3> x = shape_at_rest(
            variant, strip.scene(variant.settings, kSettleStep, {0, 0, 90}, {0, -kGravity, kGravity * tilt}));
        const double found = mean_of(x, strip.tip()).z / (tilt * strip.length);
        const double fraction =
            fraction_of_critical(found, [&](double s) { return standing_strip_deflection(s * critical); });
        rows.push_back(make_row("self-buckling/" + variant.name, critical, critical * load / fraction, 0.02, "Gamma"));
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
        m.density = kSheetDensity;
        m.stretch_warp = m.stretch_weft = 5000.0;
        m.shear = 2000.0;
        m.bend_warp = m.bend_weft = kSheetDensity * kGravity * kLength * kLength * kLength / gamma;
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

/// A strip clamped on edge twists out of its plane at q L^3 = 12.85 sqrt(EI C); found as above, from the turning of its
/// tip. The plate of plate_bending.h has the rigidity B and nu = 0: EI = B (1 - nu^2) w, C = 2 B (1 - nu) w.
std::vector<ValidationRow> lateral_buckling(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    const double critical = lateral_buckling_load(), tilt = 0.01, load = 0.7, nu = 0.0;
    const double scale = (1.0 - nu) * std::sqrt(2.0 * (1.0 + nu)); // sqrt(EI C) / (B w)
    const DeepStrip strip(load * critical * scale);
    for (const Variant& variant : by) {
        const std::vector<Vec3> x = strip.rest(variant, {0, -kGravity, kGravity * tilt});
        const Vec3 edge = x[strip.top_tip] - x[strip.bottom_tip];
        const double found = std::abs(std::atan2(edge.z, edge.y)) / tilt;
        const double fraction = fraction_of_critical(found, [&](double s) { return deep_strip_turn(s * critical); });
        rows.push_back(make_row("lateral-buckling/" + variant.name, critical * scale,
                                critical * scale * load / fraction, 0.10, "Gamma"));
    }
    return rows;
}

} // namespace selvage
