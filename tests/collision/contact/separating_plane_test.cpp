#include "collision/contact/separating_plane.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "collision/contact/contact_puppet.h"
#include "collision/search/proximity.h"

namespace selvage {
namespace {

double distance_at(const FeatureMotion& motion, double fraction) {
    std::array<Vec3, 4> x;
    for (int k = 0; k < 4; ++k)
        x[k] = motion.begin[k] + fraction * (motion.end[k] - motion.begin[k]);
    return std::sqrt(motion.side_count == 1 ? closest_points(x[0], x[1], x[2], x[3]).distance_squared
                                            : closest_points_of_segments(x[0], x[1], x[2], x[3]).distance_squared);
}

/// Smallest distance at so many moments: never below the true one.
double sampled_distance(const FeatureMotion& motion, int moments) {
    double least = 1e300;
    for (int k = 0; k <= moments; ++k)
        least = std::min(least, distance_at(motion, static_cast<double>(k) / moments));
    return least;
}

FeatureMotion random_motion(Dice& dice, double distance) {
    FeatureMotion motion;
    motion.side_count = 1 + (dice.vector(1.0).x > 0.0);
    for (int k = 0; k < 4; ++k) {
        motion.begin[k] = dice.vector(1.0);
        motion.end[k] = motion.begin[k] + dice.vector(distance);
    }
    return motion;
}

TEST(SeparatingPlane, NeverShowsApartWhatMeets) {
    Dice dice(3);
    int apart = 0, shown = 0;
    for (int k = 0; k < 20000; ++k) {
        const FeatureMotion motion = random_motion(dice, k % 2 == 0 ? 0.3 : 1.5);
        const double least = 0.01, sampled = sampled_distance(motion, 200);
        const bool is_shown = stays_apart(motion, least);
        if (is_shown) {
            ASSERT_GE(sampled, least) << k;
        }
        apart += sampled > 2.0 * least;
        shown += is_shown;
    }
    EXPECT_GT(apart, 10000);
    EXPECT_GT(shown, 0.95 * apart); // or it would be of little use
}

// A face in z = 0 whose border is x = 0, and a vertex that goes from above it round the border: z is 0 at x = -1/6. The
// face's plane is no plane between them in the end, and the one across the line from the border to where the vertex
// ends none at the start.
TEST(SeparatingPlane, SeesAVertexRoundABorder) {
    const auto slips = [](double aside) {
        return FeatureMotion{{Vec3{0.1 + aside, 0, 0.2}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}},
                             {Vec3{-0.3 + aside, 0, -0.1}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}},
                             1};
    };
    EXPECT_LT(best_plane(slips(0.0), {0, 0, 1}, 1e-6).gap_end, 0.0);
    EXPECT_TRUE(stays_apart(slips(0.0), 1e-6));
    EXPECT_TRUE(
        stays_apart(slips(0.0), 0.09)); // the path is inclined by atan(3/4), so it is 0.6/6 = 0.1 from the border
    EXPECT_FALSE(stays_apart(slips(0.0), 0.11));
    EXPECT_TRUE(stays_apart(slips(0.1), 1e-6));
    EXPECT_FALSE(stays_apart(slips(0.17), 1e-6)); // through the face, 3 mm inside
}

// Half a turn of a rod over another one that crosses it: its ends change sides, but it stays above all the time.
TEST(SeparatingPlane, SeesAPlaneThatHoldsAllTheWay) {
    const FeatureMotion turn{{Vec3{-1, 0, 0.1}, {1, 0, 0.1}, {0, -1, 0}, {0, 1, 0}},
                             {Vec3{1, 0, 0.1}, {-1, 0, 0.1}, {0, -1, 0}, {0, 1, 0}},
                             2};
    const SeparatingPlane by = best_plane(turn, {0, 0, 1}, 1e-6);
    EXPECT_DOUBLE_EQ(by.gap, 0.1);
    EXPECT_DOUBLE_EQ(by.gap_end, 0.1);
    EXPECT_TRUE(stays_apart(turn, 0.09));
    EXPECT_FALSE(stays_apart(turn, 0.1001));
}

TEST(SeparatingPlane, TakesFeaturesWithoutSize) {
    const Vec3 here{1, 2, 3};
    const FeatureMotion one_place{{here, here, here, here}, {here, here, here, here}, 1};
    EXPECT_FALSE(stays_apart(one_place, 1e-6));
    EXPECT_LE(best_plane(one_place, {0, 0, 1}, 1e-6).gap, 0.0);
    // Two points that pass each other at a distance of 1.
    const FeatureMotion points{{Vec3{-3, 0, 1}, {-3, 0, 1}, {}, {}}, {Vec3{3, 0, 1}, {3, 0, 1}, {}, {}}, 2};
    EXPECT_TRUE(stays_apart(points, 0.9));
    EXPECT_FALSE(stays_apart(points, 1.001));
}

} // namespace
} // namespace selvage
