// The front door as a program uses it: through selvage.hpp and selvage.h alone.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <thread>

#include "api/scene_hash.h"
#include "api/worlds.h"

namespace {

using namespace selvage_test;

double lowest(const selvage::Cloth& cloth) {
    double low = std::numeric_limits<double>::infinity();
    for (const selvage::Vec3& p : cloth.positions())
        low = std::min(low, p.y);
    return low;
}

TEST(Api, MakesPinsStepsAndReads) {
    selvage::World world = make_world();
    const selvage::Cloth cloth = world.add(selvage::ClothDesc::grid(1, 1, 17, 17).pin("top-left,top-right")).value();
    const std::vector<selvage::Vec3> start(cloth.positions().begin(), cloth.positions().end());
    for (int frame = 0; frame < 60; ++frame)
        world.step().value();
    ASSERT_EQ(cloth.positions().size(), 17u * 17u);
    EXPECT_EQ(cloth.positions()[16 * 17], start[16 * 17]); // pinned corners are exactly where they were
    EXPECT_EQ(cloth.positions()[17 * 17 - 1], start[17 * 17 - 1]);
    EXPECT_NEAR(world.time(), 1.0, 1e-12);
    EXPECT_LT(world.statistics().max_stretch, 0.05);
    for (const selvage::Vec3& n : cloth.normals())
        EXPECT_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1.0, 1e-12);
}

TEST(Api, DropsFreeClothLikeAFreeBody) {
    selvage::World world = make_world();
    const selvage::Cloth cloth = world.add(selvage::ClothDesc::grid(0.5, 0.5, 9, 9)).value();
    const double before = cloth.positions()[40].y;
    for (int frame = 0; frame < 30; ++frame)
        world.step().value();
    // g t^2 / 2 after half a second, and half a substep of first-order drift: g t h / 2 with h = 1/240 s.
    EXPECT_NEAR(before - cloth.positions()[40].y, 0.5 * 9.81 * 0.25, 9.81 * 0.5 / 480 + 1e-6);
}

TEST(Api, DampingOfWorldAndClothAddUp) {
    selvage::WorldDesc desc;
    desc.gravity[1] = 0.0;
    desc.velocity_damping = 1.5;
    selvage::World world = selvage::World::make(desc).value();
    selvage::ClothDesc plain = selvage::ClothDesc::grid(0.5, 0.5, 9, 9), damped = plain;
    plain.velocity[2] = damped.velocity[2] = 1.0;
    damped.velocity_damping = 0.73;
    damped.position[0] = 2.0;
    const selvage::Cloth a = world.add(plain).value(), b = world.add(damped).value();
    for (int frame = 0; frame < 60; ++frame)
        world.step().value();
    // exp(-rate t) after a second, and the first-order error of steps of 1/240 s: rate^2 h t/2 of it.
    EXPECT_NEAR(a.velocities()[40].z * std::exp(1.5), 1.0, 0.55 * 1.5 * 1.5 / 240);
    EXPECT_NEAR(b.velocities()[40].z * std::exp(2.23), 1.0, 0.55 * 2.23 * 2.23 / 240);
}

TEST(Api, ADescriptionFromBeforeVelocityDampingHasNone) {
    selvage::WorldDesc desc;
    desc.gravity[1] = 0.0;
    desc.velocity_damping = 1e9; // beyond the struct that the caller knows
    desc.struct_size = offsetof(selvage_world_desc, velocity_damping);
    selvage::World world = selvage::World::make(desc).value();
    selvage::ClothDesc cloth = selvage::ClothDesc::grid(0.5, 0.5, 9, 9);
    cloth.velocity[2] = 1.0;
    const selvage::Cloth moving = world.add(cloth).value();
    for (int frame = 0; frame < 60; ++frame)
        world.step().value();
    EXPECT_NEAR(moving.velocities()[40].z, 1.0, 1e-9);
}

TEST(Api, ASceneGivesTheHashOfTheCommandLine) {
    selvage::WorldDesc desc;
    desc.sleeping = 0;
    selvage::World world = selvage::World::from_scene(small_drape(), desc).value();
    for (int frame = 0; frame < 20; ++frame)
        world.step().value();
    EXPECT_EQ(world.state_hash(), hash_of_simulation(small_drape(), 20));
}

