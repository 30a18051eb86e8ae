#include "api/api_fuzz.h"

#include <gtest/gtest.h>

namespace {

TEST(ApiFuzz, RandomCallsBreakNoPromise) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(seed);
        selvage_test::ApiFuzz fuzz(seed);
        EXPECT_EQ(fuzz.run(5000), "");
        EXPECT_GT(fuzz.steps(), 100);
    }
}

} // namespace
