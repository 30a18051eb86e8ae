#include "collision/shapes/solid_mesh.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "collision/shapes/collider.h"
#include "geometry/generators.h"
#include "solid_samples.h"

namespace selvage {
namespace {

SolidMesh make_solid(const TriangleMesh& mesh, std::vector<std::string>* told = nullptr) {
    std::vector<std::string> warnings;
    Result<SolidMesh> solid = SolidMesh::make(mesh, "m", warnings);
    EXPECT_TRUE(solid) << (solid ? "" : solid.error().text());
    if (told) *told = warnings;
    return std::move(*solid);
}

SurfacePoint nearest(const SolidMesh& solid, const Vec3& p) {
    return solid.nearest(solid.tree, solid.mesh.positions, p).surface;
}

/// Two boxes that share nothing, in one mesh, as their drawing makes them: every face with corners of its own.
TriangleMesh two_boxes() {
    TriangleMesh mesh = collider_mesh(Box{{0.4, 0.6, 1.0}});
    const TriangleMesh more = collider_mesh(Box{{0.2, 0.2, 0.2}});
    const int first = mesh.vertex_count();
    for (const Vec3& p : more.positions)
        mesh.positions.push_back(p + Vec3{0.6, 0, 0});
    for (const Triangle& t : more.triangles)
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    return mesh;
}

/// A bent tube with ends, its tip thin: corners, edges and faces are all nearest to something.
TriangleMesh horn() {
    const TriangleMesh round = collider_mesh(Capsule{0.3, 0.1, 0.5});
    TriangleMesh mesh = round;
    for (Vec3& p : mesh.positions)
        p = {p.x + 0.8 * p.y * p.y, p.y, p.z};
    return mesh;
}

/// Nearest over all triangles by a dense walk over each: no formula in common with the one under test.
double brute_distance(const TriangleMesh& mesh, const Vec3& p, double spacing) {
    double least = 1e9;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
        const int steps = static_cast<int>(std::max({length(b - a), length(c - b), length(a - c)}) / spacing) + 1;
        for (int i = 0; i <= steps; ++i)
            for (int j = 0; i + j <= steps; ++j) {
                const double u = static_cast<double>(i) / steps, v = static_cast<double>(j) / steps;
                least = std::min(least, length_squared(p - ((1 - u - v) * a + u * b + v * c)));
            }
    }
    return std::sqrt(least);
}

/// Inside when the solid angles of all triangles add up to a whole sphere (van Oosterom and Strackee 1983).
double winding(const TriangleMesh& mesh, const Vec3& p) {
    double sum = 0.0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 a = mesh.positions[t[0]] - p, b = mesh.positions[t[1]] - p, c = mesh.positions[t[2]] - p;
        const double la = length(a), lb = length(b), lc = length(c);
        sum += std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
    }
    return sum / (2 * std::numbers::pi);
}

TEST(SolidMesh, OfABoxHasTheBoxesDistances) {
    const Box box{{0.4, 0.6, 1.0}};
    const SolidMesh solid = make_solid(collider_mesh(box));
    EXPECT_TRUE(solid.is_closed); // though its faces share no vertices
    EXPECT_EQ(solid.edges.size(), 18u);
    EXPECT_EQ(solid.vertices.size(), 8u);
    for (const Vec3& p : random_points(2000, 0.9, 3)) {
        const SurfacePoint expected = nearest_surface(box, p), found = nearest(solid, p);
        ASSERT_NEAR(found.distance, expected.distance, 1e-14);
        // Where two faces are equally near either normal will do; nowhere else.
        const Vec3 foot = p - found.distance * found.normal;
        EXPECT_NEAR(nearest_surface(box, foot).distance, 0.0, 1e-14);
    }
}

TEST(SolidMesh, DistanceAndSideAreThoseOfAllTrianglesTogether) {
    for (const TriangleMesh& mesh : {two_boxes(), horn()}) {
        const SolidMesh solid = make_solid(mesh);
        ASSERT_TRUE(solid.is_closed);
        int inside = 0;
        for (const Vec3& p : random_points(300, 0.6, 5)) {
            const SurfacePoint found = nearest(solid, p);
            const double brute = brute_distance(mesh, p, 0.02);
            EXPECT_LE(std::abs(found.distance), brute + 1e-12);
            EXPECT_GE(std::abs(found.distance), brute - 0.02);
            EXPECT_NEAR(winding(mesh, p), found.distance < 0.0 ? 1.0 : 0.0, 1e-9);
            EXPECT_NEAR(length(found.normal), 1.0, 1e-12);
            inside += found.distance < 0.0;
        }
        EXPECT_GT(inside, 10);
    }
}