TEST(Api, FloatViewsRoundTheDoubles) {
    selvage::World world = make_world();
    const selvage::Cloth cloth = world.add(hanging_cloth()).value();
    for (int frame = 0; frame < 5; ++frame)
        world.step().value();
    for (std::size_t i = 0; i < cloth.positions().size(); ++i) {
        EXPECT_EQ(cloth.positions_f()[i].x, static_cast<float>(cloth.positions()[i].x));
        EXPECT_EQ(cloth.velocities_f()[i].y, static_cast<float>(cloth.velocities()[i].y));
        EXPECT_EQ(cloth.normals_f()[i].z, static_cast<float>(cloth.normals()[i].z));
    }
}

TEST(Api, TakesAMeshFromMemoryWithItsOwnRestShape) {
    const std::vector<selvage::Vec3> rest{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<selvage::Vec3> start{{0, 0, 0}, {1.1, 0, 0}, {1.1, 1, 0}, {0, 1, 0}};
    const std::vector<selvage::Triangle> faces{{0, 1, 2}, {0, 2, 3}};
    selvage::ClothDesc desc = selvage::ClothDesc::mesh(start, faces);
    desc.rest_positions = rest.data()->data();
    selvage::World world = make_world();
    const selvage::Cloth cloth = world.add(desc).value();
    ASSERT_EQ(cloth.triangles().size(), 2u);
    EXPECT_NEAR(world.statistics().max_stretch, 0.1, 1e-12); // stretched by a tenth where it starts
}

TEST(Api, FabricNumbersCanBeChanged) {
    selvage::Material material = selvage::fabric_material("silk-satin").value();
    EXPECT_GT(material.density, 0.0);
    material.density *= 2.0;
    selvage::ClothDesc desc = hanging_cloth();
    desc.material = &material;
    selvage::World world = make_world();
    EXPECT_TRUE(world.add(desc));
    material.density = -1.0;
    const auto refused = world.add(desc);
    EXPECT_FALSE(refused);
    EXPECT_NE(refused.message().find("density is -1"), std::string::npos) << refused.message();
    EXPECT_EQ(world.cloths().size(), 1u);
}

TEST(Api, AddingAndRemovingDisturbsNobodyElse) {
    std::vector<std::uint64_t> hash;
    for (const bool with_guest : {false, true}) {
        selvage::World world = make_world();
        world.add(hanging_cloth()).value();
        selvage::Cloth guest;
        for (int frame = 0; frame < 40; ++frame) {
            if (with_guest && frame == 10) guest = world.add(hanging_cloth().at({5, 0, 0})).value();
            if (with_guest && frame == 30) guest.destroy().value();
            world.step().value();
        }
        EXPECT_EQ(world.cloths().size(), 1u);
        hash.push_back(world.state_hash());
    }
    EXPECT_EQ(hash[0], hash[1]);
}

TEST(Api, ClothsThatMeetAreKeptApart) {
    selvage::World world = make_world();
    world.add(selvage::ColliderDesc::plane()).value();
    const selvage::Cloth below = world.add(lying_cloth(0.01)).value();
    const selvage::Cloth above = world.add(lying_cloth(0.5)).value(); // half a metre up: not near at first
    EXPECT_EQ(world.statistics().islands, 2);
    for (int frame = 0; frame < 60; ++frame)
        world.step().value();
    EXPECT_EQ(world.statistics().islands, 1);
    EXPECT_GT(lowest(above), lowest(below));
    bool cloth_on_cloth = false, cloth_on_plane = false;
    for (const selvage::ContactEvent& event : world.contact_events()) {
        cloth_on_cloth = cloth_on_cloth || (event.cloth == below.handle() && event.other_cloth == above.handle());
        cloth_on_plane = cloth_on_plane || (event.cloth == below.handle() && event.collider != 0);
    }
    EXPECT_TRUE(cloth_on_cloth);
    EXPECT_TRUE(cloth_on_plane);
}

TEST(Api, FastClothIsNotMissedByItsNeighbour) {
    // 60 m/s: a metre per frame, through the other cloth within one if nobody looked ahead.
    selvage::World world = make_world();
    const selvage::ClothDesc fixed = selvage::ClothDesc::grid(0.5, 0.5, 9, 9).pin("left,right,top,bottom");
    const selvage::Cloth target = world.add(fixed).value();
    selvage::ClothDesc flying = selvage::ClothDesc::grid(0.3, 0.3, 7, 7).at({0, 0, 1.5});
    flying.velocity[2] = -60.0;
    const selvage::Cloth shot = world.add(flying).value();
    for (int frame = 0; frame < 4; ++frame)
        world.step().value();
    for (const selvage::Vec3& p : shot.positions())
        EXPECT_TRUE(p.z > -0.25 || std::abs(p.x) > 0.2 || std::abs(p.y) > 0.2) << "is through the sheet";
    EXPECT_EQ(world.statistics().islands, 1);
    EXPECT_EQ(target.positions().size(), 81u);
}

TEST(Api, RestingClothSleepsAndWakesOnTouch) {
    selvage::World world = make_world();
    world.add(selvage::ColliderDesc::plane()).value();
    const selvage::Cloth cloth = world.add(lying_cloth(0.01)).value();
    for (int frame = 0; frame < 240 && cloth.is_awake(); ++frame)
        world.step().value();
    ASSERT_FALSE(cloth.is_awake());
    const std::vector<selvage::Vec3> at_rest(cloth.positions().begin(), cloth.positions().end());
    for (int frame = 0; frame < 10; ++frame)
        world.step().value();
    EXPECT_TRUE(std::equal(at_rest.begin(), at_rest.end(), cloth.positions().begin()));
    EXPECT_EQ(world.statistics().awake_cloths, 0);

    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.1).at({3, 0.1, 0})).value();
    ball.move({{2.5, 0.1, 0}, {}}).value(); // far away: it may sleep on
    world.step().value();
    EXPECT_FALSE(cloth.is_awake());
    for (double x = 2.0; x > 0.0 && !cloth.is_awake(); x -= 0.25) {
        ball.move({{x, 0.1, 0}, {}}).value();
        world.step().value();
    }
    EXPECT_TRUE(cloth.is_awake());
}

