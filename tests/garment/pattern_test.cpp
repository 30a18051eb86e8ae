#include "garment/pattern.h"

#include <gtest/gtest.h>

#include "garment/pattern_json.h"
#include "garment/pattern_svg.h"
#include "garment/shapes.h"

namespace selvage {

namespace {

std::string complaint(const Pattern& pattern) {
    const Status ok = check_pattern(pattern);
    return ok ? "" : ok.error().message;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A quarter disc of radius 1: a curve and two straight edges.
PatternPanel quarter() {
    constexpr double k = 0.5522847498; // the usual Bezier circle
    PatternPanel panel;
    panel.name = "quarter";
    panel.outline = {
        {0, 0},
        {{"bottom", {1, 0}, false, {}}, {"arc", {0, 1}, true, {Vec2{1, k}, Vec2{k, 1}}}, {"side", {0, 0}, false, {}}}};
    return panel;
}

} // namespace

TEST(Pattern, MeasuresCurves) {
    const PatternPanel panel = quarter();
    EXPECT_NEAR(signed_area(panel.outline), kPi / 4.0, 3e-4); // the curve is a circle to 0.03 %
    EXPECT_NEAR(edge_length(panel.outline, 1), kPi / 2.0, 6e-4);
    EXPECT_NEAR(edge_length(panel.outline, 0), 1.0, 1e-15);
}

TEST(Pattern, DartsTakeTheirAreaAway) {
    PatternPanel panel = rectangle_panel("front", 0.4, 0.6);
    panel.darts = {{"top", 0.5, 0.04, 0.1}};
    EXPECT_NEAR(panel_area(panel), 0.4 * 0.6 - 0.5 * 0.04 * 0.1, 1e-15);
}

TEST(PatternErrors, NameThePanelAndWhatWasFound) {
    EXPECT_EQ(complaint(tube_pattern()), "");
    Pattern open = tube_pattern();
    open.panels[1].outline.edges.back().to = {0.0, 0.03};
    EXPECT_TRUE(says(complaint(open), "panel \"back\": outline is open: it ends at (0, 0.03), 30 mm from its start"));

    Pattern crossed = tube_pattern();
    crossed.panels[0].outline = polygon_outline({{0, 0}, {0.5, 0.6}, {0.5, 0}, {0, 0.6}});
    EXPECT_TRUE(says(complaint(crossed), "panel \"front\": outline crosses or touches itself near"))
        << complaint(crossed);
    EXPECT_TRUE(says(complaint(crossed), "edge \"e0\" and edge \"e2\""));

    Pattern backwards = tube_pattern(); // an edge that returns on the one before it
    backwards.panels[0].outline = polygon_outline({{0, 0}, {0.5, 0}, {0.2, 0}, {0.2, 0.4}});
    EXPECT_TRUE(says(complaint(backwards), "crosses or touches itself"));

    Pattern twins = tube_pattern();
    twins.panels[1].name = "front";
    EXPECT_TRUE(says(complaint(twins), "has two panels named \"front\""));

    Pattern nothing;
    EXPECT_TRUE(says(complaint(nothing), "has no panels"));

    Pattern giant = tube_pattern(600.0, 600.0); // millimetres
    EXPECT_TRUE(says(complaint(giant), "beyond 100 m; expected metres"));

    Pattern dart = tube_pattern();
    dart.panels[0].darts = {{"top", 0.99, 0.04, 0.1}};
    EXPECT_TRUE(says(complaint(dart), "panel \"front\", dart 0 of edge \"top\": reaches from"));
}

TEST(PatternErrors, NameTheSeamAndItsLengths) {
    Pattern eased = tube_pattern(0.6, 0.63); // 5 %: eased
    EXPECT_EQ(complaint(eased), "");
    Pattern uneven = tube_pattern(0.6, 0.69);
    EXPECT_EQ(complaint(uneven), "seam 0 (front.right - back.left): its sides are 600 mm and 690 mm long, 15 % apart; "
                                 "expected at most the pattern's ease of 10 %");
    Pattern missing = tube_pattern();
    missing.seams[0].b.edge = "lft";
    EXPECT_TRUE(
        says(complaint(missing), "panel \"back\" has no edge \"lft\"; expected one of: bottom, right, top, left"));
    Pattern twice = tube_pattern();
    twice.seams[1].b = twice.seams[0].a;
    EXPECT_TRUE(says(complaint(twice), "front.right is sewn already, by seam 0"));
}

TEST(PatternFiles, ReadBackWhatWasWritten) {
    Pattern pattern = tube_pattern(0.6, 0.62);
    pattern.panels.push_back(quarter());
    pattern.panels[0].darts = {{"top", 0.3, 0.03, 0.1}, {"top", 0.7, 0.06, 0.0}};
    pattern.panels[0].grain_deg = 45.0;
    pattern.panels[1].layer = 0;
    pattern.panels[2].holes = {polygon_outline({{0.2, 0.2}, {0.2, 0.3}, {0.3, 0.3}, {0.3, 0.2}})};
    pattern.panels[2].place = {PanelPlace::Shape::disc, "left-leg", "knee", 0.25, 90.0};
    const std::string text = pattern_text(pattern);
    const Result<Pattern> read = parse_pattern(text, "tube.json");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(pattern_text(*read), text);

    const Result<Pattern> drawn = parse_svg_pattern(svg_text(pattern), "tube.svg");
    ASSERT_TRUE(drawn) << drawn.error().text();
    ASSERT_EQ(drawn->panels.size(), 3u);
    ASSERT_EQ(drawn->seams.size(), 2u);
    for (std::size_t p = 0; p < 3; ++p) {
        SCOPED_TRACE(p);
        EXPECT_EQ(drawn->panels[p].name, pattern.panels[p].name);
        EXPECT_NEAR(panel_area(drawn->panels[p]), panel_area(pattern.panels[p]), 1e-8); // nine digits of a millimetre
        EXPECT_EQ(drawn->panels[p].darts.size(), pattern.panels[p].darts.size());
        EXPECT_EQ(drawn->panels[p].place.around, pattern.panels[p].place.around);
        EXPECT_NEAR(drawn->panels[p].outline.start.x, pattern.panels[p].outline.start.x, 1e-8);
    }
    EXPECT_EQ(drawn->seams[0].text(), pattern.seams[0].text());
}

TEST(PatternFiles, ComplainWhereTheProblemStands) {
    const auto error_of = [](const std::string& text) {
        const Result<Pattern> pattern = parse_pattern(text, "p.json");
        return pattern ? std::string() : pattern.error().text();
    };
    EXPECT_TRUE(says(error_of("{\"pannels\": []}"), "did you mean \"panels\""));
    EXPECT_TRUE(
        says(error_of(R"({"panels": [{"name": "a", "outline": {"start": [0, 0], "edges": [{"to": [1, "x"]}]}}]})"),
             "p.json:1:"));
    EXPECT_TRUE(
        says(error_of(R"({"panels": [{"outline": {"start": [0, 0], "edges": [{"to": [1, 0]}, {"to": [1, 1]}]}}]})"),
             "panel \"panel0\": outline is open"));
}

TEST(PatternFiles, TakeDrawingsOfOtherPrograms) {
    // One group, relative commands, inches, and seams by the ids' ends.
    const std::string text = R"(<?xml version="1.0"?><!-- drawn --><svg xmlns="x" width="10in" viewBox="0 0 100 100">
      <g id="sleeve"><path id="under-a" d="m 0,0 v 40"/><path id="hem" d="M0 40 h20"/>
      <path id="under-b" d="M20 40 l0 -40"/><path id="cap" d="M 20 0 q -10 -15 -20 0"/></g></svg>)";
    const Result<Pattern> pattern = parse_svg_pattern(text, "sleeve.svg");
    ASSERT_TRUE(pattern) << pattern.error().text();
    ASSERT_EQ(pattern->panels.size(), 1u);
    ASSERT_EQ(pattern->seams.size(), 1u);
    // A tenth of an inch per unit; 20 x 40, and two thirds of the parabola's 20 x 7.5 box.
    EXPECT_NEAR(panel_area(pattern->panels[0]), (800.0 + 100.0) * 0.00254 * 0.00254, 1e-9);

