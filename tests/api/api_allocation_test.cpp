#include <gtest/gtest.h>

#include "api/worlds.h"
#include "counted_allocations.h"

namespace {

using namespace selvage_test;

TEST(ApiAllocation, NoneInAFrameOnceEverybodyHasMet) {
    selvage::World world = make_world();
    world.add(selvage::ColliderDesc::plane()).value();
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.1).at({1.0, 0.1, 0})).value();
    for (int k = 0; k < 3; ++k)
        world.add(lying_cloth(0.02 + 0.02 * k)).value();
    selvage::Cloth flag = world.add(hanging_cloth().at({0, 2, 0})).value();
    selvage::Grab grab = flag.grab(5, {1, 0, 0}).value();
    const selvage::Vec3 start = grab.position().value();
    std::vector<std::byte> snapshot;
    double angle = 0.0;
    const auto frame = [&] {
        angle += 0.05;
        ball.move({{1.0 + 0.01 * angle, 0.1, 0}, {}}).value();
        grab.move({start.x, start.y + 0.001 * angle, start.z}).value();
        world.step().value();
        (void)flag.positions_f();
        (void)flag.normals_f();
        (void)world.contact_events();
        (void)world.raycast({0, 3, 0}, {0, -1, 0}, 10.0, SELVAGE_RAY_CLOTH);
        world.snapshot(snapshot).value();
    };
    for (int k = 0; k < 25; ++k)
        frame();
    const long before = allocation_count();
    for (int k = 0; k < 4; ++k) // the next look at who may part comes in frame 30
        frame();
    EXPECT_EQ(allocation_count() - before, 0);
}

} // namespace
