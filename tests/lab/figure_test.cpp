#include <cmath>

#include "base/atomic_file.h"
#include "lab/figure/plot.h"
#include "support.h"

namespace selvage {
namespace {

class Figure : public TestFolder {};

TEST_F(Figure, PlotDrawsItsPointsAndWritesAPng) {
    Plot plot{"title", "x",  "y",
              false,   true, {{"a", {1, 2, 3}, {0.1, 1.0, 10.0}}, {"b", {1, 2, 3}, {0.0, -1.0, std::nan("")}}}};
    ASSERT_TRUE(draw_plot(plot).save_png(file("plot.png")));
    const std::string bytes = *read_file(file("plot.png"));
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    EXPECT_GT(bytes.size(), 2000u);
    EXPECT_EQ(files().size(), 1u);
    draw_plot({}); // nothing at all is still a picture
}

TEST_F(Figure, ReportsWhereItCannotWrite) {
    EXPECT_FALSE(Canvas(8, 8).save_png(file("none/x.png")));
}

} // namespace
} // namespace selvage
