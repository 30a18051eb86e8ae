#include "sim/picking.h"

#include "solvers/scenes.h"

namespace selvage {
namespace {

TEST(Picking, TakesTheNearerOfTwoLayersAndMissesBesideThem) {
    SceneDesc scene = free_sheet(XpbdSettings{}, 3);
    scene.cloths.push_back(scene.cloths[0]);
    scene.cloths[1].place.translate = {0, 0, 0.5};
    const Simulation sim = make_simulation(scene);
    const auto hit = pick_cloth(sim.model().mesh.triangles, sim.state().position, {{0.1, 0.2, 3.0}, {0, 0, -1}});
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 2.5, 1e-12);
    EXPECT_FALSE(pick_cloth(sim.model().mesh.triangles, sim.state().position, {{5.0, 0.2, 3.0}, {0, 0, -1}}));
    EXPECT_FALSE(pick_cloth(sim.model().mesh.triangles, sim.state().position, {{0.1, 0.2, 3.0}, {0, 0, 1}})); // behind
}

TEST(Picking, FindsCollidersBeforeWhatLiesBehindThem) {
    SceneDesc scene = free_sheet(XpbdSettings{}, 3);
    for (const double z : {1.0, -1.0}) {
        ColliderDesc ball;
        ball.shape = Sphere{0.25};
        ball.place.translate = {0, 0, z};
        scene.colliders.push_back(ball);
    }
    const Simulation sim = make_simulation(scene);
    const auto hit = pick_collider(sim.colliders(), {{0, 0, 3}, {0, 0, -1}}, 100.0);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->collider, 0);
    EXPECT_NEAR(hit->distance, 1.75, 1e-3); // 3 - 1 - 0.25
    EXPECT_FALSE(pick_collider(sim.colliders(), {{0, 0, 3}, {0, 0, -1}}, 1.0));
    EXPECT_FALSE(pick_collider(sim.colliders(), {{0.4, 0, 3}, {0, 0, -1}}, 100.0));
}

} // namespace
} // namespace selvage
