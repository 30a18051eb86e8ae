// Stretching with known answers: patches follow the affine map of their border, and a strip that is not woven, pulled
// lengthwise, narrows by a closed form and pulls by another. Strips start pulled evenly and relax; their middle, five
// widths from either end, does not feel how the ends are held.

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "lab/validate/reference_shapes.h"
#include "lab/validate/relaxation.h"
#include "lab/validate/relaxed_sheet.h"
#include "lab/validate/validate_internal.h"

namespace selvage {

namespace {

Material film(MembraneKind kind, double stretch_warp, double coupling, double stretch_weft, double shear) {
    Material m;
    m.density = 0.2;
    m.membrane = kind;
    m.stretch_warp = stretch_warp;
    m.coupling = coupling;
    m.stretch_weft = stretch_weft;
    m.shear = shear;
    m.damping = 0.0;
    return m;
}

/// Points at rest after `x` has been held where `is_held` says.
std::vector<Vec3> relaxed(const Variant& variant, Simulation& sim, std::vector<Vec3> x,
                          const std::vector<std::uint8_t>& is_held) {
    if (variant.name == kEnergies)
        return relax_sheet(make_sheet(sim.model()), std::move(x), std::vector<Vec3>(is_held.size()), is_held, 1e-6)
            .position;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (is_held[i]) sim.grab(static_cast<int>(i), x[i]);
    sim.set_state({x, std::vector<Vec3>(x.size()), 0.0}, 0);
    settle(sim, 1e-8);
    return sim.state().position;
}

struct Pulled {
    double stretch, area; ///< In the middle: of the warp, over the rest area.
    double tension;       ///< Along the warp, over the rest width [N/m].
};

Pulled pull(const Variant& variant, const Material& material, double stretch) {
    constexpr int kColumns = 61, kRows = 7;
    constexpr double kLength = 1.0, kWidth = 0.1;
    SceneDesc scene = sheet_scene(variant.settings, kSettleStep, {kColumns, kRows}, {kLength, kWidth});
    scene.gravity = {0, 0, 0};
    scene.cloths[0].material = material;
    scene.cloths[0].self_collision = false;
    Simulation sim = make_or_die(scene);
    std::vector<Vec3> x = sim.model().mesh.positions;
    std::vector<std::uint8_t> is_held(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        is_held[i] = i % kColumns == 0 || i % kColumns == kColumns - 1;
        x[i].x *= stretch;
    }
    x = relaxed(variant, sim, std::move(x), is_held);
    Pulled pulled{};
    double rest_area = 0.0, area = 0.0;
    const std::vector<Vec3>& rest = sim.model().mesh.positions;
    for (const Triangle& t : sim.model().mesh.triangles) {
        if (std::abs(rest[t[0]].x) > 0.1 * kLength) continue;
        rest_area += length(cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]]));
        area += length(cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]));
    }
    pulled.area = area / rest_area;
    const int middle = kRows / 2 * kColumns + kColumns / 2;
    pulled.stretch = (x[middle + 5].x - x[middle - 5].x) / (rest[middle + 5].x - rest[middle - 5].x);
    std::vector<Vec3> force(x.size());
    add_sheet_forces(make_sheet(sim.model()), x, 1.0, force);
    for (int row = 0; row < kRows; ++row)
        pulled.tension += force[row * kColumns].x / kWidth;
    return pulled;
}

} // namespace

