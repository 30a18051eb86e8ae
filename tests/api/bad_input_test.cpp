// What the front door answers to callers who are wrong: a code, a sentence, and nothing changed.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "api/worlds.h"

namespace {

using namespace selvage_test;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kOrigin[3] = {0, 0, 0}, kNoTurn[4] = {0, 0, 0, 1};

void expect_refused(selvage_result code, selvage_result expected, const char* words) {
    EXPECT_EQ(code, expected) << selvage_last_error();
    EXPECT_NE(std::strstr(selvage_last_error(), words), nullptr) << selvage_last_error();
}

TEST(ApiBadInput, NullsAreNamed) {
    selvage::World world = make_world();
    selvage_cloth cloth = 0;
    expect_refused(selvage_world_create(nullptr, nullptr), SELVAGE_ERROR_ARGUMENT, "world is null");
    expect_refused(selvage_cloth_create(world.handle(), nullptr, &cloth), SELVAGE_ERROR_ARGUMENT, "desc is null");
    const selvage::ClothDesc desc = hanging_cloth();
    expect_refused(selvage_cloth_create(world.handle(), &desc, nullptr), SELVAGE_ERROR_ARGUMENT, "cloth is null");
    expect_refused(selvage_world_set_gravity(world.handle(), nullptr), SELVAGE_ERROR_ARGUMENT, "gravity is null");
    expect_refused(selvage_world_create_from_scene(nullptr, nullptr, &cloth), SELVAGE_ERROR_ARGUMENT, "scene is null");
    expect_refused(selvage_world_raycast(world.handle(), kOrigin, kOrigin, 1, 3, nullptr, nullptr),
                   SELVAGE_ERROR_ARGUMENT, "found is null");
    EXPECT_EQ(world.cloths().size(), 0u);
}

TEST(ApiBadInput, NumbersThatAreNoneAreNamed) {
    selvage::WorldDesc bad_world;
    bad_world.gravity[1] = kNan;
    selvage_world made = 0;
    expect_refused(selvage_world_create(&bad_world, &made), SELVAGE_ERROR_ARGUMENT, "gravity");
    bad_world = {};
    bad_world.time_step = 0.0;
    expect_refused(selvage_world_create(&bad_world, &made), SELVAGE_ERROR_ARGUMENT, "time_step is 0");
    bad_world = {};
    bad_world.solver = "xpdb";
    expect_refused(selvage_world_create(&bad_world, &made), SELVAGE_ERROR_DATA, "did you mean \"xpbd\"");
    bad_world = {};
    bad_world.solver_settings = "{\"sweep\": 3}";
    expect_refused(selvage_world_create(&bad_world, &made), SELVAGE_ERROR_DATA, "sweep");
    EXPECT_EQ(made, 0u);

    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    const std::uint64_t before = world.state_hash();
    std::vector<selvage::Vec3> places(81);
    places[7].y = kNan;
    EXPECT_EQ(cloth.set_state(places).code(), SELVAGE_ERROR_ARGUMENT);
    EXPECT_NE(std::string(selvage_last_error()).find("position 7"), std::string::npos);
    places.resize(80);
    EXPECT_EQ(cloth.set_state(places).code(), SELVAGE_ERROR_ARGUMENT);
    const double turn[4] = {0, 0, 0, 0};
    expect_refused(selvage_cloth_teleport(cloth.handle(), turn, kOrigin, 0), SELVAGE_ERROR_ARGUMENT, "quaternion");
    EXPECT_EQ(world.set_wind({0, kNan, 0}).code(), SELVAGE_ERROR_ARGUMENT);
    EXPECT_EQ(world.set_wind({0, 1e6, 0}).code(), SELVAGE_ERROR_ARGUMENT);
    EXPECT_EQ(selvage_world_advance(world.handle(), -1.0, 4, nullptr), SELVAGE_ERROR_ARGUMENT);
    EXPECT_EQ(world.state_hash(), before);
}

TEST(ApiBadInput, BudgetsThatAreNoneAreNamed) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    selvage::World world = make_world();
    for (const double ms : {-1.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e7}) {
        SCOPED_TRACE(ms);
        selvage::WorldDesc desc;
        desc.budget_ms = ms;
        const selvage::Status made = selvage::World::make(desc).status();
        EXPECT_EQ(made.code(), SELVAGE_ERROR_ARGUMENT);
        EXPECT_NE(made.message().find("budget_ms is "), std::string::npos) << made.message();
        const selvage::Status set = world.set_budget(ms);
        EXPECT_EQ(set.code(), SELVAGE_ERROR_ARGUMENT);
        EXPECT_NE(set.message().find("expected 0 (no budget) to 1e6"), std::string::npos) << set.message();
    }
    world.step().value();
}

