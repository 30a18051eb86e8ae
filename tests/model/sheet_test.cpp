#include "model/sheet.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "model/measures.h"

namespace selvage {
namespace {

ClothModel sheet_model(GeneratedMesh mesh, const Material& material, const NetDesc& net = {}) {
    std::vector<ClothSource> sources = {{"cloth", std::move(mesh), material, net}};
    std::vector<std::string> warnings;
    return *make_cloth_model(std::move(sources), warnings);
}

TEST(Bending, AngleOfAgreesWithTheLibrary) {
    for (int k = -1000; k <= 1000; ++k) {
        const double angle = 3.14159265358979 * k / 1000.0;
        EXPECT_NEAR(angle_of(2.5 * std::sin(angle), 2.5 * std::cos(angle)), angle, 1e-11);
    }
    EXPECT_EQ(angle_of(0.0, 0.0), 0.0);
    EXPECT_NEAR(angle_of(1e-9, 1.0), 1e-9, 1e-20);
}

TEST(Bending, HingeAngleIsTheFoldAndItsSlopeTheDerivative) {
    // A sheet folded by a known angle along the y axis; away from the front (+z) is positive.
    for (const double fold : {-2.0, -0.5, 0.0, 0.3, 1.5, 3.0}) {
        const Vec3 a{0, 0, 0}, b{0, 1, 0}, c{-1, 0.4, 0};
        const Vec3 d{std::cos(fold), 0.7, -std::sin(fold)};
        EXPECT_NEAR(hinge_angle(a, b, c, d).angle, fold, 1e-10);
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<double> u(-0.3, 0.3);
    for (int k = 0; k < 100; ++k) {
        std::array<Vec3, 4> x = {Vec3{0, 0, 0}, Vec3{0, 1, 0}, Vec3{-1, 0.5, 0}, Vec3{1, 0.5, 0}};
        for (Vec3& p : x)
            p += Vec3{u(random), u(random), u(random)};
        const HingeAngle hinge = hinge_angle(x[0], x[1], x[2], x[3]);
        for (int corner = 0; corner < 4; ++corner)
            for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
                std::array<Vec3, 4> up = x, down = x;
                up[corner] += 1e-5 * axis;
                down[corner] -= 1e-5 * axis;
                const double slope = (hinge_angle(up[0], up[1], up[2], up[3]).angle -
                                      hinge_angle(down[0], down[1], down[2], down[3]).angle) /
                                     2e-5;
                EXPECT_NEAR(dot(hinge.slope[corner], axis), slope, 1e-6);
            }
    }
}

TEST(Bending, HingesSideBySideAreHingesOneByOne) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> u(-1, 1);
    for (int k = 0; k < 200; ++k) {
        std::array<Vec3, 4> x;
        for (Vec3& p : x)
            p = {u(random), u(random), u(random)};
        if (k == 0) x[2] = 0.5 * (x[0] + x[1]); // no area
        if (k == 1) x[1] = x[0];
        const HingeAngle one = hinge_angle(x[0], x[1], x[2], x[3]);
        HingeLanes<double> lanes{x[0].x, x[0].y, x[0].z, x[1].x, x[1].y, x[1].z, x[2].x, x[2].y,
                                 x[2].z, x[3].x, x[3].y, x[3].z, 0,      {},     {},     {}};
        fold(lanes);
        EXPECT_NEAR(lanes.angle, one.angle, 1e-12);
        for (int c = 0; c < 4; ++c)
            EXPECT_LT(length(Vec3{lanes.slope_x[c], lanes.slope_y[c], lanes.slope_z[c]} - one.slope[c]),
                      1e-12 * (1.0 + length(one.slope[c])));
    }
}

TEST(Bending, StencilMeasuresTheFold) {
    const Vec3 a{0, 0, 0}, b{0, 0.02, 0}, c{-0.01, 0.006, 0}, d{0.013, 0.011, 0};
    const std::array<double, 4> k = flat_stencil(a, b, c, d);
    EXPECT_NEAR(k[0] + k[1] + k[2] + k[3], 0.0, 1e-12);
    EXPECT_LT(length(k[0] * a + k[1] * b + k[2] * c + k[3] * d), 1e-12); // flat: nothing
    const double fold = 0.01;
    const Vec3 folded{0.013 * std::cos(fold), 0.011, 0.013 * std::sin(fold)};
    EXPECT_NEAR(length(k[0] * a + k[1] * b + k[2] * c + k[3] * folded), 0.02 * fold, 1e-4 * 0.02 * fold);
}

TEST(Bending, RigidityFollowsTheThreads) {
    Material m;
    m.bend_warp = 9e-6;
    m.bend_weft = 4e-6;
    EXPECT_DOUBLE_EQ(bend_rigidity(m, 1.0), 9e-6);
    EXPECT_DOUBLE_EQ(bend_rigidity(m, 0.0), 4e-6);
    m.bend_weft = 9e-6;
    for (const double c : {0.0, 0.3, 0.5, 1.0})
        EXPECT_NEAR(bend_rigidity(m, c), 9e-6, 1e-18);
    m.bend_weft = 4e-6;
    m.bend_bias = 5e-6;
    EXPECT_NEAR(bend_rigidity(m, 1.0), 9e-6, 1e-18);
    EXPECT_NEAR(bend_rigidity(m, 0.5), 5e-6, 1e-18);
    EXPECT_NEAR(bend_rigidity(m, 0.0), 4e-6, 1e-18);
    m.bend_bias = 1e-9; // (9 + 4 + 2 Bs)/4 = 0.001: Bs = -6.498, and at cos^2 = 0.4 the plate's formula gives -0.24
    EXPECT_EQ(bend_rigidity(m, 0.4), 0.0);
}

/// Elastic energy of a sheet rolled up along the warp (x) or the weft to radius `radius`.
double rolled(const Sheet& sheet, std::vector<Vec3> x, bool along_warp, double radius) {
    for (Vec3& p : x) {
        const double s = (along_warp ? p.x : p.y) / radius;
        p = along_warp ? Vec3{radius * std::sin(s), p.y, radius * (1 - std::cos(s))}
                       : Vec3{p.x, radius * std::sin(s), radius * (1 - std::cos(s))};
    }
    return sheet_energy(sheet, x, 1.0);
}

TEST(Bending, RolledClothHoldsTheEnergyOfACylinder) {
    Material m;
    m.bend_warp = 2e-5;
    m.bend_weft = 5e-6;
    const ClothModel model = sheet_model(*make_grid({{1, 1}, {41, 41}, Diagonals::alternating}), m);
    Sheet plate = make_sheet(model);
    plate.triangles.clear();
    plate.membrane.clear();
    // B / (2 R^2) per area. Hinges have none beyond the outermost cells: half a cell of 40 at either end is missing.
    const double warp = 0.5 * 2e-5 / 0.25, weft = 0.5 * 5e-6 / 0.25;
    EXPECT_NEAR(rolled(plate, model.mesh.positions, true, 0.5), warp, 1e-3 * warp); // chords are shorter than arcs
    EXPECT_NEAR(rolled(plate, model.mesh.positions, false, 0.5), weft, 1e-3 * weft);
    for (const bool by_angles : {false, true}) {
        Sheet hinges = plate;
        hinges.plate = {};
        for (SheetHinge& h : hinges.hinges) {
            EXPECT_TRUE(h.in_plate);
            h.in_plate = false;
            if (by_angles) h.rest_angle = 1e-300; // as good as flat, but measured by its angle
        }
        EXPECT_NEAR(rolled(hinges, model.mesh.positions, true, 0.5), warp, 0.03 * warp);
        EXPECT_NEAR(rolled(hinges, model.mesh.positions, false, 0.5), weft, 0.03 * weft);
    }
}

TEST(Sheet, ForcesAreMinusTheEnergysGradientOnCurvedCloth) {
    const ClothModel model = sheet_model(*make_tube({0.2, 0.3, 0.4, {9, 5}}), Material{});
    const Sheet sheet = make_sheet(model);
    int curved = 0;
    for (const SheetHinge& h : sheet.hinges)
        curved += !h.is_flat();
    EXPECT_GT(curved, 10);
    std::vector<Vec3> x = model.mesh.positions;
    EXPECT_LT(sheet_energy(sheet, x, 0.1), 1e-20); // at rest as it is, curved
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-0.01, 0.01);
    for (Vec3& p : x)
        p += Vec3{u(random), u(random), u(random)};
    std::vector<Vec3> force(x.size());
    add_sheet_forces(sheet, x, 0.1, force);
    Vec3 sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += force[i];
        for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
            std::vector<Vec3> up = x, down = x;
            up[i] += 1e-7 * axis;
            down[i] -= 1e-7 * axis;
            const double expected = -(sheet_energy(sheet, up, 0.1) - sheet_energy(sheet, down, 0.1)) / 2e-7;
            EXPECT_NEAR(dot(force[i], axis), expected, 1e-5 * (1 + length(force[i])));
        }
    }
    EXPECT_LT(length(sum), 1e-9); // pairs push each other
}