TEST(Api, ClothThatNeverMovedIsWokenToo) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(lying_cloth(0.0)).value();
    cloth.sleep().value(); // before its first frame
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.1).at({0, 1, 0})).value();
    world.step().value();
    EXPECT_FALSE(cloth.is_awake());
    ball.move({{0, 0.1, 0}, {}}).value();
    world.step().value();
    EXPECT_TRUE(cloth.is_awake());
    cloth.sleep().value();
    const selvage::Cloth other = world.add(lying_cloth(0.04)).value(); // falls on it
    world.step().value();
    EXPECT_TRUE(cloth.is_awake());
    EXPECT_EQ(world.statistics().islands, 1);
    EXPECT_TRUE(other.is_awake());
}

TEST(Api, WindGravityAndGrabsWake) {
    selvage::World world = make_world();
    world.add(selvage::ColliderDesc::plane()).value();
    selvage::Cloth cloth = world.add(lying_cloth(0.01)).value();
    const auto fall_asleep = [&] {
        cloth.sleep().value();
        ASSERT_FALSE(cloth.is_awake());
    };
    fall_asleep();
    world.set_wind({3, 0, 0}).value();
    EXPECT_TRUE(cloth.is_awake());
    fall_asleep();
    world.set_gravity({0, -1, 0}).value();
    EXPECT_TRUE(cloth.is_awake());
    fall_asleep();
    selvage::Grab grab = cloth.grab(10, {0.2, 0.3, 0.5}).value();
    EXPECT_TRUE(cloth.is_awake());
    grab.release().value();
}

TEST(Api, AGrabbedPointIsWhereItIsWanted) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    selvage::Grab grab = cloth.grab(20, {0.2, 0.3, 0.5}).value();
    const selvage::Vec3 start = grab.position().value();
    const selvage::Vec3 target{start.x + 0.02, start.y + 0.01, start.z + 0.05};
    grab.move(target).value();
    world.step().value();
    const selvage::Vec3 now = grab.position().value();
    EXPECT_NEAR(now.x, target.x, 1e-12);
    EXPECT_NEAR(now.y, target.y, 1e-12);
    EXPECT_NEAR(now.z, target.z, 1e-12);
    grab.release().value();
    EXPECT_EQ(grab.move(target).code(), SELVAGE_ERROR_HANDLE);
}

