#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "garment/plane.h"

namespace selvage {

/// One side of a panel, from where the one before ends.
struct PatternEdge {
    std::string name; ///< Of the panel's edges, each once.
    Vec2 to;          ///< [m].
    bool curved = false;
    std::array<Vec2, 2> control{}; ///< Of a cubic Bezier curve.
};

/// A closed line: the last edge ends where the first starts.
struct PatternOutline {
    Vec2 start;
    std::vector<PatternEdge> edges;
};

/// A wedge cut out of an edge, whose sides are sewn together. Without depth it is a pleat: the edge is folded there, and
/// the fold's halves are sewn to each other. A pleat that runs `to` another edge is laid: its fold goes under the edge
/// beside it and is stitched to it, in three layers, and its two creases run down to the same fractions of `to`.
struct PatternDart {
    std::string edge;
    double at = 0.5;        ///< Of its middle, as a fraction of the edge's length.
    double width = 0.0;     ///< Of the edge that it takes [m].
    double depth = 0.0;     ///< From the edge to its tip [m]; 0 for a pleat.
    std::string to{};       ///< Of a laid pleat: the edge on the other side of the panel.
    bool under_end = false; ///< Laid towards the edge's end instead of its start.

    bool is_laid() const { return !to.empty(); }
};

/// How a panel starts around the body.
struct PanelPlace {
    enum class Shape { tube, disc, flat };
    Shape shape = Shape::tube; ///< tube: rows of the pattern around a part; disc: circles about the pattern's origin.
    std::string around = "torso"; ///< torso, left-arm, right-arm, left-leg, right-leg.
    std::string level = "waist";  ///< Landmark that the pattern's y = 0 stands at; for a disc its inner border.
    double shift = 0.0;           ///< Above that landmark, along the part away from its end [m].
    double turn_deg = 0.0;        ///< Where around the part the panel's middle is: 0 front, 90 left, 180 back.
};

struct PatternPanel {
    std::string name;
    PatternOutline outline;            ///< Counter-clockwise, or turned around when read.
    std::vector<PatternOutline> holes; ///< Their edges are hems.
    std::vector<PatternDart> darts;    ///< And pleats.
    int layer = 0;                     ///< 0 is next to the skin.
    std::string fabric;                ///< Empty: the pattern's.
    double grain_deg = 0.0;            ///< How far the warp is turned from the pattern's y axis, counter-clockwise.
    PanelPlace place;
};

struct SeamEnd {
    std::string panel, edge;
    std::string text() const { return panel + "." + edge; }
};

/// Two edges that are sewn together.
struct PatternSeam {
    SeamEnd a, b;
    bool reversed = true; ///< They run against each other, as the sides of two panels with the same face up do.
    std::string text() const { return a.text() + " - " + b.text(); }
};

struct Pattern {
    std::string name, description;
    std::string fabric = "cotton-poplin";
    double ease = 0.1; ///< The sides of a seam may differ by this fraction of the shorter; the longer is eased in.
    std::vector<PatternPanel> panels;
    std::vector<PatternSeam> seams;

    const PatternPanel* find_panel(const std::string& panel) const;
};

/// A fold of a laid pleat.
struct PatternCrease {
    double at = 0.0;    ///< On the pleats' edge, as a fraction of its length.
    bool outer = false; ///< Seen from outside; else it lies underneath.
};
/// Those of a panel, along the pleats' edge.
std::vector<PatternCrease> creases_of(const PatternPanel& panel);
/// Whether laid pleats run to this edge.
bool is_creased_to(const PatternPanel& panel, const std::string& edge);

double edge_length(const PatternOutline& outline, int edge);
double outline_length(const PatternOutline& outline);
/// Enclosed area, exact; negative when it goes round clockwise [m2].
double signed_area(const PatternOutline& outline);
/// The outline less its holes and darts [m2].
double panel_area(const PatternPanel& panel);

/// Points along an edge, ends included, close enough together to stand for it.
std::vector<Vec2> edge_points(const PatternOutline& outline, int edge);

/// Turns outlines counter-clockwise and holes clockwise. Called by whoever makes a pattern.
void orient_outlines(Pattern& pattern);

/// Fails on what cannot be cut or sewn, and names the panel or seam: open outlines, outlines that cross themselves, edges
/// without length or name, darts off their edge, laid pleats without room beside them, seams of edges that are not there, are used twice, or whose lengths
/// differ by more than the pattern's ease.
Status check_pattern(const Pattern& pattern);

} // namespace selvage
