#include "base/float_environment.h"

#include <atomic>
#include <cfenv>
#include <limits>

#include <gtest/gtest.h>

#include "base/thread_pool.h"

namespace selvage {
namespace {

/// The smallest normal number, halved: what flush-to-zero turns into 0.
double halved() {
    volatile double smallest = std::numeric_limits<double>::min();
    return smallest * 0.5;
}

/// 1 + 2^-60, which is 1 unless rounding goes up.
double rounded() {
    volatile double one = 1.0;
    return one + 0x1p-60;
}

TEST(FloatEnvironment, RoundsToNearestAndRestoresTheCallersMode) {
    ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
    ASSERT_GT(rounded(), 1.0);
    {
        const FloatEnvironment plain;
        EXPECT_EQ(rounded(), 1.0);
    }
    EXPECT_GT(rounded(), 1.0);
    std::fesetround(FE_TONEAREST);
}

TEST(FloatEnvironment, KeepsSmallNumbersAndRestoresFlushing) {
#if SELVAGE_HAS_MXCSR
    const FloatControl before = float_control();
    constexpr FloatControl kFlush = 0x8040; // results and operands
    set_float_control(before | kFlush);
    ASSERT_EQ(halved(), 0.0);
    {
        const FloatEnvironment plain;
        EXPECT_GT(halved(), 0.0);
        const FloatEnvironment again; // nests
        EXPECT_GT(halved(), 0.0);
    }
    EXPECT_EQ(float_control() & kFlush, kFlush);
    EXPECT_EQ(halved(), 0.0);
    set_float_control(before);
#else
    GTEST_SKIP() << "no such mode here";
#endif
}

TEST(FloatEnvironment, WorkersOfAPoolKeepSmallNumbersWhateverTheirMaker) {
#if SELVAGE_HAS_MXCSR
    const FloatControl before = float_control();
    set_float_control(before | 0x8040);
    std::atomic<int> lost{0};
    {
        ThreadPool pool(4);
        const FloatEnvironment plain;
        for (int round = 0; round < 100; ++round)
            pool.for_chunks(64, 1, [&](int, int) {
                if (!(halved() > 0.0)) ++lost;
            });
    }
    set_float_control(before);
    EXPECT_EQ(lost, 0);
#else
    GTEST_SKIP() << "no such mode here";
#endif
}

} // namespace
} // namespace selvage