TEST(ApiBadInput, MeshesThatAreNoneAreRefused) {
    selvage::World world = make_world();
    const std::vector<selvage::Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const auto refused = [&](const selvage::ClothDesc& desc, const char* words) {
        const auto made = world.add(desc);
        EXPECT_FALSE(made);
        EXPECT_NE(made.message().find(words), std::string::npos) << made.message();
    };
    const std::vector<selvage::Triangle> outside{{0, 1, 3}}, flat{{0, 1, 1}}, fine{{0, 1, 2}};
    refused(selvage::ClothDesc::mesh(points, outside), "names vertex 3");
    refused(selvage::ClothDesc::mesh(points, flat), "");
    refused(selvage::ClothDesc::mesh({}, fine), "null");
    refused(selvage::ClothDesc::mesh(points, {}), "null");
    refused(selvage::ClothDesc{}, "0 places");
    refused(selvage::ClothDesc::grid(1, 1, 1, 5), "resolution");
    refused(selvage::ClothDesc::grid(kNan, 1, 5, 5), "size");
    refused(selvage::ClothDesc::grid(1, 1, 100000, 100000), "resolution");
    refused(selvage::ClothDesc::grid(1, 1, 5, 5).pin("letf"), "left");
    refused(selvage::ClothDesc::grid(1, 1, 5, 5).of("denimm"), "denim");
    selvage::ClothDesc both = selvage::ClothDesc::grid(1, 1, 5, 5);
    both.file = "cloth.obj";
    refused(both, "2 places");
    selvage::ClothDesc file;
    file.file = "/no/such/file.obj";
    EXPECT_EQ(world.add(file).status().code(), SELVAGE_ERROR_FILE);
    const std::vector<std::int32_t> pins{0, 25};
    refused(selvage::ClothDesc::grid(1, 1, 5, 5).pin(pins), "vertex 25");
    selvage::ClothDesc driven = selvage::ClothDesc::grid(1, 1, 5, 5);
    driven.velocity_damping = -1.0;
    refused(driven, "velocity_damping is -1");
    selvage::ClothDesc wrong = selvage::ClothDesc::grid(1, 1, 5, 5);
    wrong.struct_size = 3;
    refused(wrong, "struct_size");
    EXPECT_TRUE(world.cloths().empty());
    world.step().value();
}

TEST(ApiBadInput, CollidersThatAreNoneAreRefused) {
    selvage::World world = make_world();
    EXPECT_FALSE(world.add(selvage::ColliderDesc::sphere(-1)));
    EXPECT_FALSE(world.add(selvage::ColliderDesc::sphere(1).at({kNan, 0, 0})));
    EXPECT_FALSE(world.add(selvage::ColliderDesc::mesh({}, {})));
    selvage::ColliderDesc heights;
    heights.shape = SELVAGE_SHAPE_HEIGHT;
    EXPECT_FALSE(world.add(heights));
    selvage::ColliderDesc unknown;
    const int seventeen = 17; // as a C program may write it
    std::memcpy(&unknown.shape, &seventeen, sizeof seventeen);
    EXPECT_FALSE(world.add(unknown));
    selvage::ClothDesc generated = hanging_cloth();
    std::memcpy(&generated.generator, &seventeen, sizeof seventeen);
    EXPECT_FALSE(world.add(generated));
    selvage::WorldDesc quality;
    std::memcpy(&quality.quality, &seventeen, sizeof seventeen);
    EXPECT_FALSE(selvage::World::make(quality));
    EXPECT_TRUE(world.colliders().empty());
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(1)).value();
    const std::vector<selvage::Vec3> points(3);
    EXPECT_EQ(ball.set_vertices(std::span<const selvage::Vec3>(points)).code(), SELVAGE_ERROR_ARGUMENT);
}