// |grad d| = 1 and the normal is that gradient.
TEST(SolidMesh, NormalIsTheGradientOfTheDistance) {
    const SolidMesh solid = make_solid(horn());
    int smooth = 0;
    for (const Vec3& p : random_points(300, 0.6, 8)) {
        const double e = 1e-6;
        const auto d = [&](const Vec3& q) { return nearest(solid, q).distance; };
        const Vec3 gradient =
            Vec3{d(p + Vec3{e, 0, 0}) - d(p - Vec3{e, 0, 0}), d(p + Vec3{0, e, 0}) - d(p - Vec3{0, e, 0}),
                 d(p + Vec3{0, 0, e}) - d(p - Vec3{0, 0, e})} /
            (2 * e);
        if (std::abs(length(gradient) - 1.0) > 1e-4) continue; // where the nearest point jumps
        ++smooth;
        EXPECT_LT(length(gradient - nearest(solid, p).normal), 1e-2);
    }
    EXPECT_GT(smooth, 250);
}

TEST(SolidMesh, GivesTheNormalOnItsOwnCornersEdgesAndFaces) {
    const SolidMesh solid = make_solid(collider_mesh(Box{{2, 2, 2}}));
    const double third = 1 / std::sqrt(3.0), half = 1 / std::sqrt(2.0);
    EXPECT_LT(length(nearest(solid, {1, 1, 1}).normal - Vec3(third, third, third)), 1e-12);
    EXPECT_LT(length(nearest(solid, {1, -1, 0.3}).normal - Vec3(half, -half, 0)), 1e-12);
    EXPECT_LT(length(nearest(solid, {0.2, 0.5, -1}).normal - Vec3(0, 0, -1)), 1e-12);
    EXPECT_EQ(nearest(solid, {1, 1, 1}).distance, 0.0);
}

TEST(SolidMesh, TurnsTrianglesThatFaceInwards) {
    TriangleMesh mesh = collider_mesh(Box{{0.4, 0.6, 1.0}});
    for (Triangle& t : mesh.triangles)
        std::swap(t[0], t[1]);
    std::vector<std::string> told;
    const SolidMesh solid = make_solid(mesh, &told);
    EXPECT_EQ(told, (std::vector<std::string>{"m: its triangles face inwards; they are turned around"}));
    EXPECT_LT(nearest(solid, {0, 0, 0}).distance, 0.0);
    // What follows from the triangles was made again.
    for (int t = 0; t < solid.mesh.triangle_count(); ++t)
        for (int k = 0; k < 3; ++k) {
            const auto [i, j] = solid.edges[solid.triangle_edges[t][k]];
            const int a = solid.mesh.triangles[t][k], b = solid.mesh.triangles[t][(k + 1) % 3];
            EXPECT_EQ(std::minmax(a, b), std::minmax(i, j));
        }
}

TEST(SolidMesh, WithBordersHasTwoSidesAndNoInside) {
    const Result<GeneratedMesh> grid = make_grid({{1, 1}, {5, 5}});
    ASSERT_TRUE(grid);
    std::vector<std::string> told;
    const SolidMesh sheet = make_solid(grid->mesh, &told);
    EXPECT_FALSE(sheet.is_closed);
    EXPECT_TRUE(told.empty());
    for (const double side : {-1.0, 1.0}) {
        EXPECT_NEAR(nearest(sheet, {0.1, 0.2, side * 0.3}).distance, 0.3, 1e-15);
        EXPECT_LT(length(nearest(sheet, {0.1, 0.2, side * 0.3}).normal - Vec3(0, 0, side)), 1e-12);
    }
    EXPECT_NEAR(nearest(sheet, {0.8, 0.5, 0.4}).distance, 0.5, 1e-15); // off the border
    EXPECT_EQ(nearest(sheet, {0.1, 0.2, 0}).normal, (Vec3{0, 0, 1}));  // the front
}

TEST(SolidMesh, TellsWhatKeepsItFromHavingAnInside) {
    TriangleMesh box = collider_mesh(Box{{1, 1, 1}});
    std::vector<std::string> told;

    TriangleMesh fin = box; // a triangle standing on an edge
    fin.positions.emplace_back(3, 3, 3);
    fin.triangles.push_back({fin.triangles[0][0], fin.triangles[0][1], fin.vertex_count() - 1});
    EXPECT_FALSE(make_solid(fin, &told).is_closed);
    EXPECT_EQ(told, (std::vector<std::string>{
                        "m: 1 edges with three triangles or more: taken as a surface without an inside"}));

    TriangleMesh twisted = box;
    std::swap(twisted.triangles[0][0], twisted.triangles[0][1]);
    EXPECT_FALSE(make_solid(twisted, &told).is_closed);
    EXPECT_EQ(told,
              (std::vector<std::string>{"m: 3 edges where triangles facing opposite ways meet: taken as a surface "
                                        "without an inside"}));

    TriangleMesh flat = box;
    for (Vec3& p : flat.positions)
        p.y = 0.25 * p.x;
    EXPECT_FALSE(make_solid(flat, &told).is_closed);
    EXPECT_FALSE(told.empty());
}

