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
            // The solver takes the hinges, times their tangent, for the derivative.
            EXPECT_LT(ratio, 2.0 * sheet.hinges[0].tangent);
        }
    }
}

int hinges_in_plates(const GeneratedMesh& mesh) {
    int count = 0;
    for (const SheetHinge& h : bending_of(mesh, Material{}).hinges)
        count += h.in_plate;
    return count;
}

TEST(PlateBending, LeavesCurvedPiecesToTheirHinges) {
    EXPECT_EQ(hinges_in_plates(*make_grid({{1, 1}, {5, 5}, Diagonals::alternating})), 40); // 56 edges, 16 of the border
    EXPECT_EQ(hinges_in_plates(*make_tube({0.2, 0.3, 0.4, {9, 5}})), 0);
}

TEST(PlateBending, LeavesASingleRowOfCellsToItsHinges) {
    EXPECT_EQ(hinges_in_plates(*make_grid({{1, 0.1}, {11, 2}, Diagonals::cross})), 0);
    EXPECT_GT(hinges_in_plates(*make_grid({{1, 0.2}, {11, 3}, Diagonals::cross})), 0);
}

TEST(PlateBending, TakesTheFlatRegionsOfAFoldedPiece) {
    GeneratedMesh folded = *make_grid({{1, 1}, {5, 5}, Diagonals::alternating});
    for (Vec3& p : folded.mesh.positions)
        p.x = std::abs(p.x);
    EXPECT_EQ(hinges_in_plates(folded), 36); // all but the four edges of the fold
}

TEST(PlateBending, LeavesOutOnlyTheNeighbourhoodOfASliver) {
    // A quadratic surface stays in balance two rings away from the sliver, as on the mesh without one; hinges alone leave
    // forces everywhere on this grid.
    GeneratedMesh mesh = *make_grid({{1, 1}, {21, 21}, Diagonals::alternating});
    std::vector<Vec3>& rest = mesh.mesh.positions;
    const int moved = 5 * 21 + 5;
    const Vec3 where = rest[moved];
    rest[moved] = 0.01 * rest[moved] + 0.99 * rest[moved + 1];
    const Sheet sheet = bending_of(mesh, fabric());
    std::vector<Vec3> x = rest, force(rest.size());
    for (Vec3& p : x)
        p.z = 0.5 * p.x * p.x - 0.3 * p.y * p.y + 0.7 * p.x * p.y;
    add_sheet_forces(sheet, x, 1.0, force);
    int far = 0;
    double near = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double away = length(rest[i] - where);
        if (std::max(std::abs(rest[i].x), std::abs(rest[i].y)) > 0.36) continue;
        if (away < 0.2) {
            near = std::max(near, length(force[i]));
            continue;
        }
        EXPECT_LT(length(force[i]), 1e-12) << i;
        ++far;
    }
    EXPECT_GT(far, 150);
    EXPECT_GT(near, 1e-9);
}

TEST(PlateBending, ZigzagsAreStifferWhereCellsAreCoarserThanTheFabricsFolds) {
    // Poplin folds at 17 mm. The stiffness of a row of zigzags against that of the fabric alone, 1 + 6 (l/r)^4 up to 8.
    Material m;
    m.density = 0.12;
    m.bend_warp = m.bend_weft = 6.33e-6; // r = (B/(density g))^(1/3) = 17.52 mm
    const auto zigzag = [&](double cell) {
        const int n = 13;
        GeneratedMesh mesh = *make_grid({{(n - 1) * cell, (n - 1) * cell}, {n, n}, Diagonals::alternating});
        std::vector<Vec3> x = mesh.mesh.positions;
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i].z = static_cast<int>(i) % n % 2 == 0 ? 1e-4 * cell : -1e-4 * cell;
        return sheet_energy(bending_of(mesh, m), x, 1.0); // of a plate: the same for every cell
    };
    const double fabric_alone = zigzag(0.0005);
    EXPECT_NEAR(zigzag(0.004) / fabric_alone, 1.0, 0.05);
    EXPECT_GT(zigzag(0.012) / fabric_alone, 1.5);
    EXPECT_GT(zigzag(0.025) / fabric_alone, 4.0);
    EXPECT_NEAR(zigzag(0.1) / zigzag(0.05), 1.0, 1e-6); // no more than the most
}

} // namespace
} // namespace selvage
