#include "lab/validate/relaxed_sheet.h"

#include <cmath>

#include <gtest/gtest.h>

#include "geometry/generators.h"

namespace selvage {
namespace {

ClothModel relaxed_model(GeneratedMesh mesh, const Material& material) {
    std::vector<std::string> warnings;
    return *make_cloth_model({{"cloth", std::move(mesh), material, {}}}, warnings);
}

std::vector<Vec3> weights_of(const ClothModel& model) {
    std::vector<Vec3> load;
    for (const double mass : model.mass)
        load.push_back(mass * Vec3{0, -9.81, 0});
    return load;
}

TEST(RelaxedSheet, StretchesAHangingStripByItsWeight) {
    Material m;
    m.density = 0.2;
    m.stretch_warp = m.stretch_weft = 200.0;
    m.shear = 20.0;
    const GeneratedMesh strip = *make_grid({{0.1, 1.0}, {3, 21}, Diagonals::alternating, 0.2}); // top edge at y = 0.5
    const ClothModel model = relaxed_model(strip, m);
    std::vector<std::uint8_t> is_held(model.vertex_count(), 0);
    for (const int v : strip.edges[3].vertices)
        is_held[v] = 1;
    const RelaxedSheet rest = relax_sheet(make_sheet(model), model.mesh.positions, weights_of(model), is_held, 1e-4);
    EXPECT_LT(rest.imbalance, 1e-4);
    double bottom = 0.0;
    for (const int v : strip.edges[2].vertices)
        bottom += rest.position[v].y / 3.0;
    // density g L^2 / (2 Y) = 4.905 mm; lumped masses carry the same moment, a mesh of 20 rows leaves 0.5 %.
    EXPECT_NEAR(-0.5 - bottom, 0.2 * 9.81 / 400.0, 0.01 * 4.905e-3);
}

TEST(RelaxedSheet, LiesOnAPlateAndSticksOrSlides) {
    // A small disc on a large plate under its weight and a push along x: it stays up to mu times the weight.
    Material m;
    m.density = 0.2;
    m.stretch_warp = m.stretch_weft = m.shear = 50.0;
    GeneratedMesh disc = *make_disc({0.05, 3});
    for (Vec3& p : disc.mesh.positions)
        p = {p.x, 0, -p.y};
    const ClothModel model = relaxed_model(disc, m);
    const std::vector<std::uint8_t> free(model.vertex_count(), 0);
    for (const double push : {0.3, 0.5}) {
        std::vector<Vec3> load = weights_of(model);
        for (Vec3& f : load)
            f.x = -push * f.y;
        const RelaxedSheet rest =
            relax_sheet(make_sheet(model), model.mesh.positions, load, free, 1e-6, 200, {1.0, 0.4});
        double moved = 0.0;
        for (std::size_t i = 0; i < load.size(); ++i) {
            EXPECT_EQ(rest.position[i].y, 0.0);
            moved = std::max(moved, length(rest.position[i] - model.mesh.positions[i]));
        }
        if (push < 0.4)
            EXPECT_EQ(moved, 0.0);
        else
            EXPECT_GT(moved, 1e-4); // 200 iterations do not take it far
    }
}

TEST(RelaxedSheet, LeavesLooseAndHeldPointsFinite) {
    GeneratedMesh one;
    one.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {3, 3, 3}}; // the last in no triangle
    one.mesh.triangles = {{0, 1, 2}};
    const ClothModel model = relaxed_model(one, {});
    const RelaxedSheet held = relax_sheet(make_sheet(model), model.mesh.positions, weights_of(model),
                                          std::vector<std::uint8_t>(4, 1), 1e-4, 100);
    EXPECT_EQ(held.imbalance, 0.0);
    for (int v = 0; v < 4; ++v)
        EXPECT_EQ(length(held.position[v] - model.mesh.positions[v]), 0.0);
}

} // namespace
} // namespace selvage
