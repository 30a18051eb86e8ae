#include "lab/validate/cusick_drape.h"

#include <cmath>

#include <gtest/gtest.h>

#include "geometry/generators.h"
#include "lab/validate/fabric_card.h"
#include "scene/scene_io.h"
#include "sim/simulation.h"

namespace selvage {
namespace {

/// A disc of the test's size whose points are where `place` puts (radius, angle).
template <class Place>
DrapeResult drape_of(const Place& place) {
    const DrapeTest test;
    const GeneratedMesh disc = *make_disc({test.cloth_radius, 40});
    std::vector<Vec3> x;
    for (const Vec3& p : disc.mesh.positions)
        x.push_back(place(std::hypot(p.x, p.y), std::atan2(p.y, p.x)));
    return measure_drape(test, disc.mesh, x);
}

TEST(CusickDrape, MeasuresTheShadow) {
    const auto flat = [](double r, double a) { return Vec3{r * std::cos(a), 0, r * std::sin(a)}; };
    // A polygon of 240 sides: 1.1e-4 less than its circle. The picture's cells are 0.3 mm.
    EXPECT_NEAR(drape_of(flat).coefficient, 1.0, 2e-3);
    EXPECT_EQ(drape_of(flat).folds, 0);

    // Straight down from the plate's edge on: nothing beyond the plate.
    const auto limp = [&](double r, double a) {
        return r < 0.09 ? flat(r, a) : Vec3{0.09 * std::cos(a), 0.09 - r, 0.09 * std::sin(a)};
    };
    EXPECT_NEAR(drape_of(limp).coefficient, 0.0, 6e-3); // the ring of points next to the edge is 3.75 mm wide

    // Turned under itself: a part of the shadow that two layers throw counts once.
    const auto folded = [&](double r, double a) {
        return flat(r < 0.12 ? r : 0.24 - r, a) + Vec3{0, r < 0.12 ? 0.0 : -0.01, 0};
    };
    EXPECT_NEAR(drape_of(folded).coefficient, (0.12 * 0.12 - 0.09 * 0.09) / (0.15 * 0.15 - 0.09 * 0.09), 3e-3);
}

TEST(CusickDrape, CountsFolds) {
    for (const int folds : {2, 5, 8}) {
        const auto wavy = [&](double r, double a) {
            const double s = 0.8 + 0.1 * std::cos(folds * a);
            return Vec3{s * r * std::cos(a), 0, s * r * std::sin(a)};
        };
        const DrapeResult result = drape_of(wavy);
        EXPECT_EQ(result.folds, folds);
        // Area of r = 0.15 (0.8 + 0.1 cos): pi 0.15^2 (0.64 + 0.005).
        EXPECT_NEAR(result.coefficient, (0.645 * 0.15 * 0.15 - 0.09 * 0.09) / (0.15 * 0.15 - 0.09 * 0.09), 3e-3);
        EXPECT_NEAR(result.outline[0], 0.9 * 0.15, 5e-4);
    }
}

TEST(CusickDrape, KeepsTheClothFlatBetweenThePlates) {
    DrapeTest test;
    test.rings = 6;
    Result<Simulation> sim = Simulation::make(drape_scene(test, load_fabric("cotton-poplin")->material), 1);
    ASSERT_TRUE(sim);
    const std::vector<Vec3> start = sim->state().position;
    for (int frame = 0; frame < 60; ++frame) // until the rim has come down and hardly swings
        sim->step_frame();
    double lowest = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const Vec3& now = sim->state().position[i];
        lowest = std::min(lowest, now.y);
        // The plates are 1.2 mm apart and keep 0.5 mm off each.
        if (std::hypot(start[i].x, start[i].z) > 0.08) continue;
        EXPECT_NEAR(now.y, 6e-4, 1.1e-4) << i;
        EXPECT_LT(std::hypot(now.x - start[i].x, now.z - start[i].z), 1e-3) << i;
    }
    EXPECT_LT(lowest, -0.02); // and the rest has come down
}

TEST(CusickDrape, HangsAClothOverThePlate) {
    DrapeTest test;
    test.rings = 6;
    test.longest = 0.15;
    const DrapeResult result = run_drape_test(test, load_fabric("cotton-poplin")->material);
    // Falling for 0.15 s: at most g t^2/2 = 0.11 m down, so it has begun to fall, and is still between the plates.
    EXPECT_LT(result.coefficient, 0.95);
    EXPECT_GT(result.coefficient, 0.0);
}

TEST(FabricCard, PredictsFromTheNumbers) {
    const FabricCard card = make_fabric_card(*load_fabric("cotton-poplin"));
    // c = (8e-6 / (0.12 9.81))^(1/3) = 18.94 mm, (5e-6 / ...)^(1/3) = 16.19 mm.
    EXPECT_NEAR(card.bending_length_warp, 0.01894, 1e-5);
    EXPECT_NEAR(card.bending_length_weft, 0.01619, 1e-5);
    EXPECT_NEAR(card.hanging_strain_warp, 0.12 * 9.81 / 6000, 1e-9);
    ASSERT_TRUE(card.measured);
    EXPECT_EQ(card.measured->low, 0.60);
    const std::string text = card_text(card);
    for (const char* part : {"cotton-poplin: Cotton shirting", "stretch_warp             6000 N/m",
                             "18.9 mm warp, 16.2 mm weft", "density: trade weights"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(card_json(card)["bend_warp"], 8e-6);
    EXPECT_EQ(card_json(card)["sources"].size(), card.fabric.sources.size());
    for (const DrapeBand& band : published_drapes())
        EXPECT_TRUE(load_fabric(band.fabric)) << band.fabric;
}

} // namespace
} // namespace selvage
