#include "model/cloth_model.h"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "model/measures.h"

namespace selvage {
namespace {

Material test_fabric() {
    Material m;
    m.density = 0.2;
    m.thickness = 0.001;
    m.stretch_warp = 1000;
    m.stretch_weft = 600;
    m.shear = 50;
    return m;
}

ClothModel model_of(const GeneratedMesh& mesh, const Material& material, const NetDesc& net = {}) {
    std::vector<std::string> warnings;
    Result<ClothModel> model = make_cloth_model({{"cloth", mesh, material, net}}, warnings);
    EXPECT_TRUE(model);
    return *model;
}

/// Elastic energy per area of the unit square under the affine map of its plane (a small strain).
double energy_density(const ClothModel& model, double strain_u, double strain_v, double shear) {
    ClothState state{model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
    for (Vec3& p : state.position)
        p = {p.x * (1.0 + strain_u) + shear * p.y, p.y * (1.0 + strain_v), p.z};
    return measure_energy(model, state, {}).elastic;
}

TEST(SpringNet, StoresTheFabricsEnergyOnEveryGridAndSize) {
    const Material m = test_fabric();
    const double e = 1e-3;
    for (const NetDesc::Layout layout : {NetDesc::Layout::lattice, NetDesc::Layout::mesh})
        for (const int n : {9, 17, 33})
            for (const Diagonals diagonals : {Diagonals::uniform, Diagonals::alternating}) {
                NetDesc net;
                net.layout = layout;
                net.bend = false;
                const ClothModel model = model_of(*make_grid({{1, 1}, {n, n}, diagonals}), m, net);
                SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout) << ", n " << n);
                // Y e^2/2, G gamma^2/2; second-order terms of the large-strain springs are 1e-3 of it.
                EXPECT_NEAR(energy_density(model, e, 0, 0), 0.5 * 1000 * e * e, 0.01 * 0.5 * 1000 * e * e);
                EXPECT_NEAR(energy_density(model, 0, e, 0), 0.5 * 600 * e * e, 0.01 * 0.5 * 600 * e * e);
                EXPECT_NEAR(energy_density(model, 0, 0, e), 0.5 * 50 * e * e, 0.01 * 0.5 * 50 * e * e);
            }
}

TEST(SpringNet, BendSpringsDoNotMakeAGridStifferInItsPlane) {
    const Material m = test_fabric();
    const double e = 1e-3;
    for (const int n : {17, 33, 65}) {
        const ClothModel model = model_of(*make_grid({{1, 1}, {n, n}}), m, {});
        // The border has fewer bend springs than are taken off: 2 cells of n - 1.
        EXPECT_NEAR(energy_density(model, e, 0, 0) / (0.5 * 1000 * e * e), 1.0, 0.03) << n;
    }
}

// Rolled up with its edges as long as at rest, a grid resists by its bend springs alone. Their moment grows as the third
// power of the curvature, the fabric's is B times it; they are to agree where it is one by the bending length c. Springs
// of stiffness 8 B c^2 / l^5 per width would agree there exactly for small cells; the net takes 9.
TEST(SpringNet, BendsAsHardAsTheFabricWhereItBendsByItsBendingLength) {
    Material m = test_fabric();
    m.stretch_warp = m.stretch_weft = 1e6; // so that nothing limits bend springs
    m.bend_warp = 1e-4;
    m.bend_weft = 3e-4;
    for (const bool weft : {false, true}) {
        const double rigidity = weft ? m.bend_weft : m.bend_warp, c = bending_length(m, rigidity);
        const int n = 12;
        const double l = 0.25 * c, across = 2.0 * l;
        const GeneratedMesh grid =
            weft ? *make_grid({{across, (n - 1) * l}, {3, n}}) : *make_grid({{(n - 1) * l, across}, {n, 3}});
        const ClothModel model = model_of(grid, m);
        const auto energy = [&](double curvature) { // chords of a circle, each of length l
            const double turn = 2.0 * std::asin(0.5 * l * curvature);
            ClothState state{model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
            for (Vec3& p : state.position) {
                double& along = weft ? p.y : p.x;
                const double angle = along / l * turn;
                along = std::sin(angle) / curvature;
                p.z = (1.0 - std::cos(angle)) / curvature;
            }
            return measure_energy(model, state, {}).elastic;
        };
        const double step = 1e-3 / c;
        const double moment = (energy(1.0 / c + step) - energy(1.0 / c - step)) / (2.0 * step) / ((n - 2) * l * across);
        EXPECT_NEAR(moment / (rigidity / c), 9.0 / 8.0, 0.03) << (weft ? "weft" : "warp");
    }
}

/// Stiffness per strain along each axis when the cloth may change its other dimensions freely, from the energies of
/// affine maps: 1 / (C^-1)_aa. Two axes for sheets, three for blocks; per rest area or volume of 1.
std::vector<double> uniaxial_moduli(const ClothModel& model, int axes) {
    const double e = 1e-4;
    const auto energy = [&](const std::array<double, 3>& strain) {
        ClothState state{model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
        for (Vec3& p : state.position)
            p = {p.x * (1 + e * strain[0]), p.y * (1 + e * strain[1]), p.z * (1 + e * strain[2])};
        return measure_energy(model, state, {}).elastic / (e * e);
    };
    const auto unit = [](int a, int b) {
        std::array<double, 3> strain{};
        strain[a] += 1.0;
        if (b >= 0) strain[b] += 1.0;
        return strain;
    };
    double c[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int a = 0; a < axes; ++a)
        c[a][a] = 2.0 * energy(unit(a, -1));
    for (int a = 0; a < axes; ++a)
        for (int b = a + 1; b < axes; ++b)
            c[a][b] = c[b][a] = energy(unit(a, b)) - 0.5 * c[a][a] - 0.5 * c[b][b];
    const auto minor = [&](int a) {
        const int p = (a + 1) % 3, q = (a + 2) % 3;
        return c[p][p] * c[q][q] - c[p][q] * c[p][q];
    };
    const double det = c[0][0] * minor(0) - c[0][1] * (c[0][1] * c[2][2] - c[1][2] * c[0][2]) +
                       c[0][2] * (c[0][1] * c[1][2] - c[1][1] * c[0][2]);
    std::vector<double> moduli;
    for (int a = 0; a < axes; ++a)
        moduli.push_back(det / minor(a));
    return moduli;
}

TEST(SpringNet, StretchesAFreeStripByTheFabricsNumbersWhateverTheCells) {
    Material m = test_fabric();
    for (const double shear : {5.0, 50.0, 300.0})
        for (const IntPair vertices : {IntPair{17, 17}, {9, 25}, {41, 11}, {51, 6}})
            for (const Diagonals diagonals : {Diagonals::alternating, Diagonals::cross}) {
                m.shear = shear;
                NetDesc net;
                net.bend = false;
                const ClothModel model = model_of(*make_grid({{1, 1}, vertices, diagonals}), m, net);
                const std::vector<double> moduli = uniaxial_moduli(model, 2);
                SCOPED_TRACE(testing::Message() << "G " << shear << ", " << vertices[0] << " x " << vertices[1]);
                EXPECT_NEAR(moduli[0], 1000.0, 5.0);
                EXPECT_NEAR(moduli[1], 600.0, 3.0);
            }
}

TEST(SpringNet, SaysWhenLongCellsCannotCarryTheShear) {
    Material m = test_fabric();
    m.shear = 300.0;
    std::vector<std::string> warnings;
    ASSERT_TRUE(make_cloth_model({{"strip", *make_grid({{1, 1}, {51, 6}}), m, {}}}, warnings));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("shear stiffness lowered from 300"), std::string::npos) << warnings[0];
    warnings.clear();
    ASSERT_TRUE(make_cloth_model({{"square", *make_grid({{1, 1}, {11, 11}}), m, {}}}, warnings));
    EXPECT_TRUE(warnings.empty());
}

TEST(SpringNet, FitsTrianglesOfAnyShapeToTheirThreads) {
    // Triangles of a disc have edges in all directions. Pulled along a thread, free to narrow, the disc stretches as the
    // fabric does, within 30 % under affine maps; it pays with shear, which three edges cannot make softer.
    const ClothModel model = model_of(*make_disc({0.5, 12}), test_fabric(), {});
    const double area = 0.5 * 72 * 0.25 * std::sin(2.0 * std::acos(-1.0) / 72);
    const std::vector<double> moduli = uniaxial_moduli(model, 2);
    EXPECT_NEAR(moduli[0] / area / 1000, 1.0, 0.3);
    EXPECT_NEAR(moduli[1] / area / 600, 1.0, 0.3);
}

TEST(SpringNet, TakesOnlyDirectionsFromTheTextureCoordinates) {
    // Tools scale uv as they like: the same mesh with uv from 0 to 1, stretched, or turned by a quarter.
    const GeneratedMesh disc = *make_disc({0.5, 8});
    const ClothModel plain = model_of(disc, test_fabric());
    GeneratedMesh scaled = disc;
    for (Vec2& uv : scaled.mesh.uv)
        uv = {0.01 * uv.x, 0.01 * uv.y};
    const ClothModel other = model_of(scaled, test_fabric());
    ASSERT_EQ(plain.springs.size(), other.springs.size());
    for (std::size_t i = 0; i < plain.springs.size(); ++i)
        EXPECT_NEAR(plain.springs[i].stiffness, other.springs[i].stiffness, 1e-3f * plain.springs[i].stiffness + 1e-3f);
    GeneratedMesh turned = disc;
    for (Vec2& uv : turned.mesh.uv)
        uv = {uv.y, -uv.x};
    Material swapped = test_fabric();
    std::swap(swapped.stretch_warp, swapped.stretch_weft);
    const ClothModel quarter = model_of(turned, swapped);
    for (std::size_t i = 0; i < plain.springs.size(); ++i)
        EXPECT_NEAR(plain.springs[i].stiffness, quarter.springs[i].stiffness,
                    1e-3f * plain.springs[i].stiffness + 1e-3f);
}

TEST(SpringNet, HoldsClothWhoseTextureCoordinatesAreAllTheSame) {
    GeneratedMesh disc = *make_disc({0.5, 4});
    for (Vec2& uv : disc.mesh.uv)
        uv = {0, 0};
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model({{"disc", disc, test_fabric(), {}}}, warnings);
    EXPECT_GT(model.spring_count(), 0);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("96 of 96 triangles have no usable uv, the first triangle 0"), std::string::npos);
}

TEST(SpringNet, GivesBlocksTheirModulusAlongEachAxisWhateverTheCells) {
    Material m = test_fabric();
    m.stretch_weft = m.stretch_warp; // E = 1000 / 0.001 = 1 MPa
    for (const IntTriple vertices : {IntTriple{9, 9, 9}, {5, 9, 9}, {3, 9, 5}, {2, 11, 6}})
        for (const double modulus : uniaxial_moduli(model_of(*make_block({{1, 1, 1}, vertices}), m), 3))
            EXPECT_NEAR(modulus, 1e6, 1e4) << vertices[0] << " " << vertices[1] << " " << vertices[2];
    const ClothModel cubes = model_of(*make_block({{1, 1, 1}, {9, 9, 9}}), m);
    // Isotropic with Poisson 1/4: C11 = 1.2 E with the sides held, shear modulus 0.4 E.
    EXPECT_NEAR(energy_density(cubes, 1e-4, 0, 0) / (0.5 * 1.2e6 * 1e-8), 1.0, 0.01);
    EXPECT_NEAR(energy_density(cubes, 0, 0, 1e-4) / (0.5 * 0.4e6 * 1e-8), 1.0, 0.01);
    double mass = 0.0;
    for (const double v : cubes.mass)
        mass += v;
    EXPECT_NEAR(mass, 0.2 / 0.001, 1e-9); // 200 kg/m3 on a cubic metre
}

TEST(SpringNet, FindsThePiecesThatSpringsHoldTogether) {
    GeneratedMesh two = *make_grid({{1, 1}, {3, 3}});
    const GeneratedMesh other = *make_grid({{1, 1}, {2, 2}});
    two.lattice = {};
    for (const Vec3& p : other.mesh.positions)
        two.mesh.positions.push_back(p + Vec3{5, 0, 0});
    for (const Vec2& uv : other.mesh.uv)
        two.mesh.uv.push_back(uv);
    for (const Triangle& t : other.mesh.triangles)
        two.mesh.triangles.push_back({t[0] + 9, t[1] + 9, t[2] + 9});
    const IndexLists pieces = spring_components(model_of(two, test_fabric()));
    ASSERT_EQ(pieces.row_count(), 2);
    EXPECT_EQ(pieces[0].size(), 9u);
    EXPECT_EQ(pieces[1].size(), 4u);
    EXPECT_EQ(pieces[1][0], 9);
}

TEST(SpringNet, FollowsThePapersLawWhenAsked) {
    NetDesc net;
    net.bend = false;
    net.stiffness_times_length = 0.03;
    const ClothModel model = model_of(*make_grid({{1, 1}, {33, 33}}), test_fabric(), net);
    EXPECT_EQ(model.spring_count(), 2 * 32 * 33 + 2 * 32 * 32);
    for (const Spring& s : model.springs)
        EXPECT_NEAR(s.stiffness * s.rest_length, 0.03f, 1e-8f);
}

TEST(SpringNet, LeavesOutTheKindsThatAreSwitchedOff) {
    NetDesc net;
    net.shear = false;
    EXPECT_EQ(model_of(*make_grid({{1, 1}, {5, 5}}), test_fabric(), net).spring_count(), 40 + 2 * 3 * 5);
    net.bend = false;
    EXPECT_EQ(model_of(*make_grid({{1, 1}, {5, 5}}), test_fabric(), net).spring_count(), 40);
    net.structural = false;
    EXPECT_EQ(model_of(*make_grid({{1, 1}, {5, 5}}), test_fabric(), net).spring_count(), 0);
}

TEST(ClothModel, SpreadsTheWholeMassOverThePoints) {
    for (const GeneratedMesh& mesh :
         {*make_grid({{2, 1}, {9, 5}, Diagonals::cross}), *make_tube({0.2, 0.1, 1.0, {12, 5}})}) {
        double area = 0.0, mass = 0.0;
        for (int t = 0; t < mesh.mesh.triangle_count(); ++t)
            area += triangle_area(mesh.mesh, t);
        for (const double m : model_of(mesh, test_fabric()).mass)
            mass += m;
        EXPECT_NEAR(mass, 0.2 * area, 1e-12);
    }
}

TEST(ClothModel, GivesLoosePointsTheMeanMass) {
    GeneratedMesh mesh = *make_grid({{1, 1}, {3, 3}});
    mesh.lattice = {};
    mesh.mesh.positions.push_back({5, 5, 5});
    mesh.mesh.uv.push_back({0, 0});
    const ClothModel model = model_of(mesh, test_fabric());
    EXPECT_NEAR(model.mass.back(), 0.2 / 10.0, 1e-12);
}

TEST(ClothModel, IndexesBothEndsOfEverySpringOnce) {
    const ClothModel model = model_of(*make_grid({{1, 1}, {7, 6}}), test_fabric());
    std::set<std::pair<int, int>> seen;
    for (int v = 0; v < model.vertex_count(); ++v)
        for (const SpringEnd& end : model.ends_of(v)) {
            const Spring& s = model.springs[end.spring];
            EXPECT_TRUE((s.a == v && s.b == end.other) || (s.b == v && s.a == end.other));
            EXPECT_TRUE(seen.insert({v, end.spring}).second);
        }
    EXPECT_EQ(seen.size(), 2 * model.springs.size());
}

TEST(ClothModel, AddsUpSpringsNamedTwiceAndSkipsThoseWithoutLength) {
    GeneratedMesh mesh; // vertices 1 and 3 in one place
    mesh.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    mesh.mesh.triangles = {{0, 1, 2}, {0, 3, 2}, {0, 1, 3}};
    const ClothModel model = model_of(mesh, test_fabric());
    std::set<std::pair<int, int>> pairs;
    for (const Spring& s : model.springs) {
        EXPECT_GT(s.rest_length, 0.0f);
        EXPECT_TRUE(pairs.insert({s.a, s.b}).second);
    }
}

TEST(ClothModel, SaysWhatItFoundOdd) {
    GeneratedMesh fan;
    fan.mesh.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
    fan.mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    std::vector<std::string> warnings;
    ASSERT_TRUE(make_cloth_model({{"fan", fan, test_fabric(), {}}}, warnings));
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_NE(warnings[0].find("1 edges belong to three triangles or more, the first between vertices 0 and 1"),
              std::string::npos);
    EXPECT_NE(warnings[1].find("3 of 3 triangles have no usable uv, the first triangle 0"), std::string::npos);
    EXPECT_FALSE(make_cloth_model({}, warnings));
}

TEST(ClothModel, JoinsClothsWithAndWithoutTexture) {
    GeneratedMesh plain = *make_grid({{1, 1}, {2, 2}});
    plain.mesh.uv.clear();
    std::vector<std::string> warnings;
    const ClothModel model = *make_cloth_model({{"a", *make_grid({{1, 1}, {3, 3}}), test_fabric(), {}},
                                                {"b", plain, test_fabric(), {}},
                                                {"c", *make_tube({0.2, 0.2, 1.0, {6, 3}}), test_fabric(), {}}},
                                               warnings);
    ASSERT_EQ(model.parts.size(), 3u);
    EXPECT_EQ(model.parts[1].vertex_begin, 9);
    EXPECT_EQ(model.parts[2].triangle_begin, 10);
    ASSERT_EQ(model.mesh.uv_triangles.size(), model.mesh.triangles.size());
    for (int t = 0; t < model.mesh.triangle_count(); ++t)
        for (const int c : model.mesh.uv_corners(t)) {
            ASSERT_GE(c, 0);
            ASSERT_LT(c, static_cast<int>(model.mesh.uv.size()));
        }
    EXPECT_EQ(model.mesh.uv_triangles[0], model.mesh.triangles[0]);
}

TEST(ClothModel, RefusesATableThatWouldPushWherePulled) {
    std::vector<std::string> warnings;
    ClothSource source{"film", *make_grid({{1, 1}, {3, 3}, Diagonals::uniform}), {}, {}};
    source.material.membrane = MembraneKind::stvk;
    source.material.stretch_warp = 4000;
    source.material.stretch_weft = 1000;
    source.material.coupling = 1999;
    EXPECT_TRUE(make_cloth_model({source}, warnings));
    source.material.coupling = 2000; // C11 C22 - C12^2 = 0
    const Result<ClothModel> refused = make_cloth_model({source}, warnings);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text(),
              "cloth \"film\": coupling is 2000 N/m; expected less than the root of stretch_warp "
              "times stretch_weft, 2000 N/m");
    source.material.membrane = MembraneKind::woven; // which has no coupling to speak of
    EXPECT_TRUE(make_cloth_model({source}, warnings));
}

TEST(Material, BendingLengthOfPoplinIsNineteenMillimetres) {
    EXPECT_NEAR(bending_length(Material{}, 8e-6), 0.0189, 1e-4); // (8e-6 / (0.12 * 9.81))^(1/3)
}

} // namespace
} // namespace selvage
