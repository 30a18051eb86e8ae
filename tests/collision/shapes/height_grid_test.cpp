#include "collision/shapes/height_grid.h"

#include <cmath>

#include <gtest/gtest.h>

#include "collision/contact/crossings.h"
#include "collision/contact/solid_crossings.h"
#include "geometry/generators.h"
#include "solid_samples.h"

namespace selvage {
namespace {

HeightGrid make_hills(int nx = 7, int nz = 5) {
    std::vector<double> heights;
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nx; ++i)
            heights.push_back(0.3 * std::sin(1.7 * i) + 0.2 * std::cos(2.3 * j + i));
    Result<HeightGrid> grid = HeightGrid::make({2.0, 1.2}, {nx, nz}, heights);
    EXPECT_TRUE(grid);
    return std::move(*grid);
}

/// The ground and `reach` metres of what lies around it, as triangles.
TriangleMesh with_apron(const HeightGrid& grid, double reach) {
    TriangleMesh mesh = grid.surface.mesh;
    const double far = 1e9;
    grid.for_apron({{-far, -far, -far}, {far, far, far}}, [&](const ApronPiece& piece) {
        const int first = mesh.vertex_count();
        const Vec3 b = piece.a + std::min(piece.most, reach) * piece.along;
        for (const Vec3& p : {piece.a, b, b + reach * piece.out, piece.a + reach * piece.out})
            mesh.positions.push_back(p);
        mesh.triangles.push_back({first, first + 1, first + 2});
        mesh.triangles.push_back({first, first + 2, first + 3});
    });
    return mesh;
}

TEST(HeightGrid, PassesThroughItsHeightsAndIsFlatInEveryTriangle) {
    const Result<HeightGrid> grid = HeightGrid::make({2, 4}, {3, 2}, {0, 1, 2, 10, 20, 40});
    ASSERT_TRUE(grid);
    // x = -1, 0, 1 by z = -2, 2.
    EXPECT_EQ(grid->height(-1, -2), 0.0);
    EXPECT_EQ(grid->height(0, -2), 1.0);
    EXPECT_EQ(grid->height(-1, 2), 10.0);
    EXPECT_EQ(grid->height(1, 2), 40.0);
    EXPECT_EQ(grid->height(0.5, 0), 11.0);  // half-way along the cut from (1, -2) to (0, 2)
    EXPECT_EQ(grid->height(0.25, -1), 6.0); // a quarter of 1 and of 19 on top of 1
    EXPECT_EQ(grid->height(0.75, 1), 25.5); // a quarter less of 20 and of 38 than 40
    EXPECT_EQ(grid->height(-7, -2), 0.0);   // its border goes on
    EXPECT_EQ(grid->height(0.5, 9), 30.0);
    EXPECT_EQ(grid->height(9, 9), 40.0);
    EXPECT_GT(grid->surface.vertices.size(), 5u);
}

// Every point of the ground below, beside and far outside: no nearer one among dense samples, and the answer is on the
// ground.
TEST(HeightGrid, DistanceIsThatToTheGround) {
    const HeightGrid grid = make_hills();
    const TriangleMesh all = with_apron(grid, 3.0);
    std::vector<Vec3> samples;
    constexpr double kSpacing = 0.03;
    for (double x = -2.6; x < 2.6; x += kSpacing)
        for (double z = -2.2; z < 2.2; z += kSpacing)
            samples.emplace_back(x, grid.height(x, z), z);
    int below = 0, beside = 0;
    for (const Vec3& p : random_points(400, {1.6, 0.7, 1.2}, 3)) {
        const SurfacePoint found = grid.nearest(p);
        double least = 1e9;
        for (const Vec3& q : samples)
            least = std::min(least, length(p - q));
        EXPECT_LE(std::abs(found.distance), least + 1e-12);
        // Slopes stay below 3.5 to 1, so samples are at most 3.7 spacings apart along the ground.
        EXPECT_GE(std::abs(found.distance), least - 0.5 * 1.42 * 3.7 * kSpacing);
        EXPECT_EQ(found.distance < 0.0, p.y < grid.height(p.x, p.z));
        EXPECT_NEAR(length(found.normal), 1.0, 1e-12);
        const Vec3 foot = p - found.distance * found.normal;
        EXPECT_NEAR(foot.y, grid.height(foot.x, foot.z), 1e-9);
        below += found.distance < 0.0;
        beside += std::abs(p.x) > 1.0 || std::abs(p.z) > 0.6;
    }
    EXPECT_GT(below, 50);
    EXPECT_GT(beside, 50);
}

TEST(HeightGrid, NormalIsTheGradientOfTheDistance) {
    const HeightGrid grid = make_hills();
    int smooth = 0;
    for (const Vec3& p : random_points(400, {1.6, 0.7, 1.2}, 5)) {
        const double e = 1e-6;
        const auto d = [&](const Vec3& q) { return grid.nearest(q).distance; };
        const Vec3 gradient =
            Vec3{d(p + Vec3{e, 0, 0}) - d(p - Vec3{e, 0, 0}), d(p + Vec3{0, e, 0}) - d(p - Vec3{0, e, 0}),
                 d(p + Vec3{0, 0, e}) - d(p - Vec3{0, 0, e})} /
            (2 * e);
        if (std::abs(length(gradient) - 1.0) > 1e-5) continue; // where the nearest point jumps
        ++smooth;
        EXPECT_LT(length(gradient - grid.nearest(p).normal), 1e-3);
    }
    EXPECT_GT(smooth, 350);
}

TEST(HeightGrid, GivesTheNormalOnTheGroundItself) {
    const Result<HeightGrid> ramp = HeightGrid::make({2, 2}, {2, 2}, {0, 2, 0, 2}); // rises 1 to 1 along x
    ASSERT_TRUE(ramp);
    const double half = 1 / std::sqrt(2.0);
    for (const Vec3& p : {Vec3{0.3, 1.3, 0.1}, Vec3{-0.4, 0.6, -0.9}, Vec3{0.3, 1.3, 5}})
        EXPECT_LT(length(ramp->nearest(p).normal - Vec3(-half, half, 0)), 1e-12);
    EXPECT_LT(length(ramp->nearest({4, 2, 0.1}).normal - Vec3(0, 1, 0)), 1e-12);
    EXPECT_LT(length(ramp->nearest({-4, 0, 7}).normal - Vec3(0, 1, 0)), 1e-12);
    EXPECT_EQ(ramp->nearest({0.3, 1.3, 5}).distance, 0.0);
    EXPECT_NEAR(ramp->nearest({100, 7, -80}).distance, 5.0, 1e-12);
    EXPECT_NEAR(ramp->nearest({-50, -3, 0}).distance, -3.0, 1e-12);
}

TEST(HeightGrid, RefusesWhatIsNoGrid) {
    const auto message = [](const Pair& size, const IntPair& vertices, const std::vector<double>& heights) {
        const Result<HeightGrid> grid = HeightGrid::make(size, vertices, heights);
        return grid ? "made" : grid.error().text();
    };
    EXPECT_EQ(message({1, 1}, {2, 2}, {0, 0, 0, 0}), "made");
    EXPECT_EQ(message({1, 1}, {2, 2}, {0, 0, 0}), "found 3 heights; expected 2 x 2 = 4");
    EXPECT_NE(message({1, 1}, {1, 4}, {0, 0, 0, 0}).find("found 1 x 4 vertices"), std::string::npos);
    EXPECT_NE(message({1, 1}, {2000000000, 2000000000}, {}).find("expected at least"), std::string::npos);
    EXPECT_NE(message({0, 1}, {2, 2}, {0, 0, 0, 0}).find("expected both above 0"), std::string::npos);
    EXPECT_NE(message({1, 1}, {2, 2}, {0, 0, std::nan(""), 0}).find("not finite"), std::string::npos);
}

// Against all pairs of edges and triangles, where what lies around the grid goes far enough to pass below all of the
// cloth; its cut across each piece is no edge of the ground, and a piece counts once.
TEST(HeightGrid, CrossingsAreThoseOfAllPairsAroundTheGridToo) {
    const HeightGrid made = make_hills();
    Collider ground;
    ground.shape = HeightField{std::make_shared<const HeightGrid>(made)};
    ground.now.centre = {0.1, -0.2, 0.05}; // no turn: nothing is rounded differently
    for (const Vec3& p : made.surface.mesh.positions)
        ground.points_now.push_back(ground.now.to_world(p));
    ground.points_before = ground.points_now;
    Result<GeneratedMesh> grid = make_grid({{4, 3}, {11, 9}});
    ASSERT_TRUE(grid);
    std::vector<Vec3> x;
    for (const Vec3& p : grid->mesh.positions)
        x.push_back({p.x + 0.013, -0.15 + 0.25 * std::sin(3 * p.x + 2 * p.y), p.y + 0.007});
    const std::vector<Edge> edges = build_topology(grid->mesh).edges;

    int expected = 0, around = 0;
    const auto cross_triangle = [&](const Vec3& p, const Vec3& q, const Triangle& t, const std::vector<Vec3>& y) {
        return segment_crosses_triangle(p, q, y[t[0]], y[t[1]], y[t[2]]);
    };
    for (const auto& [i, j] : edges)
        for (const Triangle& t : made.surface.mesh.triangles)
            expected += cross_triangle(x[i], x[j], t, ground.points_now);
    for (const auto& [i, j] : made.surface.edges)
        for (const Triangle& t : grid->mesh.triangles)
            expected += cross_triangle(ground.points_now[i], ground.points_now[j], t, x);
    TriangleMesh apron = with_apron(made, 50.0);
    for (Vec3& p : apron.positions)
        p = ground.now.to_world(p);
    for (int k = made.surface.mesh.triangle_count(); k < apron.triangle_count(); k += 2) {
        const Triangle &one = apron.triangles[k], &two = apron.triangles[k + 1];
        for (const auto& [i, j] : edges)
            around +=
                cross_triangle(x[i], x[j], one, apron.positions) || cross_triangle(x[i], x[j], two, apron.positions);
        for (const Triangle& t : grid->mesh.triangles) // the border from a along out
            around += cross_triangle(apron.positions[two[0]], apron.positions[two[2]], t, x);
    }
    EXPECT_GT(expected, 20);
    EXPECT_GT(around, 20);
    ThreadPool pool(2);
    EXPECT_EQ(count_collider_crossings(pool, {&ground, 1}, edges, grid->mesh.triangles, x).count, expected + around);
}

// Each border between two pieces is the first of exactly one of them.
TEST(HeightGrid, HasEveryBorderAroundItOnce) {
    const HeightGrid grid = make_hills(4, 3);
    const double far = 1e9;
    std::vector<std::pair<Vec3, Vec3>> borders;
    grid.for_apron({{-far, -far, -far}, {far, far, far}},
                   [&](const ApronPiece& piece) { borders.emplace_back(piece.a, piece.out); });
    EXPECT_EQ(borders.size(), 2u * (4 + 3)); // one for each vertex of each side
    for (std::size_t k = 0; k < borders.size(); ++k)
        for (std::size_t l = 0; l < k; ++l)
            EXPECT_FALSE(borders[k] == borders[l]);
}

} // namespace
} // namespace selvage
