#include "geometry/topology.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "geometry/generators.h"

namespace selvage {
namespace {

TEST(Topology, FindsEachEdgeOnceAndAHingePerInnerEdge) {
    const TriangleMesh mesh = make_grid({{1, 1}, {6, 4}, Diagonals::uniform})->mesh;
    const Topology topology = build_topology(mesh);
    // 5*4 along x, 6*3 along y, 15 diagonals; 16 of them on the border.
    EXPECT_EQ(topology.edges.size(), 20u + 18u + 15u);
    EXPECT_EQ(topology.hinges.size(), 53u - 16u);
    EXPECT_TRUE(std::is_sorted(topology.edges.begin(), topology.edges.end()));
    std::set<std::set<int>> faces;
    for (const Triangle& t : mesh.triangles)
        faces.insert({t[0], t[1], t[2]});
    for (const Hinge& h : topology.hinges) {
        EXPECT_TRUE(faces.count({h.a, h.b, h.c}));
        EXPECT_TRUE(faces.count({h.a, h.b, h.d}));
        // (a, b, c) runs like the triangle, so its normal is the mesh's.
        const std::vector<Vec3>& x = mesh.positions;
        EXPECT_GT(doubled_area_normal(x[h.a], x[h.b], x[h.c]).z, 0.0);
        EXPECT_LT(doubled_area_normal(x[h.a], x[h.b], x[h.d]).z, 0.0);
    }
}

TEST(Topology, KeepsNonManifoldEdgesApart) {
    TriangleMesh fan; // three pages of a book on the edge 0-1
    fan.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
    fan.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    const Topology topology = build_topology(fan);
    ASSERT_EQ(topology.non_manifold_edges.size(), 1u);
    EXPECT_EQ(topology.non_manifold_edges[0], (Edge{0, 1}));
    EXPECT_TRUE(topology.hinges.empty());
    EXPECT_EQ(topology.edges.size(), 7u);
}

TEST(Topology, ListsNeighboursAndTrianglesOfEachVertex) {
    const TriangleMesh mesh = make_disc({1.0, 3})->mesh;
    const Topology topology = build_topology(mesh);
    const IndexLists neighbours = vertex_neighbours(mesh.vertex_count(), topology.edges);
    const IndexLists triangles = vertex_triangles(mesh);
    EXPECT_EQ(neighbours[0].size(), 6u); // the centre
    EXPECT_EQ(triangles[0].size(), 6u);
    std::size_t total = 0;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
        total += triangles[v].size();
        for (const int t : triangles[v])
            EXPECT_NE(std::find(mesh.triangles[t].begin(), mesh.triangles[t].end(), v), mesh.triangles[t].end());
    }
    EXPECT_EQ(total, 3 * mesh.triangles.size());
}

TEST(Colouring, GivesPairsThatShareAVertexDifferentColours) {
    const TriangleMesh mesh = make_grid({{1, 1}, {20, 15}})->mesh;
    std::vector<Edge> pairs = build_topology(mesh).edges;
    const IndexLists colours = colour_pairs(mesh.vertex_count(), pairs);
    std::size_t listed = 0;
    for (int c = 0; c < colours.row_count(); ++c) {
        std::set<int> touched;
        for (const int p : colours[c]) {
            EXPECT_TRUE(touched.insert(pairs[p][0]).second);
            EXPECT_TRUE(touched.insert(pairs[p][1]).second);
            ++listed;
        }
    }
    EXPECT_EQ(listed, pairs.size());
    EXPECT_LE(colours.row_count(), 2 * 8 - 1); // greedy bound for degree 8
}

TEST(Colouring, CopesWithAHubOfManySprings) {
    std::vector<Edge> star;
    for (int i = 1; i <= 200; ++i)
        star.push_back({0, i});
    EXPECT_EQ(colour_pairs(201, star).row_count(), 200); // all share vertex 0
}

} // namespace
} // namespace selvage