TEST(Api, AttachedVerticesFollowTheirFrame) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(selvage::ClothDesc::grid(0.4, 0.4, 5, 5)).value();
    const std::vector<std::int32_t> corner{20, 21, 24};
    const std::vector<selvage::Vec3> start(cloth.positions().begin(), cloth.positions().end());
    selvage::Attachment bone = cloth.attach(corner, {{0, 0.2, 0}, {}}).value();
    const double half = std::sqrt(0.5); // a quarter turn about z
    bone.move({{0.1, 0.2, 0.3}, {0, 0, half, half}}).value();
    world.step().value();
    for (const std::int32_t v : corner) {
        // (x, y) from the frame's origin becomes (-y, x).
        EXPECT_NEAR(cloth.positions()[v].x, 0.1 - (start[v].y - 0.2), 1e-12);
        EXPECT_NEAR(cloth.positions()[v].y, 0.2 + start[v].x, 1e-12);
        EXPECT_NEAR(cloth.positions()[v].z, 0.3 + start[v].z, 1e-12);
    }
    bone.destroy().value();
}

TEST(Api, VerticesAttachedToASkinFollowIt) {
    selvage::World world = make_world();
    world.set_gravity({0, 0, 0}).value();
    std::vector<selvage::Vec3> points;
    std::vector<selvage::Triangle> faces;
    make_floor_mesh(points, faces);
    selvage::Collider floor = world.add(selvage::ColliderDesc::mesh(points, faces)).value();
    selvage::Cloth cloth = world.add(lying_cloth(0.05)).value();
    const std::vector<selvage::Vec3> start(cloth.positions().begin(), cloth.positions().end());
    const std::vector<std::int32_t> held{0, 8, 40};
    selvage::Attachment belt = cloth.attach_to_skin(held, floor).value();
    EXPECT_EQ(belt.move({}).code(), SELVAGE_ERROR_ARGUMENT); // its skin moves it
    // The skin turns by a quarter about z, within ten frames, and moves: (x, y) becomes (0.1 - y, x).
    std::vector<selvage::Vec3> moved = points;
    for (int frame = 1; frame <= 10; ++frame) {
        const double angle = 0.05 * frame * 3.14159265358979324, c = std::cos(angle), s = std::sin(angle);
        for (std::size_t i = 0; i < points.size(); ++i)
            moved[i] = {0.01 * frame + c * points[i].x - s * points[i].y, s * points[i].x + c * points[i].y,
                        points[i].z};
        floor.set_vertices(moved).value();
        world.step().value();
    }
    for (const std::int32_t v : held) {
        EXPECT_NEAR(cloth.positions()[v].x, 0.1 - start[v].y, 1e-12);
        EXPECT_NEAR(cloth.positions()[v].y, start[v].x, 1e-12);
        EXPECT_NEAR(cloth.positions()[v].z, start[v].z, 1e-12);
    }
    ASSERT_EQ(floor.vertices().size(), 3 * points.size());
    EXPECT_EQ(floor.vertices()[0], moved[0].x);
    EXPECT_EQ(floor.triangles().size(), 3 * faces.size());
    floor.destroy().value();
    EXPECT_EQ(belt.destroy().code(), SELVAGE_ERROR_HANDLE); // gone with its skin
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.1).at({3, 0, 0})).value();
    EXPECT_FALSE(cloth.attach_to_skin(held, ball));
    EXPECT_TRUE(ball.vertices().empty());
}

TEST(Api, ACharacterFromJsonPlaysItsMotionAndCarriesWhatIsAttached) {
    selvage::World world = make_world();
    selvage::Collider body =
        world.add_collider_json(R"({"character": {"figure": "child", "triangles": 3000, "motion": "walk"}})").value();
    EXPECT_FALSE(world.add_collider_json(R"({"character": {"figure": "giant"}})"));
    selvage::Cloth skirt = world
                               .add_cloth_json(R"({"mesh": {"tube": {"radius": 0.3, "top_radius": 0.11, "height": 0.3,
        "vertices": [32, 12]}}, "place": {"translate": [0, 0.6, 0]}})")
                               .value();
    std::vector<std::int32_t> top;
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(skirt.vertex_count()); ++v)
        if (skirt.positions()[v].y > 0.749) top.push_back(v);
    ASSERT_EQ(top.size(), 32u);
    skirt.attach_to_skin(top, body).value();
    const std::vector<double> before(body.vertices().begin(), body.vertices().end());
    for (int frame = 0; frame < 120; ++frame)
        world.step().value();
    double gone = 0.0, belt = 0.0; // forwards on average [m]
    for (std::size_t i = 2; i < before.size(); i += 3)
        gone += (body.vertices()[i] - before[i]) * 3.0 / static_cast<double>(before.size());
    for (const std::int32_t v : top)
        belt += skirt.positions()[v].z / static_cast<double>(top.size());
    EXPECT_GT(gone, 0.5); // two seconds of a walk, one of them to get under way
    EXPECT_NEAR(belt, gone, 0.1);
    // A snapshot knows where on the skin they are.
    std::vector<std::byte> snapshot;
    world.snapshot(snapshot).value();
    const auto run_on = [&] {
        for (int frame = 0; frame < 10; ++frame)
            world.step().value();
        return world.state_hash();
    };
    const std::uint64_t first = run_on();
    world.restore(snapshot).value();
    EXPECT_EQ(run_on(), first);
}

