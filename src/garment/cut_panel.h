#pragma once

#include <vector>

#include "garment/pattern.h"

namespace selvage {

/// A stretch of a panel's border without corners that seams begin or end at.
struct CutPiece {
    int loop = 0;             ///< 0 is the outline, then the holes.
    int edge = -1;            ///< Of the outline; -1: a side of a dart or pleat.
    std::vector<Vec2> points; ///< Dense; the first is the last of the piece before.
    std::vector<double> arc;  ///< Length up to each point [m].
    std::vector<double> size; ///< Wanted edge length at each point [m].

    double length() const { return arc.back(); }
    Vec2 point_at(double s) const;
    double size_at(double s) const;
};

/// Two pieces of one panel that are sewn together against each other: the sides of a dart or pleat.
struct CutDart {
    int first = 0, second = 0;
};

/// A laid pleat: both halves of its fold lie under a piece beside it, all three as long, and are stitched to it.
struct CutPleat {
    int over = 0;              ///< The piece that they lie under.
    int first = 0, second = 0; ///< Halves of the fold, along the outline.
    bool under_end = false;    ///< `over` comes after them.
};

/// A line that the cloth is folded along, from where one piece starts to where another does.
struct CutCrease {
    int top = 0, bottom = 0; ///< Pieces.
};

/// A panel with its darts cut out.
struct CutPanel {
    std::vector<CutPiece> pieces; ///< Around the outline, then around each hole.
    std::vector<CutDart> darts;
    std::vector<CutPleat> pleats;
    std::vector<CutCrease> creases; ///< In the order of their tops around the outline.

    std::vector<int> pieces_of(int edge) const; ///< In order.
};

/// Wanted length of a panel's mesh edges where `edge` is that of the garment's: folds need at least three halves of an edge.
double panel_edge(const PatternPanel& panel, double edge);

/// `edge` is the wanted length of mesh edges; where the panel is narrower they become shorter.
CutPanel cut_panel(const PatternPanel& panel, double edge);

} // namespace selvage
