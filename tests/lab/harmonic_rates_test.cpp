#include "lab/papers/harmonic_rates.h"

#include <gtest/gtest.h>

#include "sim/separate_memory.h"

namespace selvage {
namespace {

TEST(HarmonicRates, KnowWhatThePrintsSpringsFollowAndWhereTheyDoNot) {
    int slips = 0;
    for (const PrintedRate& row : kTableOne)
        slips += printed_springs(row.side) != row.springs;
    EXPECT_EQ(slips, 2);                      // 40,000 and 112,896 vertices
    EXPECT_EQ(printed_springs(128), 161544);  // in the text, with fig. 7
    EXPECT_EQ(printed_springs(336), 1122920); // the print has 1,233,920
}

TEST(HarmonicRates, AreMeasuredOnADeviceForEachMethodAndSize) {
    StandInDevice stand_in;
    const Device device = stand_in.device(DeviceChoice::cuda);
    EXPECT_EQ(why_no_rates(device), "");
    stand_in.made = 0;
    const std::array<PrintedRate, 2> sizes{{{8, 500, 70.0}, {12, 1200, 60.0}}};
    constexpr int kFrames = 5;
    const Result<std::vector<RateRow>> rows = measure_rates(device, sizes, kFrames);
    ASSERT_TRUE(rows) << rows.error().text();
    ASSERT_EQ(rows->size(), 2u);
    EXPECT_EQ(stand_in.made, 2 * 4);                      // sizes and runs
    EXPECT_EQ(stand_in.counts.downloads, 0);              // nothing is read back
    EXPECT_EQ(stand_in.counts.steps, 2 * 25 * (3 + 100)); // 20 frames of warm-up too
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        const RateRow& row = (*rows)[r];
        const int n = sizes[r].side;
        EXPECT_EQ(row.vertices, n * n);
        EXPECT_EQ(row.springs, 6 * n * n - 10 * n + 2);
        for (const double rate : {row.harmonic, row.published, row.jacobi, row.harmonic_steps})
            EXPECT_GT(rate, 0.0);
    }
    const std::string text = rates_text(device, *rows);
    EXPECT_NE(text.find("Ours: a stand-in. The print: one GTX 590"), std::string::npos);
    EXPECT_EQ(rates_table(*rows).rows.size(), 2u);
    EXPECT_EQ(rates_table(*rows).rows[0].size(), rates_table(*rows).head.size());
    const Plot vertices = rates_plot(*rows, false), springs = rates_plot(*rows, true);
    EXPECT_EQ(vertices.series[0].x, (std::vector<double>{64, 144}));
    EXPECT_EQ(springs.series[0].x, (std::vector<double>{500, 1200})); // the print's own
    EXPECT_EQ(springs.series[1].x, (std::vector<double>{306, 746}));
    EXPECT_EQ(springs.series[0].y, (std::vector<double>{70, 60}));
}

TEST(HarmonicRates, SayWhyTheyAreLeftOut) {
    StandInDevice stand_in;
    EXPECT_EQ(why_no_rates(stand_in.device(DeviceChoice::cpu)), "the CPU was asked for");
    stand_in.is_lost = true;
    EXPECT_EQ(why_no_rates(stand_in.device(DeviceChoice::automatic)), "device cuda: no device found");
}

} // namespace
} // namespace selvage
