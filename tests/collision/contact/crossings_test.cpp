#include "collision/contact/crossings.h"

#include <random>

#include <gtest/gtest.h>

#include "geometry/generators.h"
#include "math/orientation.h"

namespace selvage {
namespace {

using Wide = __int128;

/// Whole numbers up to 2^38, and the exact sign of their volume.
struct Lattice {
    long long x, y, z;
    Vec3 at(double scale) const {
        return {scale * static_cast<double>(x), scale * static_cast<double>(y), scale * static_cast<double>(z)};
    }
};
int exact_sign(const Lattice& a, const Lattice& b, const Lattice& c, const Lattice& d) {
    const Wide ax = a.x - d.x, ay = a.y - d.y, az = a.z - d.z, bx = b.x - d.x, by = b.y - d.y, bz = b.z - d.z;
    const Wide cx = c.x - d.x, cy = c.y - d.y, cz = c.z - d.z;
    const Wide det = ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx);
    return (det > 0) - (det < 0);
}

// Against 128-bit whole numbers. Most of the points lie in or next to the plane of the first three, where rounding
// decides in plain arithmetic.
TEST(Orientation, IsExactNextToThePlane) {
    std::mt19937_64 random(11);
    std::uniform_int_distribution<long long> wide(-(1LL << 37), 1LL << 37), few(-2, 2), times(-3, 3);
    int zeros = 0, signs = 0, plain_wrong = 0;
    for (int k = 0; k < 20000; ++k) {
        const auto any = [&] { return Lattice{wide(random), wide(random), wide(random)}; };
        const Lattice a = any(), b = any(), c = any();
        const long long s = times(random), t = times(random);
        const Lattice d{a.x + s * (b.x - a.x) + t * (c.x - a.x) + few(random),
                        a.y + s * (b.y - a.y) + t * (c.y - a.y) + few(random) / 2,
                        a.z + s * (b.z - a.z) + t * (c.z - a.z) + few(random) / 2};
        const double scale = 0x1p-36;
        const Vec3 p = a.at(scale), q = b.at(scale), r = c.at(scale), o = d.at(scale);
        const int expected = exact_sign(a, b, c, d);
        ASSERT_EQ(orientation(p, q, r, o), expected);
        ASSERT_EQ(orientation(q, p, r, o), -expected);
        const double det = dot(p - o, cross(q - o, r - o));
        plain_wrong += (det > 0) - (det < 0) != expected;
        zeros += expected == 0;
        signs += expected != 0;
    }
    EXPECT_GT(zeros, 100);
    EXPECT_GT(signs, 1000);
    EXPECT_GT(plain_wrong, 100); // or the test would show nothing
}

const Vec3 kA{0, 0, 0}, kB{1, 0, 0}, kC{0, 1, 0};

TEST(SegmentAndTriangle, CrossOnlyFromOneSideToTheOther) {
    const auto crosses = [](const Vec3& p, const Vec3& q) { return segment_crosses_triangle(p, q, kA, kB, kC); };
    EXPECT_TRUE(crosses({0.2, 0.2, -1}, {0.2, 0.2, 1}));
    EXPECT_TRUE(crosses({0.2, 0.2, 1}, {0.2, 0.2, -1}));
    EXPECT_FALSE(crosses({0.2, 0.2, 1}, {0.2, 0.2, 2}));                                  // short of it
    EXPECT_FALSE(crosses({0.8, 0.8, -1}, {0.8, 0.8, 1}));                                 // beside it
    EXPECT_FALSE(crosses({0.2, 0.2, 0}, {0.2, 0.2, 1}));                                  // touches with its end
    EXPECT_FALSE(crosses({-1, 0.2, 0}, {2, 0.2, 0}));                                     // within the plane
    EXPECT_TRUE(crosses({0.5, 0, -1}, {0.5, 0, 1}));                                      // through the border
    EXPECT_TRUE(crosses({0, 0, -1}, {0, 0, 1}));                                          // through a corner
    EXPECT_FALSE(segment_crosses_triangle({0.5, 0, -1}, {0.5, 0, 1}, kA, kB, {2, 0, 0})); // no area
    EXPECT_FALSE(segment_crosses_triangle({0, 0, 0}, {0, 0, 0}, kA, kB, kC));
}

int brute_force(const std::vector<Edge>& edges, const std::vector<Triangle>& triangles, const std::vector<Vec3>& x) {
    int count = 0;
    for (const auto& [i, j] : edges)
        for (const Triangle& t : triangles) {
            bool adjacent = false;
            for (const int v : t)
                adjacent = adjacent || v == i || v == j;
            count += !adjacent && segment_crosses_triangle(x[i], x[j], x[t[0]], x[t[1]], x[t[2]]);
        }
    return count;
}

TEST(CrossingCounter, EqualsBruteForceOnRandomSoups) {
    std::mt19937 random(7);
    for (const double size : {0.02, 0.2, 1.0})
        for (const bool lattice : {false, true}) { // whole coordinates: many shared planes, borders and corners
            std::uniform_real_distribution<double> place(0.0, 1.0), offset(-size, size);
            TriangleMesh mesh;
            for (int t = 0; t < 400; ++t) {
                const Vec3 middle{place(random), place(random), place(random)};
                for (int k = 0; k < 3; ++k) {
                    Vec3 p = middle + Vec3{offset(random), offset(random), offset(random)};
                    if (lattice) p = {std::round(8 * p.x), std::round(8 * p.y), std::round(8 * p.z)};
                    mesh.positions.push_back(p);
                }
                mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
            }
            for (int t = 0; t < 200; ++t) // some share corners with others
                mesh.triangles.push_back({3 * t, 3 * t + 4, 3 * t + 8});
            const std::vector<Edge> edges = build_topology(mesh).edges;
            const int expected = brute_force(edges, mesh.triangles, mesh.positions);
            CrossingCounter counter;
            for (const int threads : {1, 3}) {
                ThreadPool pool(threads);
                const CrossingCount found = counter.count(pool, edges, mesh.triangles, mesh.positions);
                EXPECT_EQ(found.count, expected);
                if (expected > 0) {
                    const Triangle& t = mesh.triangles[found.first.triangle];
                    const Edge& e = edges[found.first.edge];
                    const std::vector<Vec3>& x = mesh.positions;
                    EXPECT_TRUE(segment_crosses_triangle(x[e[0]], x[e[1]], x[t[0]], x[t[1]], x[t[2]]));
                }
            }
            if (size == 1.0) {
                EXPECT_GT(expected, 1000);
            }
        }
}

TEST(CrossingCounter, FindsNoneInAFlatOrFoldedSheetAndTwoWhenItsCornersArePassedThrough) {
    ThreadPool pool(1);
    CrossingCounter counter;
    Result<GeneratedMesh> grid = make_grid({{1, 1}, {11, 11}});
    ASSERT_TRUE(grid);
    TriangleMesh mesh = grid->mesh;
    const std::vector<Edge> edges = build_topology(mesh).edges;
    EXPECT_EQ(counter.count(pool, edges, mesh.triangles, mesh.positions).count, 0);
    for (Vec3& p : mesh.positions) // folded over, the halves exactly upon each other: touching, not crossing
        if (p.x > 0) p.x = -p.x;
    EXPECT_EQ(counter.count(pool, edges, mesh.triangles, mesh.positions).count, 0);
    mesh = grid->mesh;
    mesh.positions[0] = {0.013, 0.007, 0.05}; // the corner pulled through the middle from above
    mesh.positions[1] = {0.017, 0.011, -0.05};
    EXPECT_GT(counter.count(pool, edges, mesh.triangles, mesh.positions).count, 0);
    EXPECT_EQ(counter.count(pool, {}, {}, {}).count, 0);
}

} // namespace
} // namespace selvage