TEST(Api, PinsCanBeMovedAndReleased) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    const std::int32_t pinned = 8 * 9; // top-left of 9 x 9, pinned by its description
    const selvage::Vec3 start = cloth.positions()[pinned], target{start.x + 0.001, start.y, start.z + 0.001};
    cloth.move_pins(std::span(&pinned, 1), std::span(&target, 1)).value();
    world.step().value();
    EXPECT_EQ(cloth.positions()[pinned], target);
    cloth.unpin_all().value();
    const double before = lowest(cloth);
    for (int frame = 0; frame < 30; ++frame)
        world.step().value();
    EXPECT_LT(lowest(cloth), before - 0.5); // falls freely
}

TEST(Api, TeleportKeepsTheShape) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    for (int frame = 0; frame < 20; ++frame)
        world.step().value();
    const std::vector<selvage::Vec3> before(cloth.positions().begin(), cloth.positions().end());
    cloth.teleport({{10, 0, 0}, {}}).value();
    for (std::size_t i = 0; i < before.size(); ++i)
        EXPECT_NEAR(cloth.positions()[i].x, before[i].x + 10.0, 1e-12);
    const double pin_x = cloth.positions()[8 * 9].x;
    for (int frame = 0; frame < 20; ++frame)
        world.step().value();
    EXPECT_EQ(cloth.positions()[8 * 9].x, pin_x); // still pinned, where it was taken
    EXPECT_LT(world.statistics().max_stretch, 0.1);
}

TEST(Api, MovingCollidersPushAndTeleportedOnesDoNot) {
    for (const bool sweeps : {true, false}) {
        selvage::World world = make_world();
        world.set_gravity({0, 0, 0}).value();
        const selvage::Cloth cloth = world.add(selvage::ClothDesc::grid(0.5, 0.5, 9, 9)).value();
        selvage::Collider box = world.add(selvage::ColliderDesc::box(1, 1, 0.1).at({0, 0, -0.5})).value();
        const selvage::Pose behind{{0, 0, 0.5}, {}};
        if (sweeps) {
            for (int frame = 1; frame <= 10; ++frame) {
                box.move({{0, 0, -0.5 + 0.1 * frame}, {}}).value();
                world.step().value();
            }
            EXPECT_GT(cloth.positions()[40].z, 0.5);
        } else {
            box.teleport(behind).value();
            world.step().value();
            EXPECT_NEAR(cloth.positions()[40].z, 0.0, 1e-9);
        }
        EXPECT_NEAR(box.pose().value().position.z, 0.5, 1e-12);
    }
}

TEST(Api, ADeformingMeshCarriesCloth) {
    std::vector<selvage::Vec3> points;
    std::vector<selvage::Triangle> faces;
    make_floor_mesh(points, faces);
    selvage::World world = make_world();
    selvage::Collider floor = world.add(selvage::ColliderDesc::mesh(points, faces)).value();
    const selvage::Cloth cloth = world.add(lying_cloth(0.005)).value();
    for (int frame = 1; frame <= 60; ++frame) { // an elevator at 0.3 m/s
        for (selvage::Vec3& p : points)
            p.y += 0.005;
        floor.set_vertices(std::span<const selvage::Vec3>(points)).value();
        world.step().value();
    }
    EXPECT_GT(lowest(cloth), 0.3);
    EXPECT_LT(lowest(cloth), 0.32);
    points.pop_back();
    EXPECT_EQ(floor.set_vertices(std::span<const selvage::Vec3>(points)).code(), SELVAGE_ERROR_ARGUMENT);
}

