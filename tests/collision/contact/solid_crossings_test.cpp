#include "collision/contact/solid_crossings.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "collision/contact/crossings.h"
#include "collision/shapes/solid_mesh.h"
#include "geometry/generators.h"

namespace selvage {
namespace {

const Pose kTilted{{5, 0, 0}, rotation_about({0.2, 0, 0.5})};

Collider placed(const ColliderShape& shape, const Pose& pose = kTilted) {
    Collider solid{shape, pose, pose};
    if (const SolidMesh* mesh = solid.mesh()) {
        for (const Vec3& p : mesh->mesh.positions)
            solid.points_now.push_back(pose.to_world(p));
        solid.points_before = solid.points_now;
    }
    return solid;
}

int count_edge(const ColliderShape& shape, const Vec3& p, const Vec3& q) {
    ThreadPool pool(2);
    const Collider solid = placed(shape);
    const std::vector<Edge> edges{{0, 1}};
    return count_collider_crossings(pool, {&solid, 1}, edges, {}, {solid.now.to_world(p), solid.now.to_world(q)}).count;
}

/// The inside of one triangle; its edges are not tested.
int count_triangle(const ColliderShape& shape, const Vec3& a, const Vec3& b, const Vec3& c, const Pose& at = kTilted) {
    ThreadPool pool(1);
    const Collider solid = placed(shape, at);
    const std::vector<Triangle> triangles{{0, 1, 2}};
    const Pose& pose = solid.now;
    return count_collider_crossings(pool, {&solid, 1}, {}, triangles,
                                    {pose.to_world(a), pose.to_world(b), pose.to_world(c)})
        .count;
}

TEST(ColliderCrossings, CountEdgesThatPassIntoASolid) {
    EXPECT_EQ(count_edge(Sphere{1.0}, {-2, 0.9, 0}, {2, 0.9, 0}), 1); // both ends outside
    EXPECT_EQ(count_edge(Sphere{1.0}, {-2, 1.1, 0}, {2, 1.1, 0}), 0);
    EXPECT_EQ(count_edge(Sphere{1.0}, {0, 0, 0}, {0, 0, 0}), 1);
    EXPECT_EQ(count_edge(Box{{2, 2, 2}}, {-2, 0.9, 0}, {2, 0.9, 0}), 1);
    EXPECT_EQ(count_edge(Box{{2, 2, 2}}, {2.1, 0, 0}, {0, 2.1, 0}), 0); // past the corner
    EXPECT_EQ(count_edge(Box{{2, 2, 2}}, {1.9, 0, 0}, {0, 1.9, 0}), 1);
    EXPECT_EQ(count_edge(Box{{2, 2, 2}}, {-2, 1.5, 0}, {2, 1.5, 0}), 0);
    EXPECT_EQ(count_edge(Plane{}, {0, 0.1, 0}, {3, 0.2, 0}), 0);
    EXPECT_EQ(count_edge(Plane{}, {0, 0.1, 0}, {3, -0.2, 0}), 1);
    EXPECT_EQ(count_edge(Cylinder{1.0, 2.0}, {-2, 0.9, 0.9}, {2, 0.9, 0.9}), 1);
    EXPECT_EQ(count_edge(Cylinder{1.0, 2.0}, {-2, 0.9, 1.1}, {2, 0.9, 1.1}), 0);
    EXPECT_EQ(count_edge(Cylinder{1.0, 2.0}, {0.7, 2, 0.8}, {0.7, -2, 0.8}), 0); // along its side
    EXPECT_EQ(count_edge(Cylinder{1.0, 2.0}, {0.6, 2, 0.7}, {0.6, -2, 0.7}), 1);
    EXPECT_EQ(count_edge(Cylinder{1.0, 2.0}, {0, 0.5, 0}, {0, 0.5, 0}), 1);
    // Radii 0.8 and 0.2 over a length of 1: the side is a line of slope 3-4-5 in between.
    const Vec3 on_side = Vec3{0, -0.25, 0} + 0.65 * Vec3{0.8, 0.6, 0}, n{0.8, 0.6, 0};
    EXPECT_EQ(
        count_edge(Capsule{0.8, 0.2, 1.0}, on_side + 0.01 * n + Vec3(0, 0, 2), on_side + 0.01 * n - Vec3(0, 0, 2)), 0);
    EXPECT_EQ(
        count_edge(Capsule{0.8, 0.2, 1.0}, on_side - 0.01 * n + Vec3(0, 0, 2), on_side - 0.01 * n - Vec3(0, 0, 2)), 1);
    EXPECT_EQ(count_edge(Capsule{0.8, 0.2, 0.1}, {-2, -0.05, 0.79}, {2, -0.05, 0.79}), 1); // all one ball
    EXPECT_EQ(count_edge(Capsule{0.8, 0.2, 0.1}, {-2, 0.76, 0}, {2, 0.76, 0}), 0);
}

TEST(ColliderCrossings, CountTrianglesThatASolidPiercesBetweenTheirEdges) {
    const Vec3 a{-3, 0.1, -3}, b{3, 0.1, -3}, c{0, 0.1, 4};
    const Vec3 up{0, 1, 0};
    for (const ColliderShape& shape :
         {ColliderShape{Sphere{0.5}}, ColliderShape{Box{{0.4, 1, 0.6}}}, ColliderShape{Capsule{0.2, 0.1, 0.7}},
          ColliderShape{Capsule{0.5, 0.1, 0.2}}, ColliderShape{Cylinder{0.4, 1.0}}}) {
        EXPECT_EQ(count_triangle(shape, a, b, c), 1) << shape.index();
        EXPECT_EQ(count_triangle(shape, a, c, b), 1) << shape.index();                // from the other side
        EXPECT_EQ(count_triangle(shape, a + up, b + up, c + up), 0) << shape.index(); // above it
        const Vec3 aside{6, 0, 0};
        EXPECT_EQ(count_triangle(shape, a + aside, b + aside, c + aside), 0) << shape.index();
        // With an edge in the solid it is the edge that counts.
        EXPECT_EQ(count_triangle(shape, {0, 0.1, 0}, b, c), 0) << shape.index();
        EXPECT_EQ(count_triangle(shape, a, a, a), 0) << shape.index();
    }
    // The triangle's plane through four edges of the box: nothing degenerate about that.
    EXPECT_EQ(count_triangle(Box{{1, 1, 1}}, {-3, -3, -3}, {3, 3, -3}, {0, 0, 5}), 1);
    // On a face: touching. In a frame that nothing is rounded in.
    EXPECT_EQ(count_triangle(Box{{1, 1, 1}}, {-3, 0.5, -3}, {3, 0.5, -3}, {0, 0.5, 5}, {}), 0);
}

/// Least distance from the solid over a segment or triangle, by samples at most `spacing` apart along it.
double least_distance(const ColliderShape& shape, const Vec3& a, const Vec3& b, const Vec3& c, int steps) {
    double least = 1e9;
    for (int i = 0; i <= steps; ++i)
        for (int j = 0; i + j <= steps; ++j) {
            const double u = static_cast<double>(i) / steps, v = static_cast<double>(j) / steps;
            least = std::min(least, nearest_surface(shape, (1 - u - v) * a + u * b + v * c).distance);
        }
    return least;
}

// Against samples of the segment and the triangle: a sample inside must count; when all are farther off than the
// samples are apart nothing may. The distance changes by no more than the distance of two points.
TEST(ColliderCrossings, AgreeWithDenseSamples) {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> place(-1.0, 1.0);
    const auto any = [&] { return Vec3{place(random), place(random), place(random)}; };
    for (const ColliderShape& shape :
         {ColliderShape{Sphere{0.3}}, ColliderShape{Box{{0.4, 0.7, 0.2}}}, ColliderShape{Capsule{0.2, 0.1, 0.7}},
          ColliderShape{Capsule{0.1, 0.3, 0.25}}, ColliderShape{Capsule{0.4, 0.1, 0.2}},
          ColliderShape{Cylinder{0.2, 0.6}}, ColliderShape{Cylinder{0.4, 0.1}}}) {
        int edges_in = 0, edges_out = 0, triangles_in = 0, triangles_out = 0;
        for (int k = 0; k < 300; ++k) {
            const Vec3 a = any(), b = any(), c = any();
            constexpr int kSteps = 40;
            const double spacing = std::max({length(b - a), length(c - b), length(a - c)}) / kSteps;
            const int entered = count_edge(shape, a, b);
            const double on_edge = least_distance(shape, a, b, b, kSteps);
            if (on_edge < 0.0) {
                EXPECT_EQ(entered, 1) << shape.index();
                ++edges_in;
            } else if (on_edge > spacing) {
                EXPECT_EQ(entered, 0) << shape.index();
                ++edges_out;
            }
            if (entered || count_edge(shape, b, c) || count_edge(shape, c, a)) continue;
            const double in_triangle = least_distance(shape, a, b, c, kSteps);
            if (in_triangle < 0.0) {
                EXPECT_EQ(count_triangle(shape, a, b, c), 1) << shape.index();
                ++triangles_in;
            } else if (in_triangle > spacing) {
                EXPECT_EQ(count_triangle(shape, a, b, c), 0) << shape.index();
                ++triangles_out;
            }
        }
        EXPECT_GT(std::min(edges_in, edges_out), 10) << shape.index();
        EXPECT_GT(triangles_in, 3) << shape.index();
        EXPECT_GT(triangles_out, 10) << shape.index();
    }
}

/// Every cloth edge with every triangle of the solid, every edge of the solid with every cloth triangle.
int all_pairs(const Collider& solid, const TriangleMesh& cloth, const std::vector<Edge>& edges) {
    const SolidMesh& mesh = *solid.mesh();
    const std::vector<Vec3>&x = cloth.positions, &y = solid.points_now;
    int count = 0;
    for (const auto& [i, j] : edges)
        for (const Triangle& t : mesh.mesh.triangles)
            count += segment_crosses_triangle(x[i], x[j], y[t[0]], y[t[1]], y[t[2]]);
    for (const auto& [i, j] : mesh.edges)
        for (const Triangle& t : cloth.triangles)
            count += segment_crosses_triangle(y[i], y[j], x[t[0]], x[t[1]], x[t[2]]);
    return count;
}

TEST(ColliderCrossings, WithAMeshAreThoseOfAllPairs) {
    Result<GeneratedMesh> grid = make_grid({{1.4, 1.4}, {12, 12}});
    Result<GeneratedMesh> tube = make_tube({0.3, 0.2, 0.9, {9, 6}});
    ASSERT_TRUE(grid && tube);
    TriangleMesh cloth = grid->mesh;
    for (Vec3& p : cloth.positions)
        p = kTilted.to_world({p.x, 0.1 * std::sin(9 * p.x), p.y});
    const std::vector<Edge> edges = build_topology(cloth).edges;
    std::vector<std::string> warnings;
    for (const TriangleMesh& source : {tube->mesh, collider_mesh(Box{{0.06, 2, 0.05}}), collider_mesh(Sphere{0.4})}) {
        Result<SolidMesh> mesh = SolidMesh::make(source, "m", warnings);
        ASSERT_TRUE(mesh);
        Collider solid = placed(MeshSolid{std::make_shared<const SolidMesh>(std::move(*mesh))},
                                {{5.02, 0.03, 0.01}, rotation_about({0.4, 0.3, 0.6})});
        for (const bool deforming : {false, true}) {
            if (deforming) {
                for (Vec3& p : solid.points_now)
                    p.x += 0.3 * p.y * p.y;
                solid.moved_tree.build(solid.mesh()->mesh.triangles, solid.points_now);
            }
            const int expected = all_pairs(solid, cloth, edges);
            EXPECT_GT(expected, 5);
            SolidCrossing first;
            for (const int threads : {1, 3}) {
                ThreadPool pool(threads);
                const SolidCrossingCount found =
                    count_collider_crossings(pool, {&solid, 1}, edges, cloth.triangles, cloth.positions);
                EXPECT_EQ(found.count, expected);
                EXPECT_EQ(found.first.solid, 0);
                if (threads == 1) first = found.first;
                EXPECT_EQ(found.first.edge, first.edge);
                EXPECT_EQ(found.first.triangle, first.triangle);
            }
        }
    }
}

// A needle through the middle of one triangle: no edge of the cloth is near it.
TEST(ColliderCrossings, ANeedleThroughATriangleIsNamedByTheTriangle) {
    ThreadPool pool(1);
    std::vector<std::string> warnings;
    Result<SolidMesh> needle = SolidMesh::make(collider_mesh(Box{{0.01, 2, 0.01}}), "m", warnings);
    ASSERT_TRUE(needle);
    const std::vector<Collider> solids{placed(Sphere{0.1}, {{9, 9, 9}, {}}),
                                       placed(MeshSolid{std::make_shared<const SolidMesh>(std::move(*needle))}, {})};
    const std::vector<Vec3> x{{-1, 0, -1}, {1, 0.1, -1}, {0, -0.1, 1}};
    const std::vector<Edge> edges{{0, 1}, {0, 2}, {1, 2}};
    const std::vector<Triangle> triangles{{0, 1, 2}};
    const SolidCrossingCount found = count_collider_crossings(pool, solids, edges, triangles, x);
    // Four upright edges, and the diagonals of four sides where the plane cuts them: each side's once.
    EXPECT_EQ(found.count, 8);
    EXPECT_EQ(found.first.edge, -1);
    EXPECT_EQ(found.first.triangle, 0);
    EXPECT_EQ(found.first.solid, 1);
    EXPECT_EQ(count_collider_crossings(pool, {}, edges, triangles, x).count, 0);
    EXPECT_EQ(count_collider_crossings(pool, solids, {}, {}, {}).count, 0);
}

} // namespace
} // namespace selvage
