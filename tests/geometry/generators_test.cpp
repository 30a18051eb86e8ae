#include "geometry/generators.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/topology.h"
#include "mesh_samples.h"

namespace selvage {
namespace {

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

double start_length(const GeneratedMesh& source, const Edge& edge) {
    return length(source.start[edge[1]] - source.start[edge[0]]);
}
double rest_length(const GeneratedMesh& source, const Edge& edge) {
    return length(source.mesh.positions[edge[1]] - source.mesh.positions[edge[0]]);
}

/// Points of an arc of a circle in the x-y plane about the origin, from the x axis on.
std::vector<Triple> arc(double radius, double angle) {
    std::vector<Triple> path;
    for (int k = 0; k <= 24; ++k)
        path.push_back({radius * std::cos(angle * k / 24), radius * std::sin(angle * k / 24), 0.0});
    return path;
}

TEST(Ribbon, RestsAsAFlatGridAndStartsAlongItsPath) {
    for (const Diagonals diagonals : {Diagonals::uniform, Diagonals::alternating, Diagonals::cross}) {
        const Result<GeneratedMesh> ribbon =
            make_ribbon({{1.0, 0.1}, {11, 3}, diagonals, {{0, 0, 0}, {0, 0, -3}}, {0, 1, 0}});
        ASSERT_TRUE(ribbon) << ribbon.error().text();
        const GeneratedMesh grid = *make_grid({{1.0, 0.1}, {11, 3}, diagonals});
        EXPECT_EQ(ribbon->mesh.positions, grid.mesh.positions);
        EXPECT_EQ(ribbon->mesh.triangles, grid.mesh.triangles);
        EXPECT_EQ(ribbon->lattice, grid.lattice);
        EXPECT_TRUE(grid.start.empty());
        ASSERT_EQ(ribbon->start.size(), ribbon->mesh.positions.size());
        for (std::size_t i = 0; i < ribbon->start.size(); ++i) {
            // Along -z from the origin, front up: what is sideways of the strip, y, is then cross(y, -z) = -x.
            const Vec3& rest = ribbon->mesh.positions[i];
            EXPECT_LT(length(ribbon->start[i] - Vec3(-rest.y, 0.0, -(rest.x + 0.5))), 1e-14);
        }
        for (const Triangle& t : ribbon->mesh.triangles)
            EXPECT_GT(doubled_area_normal(ribbon->start[t[0]], ribbon->start[t[1]], ribbon->start[t[2]]).y, 0.0);
    }
}

TEST(Ribbon, RolledAboutItsWidthKeepsItsLengths) {
    // Looking inwards along the whole arc, it only bends. Its points are joined by chords: one of angle a is shorter
    // than its arc by 1 - sin(a/2) / (a/2) = a^2 / 24. Here a = 1/40 / 0.25 = 0.1.
    const Result<GeneratedMesh> ribbon = make_ribbon({{1.0, 0.2}, {41, 9}, {}, arc(0.25, 4.5), {-1, 0, 0}});
    ASSERT_TRUE(ribbon) << ribbon.error().text();
    for (const Edge& edge : build_topology(ribbon->mesh).edges) {
        const double strain = start_length(*ribbon, edge) / rest_length(*ribbon, edge) - 1.0;
        EXPECT_LT(strain, 1e-3);
        EXPECT_GT(strain, -0.01 / 24.0 - 1e-3); // the first piece of the path is straighter than an arc
    }
}

TEST(Ribbon, BentInItsPlaneIsStrainedByHalfItsWidthOverTheRadius) {
    const Result<GeneratedMesh> ribbon = make_ribbon({{1.0, 0.04}, {41, 5}, {}, arc(0.5, 2.2), {0, 0, 1}});
    ASSERT_TRUE(ribbon) << ribbon.error().text();
    double least = 0.0, most = 0.0;
    for (const Edge& edge : build_topology(ribbon->mesh).edges) {
        // The path ends straight, so its first piece (1.1 m / 24) is bent less, then more than an arc.
        if (std::abs(ribbon->mesh.positions[edge[0]].x) > 0.4) continue;
        const double strain = start_length(*ribbon, edge) / rest_length(*ribbon, edge) - 1.0;
        least = std::min(least, strain);
        most = std::max(most, strain);
    }
    EXPECT_NEAR(most, 0.02 / 0.5, 0.001); // of chords, and of a curve that is not quite an arc
    EXPECT_NEAR(least, -0.02 / 0.5, 0.001);
}

TEST(Ribbon, MayBeExactlyAsLongAsItsPathButNotLonger) {
    EXPECT_TRUE(make_ribbon({{0.3, 0.1}, {5, 3}, {}, {{0.1, 0, 0}, {0.4, 0, 0}}, {0, 1, 0}}));
    const Result<GeneratedMesh> longer = make_ribbon({{0.31, 0.1}, {5, 3}, {}, {{0, 0, 0}, {0.3, 0, 0}}, {0, 1, 0}});
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().text(), "path is 0.3 m long; expected at least the ribbon's length, 0.31 m");
}

TEST(Ribbon, RefusesABadPathOrSide) {
    EXPECT_NE(make_ribbon({}).error().text().find("path has 0 points; expected at least 2"), std::string::npos);
    EXPECT_FALSE(make_ribbon({{1, 1}, {5, 3}, {}, {{0, 0, 0}, {0, 0, 0}}, {0, 1, 0}}));
    EXPECT_FALSE(make_ribbon({{1, 1}, {5, 3}, {}, {{0, 0, 0}, {0, NAN, 2}}, {0, 1, 0}}));
    EXPECT_FALSE(make_ribbon({{1, 1}, {1, 3}, {}, {{0, 0, 0}, {2, 0, 0}}, {0, 1, 0}}));
}

} // namespace
} // namespace selvage