TEST(Api, RaycastFindsTheNearest) {
    selvage::World world = make_world();
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.5).at({0, 0, -2})).value();
    const selvage::Cloth cloth = world.add(selvage::ClothDesc::grid(1, 1, 5, 5)).value();
    const auto both = world.raycast({0.1, 0.13, 3}, {0, 0, -2});
    ASSERT_TRUE(both);
    EXPECT_EQ(both->cloth, cloth.handle());
    EXPECT_NEAR(both->distance, 3.0, 1e-12);
    EXPECT_NEAR(both->weights[0] + both->weights[1] + both->weights[2], 1.0, 1e-12);
    const auto behind = world.raycast({0, 0, 3}, {0, 0, -1}, 100.0, SELVAGE_RAY_COLLIDERS);
    ASSERT_TRUE(behind);
    EXPECT_EQ(behind->collider, ball.handle());
    EXPECT_NEAR(behind->distance, 4.5, 1e-3); // the search along a ray ends within a millimetre
    EXPECT_FALSE(world.raycast({0, 5, 3}, {0, 0, -1}));
    EXPECT_FALSE(world.raycast({0.1, 0.13, 3}, {0, 0, -1}, 2.9));
}

TEST(Api, SnapshotsGoBackBitForBit) {
    selvage::World world = make_world();
    world.add(selvage::ColliderDesc::plane()).value();
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.15).at({0, 0.2, 0})).value();
    selvage::Cloth cloth = world.add(lying_cloth(0.5)).value();
    world.add(lying_cloth(0.6)).value();
    selvage::Grab grab = cloth.grab(3, {1, 0, 0}).value();
    const auto play = [&](int from, int to) {
        for (int frame = from; frame < to; ++frame) {
            ball.move({{0.01 * frame, 0.2, 0}, {}}).value();
            if (frame == 25) grab.release().value();
            world.step().value();
        }
        return world.state_hash();
    };
    play(0, 20);
    std::vector<std::byte> snapshot;
    world.snapshot(snapshot).value();
    const std::uint64_t first = play(20, 50);
    world.restore(snapshot).value();
    EXPECT_NEAR(world.time(), 20.0 / 60.0, 1e-12);
    EXPECT_TRUE(grab.position()); // back in the hand
    EXPECT_EQ(play(20, 50), first);
    snapshot.pop_back();
    const selvage::Status refused = world.restore(snapshot);
    EXPECT_EQ(refused.code(), SELVAGE_ERROR_DATA);
    EXPECT_EQ(world.state_hash(), first);
}

TEST(Api, ResultsDoNotDependOnThreadsNorOnWhoseTheyAre) {
    const auto run = [](int threads, selvage_parallel_for jobs) {
        selvage::WorldDesc desc;
        desc.threads = threads;
        desc.parallel_for = jobs;
        selvage::World world = selvage::World::make(desc).value();
        world.add(selvage::ColliderDesc::sphere(0.3)).value();
        for (int k = 0; k < 6; ++k)
            world.add(selvage::ClothDesc::grid(0.5, 0.5, 12, 12).at({0.7 * k, 0.6, 0}, kFlat)).value();
        world.add(selvage::ClothDesc::grid(1, 1, 50, 50).at({0, 0.5, 3}, kFlat)).value(); // all threads on one
        for (int frame = 0; frame < 12; ++frame)
            world.step().value();
        return world.state_hash();
    };
    const std::uint64_t alone = run(1, nullptr);
    EXPECT_EQ(run(3, nullptr), alone);
    EXPECT_EQ(run(8, nullptr), alone);
    const selvage_parallel_for backwards = [](void*, int count, selvage_task task, void* context) {
        std::vector<std::thread> threads;
        for (int k = count - 1; k >= 0; --k)
            threads.emplace_back([=] { task(context, k); });
        for (std::thread& thread : threads)
            thread.join();
    };
    EXPECT_EQ(run(4, backwards), alone);
}

TEST(Api, AdvanceTakesWholeFramesAndKeepsTheRest) {
    selvage::World world = make_world();
    world.add(hanging_cloth()).value();
    int steps = 0;
    for (int k = 0; k < 144; ++k) // a second on a 144 Hz display
        steps += world.advance(1.0 / 144.0).value().steps;
    EXPECT_EQ(steps, 60);
    const selvage_advance late = world.advance(1.0, 4).value();
    EXPECT_EQ(late.steps, 4);
    EXPECT_NEAR(late.dropped, 56.0 / 60.0, 1e-6);
    EXPECT_GE(late.alpha, 0.0);
    EXPECT_LT(late.alpha, 1.0);
}