std::vector<ValidationRow> uniaxial(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    for (const Variant& variant : by) {
        for (const double poisson : {0.1, 0.3, 0.49}) {
            const double c11 = 500.0, c12 = poisson * c11, mu = 0.5 * (c11 - c12), lambda = c12 + mu;
            const Pulled pulled = pull(variant, film(MembraneKind::neo_hookean, c11, c12, 1.0, 1.0), 1.5);
            rows.push_back(make_row(concat("uniaxial/", variant.name, ":neo-hookean-area:nu-", poisson),
                                    neo_hookean_area(pulled.stretch, mu, lambda), pulled.area, 0.01, "A/A0"));
            // P11 = mu l + lambda (J - 1 - mu/lambda) w, w the width over that at rest.
            const double l = pulled.stretch, w = neo_hookean_area(l, mu, lambda) / l;
            rows.push_back(make_row(concat("uniaxial/", variant.name, ":neo-hookean-tension:nu-", poisson),
                                    mu * l + lambda * (l * w - 1.0 - mu / lambda) * w, pulled.tension, 0.01, "N/m"));
        }
        // A table of a coated cloth: E22 = -C12/C22 E11, N = l (C11 - C12^2/C22) E11.
        const double c11 = 900.0, c12 = 200.0, c22 = 500.0;
        const Pulled pulled = pull(variant, film(MembraneKind::stvk, c11, c12, c22, 150.0), 1.1);
        const double l = pulled.stretch, e11 = 0.5 * (l * l - 1.0), e22 = -c12 / c22 * e11;
        rows.push_back(make_row(concat("uniaxial/", variant.name, ":stvk-area"), l * std::sqrt(1.0 + 2.0 * e22),
                                pulled.area, 0.01, "A/A0"));
        rows.push_back(make_row(concat("uniaxial/", variant.name, ":stvk-tension"), l * (c11 - c12 * c12 / c22) * e11,
                                pulled.tension, 0.01, "N/m"));
    }
    return rows;
}

namespace {

struct AffineMap {
    const char* name;
    double xx, xy, yx, yy;
};

/// How far points inside a patch are from where an affine map of its border puts them, of the farthest that the map
/// moves one.
double patch_error(const Variant& variant, const Material& material, const AffineMap& map) {
    constexpr int kSide = 9;
    SceneDesc scene = sheet_scene(variant.settings, kSettleStep, {kSide, kSide}, {0.2, 0.2});
    std::get<GridDesc>(scene.cloths[0].mesh).jitter = 0.3;
    scene.gravity = {0, 0, 0};
    scene.cloths[0].material = material;
    Simulation sim = make_or_die(scene);
    const std::vector<Vec3> rest = sim.model().mesh.positions;
    const auto moved = [&](const Vec3& p) {
        return Vec3{map.xx * p.x + map.xy * p.y, map.yx * p.x + map.yy * p.y, p.z};
    };
    std::vector<Vec3> x = rest;
    std::vector<std::uint8_t> is_held(x.size(), 0);
    double farthest = 0.0, off = 0.0;
    for (int i = 0; i < kSide * kSide; ++i) {
        const int column = i % kSide, row = i / kSide;
        farthest = std::max(farthest, length(moved(rest[i]) - rest[i]));
        is_held[i] = column == 0 || row == 0 || column == kSide - 1 || row == kSide - 1;
        if (is_held[i]) x[i] = moved(rest[i]);
    }
    x = relaxed(variant, sim, std::move(x), is_held);
    for (int i = 0; i < kSide * kSide; ++i)
        off = std::max(off, length(x[i] - moved(rest[i])));
    return off / farthest;
}

} // namespace

/// Points inside a patch whose border is moved by an affine map go where the map puts them, on any mesh.
std::vector<ValidationRow> patch_tests() {
    std::vector<ValidationRow> rows;
    const Material woven = sheet_scene(ImplicitCgSettings{}, kSettleStep, {2, 2}).cloths[0].material;
    for (const Variant& variant : bending_variants())
        for (const AffineMap& map :
             {AffineMap{"warp", 1.05, 0, 0, 1}, AffineMap{"weft", 1, 0, 0, 1.05}, AffineMap{"shear", 1, 0.1, 0, 1}})
            rows.push_back(make_row(concat("patch/", variant.name, ":", map.name), 0.0,
                                    patch_error(variant, woven, map), 1e-3, "of the movement"));
    return rows;
}

std::vector<ValidationRow> elastic_patches(const std::vector<Variant>& by) {
    std::vector<ValidationRow> rows;
    struct Law {
        const char* name;
        Material material;
    };
    for (const Variant& variant : by)
        for (const Law& law : {Law{"neo-hookean", film(MembraneKind::neo_hookean, 2000, 600, 1, 1)},
                               Law{"stvk", film(MembraneKind::stvk, 2000, 600, 1000, 300)}})
            for (const AffineMap& map : {AffineMap{"biaxial", 1.1, 0, 0, 1.05}, AffineMap{"shear", 1, 0.2, 0, 1}})
                rows.push_back(make_row(concat("elastic-patch/", variant.name, ":", law.name, ":", map.name), 0.0,
                                        patch_error(variant, law.material, map), 1e-3, "of the movement"));
    return rows;
}

} // namespace selvage
