#include "model/rest_shape.h"

#include <cmath>

#include <gtest/gtest.h>

#include "geometry/weld.h"
#include "model/measures.h"
#include "model/sheet.h"
#include "sim/garments.h"

namespace selvage {
namespace {

ClothModel model_of(const TriangleMesh& mesh, RestShape rest, std::vector<std::string>& warnings) {
    GeneratedMesh source;
    source.mesh = mesh;
    source.rest = rest;
    Material m;
    m.density = 0.1;
    m.stretch_warp = 1000;
    m.stretch_weft = 600;
    m.shear = 50;
    m.bend_warp = m.bend_weft = 1e-5;
    Result<ClothModel> model = make_cloth_model({{"cloth", source, m, {}}}, warnings);
    EXPECT_TRUE(model);
    return *model;
}

/// Two triangles folded by a right angle about the edge 0-1, twice as large as their pattern; the second lies elsewhere
/// in the pattern, face down.
TriangleMesh folded() {
    TriangleMesh mesh;
    mesh.positions = {{0, 0, 0}, {0, 2, 0}, {2, 0, 0}, {0, 0, 2}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}};
    mesh.uv = {{0, 0}, {1, 0}, {0, 1}, {5, 5}, {5, 6}, {6, 5}};
    mesh.uv_triangles = {{0, 1, 2}, {3, 4, 5}};
    return mesh;
}

TEST(RestShape, TakesLengthsAreasAndFlatnessFromThePattern) {
    std::vector<std::string> warnings;
    const ClothModel model = model_of(folded(), RestShape::uv, warnings);
    EXPECT_TRUE(warnings.empty());
    double mass = 0.0;
    for (const double m : model.mass)
        mass += m;
    EXPECT_NEAR(mass, 0.1 * 1.0, 1e-12); // two halves of a square metre, not four square metres
    EXPECT_NEAR(rest_distance(model, 0, 1), 1.0, 1e-12);
    EXPECT_NEAR(rest_distance(model, 1, 2), std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(rest_distance(model, 2, 3), 2.0, 1e-12); // across the fold, laid flat
    const Sheet sheet = make_sheet(model);
    ASSERT_EQ(sheet.hinges.size(), 1u);
    EXPECT_EQ(sheet.hinges[0].rest_angle, 0.0);
    // The mesh is the pattern twice as large: stretched by 1 along every edge and thread.
    const ClothState start{model.mesh.positions, std::vector<Vec3>(4), 0.0};
    EXPECT_NEAR(measure_strain(model, start).max, 1.0, 1e-12);
    EXPECT_NEAR(ThreadGauge(model).measure(model.mesh.positions).max, 1.0, 1e-12);
    for (const Spring& spring : model.springs)
        EXPECT_NEAR(spring.rest_length, rest_distance(model, spring.a, spring.b), 1e-6);
}

TEST(RestShape, HasNoEnergyWhereItLiesAsThePatternWhateverTheSeam) {
    // Both triangles side by side in a plane, as unfolding has them.
    std::vector<std::string> warnings;
    const ClothModel model = model_of(folded(), RestShape::uv, warnings);
    const std::vector<Vec3> flat = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}};
    EXPECT_NEAR(sheet_energy(make_sheet(model), flat, 1.0), 0.0, 1e-12);
    EXPECT_NEAR(measure_energy(model, {flat, std::vector<Vec3>(4), 0.0}, {}).elastic, 0.0, 1e-9);
}

TEST(RestShape, OfTheMeshStaysWhatItWas) {
    std::vector<std::string> warnings;
    const ClothModel model = model_of(folded(), RestShape::mesh, warnings);
    EXPECT_EQ(rest_distance(model, 0, 1), 2.0);
    EXPECT_NEAR(std::abs(make_sheet(model).hinges[0].rest_angle), std::acos(0.0), 1e-12);
}

TEST(RestShape, WarnsOfASeamWithSidesOfTwoLengths) {
    TriangleMesh mesh = folded();
    mesh.uv[4] = {5, 6.1}; // a tenth longer than the other side
    std::vector<std::string> warnings;
    const ClothModel model = model_of(mesh, RestShape::uv, warnings);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("on 1 edges the two sides of a seam differ in length by more than 3 %, most by 10 %, "
                               "between vertices 0 and 1"),
              std::string::npos)
        << warnings[0];
    EXPECT_NEAR(rest_distance(model, 0, 1), 1.05, 1e-12);
}

TEST(RestShape, TrianglesWithoutAreaInUvRestAsInTheMesh) {
    TriangleMesh mesh = folded();
    mesh.uv[5] = {5, 5.5}; // on the line between the others
    std::vector<std::string> warnings;
    const ClothModel model = model_of(mesh, RestShape::uv, warnings);
    ASSERT_FALSE(warnings.empty());
    EXPECT_NE(warnings[0].find("1 of 2 triangles have no area in uv, the first triangle 1"), std::string::npos);
    EXPECT_NEAR(rest_distance(model, 0, 3), 2.0, 1e-12);
    for (const Spring& spring : model.springs)
        EXPECT_TRUE(std::isfinite(spring.stiffness) && spring.stiffness > 0.0F);
    for (const double m : model.mass)
        EXPECT_GT(m, 0.0);
}

TEST(RestShape, SewnPanelsCutFaceDownAndTurnedAreAtRestWhereTheyWereModelled) {
    // The gores are flat and as large as their pattern: nothing is stretched, whatever their grain.
    Garment skirt = gored_skirt();
    ASSERT_GT(weld_borders(skirt.mesh, kWeldRounding)->joined, 0);
    std::vector<std::string> warnings;
    const ClothModel model = model_of(skirt.mesh, RestShape::uv, warnings);
    EXPECT_TRUE(warnings.empty());
    EXPECT_LT(measure_strain(model, {model.mesh.positions, model.mesh.positions, 0.0}).max, 1e-9);
    EXPECT_LT(ThreadGauge(model).measure(model.mesh.positions).max, 1e-9);
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        int springs = 0;
        for (const SpringEnd& end : model.ends_of(model.edges[e][0]))
            springs += end.other == model.edges[e][1];
        EXPECT_EQ(springs, 1); // none is slack
    }
}

} // namespace
} // namespace selvage