TEST(ApiBadInput, DeadHandlesNameNothing) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    selvage::Collider ball = world.add(selvage::ColliderDesc::sphere(1)).value();
    const selvage::Cloth wrong_kind(ball.handle());
    EXPECT_TRUE(wrong_kind.positions().empty());
    EXPECT_EQ(selvage_cloth_destroy(ball.handle()), SELVAGE_ERROR_HANDLE);
    cloth.destroy().value();
    EXPECT_EQ(cloth.destroy().code(), SELVAGE_ERROR_HANDLE);
    const selvage::Cloth next = world.add(hanging_cloth()).value(); // into the same place
    EXPECT_NE(next.handle(), cloth.handle());
    EXPECT_TRUE(cloth.positions().empty());
    EXPECT_EQ(selvage_world_step(0), SELVAGE_ERROR_HANDLE);
    EXPECT_EQ(selvage_world_step(cloth.handle()), SELVAGE_ERROR_HANDLE);
    EXPECT_EQ(selvage_world_step(~std::uint64_t{0}), SELVAGE_ERROR_HANDLE);
    selvage_world gone = 0;
    {
        selvage::World other = make_world();
        gone = other.handle();
    }
    EXPECT_EQ(selvage_world_step(gone), SELVAGE_ERROR_HANDLE);
    EXPECT_EQ(selvage_world_destroy(gone), SELVAGE_ERROR_HANDLE);
}

TEST(ApiBadInput, CallsFromInsideACallbackAreTurnedAway) {
    struct Seen {
        selvage_world world = 0;
        selvage_cloth cloth = 0;
        selvage_result add = SELVAGE_OK, read = SELVAGE_OK, step = SELVAGE_OK;
        int calls = 0;
    } seen;
    selvage::WorldDesc desc;
    desc.threads = 2;
    desc.parallel_user = &seen;
    desc.parallel_for = [](void* user, int count, selvage_task task, void* context) {
        Seen& s = *static_cast<Seen*>(user);
        ++s.calls;
        const selvage::ClothDesc wanted = hanging_cloth();
        selvage_cloth made = 0;
        const double* data = nullptr;
        s.add = selvage_cloth_create(s.world, &wanted, &made);
        s.read = selvage_cloth_positions(s.cloth, &data, nullptr);
        s.step = selvage_world_step(s.world);
        for (int k = 0; k < count; ++k)
            task(context, k);
    };
    selvage::World world = selvage::World::make(desc).value();
    seen.world = world.handle();
    seen.cloth = world.add(selvage::ClothDesc::grid(1, 1, 40, 40)).value().handle();
    world.step().value();
    EXPECT_GT(seen.calls, 0);
    EXPECT_EQ(seen.add, SELVAGE_ERROR_BUSY);
    EXPECT_EQ(seen.read, SELVAGE_ERROR_BUSY);
    EXPECT_EQ(seen.step, SELVAGE_ERROR_BUSY);
    EXPECT_EQ(world.cloths().size(), 1u);
}

