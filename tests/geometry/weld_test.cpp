#include "geometry/weld.h"

#include <gtest/gtest.h>

namespace selvage {
namespace {

/// A flat panel of 3 x 3 points from `left`, at height z.
TriangleMesh panel(double left, double z, double size = 0.1) {
    TriangleMesh mesh;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            mesh.positions.push_back({left + 0.5 * size * i, 0.5 * size * j, z});
            mesh.uv.push_back({0.5 * size * i, 0.5 * size * j});
        }
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
            const int a = 3 * j + i;
            mesh.triangles.insert(mesh.triangles.end(), {{a, a + 1, a + 4}, {a, a + 4, a + 3}});
        }
    return mesh;
}

TriangleMesh together(const TriangleMesh& a, const TriangleMesh& b) {
    TriangleMesh both = a;
    const int offset = a.vertex_count();
    both.positions.insert(both.positions.end(), b.positions.begin(), b.positions.end());
    both.uv.insert(both.uv.end(), b.uv.begin(), b.uv.end());
    for (const Triangle& t : b.triangles)
        both.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    return both;
}

TEST(Weld, JoinsPanelsWhoseBordersCoincideAndKeepsBothTheirUv) {
    TriangleMesh mesh = together(panel(0.0, 0.0), panel(0.1, 0.0));
    const Result<Weld> weld = weld_borders(mesh, kWeldRounding);
    ASSERT_TRUE(weld);
    EXPECT_EQ(weld->joined, 3);
    EXPECT_EQ(mesh.vertex_count(), 15);
    EXPECT_EQ(mesh.uv.size(), 18u);
    EXPECT_EQ(weld->vertex_of[9], 2); // the second panel's first corner is the first panel's last of the row
    EXPECT_EQ(weld->vertex_of[17], 14);
    EXPECT_EQ(find_loose_borders(mesh, 0.01).pieces, 1);
    EXPECT_EQ(mesh.uv_triangles.back(), (Triangle{13, 17, 16})); // as it was
}

TEST(Weld, ForgivesTheLastDigitOfAFileWhereMostVerticesCoincide) {
    // Four digits: one vertex of the seam was rounded the other way.
    TriangleMesh mesh = together(panel(0.0, 0.0), panel(0.1, 0.0));
    mesh.positions[9].x += 1e-4;
    const Result<Weld> weld = weld_borders(mesh, kWeldRounding);
    ASSERT_TRUE(weld);
    EXPECT_EQ(weld->joined, 3);
    EXPECT_NEAR(weld->distance, 1e-4, 1e-12);
}

TEST(Weld, LeavesLayersApart) {
    // Half a millimetre apart, with four digits; a last digit apart; and on one another exactly.
    for (const double z : {5e-4, 1e-4, 0.0}) {
        TriangleMesh mesh = together(panel(0.0, 0.0), panel(0.0, z));
        const Result<Weld> weld = weld_borders(mesh, kWeldRounding);
        ASSERT_TRUE(weld);
        EXPECT_EQ(weld->joined, 0) << z;
        EXPECT_TRUE(weld->vertex_of.empty());
        EXPECT_EQ(mesh.vertex_count(), 18);
    }
}

TEST(Weld, ByDistanceJoinsBordersOnly) {
    TriangleMesh mesh = together(panel(0.0, 0.0), panel(0.0, 5e-4));
    const Result<Weld> weld = weld_borders(mesh, 1e-3);
    ASSERT_TRUE(weld);
    EXPECT_EQ(weld->joined, 8); // all but the middle vertex
    EXPECT_NEAR(mesh.positions[0].z, 2.5e-4, 1e-15);
}

TEST(Weld, RefusesADistanceThatWouldCollapseTriangles) {
    TriangleMesh mesh = panel(0.0, 0.0);
    const Result<Weld> weld = weld_borders(mesh, 0.06);
    ASSERT_FALSE(weld);
    EXPECT_EQ(weld.error().message,
              "weld 0.06 would join vertices of one triangle in 8 triangles, the first triangle 0; "
              "expected less than their shortest edge, 0.05 m");
    EXPECT_EQ(mesh.vertex_count(), 9); // untouched
}

TEST(Weld, ZeroLeavesEverythingAlone) {
    TriangleMesh mesh = together(panel(0.0, 0.0), panel(0.1, 0.0));
    EXPECT_EQ(weld_borders(mesh, 0.0)->joined, 0);
    EXPECT_EQ(mesh.vertex_count(), 18);
}

TEST(Weld, FindsTheGapBetweenLoosePieces) {
    TriangleMesh mesh = together(panel(0.0, 0.0), panel(0.1004, 0.0));
    const LooseBorders loose = find_loose_borders(mesh, 0.01);
    EXPECT_EQ(loose.pieces, 2);
    EXPECT_NEAR(loose.gap, 4e-4, 1e-12);
    EXPECT_EQ(find_loose_borders(together(panel(0.0, 0.0), panel(1.0, 0.0)), 0.01).gap, 0.0);
}

} // namespace
} // namespace selvage
