#include "garment/triangulate.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "garment/shapes.h"

namespace selvage {

namespace {

constexpr double kEdge = 0.02;

PlaneMesh filled(const std::vector<std::vector<Vec2>>& loops, double edge = kEdge) {
    Result<PlaneMesh> mesh = triangulate(loops, edge);
    EXPECT_TRUE(mesh) << mesh.error().text();
    return mesh ? *mesh : PlaneMesh{};
}

std::vector<Vec2> random_star(std::mt19937& random) {
    const auto uniform = [&] { return static_cast<double>(random() % 1000003) / 1000003.0; };
    const int corners = 5 + static_cast<int>(random() % 10);
    std::vector<Vec2> polygon;
    for (int i = 0; i < corners; ++i) {
        const maths::SineAndCosine at = maths::sincos(2.0 * kPi * (i + 0.5 * uniform()) / corners);
        const double radius = 0.2 + 0.3 * uniform();
        polygon.push_back({radius * at.cosine, radius * at.sine});
    }
    return polygon;
}

std::vector<Vec2> circle(double radius, bool backwards) {
    std::vector<Vec2> points;
    const int count = static_cast<int>(2.0 * kPi * radius / kEdge);
    for (int i = 0; i < count; ++i) {
        const maths::SineAndCosine at = maths::sincos(2.0 * kPi * (backwards ? -i : i) / count);
        points.push_back({radius * at.cosine, radius * at.sine});
    }
    return points;
}

} // namespace

TEST(Triangulate, KeepsAnglesAreasAndLengthsOnRandomOutlines) {
    std::mt19937 random(5);
    for (int trial = 0; trial < 60; ++trial) {
        SCOPED_TRACE(trial);
        const std::vector<Vec2> loop = sampled(random_star(random), kEdge);
        const PlaneMesh mesh = filled({loop});
        const MeshQuality quality = measure_quality(mesh);
        EXPECT_GT(quality.smallest_angle_deg, 25.0);
        EXPECT_NEAR(quality.area, polygon_area(loop), 1e-12); // every triangle counts positive
        EXPECT_GT(quality.mean, 0.85 * kEdge);
        EXPECT_LT(quality.mean, 1.15 * kEdge);
        EXPECT_LT(quality.longest, 2.0 * kEdge);
        EXPECT_TRUE(std::equal(loop.begin(), loop.end(), mesh.points.begin())); // the border is what was given
    }
}

TEST(Triangulate, LeavesHolesOpen) {
    const std::vector<Vec2> outer = circle(0.5, false), inner = circle(0.1, true);
    const MeshQuality quality = measure_quality(filled({outer, inner}));
    EXPECT_NEAR(quality.area, polygon_area(outer) + polygon_area(inner), 1e-12); // the inner one goes round backwards
    EXPECT_GT(quality.smallest_angle_deg, 30.0);
}

TEST(Triangulate, MeshesAreManifoldWithTheLoopsAsBorder) {
    std::mt19937 random(9);
    const std::vector<Vec2> loop = sampled(random_star(random), kEdge);
    const PlaneMesh mesh = filled({loop});
    std::map<std::pair<int, int>, int> uses;
    std::set<int> used;
    for (const Triangle& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) {
            ++uses[std::minmax(t[k], t[(k + 1) % 3])];
            used.insert(t[k]);
        }
    std::size_t border = 0;
    for (const auto& [edge, count] : uses) {
        EXPECT_LE(count, 2);
        border += count == 1 ? 1 : 0;
    }
    EXPECT_EQ(border, loop.size());
    EXPECT_EQ(used.size(), mesh.points.size()); // no vertex is left over
    // Euler: V - E + F = 1 for a disc.
    EXPECT_EQ(static_cast<int>(mesh.points.size()) - static_cast<int>(uses.size()) +
                  static_cast<int>(mesh.triangles.size()),
              1);
}

TEST(Triangulate, FollowsShortEdgesOfTheBorder) {
    // One side has edges of 8 mm: the mesh there is as fine, and still even.
    std::vector<Vec2> loop;
    for (int k = 0; k < 50; ++k)
        loop.push_back({0.008 * k, 0.0});
    for (const Vec2& p : sampled({{0.4, 0.0}, {0.4, 0.4}, {0.0, 0.4}, {0.0, 0.0}}, kEdge))
        loop.push_back(p);
    while (loop.back() != Vec2{0.0, 0.4}) // the bottom is there already
        loop.pop_back();
    for (int k = 1; k < 20; ++k)
        loop.push_back({0.0, 0.4 - kEdge * k});
    const MeshQuality quality = measure_quality(filled({loop}));
    EXPECT_GT(quality.smallest_angle_deg, 25.0);
    EXPECT_GT(quality.shortest, 0.004);
}

TEST(Triangulate, IsTheSameEveryTime) {
    std::mt19937 random(2);
    const std::vector<Vec2> loop = sampled(random_star(random), kEdge);
    const PlaneMesh a = filled({loop}), b = filled({loop});
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.triangles, b.triangles);
}

TEST(Triangulate, RefusesLoopsThatCross) {
    const Result<PlaneMesh> mesh = triangulate({{{0, 0}, {1, 1}, {1, 0}, {0, 1}}}, 0.1);
    ASSERT_FALSE(mesh);
    EXPECT_NE(mesh.error().text().find("cross"), std::string::npos);
}

} // namespace selvage
