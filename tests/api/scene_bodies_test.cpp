// Scenes whose cloth is tied to the skin of a body, in a world.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "api/scene_hash.h"
#include "api/worlds.h"

namespace {

using namespace selvage_test;

/// A skirt held at the waist of a mannequin that walks.
const std::string kSkirt = R"({"name": "skirt", "dt": "1/60", "substeps": 4,
    "solver": {"type": "multilevel", "quality": "low"},
    "cloths": [{"mesh": {"tube": {"radius": 0.42, "top_radius": 0.135, "height": 0.55, "vertices": [32, 15]}},
                "place": {"translate": [0, 0.785, 0]}, "skinned": {"collider": 0, "attach": [{"edge": "top"}]}}],
    "colliders": [{"character": {"figure": "female", "motion": "walk", "in_place": true, "triangles": 3000}},
                  {"plane": {}}]})";

selvage::World skirt_world() {
    selvage::WorldDesc desc;
    desc.sleeping = 0;
    return selvage::World::from_scene(kSkirt, desc).value();
}

double highest(const selvage::World& world) {
    double high = -std::numeric_limits<double>::infinity();
    for (const selvage::Cloth& cloth : world.cloths())
        for (const selvage::Vec3& p : cloth.positions())
            high = std::max(high, p.y);
    return high;
}

void run(selvage::World& world, int frames) {
    for (int frame = 0; frame < frames; ++frame)
        world.step().value();
}

TEST(SceneBodies, ClothTiedToABodyGivesTheHashOfTheCommandLine) {
    selvage::World world = skirt_world();
    run(world, 20);
    EXPECT_EQ(world.state_hash(), hash_of_simulation(kSkirt, 20));
}

TEST(SceneBodies, StayTiedWhenCollidersAreAddedAndSnapshotsRestored) {
    selvage::World world = skirt_world();
    run(world, 5);
    const double waist = highest(world);
    std::vector<std::byte> bytes;
    world.snapshot(bytes).value();
    run(world, 10);
    const auto hash = world.state_hash();
    world.restore(bytes).value();
    run(world, 10);
    EXPECT_EQ(world.state_hash(), hash);
    ASSERT_TRUE(world.add(selvage::ColliderDesc::sphere(0.1).at({0.5, 0.7, 0.0}))); // within reach of the hem
    run(world, 20);
    EXPECT_NEAR(highest(world), waist, 0.05); // hips go up and down by 2 cm; free cloth falls by 0.5 m in 20 frames
}

TEST(SceneBodies, HangFreeWhenTheBodyIsTakenAway) {
    selvage::World world = skirt_world();
    run(world, 5);
    const double waist = highest(world);
    for (selvage::Collider collider : world.colliders())
        collider.destroy().value();
    run(world, 20);
    EXPECT_LT(highest(world), waist - 0.2); // a body falls 0.54 m in that time, cloth somewhat less
}

} // namespace
