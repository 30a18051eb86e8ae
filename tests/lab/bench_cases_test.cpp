#include "lab/benchmarks/bench_cases.h"

#include <gtest/gtest.h>

#include "base/concat.h"
#include "lab/benchmarks/yard.h"
#include "sim/separate_memory.h"

namespace selvage {
namespace {

Result<BenchRow> time_small(const char* solver, int threads, const Device& device) {
    return bench_scene("yard-hang",
                       {"/cloths/0/mesh/grid/vertices=[8,8]", "/cloths/0/self_collision=false",
                        concat("/solver={\"type\":\"", solver, "\"}")},
                       threads, 2, 6, device);
}

TEST(BenchCases, TimeADeviceAndSkipWhatItCannotStep) {
    StandInDevice stand_in;
    const Device device = stand_in.device(DeviceChoice::cuda);
    const Result<BenchRow> host = time_small("multilevel", 1, {}), row = time_small("multilevel", 1, device);
    ASSERT_TRUE(host && row);
    EXPECT_EQ(row->device, "cuda");
    EXPECT_EQ(row->skipped, "");
    EXPECT_GT(stand_in.counts.steps, 0);
    EXPECT_EQ(row->state_hash, host->state_hash); // the stand-in steps as the host does
    EXPECT_EQ(host->device, "cpu");
    EXPECT_EQ(bench_json({*host, *row})[1]["device"], "cuda");

    const Result<BenchRow> refused = time_small("xpbd", 1, device);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->skipped, "device cuda: found xpbd");
    const Result<BenchRow> again = time_small("multilevel", 2, device); // threads are the host's
    ASSERT_TRUE(again);
    EXPECT_NE(again->skipped.find("threads make no difference"), std::string::npos);
    const Result<BenchRow> instead = time_small("xpbd", 2, stand_in.device(DeviceChoice::automatic));
    ASSERT_TRUE(instead);
    EXPECT_EQ(instead->device, "cpu");
    EXPECT_EQ(instead->skipped, "");
}

TEST(BenchCases, NoticeThatThereIsNoDevice) {
    StandInDevice stand_in;
    EXPECT_TRUE(check_device(stand_in.device(DeviceChoice::cuda)));
    stand_in.is_lost = true;
    EXPECT_FALSE(check_device(stand_in.device(DeviceChoice::cuda)));
    EXPECT_FALSE(check_device({DeviceChoice::automatic}));
    EXPECT_TRUE(check_device({})); // there is always a CPU
}

TEST(Yard, TimesADeviceAndSkipsWhatItCannotStep) {
    StandInDevice stand_in;
    YardPlan plan;
    plan.scenes = {"yard-hang"};
    plan.sides = {8, 12};
    plan.damping = {0.0};
    plan.fabrics = {"poplin"};
    plan.seconds = 0.1;
    plan.overrides = {"/cloths/0/self_collision=false"};
    plan.device = stand_in.device(DeviceChoice::cuda);
    std::vector<YardRow> rows;
    ASSERT_TRUE(run_yard(plan, [&](const YardRow& row) { rows.push_back(row); }));
    ASSERT_EQ(rows.size(), 8u); // sides, solvers, threads
    for (const YardRow& row : rows) {
        SCOPED_TRACE(concat(row.solver, " ", row.threads));
        const bool runs = row.solver == "multilevel" && row.threads == 1;
        EXPECT_EQ(row.skipped.empty(), runs) << row.skipped;
        EXPECT_EQ(row.device, "cuda"); // where it was wanted
    }
    EXPECT_EQ(yard_json(rows).size(), 2u); // those that ran
    const std::vector<YardSeries> series = yard_series(rows);
    ASSERT_EQ(series.size(), 1u);
    EXPECT_EQ(series[0].name, "yard-hang multilevel, cuda, poplin, undamped");
    EXPECT_EQ(series[0].ms.front(), rows[2].wall_median_ms);
}

} // namespace
} // namespace selvage