TEST(ApiBadInput, TwoThreadsAtOnceGetTurns) {
    selvage::World world = make_world();
    const selvage::Cloth cloth = world.add(selvage::ClothDesc::grid(1, 1, 20, 20).pin("left")).value();
    std::atomic<int> stepped{0}, refused{0}, other{0};
    const auto hammer = [&] {
        for (int k = 0; k < 60; ++k) {
            const selvage_result code = selvage_world_step(world.handle());
            (code == SELVAGE_OK ? stepped : code == SELVAGE_ERROR_BUSY ? refused : other)++;
            const float* data = nullptr;
            selvage_cloth_positions_f(cloth.handle(), &data, nullptr);
        }
    };
    std::thread a(hammer), b(hammer);
    a.join();
    b.join();
    EXPECT_EQ(other.load(), 0);
    EXPECT_EQ(stepped + refused, 120);
    EXPECT_EQ(world.statistics().frames, stepped.load()); // a call that was turned away did nothing
}

TEST(ApiBadInput, SnapshotsOfOtherWorldsAreRefused) {
    selvage::World world = make_world(), other = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    other.add(selvage::ClothDesc::grid(0.5, 0.5, 8, 8)).value();
    std::vector<std::byte> snapshot;
    world.snapshot(snapshot).value();
    const std::uint64_t before = other.state_hash();
    EXPECT_EQ(other.restore(snapshot).code(), SELVAGE_ERROR_DATA);
    EXPECT_EQ(other.state_hash(), before);
    // Every byte of it may be wrong: it is taken or refused, and the world goes on. One that diverges says so.
    for (std::size_t k = 0; k < snapshot.size(); k += k < 100 ? 1 : 37)
        for (const std::byte mask : {std::byte{0x81}, std::byte{0x40}}) {
            std::vector<std::byte> damaged = snapshot;
            damaged[k] ^= mask;
            if (!world.restore(damaged)) continue;
            const selvage_result stepped = world.step().code();
            EXPECT_TRUE(stepped == SELVAGE_OK || stepped == SELVAGE_ERROR_DIVERGED) << "byte " << k;
            for (const selvage::Vec3& p : cloth.positions())
                ASSERT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) << "byte " << k;
        }
    world.restore(snapshot).value();
    cloth.destroy().value();
    EXPECT_EQ(world.restore(snapshot).code(), SELVAGE_ERROR_DATA);
    EXPECT_EQ(world.restore({}).code(), SELVAGE_ERROR_ARGUMENT);
}

// Finite, but no place that a world can hold: searches for pairs in float would not be good for it.
TEST(ApiBadInput, SnapshotsWithImpossiblePlacesAreRefused) {
    selvage::World world = make_world();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    std::vector<std::byte> snapshot;
    world.snapshot(snapshot).value();
    const selvage::Vec3 last = cloth.positions().back();
    const auto* bytes = reinterpret_cast<const std::byte*>(&last);
    const auto at = std::find_end(snapshot.begin(), snapshot.end(), bytes, bytes + sizeof last);
    ASSERT_NE(at, snapshot.end());
    const double far = 1e40;
    std::memcpy(&*at, &far, sizeof far);
    const std::uint64_t before = world.state_hash();
    EXPECT_EQ(world.restore(snapshot).code(), SELVAGE_ERROR_DATA);
    EXPECT_EQ(world.state_hash(), before);
}

TEST(ApiBadInput, DivergenceIsSaidAndCanBeReset) {
    selvage::WorldDesc desc;
    desc.solver = "explicit";
    desc.substeps = 1;
    selvage::World world = selvage::World::make(desc).value();
    selvage::Cloth cloth = world.add(hanging_cloth()).value();
    selvage_result code = SELVAGE_OK;
    for (int frame = 0; frame < 200 && code == SELVAGE_OK; ++frame)
        code = selvage_world_step(world.handle());
    EXPECT_EQ(code, SELVAGE_ERROR_DIVERGED);
    for (const selvage::Vec3& p : cloth.positions())
        ASSERT_TRUE(std::isfinite(p.x + p.y + p.z));
    EXPECT_EQ(selvage_world_step(world.handle()), SELVAGE_ERROR_DIVERGED);
    world.set_solver("multilevel").value();
    cloth.reset().value();
    for (int frame = 0; frame < 20; ++frame)
        world.step().value();
}

} // namespace
