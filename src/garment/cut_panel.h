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

/// A panel with its darts cut out.
struct CutPanel {
    std::vector<CutPiece> pieces; ///< Around the outline, then around each hole.
    std::vector<CutDart> darts;

    std::vector<int> pieces_of(int edge) const; ///< In order.
};

/// `edge` is the wanted length of mesh edges; where the panel is narrower they become shorter.
CutPanel cut_panel(const PatternPanel& panel, double edge);

} // namespace selvage