/// A cloth that falls on a ball, in a world with a budget.
selvage::World timed_drape(double budget_ms, selvage_quality quality = SELVAGE_QUALITY_STANDARD) {
    selvage::WorldDesc desc;
    desc.budget_ms = budget_ms;
    desc.quality = quality;
    selvage::World world = selvage::World::make(desc).value();
    world.add(selvage::ColliderDesc::sphere(0.2)).value();
    world.add(lying_cloth(0.25)).value();
    return world;
}

TEST(Api, ABudgetThatIsNeverReachedChangesNothing) {
    selvage::World plain = timed_drape(0.0), timed = timed_drape(1e6);
    for (int frame = 0; frame < 40; ++frame) {
        plain.step().value();
        timed.step().value();
    }
    EXPECT_EQ(plain.state_hash(), timed.state_hash());
    EXPECT_EQ(timed.statistics().lowest_budget_level, 0);
    EXPECT_EQ(timed.statistics().dropped_seconds, 0.0);
}

TEST(Api, ABudgetThatIsTooSmallCostsTimeAndNothingElse) {
    selvage::World world = timed_drape(0.01); // no machine is so fast
    const selvage::Cloth cloth = world.cloths().front();
    int frames = 0;
    double nearest = 1.0;
    for (; world.time() < 0.5 && frames < 300000; ++frames) {
        const double before = world.time();
        world.step().value();
        const selvage::Statistics now = world.statistics();
        EXPECT_EQ(world.time() == before, now.budget_level == 5);
        if (now.budget_level == 5) continue;
        for (const selvage::Vec3& p : cloth.positions())
            nearest = std::min(nearest, std::hypot(p.x, p.y, p.z));
    }
    const selvage::Statistics last = world.statistics();
    EXPECT_EQ(last.lowest_budget_level, 5);
    EXPECT_GT(last.dropped_seconds, 0.0);
    EXPECT_NEAR(last.dropped_seconds + last.time, frames / 60.0, 1e-6);
    EXPECT_GE(nearest, 0.2 - 1e-6); // the ball's radius
    EXPECT_LT(nearest, 0.25);       // and it was reached
    EXPECT_LT(last.max_stretch, 0.2);
}

// In a frame that is left out nothing moves, so contacts go on; only those of what was removed end.
TEST(Api, ContactsGoOnWhereABudgetLeavesAFrameOut) {
    selvage::World world = make_world();
    world.add(selvage::ColliderDesc::plane()).value();
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(0.05).at({5, 5, 5})).value();
    const selvage::Cloth below = world.add(lying_cloth(0.01)).value();
    selvage::Cloth above = world.add(lying_cloth(0.03)).value();
    const auto phase_of_cloths = [&]() -> int {
        for (const selvage::ContactEvent& event : world.contact_events())
            if (event.other_cloth != 0) return event.phase;
        return -1;
    };
    for (int frame = 0; frame < 60 && phase_of_cloths() != SELVAGE_CONTACT_STAY; ++frame)
        world.step().value();
    ASSERT_EQ(phase_of_cloths(), SELVAGE_CONTACT_STAY);
    world.set_budget(1e-4).value(); // no machine is so fast
    for (int frame = 0; frame < 1000 && world.statistics().budget_level != 5; ++frame)
        world.step().value();
    ASSERT_EQ(world.statistics().budget_level, 5);
    ball.destroy().value();
    world.step().value();
    ASSERT_EQ(world.statistics().budget_level, 5);
    EXPECT_EQ(phase_of_cloths(), SELVAGE_CONTACT_STAY);
    above.destroy().value();
    world.step().value();
    EXPECT_EQ(phase_of_cloths(), SELVAGE_CONTACT_END);
    EXPECT_GT(lowest(below), 0.0);
}

TEST(Api, AnAdvanceCountsFramesThatABudgetLeftOut) {
    selvage::World world = timed_drape(0.0);
    world.set_budget(1e-4).value();
    int steps = 0;
    double dropped = 0.0;
    for (int k = 0; k < 50; ++k) {
        const selvage_advance done = world.advance(2.0 / 60.0, 4).value();
        steps += done.steps;
        dropped += done.dropped;
    }
    EXPECT_EQ(steps, world.statistics().frames);
    EXPECT_NEAR(dropped, world.statistics().dropped_seconds, 1e-9);
    EXPECT_NEAR(steps / 60.0 + dropped, 100.0 / 60.0, 1e-9);
    EXPECT_LT(steps, 50);
    world.set_budget(0.0).value();
    EXPECT_EQ(world.advance(2.0 / 60.0, 4).value().steps, 2);
}

