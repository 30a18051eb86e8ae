// A hundred thousand steps of every solver under hands that know no mercy. Slow by design; robustness_test.cpp has the
// short form of it.

#include "solvers/grab_fuzz.h"

namespace selvage {
namespace {

class GrabFuzz : public ::testing::TestWithParam<SolverEntry> {};

TEST_P(GrabFuzz, HundredThousandSteps) {
    constexpr int kSteps = 100000;
    const std::vector<FuzzCase>& cases = fuzz_cases();
    fuzz_grabs(GetParam(), GetParam().defaults, 9, cases, kSteps / static_cast<int>(cases.size()));
}

TEST_P(GrabFuzz, ThroughItsOwnFolds) {
    fuzz_grabs(GetParam(), GetParam().defaults, 9, fuzz_cases_of_folds(), 100);
}

INSTANTIATE_TEST_SUITE_P(EverySolver, GrabFuzz, ::testing::ValuesIn(solver_catalog()), [](const auto& instance) {
    std::string name = instance.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
} // namespace selvage
