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

// A rectangle with two laid pleats of 60 mm on a band: under each fold three layers share the vertices of the seam.
TEST(Sewing, StitchesTheFoldsOfLaidPleatsUnderTheBand) {
    for (const bool under_end : {false, true}) {
        SCOPED_TRACE(under_end);
        Pattern pattern;
        pattern.name = "pleats";
        pattern.panels = {rectangle_panel("skirt", 0.6, 0.4), rectangle_panel("band", 0.36, 0.03)};
        for (const double at : {0.3, 0.7})
            pattern.panels[0].darts.push_back({"top", at, 0.12, 0.0, "bottom", under_end});
        pattern.seams = {{{"skirt", "top"}, {"band", "bottom"}, true}};
        ASSERT_TRUE(check_pattern(pattern));
        const SewnCloth cloth = sewn(pattern, 0.02);
        EXPECT_NEAR(flat_area(cloth, cloth.panels[0]), 0.6 * 0.4, 1e-12);
        // What of the top lies at which length of the band, by hand: the top runs from x = 0.6 to 0.
        const auto on_band = [&](double s) {
            double at = 0.0;
            for (const double middle : {0.18, 0.42}) {
                if (s <= middle - 0.06) return s - at;
                if (s < middle + 0.06) {
                    const double u = std::abs(s - middle); // 0 at the inner crease
                    return under_end ? middle - 0.06 - at + (0.06 - u) : middle - 0.06 - at - (0.06 - u);
                }
                at += 0.12;
            }
            return s - at;
        };
        int stitched = 0;
        for (int i = 0; i < cloth.panels[0].flat_count; ++i) {
            if (cloth.flat[i].y < 0.4 - 1e-9) continue;
            for (int j = cloth.panels[1].flat_begin; j < static_cast<int>(cloth.flat.size()); ++j) {
                if (cloth.flat[j].y > 1e-9 || cloth.vertex_of[i] != cloth.vertex_of[j]) continue;
                EXPECT_NEAR(0.36 - on_band(0.6 - cloth.flat[i].x), cloth.flat[j].x, 1e-9);
                ++stitched;
            }
        }
        EXPECT_EQ(stitched, 31); // every one of 0.6 m in edges of 20 mm
        // Each crease is a straight line of mesh edges from top to hem.
        for (const PatternCrease& crease : creases_of(pattern.panels[0])) {
            const double x = 0.6 * (1.0 - crease.at);
            double covered = 0.0;
            for (int t = 0; t < cloth.panels[0].triangle_count; ++t)
                for (int k = 0; k < 3; ++k) {
                    const Triangle& c = cloth.mesh.uv_triangles[t];
                    const Vec2 &a = cloth.flat[c[k]], &b = cloth.flat[c[(k + 1) % 3]];
                    if (std::abs(a.x - x) < 1e-9 && std::abs(b.x - x) < 1e-9) covered += 0.5 * std::abs(a.y - b.y);
                }
            EXPECT_NEAR(covered, 0.4, 1e-9) << x;
        }
    }
}

TEST(Sewing, RefusesLaidPleatsWithoutRoom) {
    const auto refused = [](PatternDart pleat, const std::string& why) {
        Pattern pattern;
        pattern.panels = {rectangle_panel("skirt", 0.6, 0.4)};
        pattern.panels[0].darts = {std::move(pleat)};
        const Status ok = check_pattern(pattern);
        ASSERT_FALSE(ok);
        EXPECT_NE(ok.error().text().find(why), std::string::npos) << ok.error().text();
    };
    refused({"top", 0.15, 0.12, 0.0, "bottom", false}, "goes under by 60 mm where 30 mm of the edge are beside it");
    refused({"top", 0.5, 0.12, 0.0, "hem", false}, "runs to \"hem\"; expected another edge, one of: bottom, right");
    refused({"top", 0.5, 0.12, 0.0, "top", false}, "runs to \"top\"");
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
