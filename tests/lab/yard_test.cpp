#include "lab/benchmarks/yard.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace selvage {
namespace {

YardPlan small_plan() {
    YardPlan plan;
    plan.sides = {8, 12};
    plan.threads = {1};
    plan.seconds = 0.2;
    return plan;
}

TEST(Yard, RunsEveryCombinationOnceSmallOnesFirst) {
    std::vector<YardRow> rows;
    ASSERT_TRUE(run_yard(small_plan(), [&](const YardRow& row) { rows.push_back(row); }));
    ASSERT_EQ(rows.size(), 2u * 2u * 2u * 2u * 2u); // sides, scenes, fabrics, damping, solvers
    for (const YardRow& row : rows) {
        EXPECT_EQ(row.vertices, row.side * row.side);
        EXPECT_EQ(row.frames, 12);
        EXPECT_EQ(row.failure, "");
        EXPECT_EQ(row.crossings, 0);
        EXPECT_GE(row.cpu_p95_ms, row.cpu_median_ms);
        EXPECT_GE(row.edges_max, row.edges_rms);
        EXPECT_GE(row.threads_max, row.threads_rms);
        EXPECT_LT(row.edges_max, 0.1);
    }
    EXPECT_TRUE(
        std::is_sorted(rows.begin(), rows.end(), [](const YardRow& a, const YardRow& b) { return a.side < b.side; }));
    // The combinations do differ in what they simulate: 16 hashes at either size, but for a free fall, where poplin and
    // net are alike for 0.2 s.
    std::vector<std::string> hashes;
    for (const YardRow& row : rows)
        if (row.scene == "yard-hang") hashes.push_back(row.state_hash);
    std::sort(hashes.begin(), hashes.end());
    EXPECT_EQ(std::unique(hashes.begin(), hashes.end()) - hashes.begin(), 16);
}

TEST(Yard, SaysWhatIsWrongWithAChange) {
    YardPlan plan = small_plan();
    plan.overrides = {"/solver/sweeeps=3"};
    const Status done = run_yard(plan, [](const YardRow&) {});
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().text().find("sweeeps"), std::string::npos);
}

TEST(Yard, FitsTheExponentOfEachSeriesAndLeavesOutWhatDiverged) {
    std::vector<YardRow> rows;
    for (const int side : {32, 64, 128})
        for (const double damping : {2.23, 0.0}) {
            YardRow row;
            row.scene = "yard-hang";
            row.solver = "xpbd";
            row.fabric = "net";
            row.damping = damping;
            row.side = side;
            row.vertices = side * side;
            row.threads = 1;
            row.cpu_median_ms = 1e-3 * std::pow(row.vertices, damping > 0.0 ? 1.25 : 1.0);
            rows.push_back(row);
        }
    rows.push_back(rows.back());
    rows.back().failure = "diverged in cloth \"cloth\", at once";
    const std::vector<YardSeries> series = yard_series(rows);
    ASSERT_EQ(series.size(), 2u);
    EXPECT_EQ(series[0].vertices.size(), 3u);
    EXPECT_NEAR(series[0].exponent, 1.25, 1e-12); // what the times were made with
    EXPECT_NEAR(series[1].exponent, 1.0, 1e-12);

    const std::string csv = yard_csv(rows);
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 8); // a line of names and seven rows
    EXPECT_NE(csv.find(R"("diverged in cloth ""cloth"", at once")"), std::string::npos);
    const Canvas page = draw_yard(rows); // two panels side by side
    EXPECT_EQ(page.width(), 1800);
    EXPECT_EQ(page.height(), 560);
}

} // namespace
} // namespace selvage
