#include "sim/scene_fuzz.h"

#include <gtest/gtest.h>

namespace selvage {
namespace {

// A few of what lab/benchmarks/scene_fuzz.cpp runs by the thousand.
TEST(SceneFuzz, RandomValidScenesKeepTheirPromises) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        FuzzDice dice(seed);
        const SceneDesc scene = any_valid_scene(dice);
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << solver_name(scene.solver));
        const SceneOutcome one = run_scene(scene, seed, 1);
        EXPECT_EQ(one.broken, "");
        EXPECT_EQ(run_scene(scene, seed, 3).hash, one.hash);
    }
}

} // namespace
} // namespace selvage
