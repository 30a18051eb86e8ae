#include "view/timeline.h"

#include <gtest/gtest.h>

namespace selvage {
namespace {

RecordedFrame frame_at(double time, std::size_t vertices = 4) {
    return {{std::vector<Vec3>(vertices), std::vector<Vec3>(vertices), time}, {}};
}

TEST(Timeline, KeepsTheLastSecondsAndNoMore) {
    Timeline timeline(2.0);
    timeline.start(4, 0.1);
    for (int i = 0; i < 100; ++i)
        timeline.add(frame_at(0.1 * i));
    EXPECT_EQ(timeline.count(), 21); // two seconds have 20 frames and 21 ends
    EXPECT_NEAR(timeline.time(0), 7.9, 1e-9);
    EXPECT_NEAR(timeline.time(20), 9.9, 1e-9);
}

TEST(Timeline, ForgetsWhatWasLaterWhenTimeGoesOnFromThePast) {
    Timeline timeline(2.0);
    timeline.start(4, 0.1);
    for (int i = 0; i < 10; ++i)
        timeline.add(frame_at(0.1 * i));
    EXPECT_NEAR(timeline.go_to(3).state.time, 0.3, 1e-12);
    EXPECT_EQ(timeline.count(), 10); // looking alone forgets nothing
    timeline.add(frame_at(0.4));
    EXPECT_EQ(timeline.count(), 5);
    EXPECT_EQ(timeline.at(), 4);
}

TEST(Timeline, KeepsFewerFramesWhenTheyAreLarge) {
    Timeline timeline(30.0, 48 * 1000 * 100); // room for a hundred frames of a thousand vertices
    timeline.start(1000, 1.0 / 60.0);
    EXPECT_EQ(timeline.every(), 18); // 1800 frames wanted
    for (int i = 0; i < 1800; ++i)
        timeline.add(frame_at(i / 60.0, 1));
    EXPECT_LE(timeline.count(), 101);
    EXPECT_NEAR(timeline.time(timeline.count() - 1) - timeline.time(0), 30.0, 0.5); // all the time, more coarsely
}

} // namespace
} // namespace selvage
