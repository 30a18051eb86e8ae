#include "model/cloth_model.h"

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

TEST(SpringNet, FitsTrianglesOfAnyShapeToTheirThreads) {
    // Equilateral triangles have no edge along the weft: the fit keeps both thread directions within 15 %, and pays
    // with shear, which three edges cannot make softer.
    const Material m = test_fabric();
    const ClothModel model = model_of(*make_disc({0.5, 12}), m, {});
    const double area = 0.5 * 72 * 0.25 * std::sin(2.0 * std::acos(-1.0) / 72), e = 1e-3;
    EXPECT_NEAR(energy_density(model, e, 0, 0) / (0.5 * 1000 * e * e * area), 1.0, 0.15);
    EXPECT_NEAR(energy_density(model, 0, e, 0) / (0.5 * 600 * e * e * area), 1.0, 0.15);
}

TEST(SpringNet, MakesBlocksIsotropicWithPoissonQuarter) {
    Material m = test_fabric();
    m.stretch_weft = m.stretch_warp; // E = 1000 / 0.001 = 1 MPa
    NetDesc net;
    const ClothModel model = model_of(*make_block({{1, 1, 1}, {9, 9, 9}}), m, net);
    const double modulus = 1e6, e = 1e-4;
    const auto energy = [&](const Vec3& strain) {
        ClothState state{model.mesh.positions, std::vector<Vec3>(model.mass.size()), 0.0};
        for (Vec3& p : state.position)
            p = {p.x * (1 + strain.x), p.y * (1 + strain.y), p.z * (1 + strain.z)};
        return measure_energy(model, state, {}).elastic;
    };
    // Free sides shrink by e/4 and the energy is E e^2/2; held sides: C11 = 1.2 E.
    EXPECT_NEAR(energy({e, -0.25 * e, -0.25 * e}) / (0.5 * modulus * e * e), 1.0, 0.01);
    EXPECT_NEAR(energy({0, e, 0}) / (0.5 * 1.2 * modulus * e * e), 1.0, 0.01);
    double mass = 0.0;
    for (const double v : model.mass)
        mass += v;
    EXPECT_NEAR(mass, 0.2 / 0.001, 1e-9); // 200 kg/m3 on a cubic metre
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
    EXPECT_NE(warnings[1].find("has no uv"), std::string::npos);
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

TEST(Material, BendingLengthOfPoplinIsNineteenMillimetres) {
    EXPECT_NEAR(bending_length(Material{}, 8e-6), 0.0189, 1e-4); // (8e-6 / (0.12 * 9.81))^(1/3)
}

} // namespace
} // namespace selvage