TEST(Api, ADescriptionFromBeforeBudgetsHasNone) {
    selvage_world_desc desc = selvage_world_desc_default();
    desc.struct_size = offsetof(selvage_world_desc, budget_ms);
    desc.budget_ms = 1e-4; // out of its reach
    selvage_world world = 0;
    ASSERT_EQ(selvage_world_create(&desc, &world), SELVAGE_OK);
    for (int frame = 0; frame < 5; ++frame)
        ASSERT_EQ(selvage_world_step(world), SELVAGE_OK);
    selvage_statistics statistics{};
    statistics.struct_size = offsetof(selvage_statistics, budget_level);
    statistics.dropped_seconds = 7.0; // not to be written
    ASSERT_EQ(selvage_world_statistics(world, &statistics), SELVAGE_OK);
    EXPECT_EQ(statistics.frames, 5);
    EXPECT_EQ(statistics.dropped_seconds, 7.0);
    EXPECT_EQ(selvage_world_destroy(world), SELVAGE_OK);
}

TEST(Api, ASceneBringsItsBudget) {
    std::string scene = small_drape();
    scene.insert(scene.find('{') + 1, R"("budget_ms": 0.0001, )");
    selvage::World world = selvage::World::from_scene(scene).value();
    for (int frame = 0; frame < 30; ++frame)
        world.step().value();
    EXPECT_EQ(world.statistics().lowest_budget_level, 5);
}

TEST(Api, TellsWhatIsInForce) {
    selvage::World world = make_world();
    world.set_gravity({0, 0, -3}).value();
    selvage::Air air;
    air.gust = 0.25;
    world.set_air(air).value();
    world.set_wind({2, 0, 0}).value(); // keeps the gusts
    double gravity[3];
    selvage::Air now;
    EXPECT_EQ(selvage_world_gravity(world.handle(), gravity), SELVAGE_OK);
    EXPECT_EQ(selvage_world_air(world.handle(), &now), SELVAGE_OK);
    EXPECT_EQ(gravity[2], -3.0);
    EXPECT_EQ(now.wind[0], 2.0);
    EXPECT_EQ(now.gust, 0.25);
    const selvage::Cloth cloth = world.add(hanging_cloth()).value();
    EXPECT_EQ(cloth.group("top").size(), 9u);
    EXPECT_EQ(cloth.group("top")[0], 8 * 9);
    EXPECT_TRUE(cloth.group("rim").empty());
    EXPECT_NE(std::string(selvage_last_error()).find("top-left"), std::string::npos);
    EXPECT_NEAR(cloth.bounds().value().second.y, 0.25, 1e-12);
}

TEST(Api, DebugLinesShowWhatWasAskedFor) {
    selvage::World world = make_world();
    world.add(hanging_cloth()).value();
    world.step().value();
    std::vector<selvage::DebugLine> lines;
    world.debug_lines(SELVAGE_DEBUG_BOUNDS, lines).value();
    EXPECT_EQ(lines.size(), 12u); // the edges of a box
    world.debug_lines(SELVAGE_DEBUG_PINS, lines).value();
    EXPECT_EQ(lines.size(), 3u * 2u); // a cross for each of two pins
    world.debug_lines(SELVAGE_DEBUG_EDGES, lines).value();
    EXPECT_EQ(lines.size(), 8u * 9u * 2u + 64u); // of 9 x 9 vertices with a diagonal in each cell
}

TEST(Api, SolversCanBeExchangedOnTheWay) {
    selvage::World world = make_world();
    world.add(hanging_cloth()).value();
    for (std::size_t k = 0; k < selvage_solver_count(); ++k) {
        const std::string name = selvage_solver_name(k);
        if (name == "explicit" || name == "harmonic-published") continue; // diverge at steps this long
        SCOPED_TRACE(name);
        world.set_solver(name).value();
        for (int frame = 0; frame < 5; ++frame)
            world.step().value();
    }
    EXPECT_LT(world.statistics().max_stretch, 0.3);
}

} // namespace
