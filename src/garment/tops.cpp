#include <algorithm>
#include <cmath>

#include "garment/outline_pen.h"
#include "garment/ready_garments.h"

namespace selvage {

namespace {

/// What dresses, shirts and coats differ in [m].
struct TopCut {
    std::string prefix;       ///< Of panel names.
    double chest_ease = 0.08; ///< Girth beyond the body's.
    double waist_ease = 0.14;
    double hem_height = 0.8; ///< Above the floor.
    double hem_girth = 1.4;
    double neck_depth = 0.06;     ///< Of the front neckline below the neck's front.
    double neck_width = 0.018;    ///< Beyond the neck's side.
    double shoulder_in = 0.0;     ///< Of the armhole from the shoulder's end.
    double armhole_below = 0.012; ///< The armpit.
    double sleeve = 0.0;          ///< Length from the armpit down; 0: none.
    double sleeve_ease = 0.10;    ///< Girth beyond the upper arm's.
    double cap_ease = 0.0;        ///< Fraction by which the cap is longer than the armhole, eased in over the shoulder.
    double cuff_ease = 0.06;      ///< Girth beyond the arm's at the sleeve's end.
    double lift = 0.014;          ///< Of the shoulder seam above the skin.
    bool open_front = false;
    int layer = 0;
    std::string fabric;
};

/// The line around half of a panel, from the hem up to the neck's middle, as seen from outside with x > 0.
struct HalfTop {
    Vec2 hem, armpit, shoulder, neck_side, neck_middle;
    Vec2 side_a, side_b, arm_a, arm_b, neck_a, neck_b;
};

HalfTop half_top(const Landmarks& body, const TopCut& cut, bool back) {
    HalfTop h;
    const double chest = 0.25 * (body.chest.girth + cut.chest_ease), waist = 0.25 * (body.waist.girth + cut.waist_ease);
    const double hip = 0.25 * (body.hip.girth + 0.08);
    h.armpit = {chest, body.armpit[0].y - cut.armhole_below};
    h.hem = {0.25 * cut.hem_girth, cut.hem_height};
    h.shoulder = {body.shoulder[0].x - cut.shoulder_in, body.shoulder[0].y + cut.lift};
    h.neck_side = {body.neck_side[0].x + cut.neck_width, body.neck_side[0].y + cut.lift};
    // The shoulder slopes from the neck on: where the neckline is wider it starts lower.
    const double slope = (body.neck_side[0].y - body.shoulder[0].y) / (body.shoulder[0].x - body.neck_side[0].x);
    h.neck_side.y -= slope * cut.neck_width;
    h.shoulder.y += slope * cut.shoulder_in;
    h.neck_middle = {0.0, back ? body.neck_back.y - 0.012 : body.neck_front.y - cut.neck_depth};
    // In at the waist, out at the hip, straight to the hem.
    const double waist_y = body.waist.centre.y, hip_y = std::max(body.hip.centre.y, cut.hem_height + 0.02);
    h.side_a = {std::max(hip, 0.25 * cut.hem_girth - 0.3 * (0.25 * cut.hem_girth - hip)),
                0.5 * (cut.hem_height + hip_y)};
    h.side_b = {waist - 0.35 * (chest - waist), waist_y + 0.02};
    h.arm_a = {h.armpit.x - 0.8 * (h.armpit.x - h.shoulder.x) - 0.02, h.armpit.y};
    h.arm_b = {h.shoulder.x - (back ? 0.012 : 0.022), h.armpit.y + 0.45 * (h.shoulder.y - h.armpit.y)};
    const double drop = h.neck_side.y - h.neck_middle.y;
    h.neck_a = {h.neck_side.x - 0.1 * h.neck_side.x, h.neck_side.y - 0.6 * drop};
    h.neck_b = {0.55 * h.neck_side.x, h.neck_middle.y};
    return h;
}

Vec2 mirror(const Vec2& p) {
    return {-p.x, p.y};
}

/// A whole front or back; `left` and `right` are the body's own.
PatternPanel whole_top(const TopCut& cut, const HalfTop& h, bool back) {
    const std::string high = back ? "right" : "left", low = back ? "left" : "right"; // at x > 0 and x < 0
    PatternPanel panel;
    panel.name = cut.prefix + (back ? "back" : "front");
    panel.outline = OutlinePen(mirror(h.hem))
                        .line("hem", h.hem)
                        .curve("side-" + high, h.side_a, h.side_b, h.armpit)
                        .curve("armhole-" + high, h.arm_a, h.arm_b, h.shoulder)
                        .line("shoulder-" + high, h.neck_side)
                        .curve("neck-" + high, h.neck_a, h.neck_b, h.neck_middle)
                        .curve("neck-" + low, mirror(h.neck_b), mirror(h.neck_a), mirror(h.neck_side))
                        .line("shoulder-" + low, mirror(h.shoulder))
                        .curve("armhole-" + low, mirror(h.arm_b), mirror(h.arm_a), mirror(h.armpit))
                        .curve("side-" + low, mirror(h.side_b), mirror(h.side_a), mirror(h.hem))
                        .done();
    panel.place.turn_deg = back ? 180.0 : 0.0;
    return panel;
}

/// The body's left half of a front that is open in the middle.
PatternPanel half_front(const TopCut& cut, const HalfTop& h) {
    PatternPanel panel;
    panel.name = cut.prefix + "front-left";
    const Vec2 hem{0.0, h.hem.y};
    panel.outline = OutlinePen(hem)
                        .line("hem", h.hem)
                        .curve("side-left", h.side_a, h.side_b, h.armpit)
                        .curve("armhole-left", h.arm_a, h.arm_b, h.shoulder)
                        .line("shoulder-left", h.neck_side)
                        .curve("neck-left", h.neck_a, h.neck_b, h.neck_middle)
                        .line("opening", hem)
                        .done();
    panel.place.turn_deg = 45.0;
    return panel;
}

int named_edge(const PatternPanel& panel, const std::string& edge) {
    for (std::size_t e = 0; e < panel.outline.edges.size(); ++e)
        if (panel.outline.edges[e].name == edge) return static_cast<int>(e);
    return 0;
}

double named_length(const PatternPanel& panel, const std::string& edge) {
    return edge_length(panel.outline, named_edge(panel, edge));
}

/// The left sleeve. Its cap is as high as makes its two sides as long as the armholes that they are sewn to, and its ease.
PatternPanel left_sleeve(const Landmarks& body, const TopCut& cut, double front_armhole, double back_armhole) {
    const double width = body.upper_arm[0].girth + cut.sleeve_ease;
    // The arm's own girth where the sleeve ends.
    const double upper = length(body.elbow[0] - body.shoulder_joint[0]),
                 whole = upper + length(body.wrist[0] - body.elbow[0]);
    const auto outline = [&](double cap) {
        const double end = std::min(cap + cut.sleeve, whole - 0.01),
                     t = std::clamp((end - upper) / (whole - upper), 0.0, 1.0);
        const double elbow = body.elbow_level[0].girth, wrist = body.wrist_level[0].girth;
        const double cuff =
            std::max(elbow + t * (wrist - elbow), end < upper ? 0.9 * body.upper_arm[0].girth : 0.0) + cut.cuff_ease;
        const double w = 0.5 * width, c = 0.5 * std::min(cuff, width);
        return OutlinePen({-c, -end})
            .line("hem", {c, -end})
            .line("under-back", {w, -cap})
            .curve("cap-back", {0.62 * w, -cap}, {0.55 * w, 0.0}, {0.0, 0.0})
            .curve("cap-front", {-0.55 * w, 0.0}, {-0.62 * w, -cap}, {-w, -cap})
            .line("under-front", {-c, -end})
            .done();
    };
    const double wanted = (1.0 + cut.cap_ease) * (front_armhole + back_armhole);
    double low = 0.02, high = 0.30;
    for (int round = 0; round < 40; ++round) {
        const double cap = 0.5 * (low + high);
        const PatternOutline tried = outline(cap);
        (edge_length(tried, 2) + edge_length(tried, 3) < wanted ? low : high) = cap;
    }
    PatternPanel panel;
    panel.name = cut.prefix + "sleeve-left";
    panel.outline = outline(low);
    panel.place = {PanelPlace::Shape::tube, "left-arm", "shoulder", 0.03, 0.0};
    return panel;
}

void add_top(const Landmarks& body, const TopCut& cut, Pattern& pattern) {
    const HalfTop front_half = half_top(body, cut, false), back_half = half_top(body, cut, true);
    const PatternPanel back = whole_top(cut, back_half, true);
    std::vector<PatternPanel> panels{back};
    const std::string p = cut.prefix;
    std::string front_of[2]{p + "front", p + "front"}; // left, right
    if (cut.open_front) {
        panels.push_back(half_front(cut, front_half));
        panels.push_back(mirrored_panel(panels.back()));
        front_of[0] = panels[1].name;
        front_of[1] = panels[2].name;
    } else {
        panels.push_back(whole_top(cut, front_half, false));
    }
    const char* sides[] = {"left", "right"};
    for (int s = 0; s < 2; ++s)
        for (const char* edge : {"side-", "shoulder-"})
            pattern.seams.push_back(
                {{front_of[s], edge + std::string(sides[s])}, {p + "back", edge + std::string(sides[s])}, true});
    if (cut.sleeve > 0.0) {
        const PatternPanel left =
            left_sleeve(body, cut, named_length(panels[1], "armhole-left"), named_length(back, "armhole-left"));
        panels.push_back(left);
        panels.push_back(mirrored_panel(left));
        for (int s = 0; s < 2; ++s) {
            const std::string sleeve = p + "sleeve-" + sides[s];
            pattern.seams.push_back({{front_of[s], std::string("armhole-") + sides[s]}, {sleeve, "cap-front"}, true});
            pattern.seams.push_back({{p + "back", std::string("armhole-") + sides[s]}, {sleeve, "cap-back"}, true});
            pattern.seams.push_back({{sleeve, "under-front"}, {sleeve, "under-back"}, true});
        }
    }
    for (PatternPanel& panel : panels) {
        panel.layer = cut.layer;
        panel.fabric = cut.fabric;
        if (panel.place.around == "torso") panel.place.level = "floor"; // heights are absolute
        pattern.panels.push_back(panel);
    }
}

TopCut dress_cut(const Landmarks& body) {
    TopCut cut;
    cut.hem_height = body.knee[0].y + 0.04;
    cut.hem_girth = body.hip.girth + 0.75;
    cut.shoulder_in = 0.035;
    cut.neck_width = 0.03;
    cut.neck_depth = 0.055;
    cut.armhole_below = 0.07; // arms that swing at the sides leave room for no more
    return cut;
}

/// A strip along the neckline, open in front.
void add_collar(const Landmarks&, const TopCut& cut, Pattern& pattern) {
    const auto length_of = [&](const std::string& panel, const std::string& edge) {
        return named_length(*pattern.find_panel(cut.prefix + panel), edge);
    };
    const double front = length_of("front-left", "neck-left"), back = length_of("back", "neck-left");
    constexpr double kHeight = 0.03; // [m]
    PatternPanel collar;
    collar.name = cut.prefix + "collar";
    collar.layer = cut.layer;
    const double half = front + back;
    // Drawn as seen from behind, its middle at the nape.
    collar.outline = OutlinePen({-half, 0.0})
                         .line("front-left", {-back, 0.0})
                         .line("back-left", {0.0, 0.0})
                         .line("back-right", {back, 0.0})
                         .line("front-right", {half, 0.0})
                         .line("end-right", {half + 0.01, kHeight})
                         .line("top", {-half - 0.01, kHeight})
                         .line("end-left", {-half, 0.0})
                         .done();
    collar.place = {PanelPlace::Shape::tube, "neck", "neck", 0.0, 180.0};
    pattern.panels.push_back(collar);
    for (const char* side : {"left", "right"}) {
        const std::string s = side;
        pattern.seams.push_back({{collar.name, "front-" + s}, {cut.prefix + "front-" + s, "neck-" + s}, true});
        pattern.seams.push_back({{collar.name, "back-" + s}, {cut.prefix + "back", "neck-" + s}, true});
    }
}

Pattern finished(Pattern pattern) {
    orient_outlines(pattern);
    return pattern;
}

} // namespace

Pattern cut_dress(const Landmarks& body) {
    Pattern pattern;
    pattern.name = "a-line-dress";
    pattern.fabric = "cotton-poplin";
    add_top(body, dress_cut(body), pattern);
    return finished(pattern);
}

Pattern cut_tshirt(const Landmarks& body) {
    Pattern pattern;
    pattern.name = "t-shirt";
    pattern.fabric = "cotton-jersey";
    TopCut cut;
    cut.chest_ease = 0.12;
    cut.waist_ease = 0.26;
    cut.hem_height = body.hip.centre.y + 0.005;
    cut.hem_girth = body.hip.girth + 0.10;
    cut.neck_depth = 0.03;
    cut.armhole_below = 0.02;
    cut.sleeve = 0.10;
    cut.sleeve_ease = 0.12;
    cut.cuff_ease = 0.10;
    add_top(body, cut, pattern);
    return finished(pattern);
}

Pattern cut_shirt(const Landmarks& body) {
    Pattern pattern;
    pattern.name = "shirt";
    pattern.fabric = "cotton-poplin";
    TopCut cut;
    cut.chest_ease = 0.14;
    cut.waist_ease = 0.30;
    cut.hem_height = body.hip.centre.y - 0.02;
    cut.hem_girth = body.hip.girth + 0.14;
    cut.neck_depth = 0.02;
    cut.armhole_below = 0.022;
    cut.sleeve = 1.0; // to the wrist
    cut.sleeve_ease = 0.13;
    cut.cuff_ease = 0.09;
    cut.open_front = true;
    add_top(body, cut, pattern);
    add_collar(body, cut, pattern);
    return finished(pattern);
}

Pattern cut_coat_over_dress(const Landmarks& body) {
    Pattern pattern = cut_dress(body);
    pattern.name = "coat-over-dress";
    TopCut cut;
    cut.prefix = "coat-";
    cut.layer = 1;
    cut.fabric = "wool-suiting";
    cut.chest_ease = 0.20;
    cut.waist_ease = 0.36;
    cut.hem_height = body.knee[0].y + 0.16;
    cut.hem_girth = body.hip.girth + 0.75;
    cut.neck_depth = 0.07;
    cut.neck_width = 0.02;
    cut.armhole_below = 0.05; // above the dress's, through which it would start
    cut.lift = 0.03;
    cut.sleeve = 1.0;
    cut.sleeve_ease = 0.20;
    cut.cap_ease = 0.04;
    cut.cuff_ease = 0.12;
    cut.open_front = true;
    add_top(body, cut, pattern);
    return finished(pattern);
}

} // namespace selvage