    const Result<Pattern> open = parse_svg_pattern(
        R"(<svg><g id="p"><path id="a" d="M 0 0 L 100 0"/><path id="b" d="M 100 20 L 0 100"/></g></svg>)", "open.svg");
    ASSERT_FALSE(open);
    EXPECT_TRUE(says(open.error().text(), "panel \"p\": outline is open: path \"b\" starts 20 mm from"))
        << open.error().text();
}

// What a drawing can say and a pattern file cannot: it was read, and what was saved of it could not be read again.
TEST(PatternFiles, RefuseInDrawingsWhatTheyRefuseInJson) {
    const auto square = [](const std::string& attributes, const std::string& id = "p") {
        return "<svg width=\"1000mm\" viewBox=\"0 0 1000 1000\"><g id=\"" + id + "\" " + attributes +
               "><path id=\"a\" d=\"M0 0 H100\" data-seam=\"s\"/><path id=\"b\" d=\"M100 0 V100\"/>"
               "<path id=\"c\" d=\"M100 100 H0\" data-seam=\"s\"/><path id=\"d\" d=\"M0 100 V0\"/></g></svg>";
    };
    const auto error_of = [](const std::string& text) {
        const Result<Pattern> pattern = parse_svg_pattern(text, "p.svg");
        return pattern ? std::string() : pattern.error().text();
    };
    EXPECT_EQ(error_of(square("")), "");
    EXPECT_TRUE(says(error_of(square("data-layer=\"-3\"")), "panel \"p\": layer is -3; expected 0 to 100"));
    EXPECT_TRUE(says(error_of(square("data-grain-deg=\"1e6\"")), "the turn of the grain [deg] is 1000000; expected"));
    EXPECT_TRUE(says(error_of(square("data-place=\"tube torso waist 1e9 0\"")), "the place's shift [m] is 1e+09"));
    EXPECT_TRUE(says(error_of(square("data-darts=\"b 0.5 0.01 1e-9\"")), "depth [m] is 1e-09; expected 0.0001 to 100"));
    EXPECT_TRUE(says(error_of(square("", "p.q")), "has a dot in its name; expected none"));
    EXPECT_TRUE(says(error_of("<svg data-ease=\"99\">" + square("")), "ease is 99; expected 0 to 10"));
}

// Names in Latin-1 ended the program when they were written as JSON.
TEST(PatternFiles, WriteNamesThatAreNotUtf8) {
    const std::string text = "<svg><g id=\"\xc4rmel &lt;&amp;lt;\"><path id=\"a\" d=\"M0 0 H100 V100 Z\"/></g></svg>";
    const Result<Pattern> pattern = parse_svg_pattern(text, "p.svg");
    ASSERT_TRUE(pattern) << pattern.error().text();
    EXPECT_EQ(pattern->panels[0].name, "\xef\xbf\xbdrmel <&lt;");
    const Result<Pattern> copy = parse_pattern(pattern_text(*pattern), "p.json");
    ASSERT_TRUE(copy) << copy.error().text();
    EXPECT_EQ(copy->panels[0].name, pattern->panels[0].name);
}

} // namespace selvage
