#include "model/roughness.h"

#include <cmath>

#include <gtest/gtest.h>

namespace selvage {
namespace {

ClothModel square(int n, double size, const Material& material = {}) {
    std::vector<std::string> warnings;
    return *make_cloth_model({{"cloth", *make_grid({{size, size}, {n, n}, Diagonals::alternating}), material, {}}},
                             warnings);
}

TEST(Roughness, IsZeroOnACylinderAndHighWhereEveryRowFoldsBack) {
    const ClothModel model = square(21, 1.0);
    std::vector<Vec3> x = model.mesh.positions;
    EXPECT_EQ(roughness(model, x), 0.0);
    for (Vec3& p : x)
        p = {std::sin(p.x), p.y, std::cos(p.x)};
    EXPECT_LT(roughness(model, x), 1e-6);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i].z = i % 21 % 2 == 0 ? 0.01 : -0.01;
    // Edges along the rows join equal heights, those across and the diagonals opposite ones: two of three, and a little
    // more, since points with eight neighbours stand higher above them than points with four.
    EXPECT_NEAR(roughness(model, x), 2.0 / 3.0, 0.05);
}

TEST(Roughness, CountsFromTheRestShape) {
    std::vector<std::string> warnings;
    const ClothModel tube = *make_cloth_model({{"tube", *make_tube({0.2, 0.3, 0.4, {16, 8}}), {}, {}}}, warnings);
    EXPECT_EQ(roughness(tube, tube.mesh.positions), 0.0);
}

TEST(Resolution, ComparesCellsWithTheFoldsOfTheFabric) {
    Material poplin;
    poplin.density = 0.12;
    poplin.bend_warp = 8e-6;
    poplin.bend_weft = 5e-6;
    const std::vector<Resolution> coarse = resolutions(square(41, 1.0, poplin));
    ASSERT_EQ(coarse.size(), 1U);
    EXPECT_NEAR(coarse[0].cell, 0.025, 1e-9);
    EXPECT_NEAR(coarse[0].fold_radius, std::cbrt(std::sqrt(8e-6 * 5e-6) / (0.12 * 9.81)), 1e-9);
    EXPECT_TRUE(coarse[0].is_coarse());
    EXPECT_FALSE(resolutions(square(101, 1.0, poplin))[0].is_coarse());
    Material limp = poplin;
    limp.bend_warp = limp.bend_weft = 0.0;
    EXPECT_FALSE(resolutions(square(41, 1.0, limp))[0].is_coarse()); // nothing to resolve
}

} // namespace
} // namespace selvage
