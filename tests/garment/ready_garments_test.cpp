#include "garment/ready_garments.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "character/mannequin.h"
#include "garment/dressing.h"
#include "garment/pattern_json.h"
#include "garment/placement.h"
#include "garment/triangulate.h"
#include "sim/simulation.h"

namespace selvage {

namespace {

const Character& standard_body() {
    static const Character body = *make_mannequin(standard_measurements(Figure::female));
    return body;
}

} // namespace

TEST(ReadyGarments, AreSoundPatternsThatSurviveTheirFiles) {
    for (const ReadyGarment& garment : ready_garments()) {
        SCOPED_TRACE(garment.name);
        const Pattern pattern = garment.cut(*standard_body().landmarks);
        const Status ok = check_pattern(pattern);
        ASSERT_TRUE(ok) << ok.error().text();
        for (const PatternPanel& panel : pattern.panels)
            EXPECT_GT(signed_area(panel.outline), 0.0) << panel.name;
        const Result<Pattern> read = parse_pattern(pattern_text(pattern), garment.name);
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(pattern_text(*read), pattern_text(pattern));
    }
}

TEST(ReadyGarments, FitEveryFigure) {
    for (const Figure figure : {Figure::male, Figure::child}) {
        const Result<Character> body = make_mannequin(standard_measurements(figure));
        ASSERT_TRUE(body) << body.error().text();
        for (const ReadyGarment& garment : ready_garments()) {
            SCOPED_TRACE(garment.name);
            const Result<std::vector<SewnCloth>> cloths = sew_pattern(garment.cut(*body->landmarks), 0.05);
            ASSERT_TRUE(cloths) << cloths.error().text();
        }
    }
}

TEST(Placement, PutsPanelsOutsideTheBodyNearTheirOwnSize) {
    const WrapBody wrap(standard_body());
    const Pattern pattern = cut_dress(*standard_body().landmarks);
    const Result<std::vector<SewnCloth>> cloths = sew_pattern(pattern, 0.03);
    ASSERT_TRUE(cloths);
    const Result<std::vector<Vec3>> placed = place_cloth(pattern, cloths->front(), wrap);
    ASSERT_TRUE(placed) << placed.error().text();
    for (const SewnPanel& panel : cloths->front().panels)
        EXPECT_NEAR(placed_area(cloths->front(), panel, *placed) / flat_area(cloths->front(), panel), 1.0, 0.2);
    for (const Vec3& p : *placed) { // around the body, not through it or far from it
        EXPECT_TRUE(is_finite(p));
        EXPECT_LT(std::abs(p.x), 0.5);
        EXPECT_GT(p.y, 0.3);
    }
}

// Untangling may undo a crossing at the start, or spread it: none is allowed.
TEST(Placement, StartsReadyGarmentsWithoutCrossings) {
    for (const double edge : {0.028, 0.0138})
        for (const ReadyGarment& ready : ready_garments()) {
            SCOPED_TRACE(testing::Message() << ready.name << " in edges of " << edge << " m");
            DressSettings settings;
            settings.edge = edge;
            const Pattern pattern = ready.cut(*standard_body().landmarks);
            const Result<DressedGarment> garment = place_garment(pattern, standard_body(), settings);
            ASSERT_TRUE(garment) << garment.error().text();
            const Result<SceneDesc> scene = dressed_scene(pattern, standard_body(), settings, *garment);
            ASSERT_TRUE(scene) << scene.error().text();
            Result<Simulation> sim = Simulation::make(*scene, 1);
            ASSERT_TRUE(sim) << sim.error().text();
            const TangleCount tangles = sim->count_tangles();
            EXPECT_EQ(tangles.cloth, 0);
            EXPECT_EQ(tangles.collider, 0);
            EXPECT_EQ(tangles.inside, 0);
        }
}

// Two bust points are equally far in front: on which of them the hull has its first corner is chance.
TEST(WrapTube, MeasuresLoopsFromTheMiddleOfTheFront) {
    const WrapBody wrap(standard_body());
    const WrapTube& torso = wrap.tube(WrapBody::kTorso);
    for (double height = 0.5; height < 1.3; height += 0.01) {
        const Vec2 front = loop_point(torso.loop(height, 0.01), 0.0);
        EXPECT_NEAR(front.x, 0.0, 0.005) << height;
        EXPECT_GT(front.y, torso.middle(height).y) << height;
    }
}

TEST(Placement, NamesPartsAndLevelsThatTheBodyDoesNotHave) {
    const WrapBody wrap(standard_body());
    Pattern pattern = cut_dress(*standard_body().landmarks);
    pattern.panels[0].place.level = "wrist";
    const Result<std::vector<SewnCloth>> cloths = sew_pattern(pattern, 0.05);
    const Result<std::vector<Vec3>> placed = place_cloth(pattern, cloths->front(), wrap);
    ASSERT_FALSE(placed);
    EXPECT_NE(placed.error().text().find(
                  "panel \"back\": place: level \"wrist\" is not on the torso; expected one of: floor"),
              std::string::npos)
        << placed.error().text();
}

TEST(Dressing, DrapesADressWithoutCrossings) {
    DressSettings settings;
    settings.edge = 0.045;
    settings.seconds = 0.8;
    const Result<DressedGarment> garment = dress(cut_dress(*standard_body().landmarks), standard_body(), settings);
    ASSERT_TRUE(garment) << garment.error().text();
    EXPECT_TRUE(garment->warnings.empty()) << garment->warnings.front(); // it starts clean
    EXPECT_EQ(garment->crossings, 0);
    EXPECT_LT(garment->largest_area_error, 0.01);
    EXPECT_LT(garment->rms_strain, 0.01);
    double lowest = 1e300; // it hangs from the shoulders, above the knee's landmark less what it slides
    for (const Vec3& p : garment->positions[0])
        lowest = std::min(lowest, p.y);
    EXPECT_GT(lowest, standard_body().landmarks->knee[0].y - 0.1);
}

// Both sides of a seam are the same vertices, so that no gap, of which 0.1 mm are allowed, can open.
TEST(ReadyGarments, HaveSeamsWithoutGaps) {
    for (const ReadyGarment& ready : ready_garments()) {
        SCOPED_TRACE(ready.name);
        const Pattern pattern = ready.cut(*standard_body().landmarks);
        const Result<std::vector<SewnCloth>> cloths = sew_pattern(pattern, 0.03);
        ASSERT_TRUE(cloths) << cloths.error().text();
        std::map<std::string, std::set<int>> along;
        for (const SewnCloth& cloth : *cloths)
            for (const VertexGroup& group : cloth.edges)
                along[group.name] = {group.vertices.begin(), group.vertices.end()};
        for (const PatternSeam& seam : pattern.seams)
            EXPECT_EQ(along.at(seam.a.text()), along.at(seam.b.text())) << seam.text();
    }
}

TEST(Dressing, LaysPleatsAndTableClothsWithoutCrossings) {
    for (const char* name : {"pleated-skirt", "table-cloth"}) {
        SCOPED_TRACE(name);
        DressSettings settings;
        settings.edge = 0.035;
        settings.seconds = 1.0;
        const Result<DressedGarment> garment =
            dress(find_garment(name)->cut(*standard_body().landmarks), standard_body(), settings);
        ASSERT_TRUE(garment) << garment.error().text();
        EXPECT_TRUE(garment->warnings.empty()) << garment->warnings.front();
        EXPECT_EQ(garment->crossings, 0);
        EXPECT_LT(garment->largest_area_error, 0.01);
        EXPECT_LT(garment->rms_strain, 0.01);
    }
}

// Knife pleats as wide as they are deep: at the waist there are three layers all around, and the hem is as wide as all
// of the cloth.
TEST(Placement, LaysPleatsUnderTheWaistbandAndOpensThemBelow) {
    DressSettings settings;
    settings.edge = 0.03;
    const Pattern pattern = cut_pleated_skirt(*standard_body().landmarks);
    const Result<DressedGarment> garment = place_garment(pattern, standard_body(), settings);
    ASSERT_TRUE(garment) << garment.error().text();
    const SewnCloth& cloth = garment->cloths.front();
    const double waist = standard_body().landmarks->waist.girth + 0.012;
    const double width = edge_length(pattern.panels[0].outline, 0);
    EXPECT_NEAR(width, 0.5 * waist * (1.0 + 2.0 * 7.0 / 8.0), 1e-12); // seven folds of an eighth, there and back
    for (const SewnPanel& panel : cloth.panels)
        EXPECT_NEAR(placed_area(cloth, panel, garment->placed[0]) / flat_area(cloth, panel), 1.0, 0.15);
    double around = 0.0; // what is seen of the waist seam
    for (const VertexGroup& group : cloth.edges)
        if (group.name.ends_with(".top") && group.name != "band.top")
            for (std::size_t i = 1; i < group.vertices.size(); ++i)
                around += length(garment->placed[0][group.vertices[i]] - garment->placed[0][group.vertices[i - 1]]);
    EXPECT_NEAR(around, waist, 0.1 * waist); // the panels start a clearance off the body
}

TEST(Dressing, RefusesABodyWithoutLandmarks) {
    Character body = standard_body();
    body.name = "stranger";
    body.landmarks.reset();
    const Result<DressedGarment> garment = dress(cut_dress(*standard_body().landmarks), body, {});
    ASSERT_FALSE(garment);
    EXPECT_NE(garment.error().text().find("body \"stranger\" has no landmarks"), std::string::npos);
}

} // namespace selvage
