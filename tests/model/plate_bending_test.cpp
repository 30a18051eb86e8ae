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

/// The same cloth as two panels sewn at x = 0 (or y = 0): corners of the second lie elsewhere in the pattern, face down.
/// Its threads run as before: a panel seen from its other side has the same warp, and v counts backwards.
GeneratedMesh two_panels(GeneratedMesh made, bool across) {
    TriangleMesh& mesh = made.mesh;
    made.lattice = {0, 0, 0};
    mesh.uv.clear();
    mesh.uv_triangles.clear();
    for (const Vec3& p : mesh.positions)
        mesh.uv.push_back({p.x, p.y});
    for (const Vec3& p : mesh.positions)
        mesh.uv.push_back({p.x + 5.0, 2.0 - p.y});
    const int n = mesh.vertex_count();
    for (const Triangle& t : mesh.triangles) {
        const Vec3 middle = mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]];
        const int shift = (across ? middle.x : middle.y) > 0.0 ? n : 0;
        mesh.uv_triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    }
    made.rest = RestShape::uv;
    return made;
}

TEST(PlateBending, PanelsSewnTogetherBendAsOnePiece) {
    // A straight seam is no fold and no stiffener: the energy is the plate's, and quadratic surfaces are in balance on the
    // seam as elsewhere. The last of meshes() is left out: its random points do not lie on a straight line.
    const Material m = fabric();
    for (const bool across : {true, false})
        for (int k = 0; k < 3; ++k) {
            const GeneratedMesh mesh = two_panels(meshes()[k], across);
            const Sheet sheet = bending_of(mesh, m);
            for (const SheetHinge& h : sheet.hinges)
                EXPECT_TRUE(h.in_plate);
            const std::vector<Vec3>& rest = mesh.mesh.positions;
            for (int turn = 0; turn < 8; ++turn) {
                const double angle = std::numbers::pi * turn / 8, c = std::cos(angle), s = std::sin(angle);
                std::vector<Vec3> x = rest, force(rest.size());
                for (Vec3& p : x)
                    p.z = 0.5 * (c * p.x + s * p.y) * (c * p.x + s * p.y);
                const double expected = 0.5 * bend_rigidity(m, c * c); // curvature 1 m^-1 over 1 m2
                EXPECT_NEAR(sheet_energy(sheet, x, 1.0), expected, 1e-6 * expected);
                add_sheet_forces(sheet, x, 1.0, force);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const bool is_inside = std::max(std::abs(x[i].x), std::abs(x[i].y)) < 0.15;
                    EXPECT_TRUE(!is_inside || length(force[i]) < 1e-12) << i;
                }
            }
        }
}

TEST(PlateBending, SewnPanelsKeepMomentumAndMoveFreely) {
    // Forces of any shape add up to nothing and turn nothing; a flat cloth has no energy wherever it is; the form is
    // symmetric: forces of shape x on motion y do the work of forces of y on x.
    const GeneratedMesh mesh = two_panels(meshes()[3], true); // an uneven seam
    const Sheet sheet = bending_of(mesh, fabric());
    const std::vector<Vec3>& rest = mesh.mesh.positions;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-0.1, 0.1);
    std::vector<Vec3> x = rest, y = rest, flat = rest;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        x[i] += Vec3{u(random), u(random), u(random)};
        y[i] += Vec3{u(random), u(random), u(random)};
        flat[i] = {3.0 + rest[i].y, 0.6 * rest[i].x, 5.0 + 0.8 * rest[i].x};
    }
    std::vector<Vec3> fx(rest.size()), fy(rest.size());
    add_sheet_forces(sheet, x, 1.0, fx);
    add_sheet_forces(sheet, y, 1.0, fy);
    Vec3 sum, moment;
    double largest = 0.0, xy = 0.0, yx = 0.0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        sum += fx[i];
        moment += cross(x[i], fx[i]);
        largest = std::max(largest, length(fx[i]));
        xy += dot(fx[i], y[i]);
        yx += dot(fy[i], x[i]);
    }
    EXPECT_GT(largest, 1e-6);
    EXPECT_LT(length(sum), 1e-10 * largest);
    EXPECT_LT(length(moment), 1e-10 * largest);
    EXPECT_NEAR(xy, yx, 1e-9 * std::abs(xy));
    EXPECT_NEAR(sheet_energy(sheet, flat, 1.0), 0.0, 1e-15);
}

TEST(PlateBending, LeavesConesToTheirHinges) {
    // A disc that lacks a sixth closes to a cone: its tip has no plane. The five triangles there bend by their hinges alone
    // and the rest by H, so a hinge far from the tip is part of the form either way.
    PlateRigidity one{1.0, 1.0, 0.0, 0.5};
    std::vector<PlateTriangle> triangles;
    JoinedPlates plates;
    const int fans = 5, rings = 4;
    plates.vertex_count = 1;
    const auto vertex = [&](int fan, int row, int k) { // row 1 ..: `row` vertices to a fan
        return row == 0 ? 0 : 1 + fans * row * (row - 1) / 2 + (fan * row + k) % (fans * row);
    };
    const auto at = [](int row, int k) { return Vec2{row - 0.5 * k, std::sqrt(0.75) * k}; };
    for (int fan = 0; fan < fans; ++fan)
        for (int row = 0; row < rings; ++row)
            for (int k = 0; k <= row; ++k) {
                triangles.push_back(
                    {{vertex(fan, row, k), vertex(fan, row + 1, k), vertex(fan, row + 1, k + 1)}, {1.0, 0.0}, one});
                plates.corner.push_back({at(row, k), at(row + 1, k), at(row + 1, k + 1)});
                if (k == row) continue;
                triangles.push_back(
                    {{vertex(fan, row, k), vertex(fan, row + 1, k + 1), vertex(fan, row, k + 1)}, {1.0, 0.0}, one});
                plates.corner.push_back({at(row, k), at(row + 1, k + 1), at(row, k + 1)});
            }
    plates.vertex_count = 1 + fans * rings * (rings + 1) / 2;
    EXPECT_EQ(plate_bending(plates, triangles, {}).left_to_hinges, fans);
}

} // namespace
} // namespace selvage
