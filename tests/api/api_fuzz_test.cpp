#include "api/api_fuzz.h"

#include <gtest/gtest.h>

namespace {

TEST(ApiFuzz, RandomCallsBreakNoPromise) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(seed);
        selvage_test::ApiFuzz fuzz(seed);
        EXPECT_EQ(fuzz.run(1500), "");
        EXPECT_GT(fuzz.steps(), 50);
    }
}

} // namespace