TEST(SolidMesh, RefusesWhatIsNoSurface) {
    std::vector<std::string> warnings;
    const auto message = [&](const TriangleMesh& mesh) {
        const Result<SolidMesh> solid = SolidMesh::make(mesh, "arm.obj", warnings);
        return solid ? "made" : solid.error().text();
    };
    EXPECT_EQ(message({}), "arm.obj: has no vertices; expected at least 3");
    TriangleMesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}};
    mesh.triangles = {{0, 1, 2}};
    EXPECT_EQ(message(mesh), "arm.obj: vertex 2 has a coordinate that is not finite");
    mesh.positions[2] = {2, 0, 0};
    EXPECT_EQ(message(mesh), "arm.obj: has no area (1 triangles); expected a surface");
}

TEST(SolidMesh, CopesWithTrianglesWithoutArea) {
    TriangleMesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0}, {4, 0, 0}, {3, 0, 0}};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    const SolidMesh solid = make_solid(mesh);
    const SurfacePoint found = nearest(solid, {3.3, 0.5, 0});
    EXPECT_NEAR(found.distance, 0.5, 1e-15);
    EXPECT_LT(length(found.normal - Vec3(0, 1, 0)), 1e-12);
    EXPECT_NEAR(length(nearest(solid, {3.3, 0, 0}).normal), 1.0, 1e-12); // on it, where no normal exists
}

TEST(SurfaceTree, FitsToMovedPointsAsIfBuiltForThem) {
    const TriangleMesh mesh = horn();
    const SolidMesh solid = make_solid(mesh);
    std::vector<Vec3> moved = solid.mesh.positions;
    for (Vec3& p : moved)
        p = {p.x + 0.4 * std::sin(5 * p.y), 1.5 * p.y, p.z - 0.3 * p.x};
    SurfaceTree refitted = solid.tree, built;
    refitted.refit(solid.mesh.triangles, moved);
    built.build(solid.mesh.triangles, moved);
    for (const Vec3& p : random_points(300, 0.8, 9))
        EXPECT_EQ(solid.nearest(refitted, moved, p).surface.distance, solid.nearest(built, moved, p).surface.distance);
    // A search with a reach finds what is within it, and nothing else.
    for (const Vec3& p : random_points(100, 0.8, 10)) {
        const double distance = std::abs(solid.nearest(built, moved, p).surface.distance);
        EXPECT_LT(solid.nearest(built, moved, p, 0.99 * distance).triangle, 0);
        EXPECT_GE(solid.nearest(built, moved, p, 1.01 * distance).triangle, 0);
    }
}

TEST(SolidMesh, IsDrawnWhereItsPointsAreWithItsCreases) {
    Collider collider;
    collider.shape = MeshSolid{std::make_shared<const SolidMesh>(make_solid(collider_mesh(Box{{2, 2, 2}})))};
    for (const Vec3& p : collider.mesh()->mesh.positions)
        collider.points_now.push_back(p + Vec3{5, 0, 0});
    const TriangleMesh drawn = drawn_mesh(collider);
    ASSERT_EQ(drawn.triangle_count(), 12);
    std::vector<Vec3f> normals = vertex_normals(drawn, drawn.positions);
    for (int t = 0; t < 12; ++t)
        for (int k = 0; k < 3; ++k) {
            const int v = drawn.triangles[t][k];
            EXPECT_EQ(drawn.positions[v], collider.points_now[collider.mesh()->mesh.triangles[t][k]]);
            const Vec3 n(normals[v]); // every corner has its face's own normal
            EXPECT_EQ(std::max({std::abs(n.x), std::abs(n.y), std::abs(n.z)}), 1.0);
        }
    // A fine ball has no creases.
    const SolidMesh ball = make_solid(collider_mesh(Sphere{1.0}));
    EXPECT_EQ(with_sharp_creases(ball.mesh).positions.size(), ball.mesh.positions.size());
}

// A deforming mesh: the displacement of a surface point is that of the triangle's corners, shared out.
TEST(Collider, OfMovedPointsKnowsItsSurfaceAndItsMotion) {
    Collider collider;
    collider.shape = MeshSolid{std::make_shared<const SolidMesh>(make_solid(collider_mesh(Box{{2, 2, 2}})))};
    collider.points_before = collider.mesh()->mesh.positions;
    collider.points_now = collider.points_before;
    for (Vec3& p : collider.points_now) // widens towards +x, in proportion to how far out a point is
        p.x *= 1.5;
    collider.moved_tree.build(collider.mesh()->mesh.triangles, collider.points_now);
    EXPECT_NEAR(collider.nearest({2.0, 0, 0}).distance, 0.5, 1e-15);
    EXPECT_NEAR(collider.nearest({1.2, 0, 0}).distance, -0.3, 1e-15);
    for (const double x : {-1.5, -0.7, 0.0, 0.3, 1.5}) // along a face, x / 1.5 was x before
        EXPECT_LT(length(collider.displacement({x, 1.0, 0.2}) - Vec3(x - x / 1.5, 0, 0)), 1e-14);
    EXPECT_EQ(collider.bounds().high.x, 1.5);
}

} // namespace
} // namespace selvage
