#include "geometry/generators.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/topology.h"

namespace selvage {
namespace {

double total_area(const TriangleMesh& mesh) {
    double area = 0.0;
    for (int t = 0; t < mesh.triangle_count(); ++t)
        area += triangle_area(mesh, t);
    return area;
}

/// Vertices - edges + triangles: 1 for a disc, 0 for a tube, 2 for a closed surface.
int euler_characteristic(const TriangleMesh& mesh) {
    return mesh.vertex_count() - static_cast<int>(build_topology(mesh).edges.size()) + mesh.triangle_count();
}

TEST(Grid, HasTheAskedSizeCountsAndSideForEveryKindOfDiagonal) {
    for (const Diagonals diagonals : {Diagonals::uniform, Diagonals::alternating, Diagonals::cross}) {
        const Result<GeneratedMesh> grid = make_grid({{1.5, 1.0}, {7, 5}, diagonals});
        ASSERT_TRUE(grid);
        const bool cross = diagonals == Diagonals::cross;
        EXPECT_EQ(grid->mesh.vertex_count(), cross ? 35 + 24 : 35);
        EXPECT_EQ(grid->mesh.triangle_count(), cross ? 4 * 24 : 2 * 24);
        EXPECT_NEAR(total_area(grid->mesh), 1.5, 1e-12);
        EXPECT_EQ(euler_characteristic(grid->mesh), 1);
        for (const Triangle& t : grid->mesh.triangles) { // every one faces +z
            const std::vector<Vec3>& x = grid->mesh.positions;
            EXPECT_GT(doubled_area_normal(x[t[0]], x[t[1]], x[t[2]]).z, 0.0);
        }
    }
}

TEST(Grid, OfThirtyThreeHas2048Triangles) {
    EXPECT_EQ(make_grid({{1, 1}, {33, 33}})->mesh.triangle_count(), 2048); // the flag of fig. 7
}

TEST(Grid, NamesItsEdgesAndCorners) {
    const GeneratedMesh grid = *make_grid({{2, 1}, {3, 2}});
    const auto position = [&](int v) { return grid.mesh.positions[v]; };
    for (const VertexGroup& edge : grid.edges)
        for (const int v : edge.vertices) {
            const bool sideways = edge.name == "left" || edge.name == "right";
            const double sign = edge.name == "right" || edge.name == "top" ? 1.0 : -1.0;
            EXPECT_EQ(sideways ? position(v).x : position(v).y, sign * (sideways ? 1.0 : 0.5)) << edge.name;
        }
    ASSERT_EQ(grid.corners.size(), 4u);
    EXPECT_EQ(position(grid.corners[3].vertices[0]), (Vec3{1.0, 0.5, 0.0})); // top-right
}

TEST(Grid, RefusesSidesThatAreTooShortOrTooLong) {
    EXPECT_NE(make_grid({{1, 1}, {1, 5}}).error().text().find("is 1; expected at least 2"), std::string::npos);
    EXPECT_NE(make_grid({{1, 1}, {1000000000, 1000000000}}).error().text().find("expected at most"), std::string::npos);
}

TEST(Disc, HasTheAreaOfItsPolygonAndOneComponent) {
    const GeneratedMesh disc = *make_disc({0.5, 8});
    EXPECT_EQ(disc.mesh.vertex_count(), 1 + 3 * 8 * 9);
    EXPECT_EQ(disc.mesh.triangle_count(), 6 * 8 * 8);
    // A regular polygon of 48 corners on the rim.
    EXPECT_NEAR(total_area(disc.mesh), 0.5 * 48 * 0.25 * std::sin(2.0 * std::numbers::pi / 48), 1e-12);
    EXPECT_EQ(euler_characteristic(disc.mesh), 1);
    EXPECT_EQ(disc.edges[0].vertices.size(), 48u);
    for (const int v : disc.edges[0].vertices)
        EXPECT_NEAR(length(disc.mesh.positions[v]), 0.5, 1e-15);
    EXPECT_FALSE(make_disc({0.5, 0}));
    EXPECT_FALSE(make_disc({0.5, 1000000}));
}

TEST(Tube, IsOpenFacesOutwardsAndItsTextureDoesNotJumpAtTheSeam) {
    const GeneratedMesh tube = *make_tube({0.2, 0.1, 1.0, {24, 9}});
    EXPECT_EQ(tube.mesh.vertex_count(), 24 * 9);
    EXPECT_EQ(euler_characteristic(tube.mesh), 0);
    for (int t = 0; t < tube.mesh.triangle_count(); ++t) {
        const Triangle& v = tube.mesh.triangles[t];
        const std::vector<Vec3>& x = tube.mesh.positions;
        const Vec3 centre = (x[v[0]] + x[v[1]] + x[v[2]]) / 3.0;
        EXPECT_GT(dot(doubled_area_normal(x[v[0]], x[v[1]], x[v[2]]), Vec3{centre.x, 0, centre.z}), 0.0);
        const Triangle& c = tube.mesh.uv_corners(t);
        for (int k = 0; k < 3; ++k) // one cell wide at most: 2 pi 0.15 / 24
            EXPECT_LT(std::abs(tube.mesh.uv[c[k]].x - tube.mesh.uv[c[(k + 1) % 3]].x), 0.04);
    }
    EXPECT_FALSE(make_tube({0.2, 0.2, 1.0, {2, 9}}));
}

TEST(Block, HasAClosedSurfaceFacingOutwardsWithItsArea) {
    const GeneratedMesh block = *make_block({{0.2, 0.3, 0.4}, {3, 4, 5}});
    EXPECT_EQ(block.mesh.vertex_count(), 60);
    EXPECT_NEAR(total_area(block.mesh), 2 * (0.06 + 0.08 + 0.12), 1e-12);
    double volume = 0.0; // divergence theorem; negative if a face looks inwards
    for (const Triangle& t : block.mesh.triangles) {
        const std::vector<Vec3>& x = block.mesh.positions;
        volume += dot(x[t[0]], cross(x[t[1]], x[t[2]])) / 6.0;
    }
    EXPECT_NEAR(volume, 0.024, 1e-12);
    EXPECT_TRUE(build_topology(block.mesh).non_manifold_edges.empty());
    EXPECT_FALSE(make_block({{1, 1, 1}, {1000000, 1000000, 1000000}}));
}

} // namespace
} // namespace selvage
