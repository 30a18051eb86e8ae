#include <algorithm>

#include "garment/outline_pen.h"
#include "garment/ready_garments.h"
#include "math/functions.h"
#include "math/pi.h"

namespace selvage {

OutlinePen& OutlinePen::arc(const std::string& name, const Vec2& to) {
    const Vec2 from = here();
    const double angle = maths::atan2(cross(from, to), dot(from, to));
    // The handles that put the curve's middle on the circle.
    const maths::SineAndCosine quarter = maths::sincos(0.25 * angle);
    const double handle = 4.0 / 3.0 * quarter.sine / quarter.cosine;
    return curve(name, from + handle * Vec2{-from.y, from.x}, to - handle * Vec2{-to.y, to.x}, to);
}

std::string other_side(std::string name) {
    const auto replace = [&](const std::string& from, const std::string& to) {
        const std::size_t at = name.find(from);
        if (at != std::string::npos) name.replace(at, from.size(), to);
        return at != std::string::npos;
    };
    if (!replace("left", "right")) replace("right", "left");
    return name;
}

PatternPanel mirrored_panel(const PatternPanel& panel) {
    PatternPanel other = panel;
    const auto flip = [](Vec2& p) { p.x = -p.x; };
    const auto flip_outline = [&](PatternOutline& outline) {
        flip(outline.start);
        for (PatternEdge& e : outline.edges) {
            flip(e.to);
            flip(e.control[0]);
            flip(e.control[1]);
            e.name = other_side(e.name);
        }
    };
    other.name = other_side(panel.name);
    flip_outline(other.outline);
    for (PatternOutline& hole : other.holes)
        flip_outline(hole);
    for (PatternDart& dart : other.darts)
        dart.edge = other_side(dart.edge);
    other.grain_deg = -panel.grain_deg;
    other.place.around = other_side(panel.place.around);
    other.place.turn_deg = 360.0 - panel.place.turn_deg;
    return other;
}

namespace {

Vec2 polar(double radius, double degrees) {
    const maths::SineAndCosine at = maths::sincos(degrees * kPi / 180.0);
    return {radius * at.sine, -radius * at.cosine}; // 0 is down in the pattern
}

/// Part of a ring from one angle to another, cut at the middle so that no arc is longer than a quarter.
PatternPanel ring_panel(const std::string& name, double inner, double outer, double half_deg) {
    PatternPanel panel;
    panel.name = name;
    panel.outline = OutlinePen(polar(outer, -half_deg))
                        .arc("hem-right", polar(outer, 0.0))
                        .arc("hem-left", polar(outer, half_deg))
                        .line("side-left", polar(inner, half_deg))
                        .arc("top-left", polar(inner, 0.0))
                        .arc("top-right", polar(inner, -half_deg))
                        .line("side-right", polar(outer, -half_deg))
                        .done();
    panel.place.shape = PanelPlace::Shape::disc;
    return panel;
}

} // namespace

Pattern cut_circle_skirt(const Landmarks& body) {
    constexpr double kEase = 0.012, kBand = 0.03; // [m]
    const double waist = body.waist.girth + kEase;
    const double inner = waist / (2.0 * kPi), outer = inner + 0.86 * (body.waist.centre.y - body.knee[0].y);
    Pattern pattern;
    pattern.name = "circle-skirt";
    pattern.fabric = "wool-suiting";
    pattern.panels = {ring_panel("front", inner, outer, 90.0), ring_panel("back", inner, outer, 90.0)};
    pattern.panels[1].place.turn_deg = 180.0;
    for (PatternPanel& panel : pattern.panels)
        panel.place.shift = -0.5 * kBand;
    PatternPanel band;
    band.name = "band";
    const double quarter = 0.25 * waist;
    band.outline = OutlinePen({-2.0 * quarter, 0.0})
                       .line("bottom-back-right", {-quarter, 0.0})
                       .line("bottom-front-right", {0.0, 0.0})
                       .line("bottom-front-left", {quarter, 0.0})
                       .line("bottom-back-left", {2.0 * quarter, 0.0})
                       .line("end-left", {2.0 * quarter, kBand})
                       .line("top", {-2.0 * quarter, kBand})
                       .line("end-right", {-2.0 * quarter, 0.0})
                       .done();
    band.grain_deg = 90.0; // warp around the body, which stretches least
    band.place.shift = -0.5 * kBand;
    pattern.panels.push_back(band);
    // The back is seen from behind: its right is the body's left.
    pattern.seams = {{{"front", "side-left"}, {"back", "side-right"}, true},
                     {{"front", "side-right"}, {"back", "side-left"}, true},
                     {{"band", "bottom-front-left"}, {"front", "top-left"}, true},
                     {{"band", "bottom-front-right"}, {"front", "top-right"}, true},
                     {{"band", "bottom-back-left"}, {"back", "top-right"}, true},
                     {{"band", "bottom-back-right"}, {"back", "top-left"}, true},
                     {{"band", "end-left"}, {"band", "end-right"}, true}};
    return pattern;
}

Pattern cut_pleated_skirt(const Landmarks& body) {
    constexpr double kEase = 0.012, kBand = 0.03; // [m]
    constexpr int kPleats = 7;                    // of each panel
    const double waist = body.waist.girth + kEase, half = 0.5 * waist;
    // Full knife pleats: each is as wide as its fold goes under, so that there are three layers all around.
    const double seen = half / (kPleats + 1), width = half + 2.0 * kPleats * seen;
    const double drop = 0.86 * (body.waist.centre.y - body.knee[0].y);
    Pattern pattern;
    pattern.name = "pleated-skirt";
    pattern.fabric = "wool-suiting";
    for (const char* name : {"front", "back"}) {
        PatternPanel panel;
        panel.name = name;
        panel.outline = OutlinePen({-0.5 * width, -drop})
                            .line("hem", {0.5 * width, -drop})
                            .line("side-left", {0.5 * width, 0.0})
                            .line("top", {-0.5 * width, 0.0})
                            .line("side-right", {-0.5 * width, -drop})
                            .done();
        for (int k = 0; k < kPleats; ++k) {
            PatternDart pleat{"top", (3.0 * k + 2.0) * seen / width, 2.0 * seen, 0.0, "hem", false};
            panel.darts.push_back(pleat);
        }
        panel.place.shift = -0.5 * kBand;
        pattern.panels.push_back(panel);
    }
    pattern.panels[1].place.turn_deg = 180.0;
    PatternPanel band;
    band.name = "band";
    band.outline = OutlinePen({-half, 0.0})
                       .line("bottom-back", {0.0, 0.0})
                       .line("bottom-front", {half, 0.0})
                       .line("end-front", {half, kBand})
                       .line("top", {-half, kBand})
                       .line("end-back", {-half, 0.0})
                       .done();
    band.grain_deg = 90.0; // warp around the body, which stretches least
    band.place.shift = -0.5 * kBand;
    band.place.turn_deg = 270.0; // its middle is at the body's right: it closes at the left
    pattern.panels.push_back(band);
    pattern.seams = {{{"front", "side-left"}, {"back", "side-right"}, true},
                     {{"front", "side-right"}, {"back", "side-left"}, true},
                     {{"band", "bottom-front"}, {"front", "top"}, true},
                     {{"band", "bottom-back"}, {"back", "top"}, true},
                     {{"band", "end-front"}, {"band", "end-back"}, true}};
    return pattern;
}

Pattern cut_cape(const Landmarks& body) {
    constexpr double kEase = 0.14, kClasp = 0.05, kHalf = 70.0; // [m], [deg]: two panels of 140
    const double sweep = 4.0 * kHalf * kPi / 180.0;
    const double inner = (body.neck.girth + kEase) / sweep;
    const double outer = inner + 0.62 * (body.neck_side[0].y - body.knee[0].y);
    Pattern pattern;
    pattern.name = "cape";
    pattern.fabric = "wool-suiting";
    PatternPanel left;
    left.name = "left";
    const Vec2 clasp = polar(inner + kClasp, -kHalf);
    left.outline = OutlinePen(polar(outer, -kHalf))
                       .arc("hem-front", polar(outer, 0.0))
                       .arc("hem-back", polar(outer, kHalf))
                       .line("back", polar(inner, kHalf))
                       .arc("neck-back", polar(inner, 0.0))
                       .arc("neck-front", polar(inner, -kHalf))
                       .line("clasp", clasp)
                       .line("front", polar(outer, -kHalf))
                       .done();
    left.place = {PanelPlace::Shape::disc, "torso", "neck", 0.012, 90.0};
    pattern.panels = {left, mirrored_panel(left)};
    pattern.seams = {{{"left", "back"}, {"right", "back"}, true}, {{"left", "clasp"}, {"right", "clasp"}, true}};
    orient_outlines(pattern);
    return pattern;
}

Pattern cut_table_cloth(const Landmarks&) {
    Pattern pattern;
    pattern.name = "table-cloth";
    pattern.fabric = "linen";
    PatternPanel cloth;
    cloth.name = "cloth";
    constexpr double kHalf = 0.75; // [m]
    cloth.outline = OutlinePen({-kHalf, -kHalf})
                        .line("front", {kHalf, -kHalf})
                        .line("left", {kHalf, kHalf})
                        .line("back", {-kHalf, kHalf})
                        .line("right", {-kHalf, -kHalf})
                        .done();
    cloth.place = {PanelPlace::Shape::flat, "torso", "floor", 0.76, 0.0};
    pattern.panels = {cloth};
    return pattern;
}

} // namespace selvage