TEST(Sheet, GrainComesFromTheUvOrFromThePlace) {
    Material m;
    m.stretch_warp = 6000;
    m.stretch_weft = 100;
    GeneratedMesh grid = *make_grid({{1, 1}, {5, 5}, Diagonals::alternating});
    const auto pull = [&](const GeneratedMesh& mesh, const Vec3& along) {
        const ClothModel model = sheet_model(mesh, m);
        std::vector<Vec3> x = model.mesh.positions;
        for (Vec3& p : x)
            p += 0.01 * dot(p, along) * along;
        Sheet sheet = make_sheet(model);
        sheet.hinges.clear();
        return sheet_energy(sheet, x, 1.0);
    };
    EXPECT_NEAR(pull(grid, {1, 0, 0}), 0.5 * 6000 * 1e-4, 1e-9); // uv: warp along x
    for (Vec2& uv : grid.mesh.uv)
        uv = {uv.y, -uv.x}; // turned: warp along y
    EXPECT_NEAR(pull(grid, {0, 1, 0}), 0.5 * 6000 * 1e-4, 1e-9);
    grid.mesh.uv.clear(); // it stands: weft upright, warp level
    grid.lattice = {0, 0, 0};
    EXPECT_NEAR(pull(grid, {1, 0, 0}), 0.5 * 6000 * 1e-4, 1e-9);
}

TEST(Sheet, LeavesBlocksAndNetsOfTheirOwnLawToTheirSprings) {
    NetDesc own;
    own.stiffness_times_length = 5;
    const ClothModel by_law = sheet_model(*make_grid({{1, 1}, {3, 3}, Diagonals::alternating}), Material{}, own);
    EXPECT_EQ(make_sheet(by_law).spring_parts, std::vector<int>{0});
    EXPECT_TRUE(make_sheet(by_law).triangles.empty());
    EXPECT_EQ(make_sheet(sheet_model(*make_block({{1, 1, 1}, {2, 2, 2}}), Material{})).spring_parts,
              std::vector<int>{0});
    NetDesc none;
    none.structural = none.shear = none.bend = false;
    const Sheet loose = make_sheet(sheet_model(*make_grid({{1, 1}, {3, 3}, Diagonals::alternating}), Material{}, none));
    EXPECT_TRUE(loose.hinges.empty());
    for (const MembraneTriangle& t : loose.membrane)
        EXPECT_EQ(t.stretch_u + t.stretch_v + t.shear, 0.0);
}

} // namespace
} // namespace selvage
