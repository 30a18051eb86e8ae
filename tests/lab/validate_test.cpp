#include "lab/validate/validate.h"

#include <cmath>

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// Rows that are outside their tolerance, and why; docs/records/validation.md says more.
bool is_known_to_miss(const std::string& row) {
    // Crumples next to the pinned corners are as wide as the cells that make them: 2.1 % of the path solved to the end,
    // and 3.0 as far as the default goes, instead of 2.
    if (row == "independence/multilevel:mesh") return true;
    // What a method's own contact holds by pairs of features sticks like syrup: it creeps by some millimetres a second,
    // and slides a little slower than it should.
    for (const char* creeps : {"collider-friction/multilevel:ground:sticks", "collider-friction/multilevel:mesh:sticks",
                               "collider-friction/xpbd:cylinder:sticks", "cloth-on-cloth/implicit-cg:sticks",
                               "cloth-on-cloth/multilevel:sticks", "cloth-on-cloth/multilevel:slides"})
        if (row == creeps) return true;
    // Strips that bend by hinges alone, one row of cells wide or cut from a pattern: warp and weft come out too
    // alike, probably because hinges along diagonals have the rigidity of the bias (drop 0.18 and 0.37 instead of 0.12 and 0.48).
    for (const char* blurs :
         {"thread-cantilever/multilevel:row:0-deg", "thread-cantilever/multilevel:row:90-deg",
          "thread-cantilever/multilevel:pattern:0-deg", "thread-cantilever/multilevel:pattern:90-deg"})
        if (row == blurs) return true;
    return false;
}

class Validate : public ::testing::TestWithParam<int> {};

TEST_P(Validate, StaysWithinItsTolerance) {
    const ValidationCheck& check = validation_checks()[GetParam()];
    const std::vector<ValidationRow> rows = check.quick ? check.quick() : check.run();
    EXPECT_FALSE(rows.empty());
    for (const ValidationRow& row : rows)
        EXPECT_EQ(row.pass, !is_known_to_miss(row.name))
            << row.name << ": expected " << row.expected << ", got " << row.got << " " << row.unit;
}

INSTANTIATE_TEST_SUITE_P(Checks, Validate, ::testing::Range(0, static_cast<int>(validation_checks().size())),
                         [](const auto& instance) {
                             std::string name = validation_checks()[instance.param].name;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return name;
                         });

TEST(ValidationRow, FailsOnNanAndComparesRelatively) {
    EXPECT_FALSE(make_row("x", 1.0, std::nan(""), 0.1, "").pass);
    EXPECT_TRUE(make_row("x", 200.0, 201.0, 0.01, "").pass);
    EXPECT_FALSE(make_row("x", 200.0, 203.0, 0.01, "").pass);
    EXPECT_FALSE(make_row("x", 0.0, 0.02, 0.01, "").pass);
}

} // namespace
} // namespace selvage
