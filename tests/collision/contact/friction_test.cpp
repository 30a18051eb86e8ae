#include "collision/contact/friction.h"

#include <gtest/gtest.h>

#include "collision/contact/contact_record.h"

namespace selvage {
namespace {

TEST(Friction, TakesThePartAcrossTheNormal) {
    // (1, 2, 3) has 0.6 + 1.6 = 2.2 along (0.6, 0.8, 0).
    const Vec3 part = tangential({1, 2, 3}, {0.6, 0.8, 0});
    EXPECT_NEAR(part.x, 1.0 - 2.2 * 0.6, 1e-15);
    EXPECT_NEAR(part.y, 2.0 - 2.2 * 0.8, 1e-15);
    EXPECT_EQ(part.z, 3.0);
}

// Coulomb's cone: a tangential quantity is at most the coefficient times the normal one, and keeps its direction.
TEST(Friction, LimitsToTheCone) {
    const Vec3 needed{3, 0, 4}; // of length 5
    EXPECT_EQ(limit_friction(needed, 0.5, 20.0), needed);
    EXPECT_EQ(limit_friction(needed, 0.5, 10.0), needed); // just on the cone
    EXPECT_TRUE(is_within_friction(needed, 0.5, 10.0));
    EXPECT_FALSE(is_within_friction(needed, 0.5, 9.0));
    const Vec3 limited = limit_friction(needed, 0.25, 10.0);
    EXPECT_DOUBLE_EQ(limited.x, 1.5); // half of it: 0.25 x 10 of 5
    EXPECT_DOUBLE_EQ(limited.z, 2.0);
    EXPECT_EQ(limit_friction(needed, 0.5, 0.0), Vec3{}); // nothing presses
    EXPECT_EQ(limit_friction({}, 0.5, 0.0), Vec3{});
}

TEST(Friction, CombinesTwoBodies) {
    ContactBody silk, wool, table;
    silk.friction = 0.1, silk.distance = 0.001;
    wool.friction = 0.4, wool.distance = 0.003;
    table.friction = 0.7, table.distance = 0.005, table.is_solid = true;
    EXPECT_DOUBLE_EQ(combined_friction(silk, wool), 0.2); // root of 0.04
    EXPECT_DOUBLE_EQ(combined_distance(silk, wool), 0.002);
    for (const ContactBody& cloth : {silk, wool}) { // a collider's own numbers count, whichever comes first
        EXPECT_EQ(combined_friction(cloth, table), 0.7);
        EXPECT_EQ(combined_friction(table, cloth), 0.7);
        EXPECT_EQ(combined_distance(cloth, table), 0.005);
        EXPECT_EQ(combined_distance(table, cloth), 0.005);
    }
}

// A gap of 1 mm where 3 mm are wanted: a quarter of what is missing is 0.5 mm.
TEST(Friction, OpensANarrowGapSlowly) {
    EXPECT_DOUBLE_EQ(opening_gap(0.003, 0.001, 0.25, 1.0), 0.0015);
    EXPECT_DOUBLE_EQ(opening_gap(0.003, 0.001, 0.25, 0.0002), 0.0012); // no faster than that
    EXPECT_EQ(opening_gap(0.003, 0.01, 0.25, 1.0), 0.003);             // wide enough: only the minimum distance counts
}

} // namespace
} // namespace selvage
