#include "garment/outline_pen.h"
#include "garment/ready_garments.h"

namespace selvage {

namespace {

/// The body's left half of a front or back of trousers; the front is seen from the front, the back from behind.
PatternPanel leg_panel(const Landmarks& body, bool back) {
    const double waist_y = body.waist.centre.y + 0.01, hip_y = body.hip.centre.y, crotch_y = body.crotch.y - 0.03;
    const double hem_y = body.ankle[0].y + 0.015;
    const double waist = 0.25 * (body.waist.girth + 0.016), hip = 0.25 * (body.hip.girth + 0.06);
    const double fork = (back ? 0.095 : 0.055) * body.hip.girth;
    const double hem = 0.5 * 0.40; // width of one panel's leg at the hem
    // Drawn with the side at x > 0 and the middle of the body at x = 0.
    const double thigh = hip + fork, centre = 0.5 * (hip - fork);
    const Vec2 inner{centre - 0.5 * hem, hem_y}, outer{centre + 0.5 * hem, hem_y};
    PatternPanel panel;
    panel.name = back ? "back-left" : "front-left";
    panel.outline = OutlinePen(inner)
                        .line("hem", outer)
                        .curve("side", {centre + 0.5 * hem + 0.01, hem_y + 0.3}, {hip, hip_y - 0.25}, {hip, hip_y})
                        .curve("hip", {hip - 0.002, hip_y + 0.04}, {waist + 0.028, waist_y - 0.07}, {waist, waist_y})
                        .line("waist", {0.0, waist_y})
                        .curve("crotch", {0.0, hip_y - 0.02}, {0.0, crotch_y + 0.004}, {-fork, crotch_y})
                        .curve("inseam", {-fork + 0.12 * thigh, crotch_y - 0.12}, {inner.x - 0.01, hem_y + 0.3}, inner)
                        .done();
    panel.place = {PanelPlace::Shape::tube, "left-leg", "floor", 0.0, back ? 180.0 : 0.0};
    if (!back) return panel;
    // Seen from behind the body's left is at x < 0.
    for (PatternEdge& e : panel.outline.edges) {
        e.to.x = -e.to.x;
        e.control[0].x = -e.control[0].x;
        e.control[1].x = -e.control[1].x;
    }
    panel.outline.start.x = -panel.outline.start.x;
    return panel;
}

} // namespace

Pattern cut_trousers(const Landmarks& body) {
    Pattern pattern;
    pattern.name = "trousers";
    pattern.fabric = "wool-suiting";
    const PatternPanel front = leg_panel(body, false), back = leg_panel(body, true);
    pattern.panels = {front, back, mirrored_panel(front), mirrored_panel(back)};
    for (const char* side : {"left", "right"}) {
        const std::string s = side;
        for (const char* edge : {"side", "hip", "inseam"})
            pattern.seams.push_back({{"front-" + s, edge}, {"back-" + s, edge}, true});
    }
    pattern.seams.push_back({{"front-left", "crotch"}, {"front-right", "crotch"}, true});
    pattern.seams.push_back({{"back-left", "crotch"}, {"back-right", "crotch"}, true});
    orient_outlines(pattern);
    return pattern;
}

} // namespace selvage
