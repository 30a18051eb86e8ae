#include "model/plate_bending.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "model/sheet.h"

namespace selvage {
namespace {

Sheet bending_of(const GeneratedMesh& mesh, const Material& material) {
    std::vector<std::string> warnings;
    Sheet sheet = make_sheet(*make_cloth_model({{"cloth", mesh, material, {}}}, warnings));
    sheet.triangles.clear();
    sheet.membrane.clear();
    return sheet;
}

/// Squares cut along alternating diagonals, along one diagonal and into four, and one with its points moved at random.
std::vector<GeneratedMesh> meshes() {
    std::vector<GeneratedMesh> list;
    for (const Diagonals cut : {Diagonals::alternating, Diagonals::uniform, Diagonals::cross})
        list.push_back(*make_grid({{1, 1}, {11, 11}, cut}));
    GridDesc shaken{{1, 1}, {11, 11}, Diagonals::alternating};
    shaken.jitter = 0.25;
    list.push_back(*make_grid(shaken));
    return list;
}

Material fabric() {
    Material m;
    m.bend_warp = 3e-5;
    m.bend_weft = 5e-6;
    m.bend_bias = 9e-6;
    return m;
}

TEST(PlateBending, QuadraticSurfacesHoldThePlatesEnergyOnAnyMesh) {
    const Material m = fabric();
    for (const GeneratedMesh& mesh : meshes()) {
        const Sheet sheet = bending_of(mesh, m);
        for (int k = 0; k < 8; ++k) {
            // z = s^2/2 along a direction, lifted out of the plane: curvature 1 m^-1 over 1 m2.
            const double angle = std::numbers::pi * k / 8, c = std::cos(angle), s = std::sin(angle);
            std::vector<Vec3> x = mesh.mesh.positions;
            for (Vec3& p : x)
                p.z = 0.5 * (c * p.x + s * p.y) * (c * p.x + s * p.y);
            const double expected = 0.5 * bend_rigidity(m, c * c);
            EXPECT_NEAR(sheet_energy(sheet, x, 1.0), expected, 1e-6 * expected);
        }
    }
}

TEST(PlateBending, QuadraticSurfacesAreInBalanceInside) {
    // Otherwise the mesh would yield between its points, and bend more easily than the fabric. Two rings along the
    // border carry the moments that hold the shape.
    const Material m = fabric();
    for (const GeneratedMesh& mesh : meshes()) {
        const Sheet sheet = bending_of(mesh, m);
        std::vector<Vec3> x = mesh.mesh.positions;
        for (Vec3& p : x)
            p.z = 0.5 * p.x * p.x - 0.3 * p.y * p.y + 0.7 * p.x * p.y;
        std::vector<Vec3> force(x.size());
        add_sheet_forces(sheet, x, 1.0, force);
        int inside = 0;
        double border = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const bool is_inside = std::max(std::abs(x[i].x), std::abs(x[i].y)) < 0.15;
            inside += is_inside;
            if (is_inside)
                EXPECT_LT(length(force[i]), 1e-12);
            else
                border = std::max(border, length(force[i]));
        }
        EXPECT_GE(inside, 9);
        EXPECT_GT(border, 1e-6);
    }
}

TEST(PlateBending, NothingElseIsFree) {
    // Zigzags that averaged gradients do not see are seen by the hinges: random heights cost about what hinges alone
    // make them cost, and flat shapes, wherever they are, nothing.
    const Material m = fabric();
    std::mt19937 random(3);
    std::uniform_real_distribution<double> u(-1e-3, 1e-3);
    for (const GeneratedMesh& mesh : meshes()) {
        const Sheet sheet = bending_of(mesh, m);
        Sheet alone = sheet;
        alone.plate = {};
        for (SheetHinge& h : alone.hinges)
            h.in_plate = false;
        std::vector<Vec3> x = mesh.mesh.positions;
        for (Vec3& p : x)
            p = {3.0 + p.y, 0.6 * p.x, 5.0 + 0.8 * p.x};
        EXPECT_NEAR(sheet_energy(sheet, x, 1.0), 0.0, 1e-15);
        for (int k = 0; k < 20; ++k) {
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i].z = k < 10 ? u(random) : (static_cast<int>(i) % 2 == 0 ? 1e-3 : -1e-3) + 0.1 * u(random);
            const double ratio = sheet_energy(sheet, x, 1.0) / sheet_energy(alone, x, 1.0);
            EXPECT_GT(ratio, 0.3);
            EXPECT_LT(ratio, 2.0); // the solver takes the hinges for the derivative
        }
    }
}

TEST(PlateBending, LeavesCurvedFoldedAndThinPiecesToTheirHinges) {
    const auto in_plate = [](const GeneratedMesh& mesh) {
        int count = 0;
        for (const SheetHinge& h : bending_of(mesh, Material{}).hinges)
            count += h.in_plate;
        return count;
    };
    GeneratedMesh flat = *make_grid({{1, 1}, {5, 5}, Diagonals::alternating});
    EXPECT_EQ(in_plate(flat), 40); // 56 edges less 16 of the border
    EXPECT_EQ(in_plate(*make_tube({0.2, 0.3, 0.4, {9, 5}})), 0);
    GeneratedMesh thin = flat;
    thin.mesh.positions[12] = 0.99 * thin.mesh.positions[11] + 0.01 * thin.mesh.positions[10];
    EXPECT_EQ(in_plate(thin), 0);
    GeneratedMesh folded = flat;
    for (Vec3& p : folded.mesh.positions)
        p.x = std::abs(p.x);
    EXPECT_EQ(in_plate(folded), 0);
}

} // namespace
} // namespace selvage
