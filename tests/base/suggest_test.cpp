#include "base/suggest.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "base/hash.h"
#include "base/result.h"

namespace selvage {
namespace {

TEST(Suggest, FindsTheWordAKeySlipAway) {
    const std::vector<std::string> known = {"gravity", "substeps", "seconds", "solver"};
    EXPECT_EQ(nearest_word("gravitiy", known), "gravity");
    EXPECT_EQ(nearest_word("substep", known), "substeps");
    EXPECT_EQ(nearest_word("slover", known), "solver");
    EXPECT_EQ(nearest_word("grav", known), "gravity");
    EXPECT_EQ(nearest_word("x", {"dt", "u"}), "u");
    EXPECT_EQ(nearest_word("x", {"dt"}), "");
    EXPECT_EQ(nearest_word("zzzzzzzzzz", known), "");
    EXPECT_EQ(nearest_word("anything", {}), "");
}

TEST(Hash, MatchesPublishedFnv1aOnShortTextAndSeesEveryBit) {
    EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cu); // FNV-1a 64 test vector
    EXPECT_EQ(hash_text(""), 0xcbf29ce484222325u);
    const double zero = 0.0, negative_zero = -0.0;
    EXPECT_NE(hash_bytes(&zero, 8), hash_bytes(&negative_zero, 8));
    EXPECT_EQ(hex(0x0123456789abcdefu), "0123456789abcdef");
}

TEST(Result, HoldsAValueOrAnErrorWithItsPlace) {
    const Result<int> good = 3;
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 3);
    const Result<int> bad = Error{"found x", "file:1:2"};
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().text(), "file:1:2: found x");
    EXPECT_EQ(Error{"alone"}.text(), "alone");
}

TEST(Concat, KeepsNineDigits) {
    EXPECT_EQ(concat("t = ", 0.123456789, " s"), "t = 0.123456789 s");
}

} // namespace
} // namespace selvage
