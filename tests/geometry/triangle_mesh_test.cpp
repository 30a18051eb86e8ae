#include "geometry/triangle_mesh.h"

#include <limits>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TriangleMesh square() {
    TriangleMesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
}

std::string complaint(TriangleMesh mesh) {
    std::vector<std::string> warnings;
    const Status status = check_mesh(mesh, "m.obj", warnings);
    return status ? "" : status.error().text();
}

TEST(CheckMesh, NamesTheElementItCannotUse) {
    TriangleMesh bad = square();
    bad.triangles.push_back({0, 1, 9});
    EXPECT_EQ(complaint(bad), "m.obj: triangle 2 (0 1 9) names vertex 9; the mesh has 4");
    bad = square();
    bad.triangles.push_back({0, -1, 2});
    EXPECT_NE(complaint(bad).find("names vertex -1"), std::string::npos);
    bad = square();
    bad.positions[2].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(complaint(bad), "m.obj: vertex 2 has a coordinate that is not finite");
    bad = square();
    bad.positions.clear();
    EXPECT_EQ(complaint(bad), "m.obj: has no vertices; expected at least 3");
    bad = square();
    bad.triangles.clear();
    EXPECT_EQ(complaint(bad), "m.obj: has no triangles; expected at least 1");
    bad = square();
    for (Vec3& p : bad.positions)
        p = {p.x, 0, 0};
    EXPECT_NE(complaint(bad).find("has no area"), std::string::npos);
    bad = square();
    bad.uv = {{0, 0}};
    EXPECT_NE(complaint(bad).find("names uv 1; the mesh has 1"), std::string::npos);
}

TEST(CheckMesh, DropsWhatCanBeDroppedAndSaysSo) {
    TriangleMesh mesh = square();
    mesh.positions.push_back({5, 5, 5});                      // in no triangle
    mesh.positions.push_back({0.5, 0, 0});                    // on the edge 0-1
    mesh.triangles.insert(mesh.triangles.end(), {{0, 0, 1},   // names a vertex twice
                                                 {2, 0, 1},   // the first one again
                                                 {0, 5, 1}}); // no area
    std::vector<std::string> warnings;
    ASSERT_TRUE(check_mesh(mesh, "m", warnings));
    EXPECT_EQ(mesh.triangle_count(), 3);
    ASSERT_EQ(warnings.size(), 4u);
    EXPECT_EQ(warnings[0], "m: dropped triangles that name a vertex twice: triangle 2 (0 0 1)");
    EXPECT_EQ(warnings[1], "m: dropped triangles that repeat another: triangle 3 (2 0 1)");
    EXPECT_EQ(warnings[2], "m: triangles without area: triangle 2 (0 5 1)");
    EXPECT_EQ(warnings[3], "m: vertices that belong to no triangle: vertex 4");
}

TEST(CheckMesh, NamesOnlyAFewOfMany) {
    TriangleMesh mesh = square();
    for (int i = 0; i < 100; ++i)
        mesh.triangles.push_back({1, 1, 2});
    std::vector<std::string> warnings;
    ASSERT_TRUE(check_mesh(mesh, "m", warnings));
    EXPECT_NE(warnings.at(0).find("and 95 more"), std::string::npos);
}

TEST(Weld, JoinsVerticesAtOnePlaceAndKeepsTextureApart) {
    TriangleMesh mesh; // two triangles that share an edge in space but not in texture
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {-0.0, 1, 0}};
    mesh.uv = {{0, 0}, {1, 0}, {0, 1}, {5, 0}, {5, 1}, {4, 1}};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    weld_positions(mesh);
    EXPECT_EQ(mesh.vertex_count(), 4);
    EXPECT_EQ(mesh.triangles[1], (Triangle{1, 3, 2}));
    EXPECT_EQ(mesh.uv[mesh.uv_corners(1)[0]], (Vec2{5, 0}));
    EXPECT_EQ(mesh.uv[mesh.uv_corners(0)[1]], (Vec2{1, 0}));
}

TEST(VertexNormals, AreUnitAndZeroWithoutTriangles) {
    TriangleMesh mesh = square();
    mesh.positions.push_back({9, 9, 9});
    const std::vector<Vec3f> normals = vertex_normals(mesh, mesh.positions);
    EXPECT_EQ(normals[0], (Vec3f{0, 0, 1}));
    EXPECT_EQ(normals[4], (Vec3f{0, 0, 0}));
}

} // namespace
} // namespace selvage
