#include "garment/sewing.h"

#include <gtest/gtest.h>

#include "garment/shapes.h"
#include "geometry/topology.h"

namespace selvage {

namespace {

SewnCloth sewn(const Pattern& pattern, double edge) {
    Result<std::vector<SewnCloth>> cloths = sew_pattern(pattern, edge);
    EXPECT_TRUE(cloths) << cloths.error().text();
    return cloths ? cloths->front() : SewnCloth{};
}

int euler(const SewnCloth& cloth) {
    return cloth.mesh.vertex_count() - static_cast<int>(build_topology(cloth.mesh).edges.size()) +
           cloth.mesh.triangle_count();
}

double uv_distance(const TriangleMesh& mesh, int a, int b) {
    return length(mesh.uv[a] - mesh.uv[b]);
}

} // namespace

TEST(Sewing, MakesATubeOfTwoPanels) {
    const SewnCloth cloth = sewn(tube_pattern(), 0.03);
    EXPECT_EQ(euler(cloth), 0); // an open tube
    EXPECT_TRUE(build_topology(cloth.mesh).non_manifold_edges.empty());
    EXPECT_EQ(cloth.seam_vertex.size(), 2u * 21u); // 0.6 m in edges of 30 mm, both ends included
    EXPECT_NEAR(flat_area(cloth, cloth.panels[0]), 0.3, 1e-12);
    EXPECT_NEAR(flat_area(cloth, cloth.panels[1]), 0.3, 1e-12);
}

TEST(Sewing, EasesTheLongerSideInEvenly) {
    const SewnCloth cloth = sewn(tube_pattern(0.6, 0.63), 0.03);
    EXPECT_EQ(euler(cloth), 0);
    EXPECT_EQ(cloth.seam_vertex.size(), 2u * 22u); // as many edges as the longer side wants: 21
}

TEST(Sewing, KeepsThePatternAsUvWithTheWarpAlongU) {
    const SewnCloth cloth = sewn(tube_pattern(), 0.05);
    const TriangleMesh& mesh = cloth.mesh;
    for (int t = 0; t < mesh.triangle_count(); ++t) {
        const Triangle& c = mesh.uv_triangles[t];
        for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(uv_distance(mesh, c[k], c[(k + 1) % 3]), length(cloth.flat[c[k]] - cloth.flat[c[(k + 1) % 3]]),
                        1e-12);
        // Counter-clockwise in uv as well, and the pattern's y runs along u.
        EXPECT_GT(cross(mesh.uv[c[1]] - mesh.uv[c[0]], mesh.uv[c[2]] - mesh.uv[c[0]]), 0.0);
        EXPECT_NEAR(mesh.uv[c[1]].x - mesh.uv[c[0]].x, cloth.flat[c[1]].y - cloth.flat[c[0]].y, 1e-12);
    }
}

TEST(Sewing, ClosesDartsAndPleats) {
    Pattern pattern = tube_pattern();
    pattern.panels[0].darts = {{"top", 0.25, 0.03, 0.12}, {"top", 0.75, 0.08, 0.0}};
    pattern.panels.push_back(rectangle_panel("band", 0.89, 0.05)); // both tops less what dart and pleat take
    pattern.panels[2].outline = polygon_outline({{0, 0}, {0.39, 0}, {0.89, 0}, {0.89, 0.05}, {0, 0.05}});
    pattern.seams.push_back({{"front", "top"}, {"band", "e0"}, true});
    pattern.seams.push_back({{"back", "top"}, {"band", "e1"}, true});
    pattern.seams.push_back({{"band", "e2"}, {"band", "e4"}, true});
    const SewnCloth cloth = sewn(pattern, 0.02);
    EXPECT_TRUE(build_topology(cloth.mesh).non_manifold_edges.empty());
    EXPECT_EQ(euler(cloth), 0); // still an open tube: dart and pleat are closed
    EXPECT_NEAR(flat_area(cloth, cloth.panels[0]), panel_area(pattern.panels[0]), 1e-12);
}

TEST(Sewing, TurnsPanelsThatAreDrawnMirrored) {
    Pattern pattern = tube_pattern();
    std::swap(pattern.seams[0].b, pattern.seams[1].a); // the back is drawn from its other side
    pattern.seams[0].reversed = pattern.seams[1].reversed = false;
    const SewnCloth cloth = sewn(pattern, 0.05);
    EXPECT_EQ(euler(cloth), 0);
    EXPECT_TRUE(cloth.panels[1].mirrored);
    // Every inner edge is used once in each direction.
    std::map<std::pair<int, int>, int> directed;
    for (const Triangle& t : cloth.mesh.triangles)
        for (int k = 0; k < 3; ++k)
            EXPECT_EQ(++directed[std::make_pair(t[k], t[(k + 1) % 3])], 1);

    Pattern moebius = tube_pattern();
    moebius.seams[1].reversed = false;
    const Result<std::vector<SewnCloth>> refused = sew_pattern(moebius, 0.05);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("back.right - front.left"), std::string::npos) << refused.error().text();
}

TEST(Sewing, RefusesTwoFabricsInOneCloth) {
    Pattern pattern = tube_pattern();
    pattern.panels[1].fabric = "denim";
    const Result<std::vector<SewnCloth>> refused = sew_pattern(pattern, 0.05);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("sews fabric \"cotton-poplin\" to \"denim\""), std::string::npos);
}

} // namespace selvage
